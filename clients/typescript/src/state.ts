/** The states of a game. */

import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  type Advice,
  type BotTurn,
  type Interpretation,
  type Move,
  type MoveLike,
  readAdvice,
  readInterpretation,
  readMove,
  readMoves,
  readSeen,
  readSimulation,
  type Simulation,
  type Step,
} from "./answers.js";
import type { Caller, CallOptions } from "./caller.js";
import { invalid } from "./errors.js";
import { given, int32, seedOf, uint32 } from "./fields.js";
import { AdvisorService, type BudgetSchema } from "./gen/tablier/v1/advisor_service_pb.js";
import type { GameView, MoveSchema, Situation } from "./gen/tablier/v1/game_pb.js";
import {
  type DescribeStateResponse,
  GameService,
  MoveDetail,
  type Observation,
  RenderFormat,
  type RenderStateResponse,
} from "./gen/tablier/v1/game_service_pb.js";

/** Options of `play` and `steps`. */
export interface PlayOptions extends CallOptions {
  /** The seat of moves that do not name their own. */
  seat?: number | undefined;
}

/** Options of `interpret`. */
export interface InterpretOptions extends CallOptions {
  /** Seat that is to make the move. Without it, only one seat may be to move. */
  seat?: number | undefined;
  /** Language of the words and reasons in the answer, such as "fr". */
  language?: string | undefined;
}

/** Options of `png`. */
export interface PngOptions extends CallOptions {
  /** Width in pixels; without it, the natural size. */
  width?: number | undefined;
}

/** The limits of a search. It ends at the one that it reaches first. */
export interface SearchOptions extends CallOptions {
  /** Seat to advise. Without it, the only seat that is to move. */
  seat?: number | undefined;
  /** Time budget; added to the timeout of the client. */
  milliseconds?: number | undefined;
  /** Iterations of the search. With this limit alone, the same `seed` gets the same advice. */
  iterations?: number | undefined;
  seed?: number | bigint | undefined;
  /** Number of moves to return; 5 by default. */
  limit?: number | undefined;
}

/** Options of `suggest`. Without any limit, the search takes 100 milliseconds. */
export interface SuggestOptions extends SearchOptions {
  /** Plays like an opponent of this strength, from 1 to 10; needs no other limit. */
  level?: number | undefined;
}

/** Options of `analyze`. */
export interface AnalyzeOptions extends SearchOptions {
  /** Milliseconds between reports; 250 by default. */
  interval?: number | undefined;
}

/** Options of `simulate`. */
export interface SimulateOptions extends CallOptions {
  /** Number of games; 100 by default. */
  games?: number | undefined;
  /** Levels of the bots, 1 to 10, or 0 for random moves: one for all seats, or one per seat. */
  levels?: readonly number[] | undefined;
  /** Each game starts from another world that this seat cannot distinguish from the true one. */
  seat?: number | undefined;
  seed?: number | bigint | undefined;
  /** Time limit; added to the timeout of the client. */
  milliseconds?: number | undefined;
  /** Whether to return the moves of the first game. */
  sample?: boolean | undefined;
}

/** Options of `playBot`. */
export interface BotOptions extends CallOptions {
  /** Seat to play for. Without it, the only seat that is to move. */
  seat?: number | undefined;
  /** Strength, from 1 to 10; 0, the default, for the best moves within the limits. */
  level?: number | undefined;
  /** The moves are described as this seat saw them; -1, the default, is the referee. */
  viewer?: number | undefined;
  /** The most moves to play, while the seat is to move; 1 by default. */
  maxMoves?: number | undefined;
  /** Time budget of each move; added to the timeout of the client. */
  milliseconds?: number | undefined;
  /** Iterations of each search. */
  iterations?: number | undefined;
  seed?: number | bigint | undefined;
  /** Language of the words, such as "fr". */
  language?: string | undefined;
}

/**
 * An immutable state of a game; `play` returns the next one.
 *
 * A seat selects what a method is about. Without it, `moves` and `countMoves` cover every seat that
 * is to move, and `view`, `draw` and `svg` show what the seat of a view token sees, or, for other
 * tokens, what the referee sees: everything. Seat -1 is the referee in `view`, `draw`, `svg` and
 * `simulate`. In `moves`, `countMoves` and `play` it is the table, which makes the rare moves that
 * belong to no seat; it is never among the `actors`.
 */
export class State {
  readonly #caller: Caller;
  /** The state as bytes, which is all that you need to store. Do not change them. */
  readonly token: Uint8Array;
  /** Name of the game. */
  readonly game: string;
  /** Number of seats. */
  readonly seats: number;
  /** Number of moves made so far. */
  readonly ply: number;
  /** Kind of decision that is due; "over" at the end. */
  readonly phase: string;
  /** Seats that may move; empty when the game is over. */
  readonly actors: readonly number[];
  /** Whether the game is over. */
  readonly over: boolean;
  /** Points of each seat so far. */
  readonly scores: readonly number[];
  /** Result of each seat, from -1 to 1; empty before the end. */
  readonly returns: readonly number[];
  /** Seed of the game, if known. It reveals everything that is hidden in the game. */
  readonly seed: bigint | undefined;
  /** Match that a sealed token is bound to. */
  readonly match: string;

  /** @internal */
  constructor(
    caller: Caller,
    token: Uint8Array,
    situation: Situation | undefined,
    seed: bigint | undefined,
    match: string,
  ) {
    this.#caller = caller;
    this.token = token;
    this.game = situation?.game ?? "";
    this.seats = situation?.seats ?? 0;
    this.ply = situation?.ply ?? 0;
    this.phase = situation?.phase ?? "";
    this.actors = Object.freeze([...(situation?.actors ?? [])]);
    this.over = situation?.over ?? false;
    this.scores = Object.freeze([...(situation?.scores ?? [])]);
    this.returns = Object.freeze([...(situation?.returns ?? [])]);
    this.seed = seed;
    this.match = match;
    Object.freeze(this);
  }

  /** The situation in words. */
  toString(): string {
    if (this.over) {
      return `${this.game}, over at ply ${this.ply}: returns ${this.returns.join(", ")}`;
    }
    const one = this.actors.length === 1;
    const who = `${one ? "seat" : "seats"} ${this.actors.join(", ")} ${one ? "is" : "are"}`;
    return `${this.game}, ply ${this.ply}: ${who} to move (${this.phase})`;
  }

  /** What logs show: the token and the seed would reveal everything hidden in the game. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return `State(${this})`;
  }

  /** Return the legal moves. */
  async moves(seat?: number, options: CallOptions = {}): Promise<Move[]> {
    return readMoves(await this.#enumerate(seat, MoveDetail.FULL, options));
  }

  /** Return the number of legal moves. */
  async countMoves(seat?: number, options: CallOptions = {}): Promise<number> {
    const { seats } = await this.#enumerate(seat, MoveDetail.COUNT, options);
    return seats.reduce((sum, each) => sum + each.count, 0);
  }

  /**
   * Read what a person or a model wrote as a legal move; plays nothing.
   *
   * The text can be a notation in any case and spacing, the move in words, its number in `moves`
   * from 1, or JSON, with labels and Markdown around it.
   */
  async interpret(text: string, options: InterpretOptions = {}): Promise<Interpretation> {
    const { seat, language = "" } = options;
    const request = { ...this.#seen(seat), text, language };
    return readInterpretation(
      await this.#caller.send(GameService.method.interpretMove, request, options),
    );
  }

  /** Play a move, or several, and return the state after them. */
  async play(moves: MoveLike | readonly MoveLike[], options: PlayOptions = {}): Promise<State> {
    const request = { ...this.#own(), moves: writeMoves(moves, options.seat) };
    const reply = await this.#caller.send(GameService.method.applyMoves, request, options);
    return this.#next(reply.state, reply.situation);
  }

  /** Play like `play`, but return every move with the state after it. */
  async steps(moves: MoveLike | readonly MoveLike[], options: PlayOptions = {}): Promise<Step[]> {
    const written = writeMoves(moves, options.seat);
    const request = { ...this.#own(), moves: written, includeSteps: true };
    const reply = await this.#caller.send(GameService.method.applyMoves, request, options);
    return reply.steps.map(({ move, state, situation }) => ({
      move: readMove(move),
      state: this.#next(state, situation),
    }));
  }

  /** Rank the moves of a seat, best first. */
  async suggest(options: SuggestOptions = {}): Promise<Advice> {
    const request = {
      ...this.#search(options),
      level: uint32("level", options.level ?? 0),
    };
    const thinking = request.budget.milliseconds;
    return readAdvice(
      await this.#caller.send(AdvisorService.method.suggestMoves, request, options, thinking),
    );
  }

  /**
   * Rank moves continuously, with a report every `interval` milliseconds.
   *
   * The search ends when it reaches a limit, when you leave the loop over the reports, or when the
   * signal is aborted. The timeout of the client does not apply; pass one here if you need it.
   */
  async *analyze(options: AnalyzeOptions = {}): AsyncGenerator<Advice, void, undefined> {
    const request = {
      ...this.#search(options),
      intervalMilliseconds: uint32("interval", options.interval ?? 0),
    };
    const method = AdvisorService.method.streamAnalysis;
    for await (const reply of this.#caller.stream(method, request, options)) {
      yield readAdvice(reply);
    }
  }

  /** Let bots play games from this state and return statistics. */
  async simulate(options: SimulateOptions = {}): Promise<Simulation> {
    const milliseconds = uint32("milliseconds", options.milliseconds ?? 0);
    const request = {
      ...this.#seen(options.seat),
      games: uint32("games", options.games ?? 0),
      levels: (options.levels ?? []).map((level, i) => uint32(`levels[${i}]`, level)),
      seed: seedOf(options.seed ?? 0),
      milliseconds,
      includeSample: options.sample ?? false,
    };
    const method = AdvisorService.method.simulateGame;
    return readSimulation(await this.#caller.send(method, request, options, milliseconds));
  }

  /** Let a bot play for a seat; returns the new state, and the moves as `viewer` saw them. */
  async playBot(options: BotOptions = {}): Promise<BotTurn> {
    const maxMoves = uint32("max_moves", options.maxMoves ?? 1);
    const request = {
      ...this.#seen(options.seat),
      ...given({ viewer: int32("viewer", options.viewer) }),
      level: uint32("level", options.level ?? 0),
      maxMoves,
      budget: writeBudget(options),
      seed: seedOf(options.seed ?? 0),
      language: options.language ?? "",
    };
    const thinking = request.budget.milliseconds * maxMoves;
    const method = AdvisorService.method.playSeat;
    const reply = await this.#caller.send(method, request, options, thinking);
    return { state: this.#next(reply.state, reply.situation), moves: readSeen(reply.moves) };
  }

  /**
   * Return what a seat may know. `view.game` has the name of the game as `case`, and the message of
   * that game as `value`.
   */
  async view(seat?: number, options: CallOptions = {}): Promise<GameView> {
    const { view } = await this.#describe(seat, options);
    if (!view) {
      throw invalid("view", "the service sent no view");
    }
    return view;
  }

  /** Return what a seat knows and may do as numbers, for learners. */
  async observation(seat?: number, options: CallOptions = {}): Promise<Observation> {
    const { observation } = await this.#describe(seat, options, true);
    if (!observation) {
      throw invalid("observation", "the service sent no observation");
    }
    return observation;
  }

  /** Return a view token: it contains only what the seat knows, so its player may have it. */
  async viewToken(seat: number, options: CallOptions = {}): Promise<Uint8Array> {
    return (await this.#describe(seat, options)).viewToken;
  }

  /**
   * Return the hash of the token that this one was made from, which only sealed tokens contain:
   * the first 16 bytes of its SHA-256. Empty for the first token of a game.
   */
  async previous(options: CallOptions = {}): Promise<Uint8Array> {
    // The view of any seat comes with the hash; seat 0 always exists.
    return (await this.#describe(0, options)).previous;
  }

  /** Draw the state as text. */
  async draw(seat?: number, options: CallOptions = {}): Promise<string> {
    return (await this.#render(seat, RenderFormat.TEXT, options)).content;
  }

  /** Draw the state as an SVG document. */
  async svg(seat?: number, options: CallOptions = {}): Promise<string> {
    return (await this.#render(seat, RenderFormat.SVG, options)).content;
  }

  /** Draw the state as a PNG image; throws FormatUnavailable if the service cannot. */
  async png(seat?: number, options: PngOptions = {}): Promise<Uint8Array> {
    return (await this.#render(seat, RenderFormat.PNG, options)).data;
  }

  #next(token: Uint8Array, situation: Situation | undefined): State {
    return new State(this.#caller, token, situation, this.seed, this.match);
  }

  #own() {
    return { state: this.token, match: this.match };
  }

  #seen(seat: number | undefined) {
    return { ...this.#own(), ...given({ seat: int32("seat", seat) }) };
  }

  #search(options: SearchOptions) {
    return {
      ...this.#seen(options.seat),
      budget: writeBudget(options),
      seed: seedOf(options.seed ?? 0),
      maxSuggestions: uint32("max_suggestions", options.limit ?? 5),
    };
  }

  #enumerate(seat: number | undefined, detail: MoveDetail, options: CallOptions) {
    const request = { ...this.#seen(seat), detail };
    return this.#caller.send(GameService.method.enumerateMoves, request, options);
  }

  #describe(
    seat: number | undefined,
    options: CallOptions,
    includeObservation = false,
  ): Promise<DescribeStateResponse> {
    const request = { ...this.#seen(seat), includeObservation };
    return this.#caller.send(GameService.method.describeState, request, options);
  }

  #render(
    seat: number | undefined,
    format: RenderFormat,
    options: PngOptions,
  ): Promise<RenderStateResponse> {
    const request = { ...this.#seen(seat), format, width: uint32("width", options.width ?? 0) };
    return this.#caller.send(GameService.method.renderState, request, options);
  }
}

/** Convert moves to messages; `seat` is the seat of moves that do not name their own. */
export function writeMoves(
  moves: MoveLike | readonly MoveLike[],
  seat?: number,
): MessageInitShape<typeof MoveSchema>[] {
  const list: readonly MoveLike[] = isList(moves) ? moves : [moves];
  return list.map((each, i) => {
    const move = typeof each === "string" ? { notation: each } : each;
    if (typeof move !== "object" || move === null) {
      throw invalid(`moves[${i}]`, `${String(each)} is neither a notation nor a move`);
    }
    return given({
      seat: int32(`moves[${i}].seat`, move.seat ?? seat),
      notation: move.notation,
      action: uint32(`moves[${i}].action`, move.action),
    });
  });
}

function isList(moves: MoveLike | readonly MoveLike[]): moves is readonly MoveLike[] {
  return Array.isArray(moves);
}

function writeBudget(options: {
  iterations?: number | undefined;
  milliseconds?: number | undefined;
}) {
  return {
    iterations: uint32("budget.iterations", options.iterations ?? 0),
    milliseconds: uint32("budget.milliseconds", options.milliseconds ?? 0),
  } satisfies MessageInitShape<typeof BudgetSchema>;
}
