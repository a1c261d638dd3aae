/** The client: a connection to a service, and what can be called without a state. */

import type { JsonObject } from "@bufbuild/protobuf";
import { createClient, type Client as Generated, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-web";
import { type MoveLike, type Replay, readHidden } from "./answers.js";
import { Caller, type CallOptions } from "./caller.js";
import { InvalidField, invalid, UnknownGame } from "./errors.js";
import { given, int32, seedOf, timeout } from "./fields.js";
import type { GameName, GameOptions } from "./gen/options.js";
import { AdvisorService } from "./gen/tablier/v1/advisor_service_pb.js";
import type { Game } from "./gen/tablier/v1/game_pb.js";
import {
  GameService,
  MoveDetail,
  type ReplayGameResponse,
} from "./gen/tablier/v1/game_service_pb.js";
import { State, writeMoves } from "./state.js";

export type { CallOptions } from "./caller.js";

const DEFAULT_TIMEOUT_MS = 20_000;
const LOOPBACK = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
const RECORD_GAME = /^\[Game "([^"]*)"\]$/m;

/** Options of `connect`. */
export interface ConnectOptions {
  /** Identifies you; sent with every call. */
  apiKey?: string | undefined;
  /** The protocol: "connect" by default. */
  transport?: "connect" | "grpc-web" | undefined;
  /** Headers that are sent with every call, such as `authorization: Bearer <JWT>`. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Milliseconds within which a call ends, retries included; 20,000 by default. */
  timeoutMs?: number | undefined;
  /** Whether `http:` may be used with addresses other than loopback, although anyone can read it. */
  insecure?: boolean | undefined;
  /** Replaces the `fetch` of the runtime. */
  fetch?: typeof globalThis.fetch | undefined;
}

/** Options of calls whose answer has texts. */
export interface TextOptions extends CallOptions {
  /** Language of the texts, such as "fr". */
  language?: string | undefined;
}

/** Options of `start`. */
export interface StartOptions extends CallOptions {
  /** The same seed gives the same game. Use a bigint above 2**53. */
  seed?: number | bigint | undefined;
  /** Sealed tokens are bound to this name, and rejected in other matches. */
  match?: string | undefined;
}

/** Options of `replayRecord`. */
export interface ReplayRecordOptions extends CallOptions {
  match?: string | undefined;
  /** Whether to return the state after every move. */
  steps?: boolean | undefined;
  /** Whether to return a transcript for people. */
  transcript?: boolean | undefined;
  /**
   * Adds views at the start and after every move. With a seat, everything in the replay is what
   * this seat knew; -1 is the referee.
   */
  viewer?: number | undefined;
}

/** Options of `replay`. */
export interface ReplayOptions extends ReplayRecordOptions {
  seed: number | bigint;
}

/** Options of `record`. */
export interface RecordOptions extends CallOptions {
  seed: number | bigint;
  /** With a seat, the record contains what this seat saw, without the seed. */
  viewer?: number | undefined;
}

/** The options of a game; any object if the name is known only at run time. */
export type OptionsOf<N extends string> = N extends GameName ? GameOptions[N] : JsonObject;

type AnyGame = GameName | (string & {});

/** Return a client for a service, such as `connect("http://127.0.0.1:8080")`. Sends nothing. */
export function connect(address: string | URL, options: ConnectOptions = {}): Client {
  return new Client(address, options);
}

/** A connection to a Tablier service. */
export class Client {
  readonly #caller: Caller;
  /** The address of the service. */
  readonly url: string;
  /**
   * The generated clients, for calls that have no method here, such as `batch`. They throw
   * `ConnectError`, and have neither timeouts nor retries.
   */
  readonly generated: {
    readonly games: Generated<typeof GameService>;
    readonly advisor: Generated<typeof AdvisorService>;
  };

  constructor(address: string | URL, options: ConnectOptions = {}) {
    this.url = checkedUrl(address, options.insecure ?? false);
    const headers = new Headers(options.headers);
    if (options.apiKey !== undefined) {
      headers.set("authorization", `Bearer ${options.apiKey}`);
    }
    const identify: Interceptor = (next) => (request) => {
      headers.forEach((value, name) => {
        request.header.set(name, value);
      });
      return next(request);
    };
    const settings = given({
      baseUrl: this.url,
      useBinaryFormat: true,
      interceptors: [identify],
      fetch: options.fetch,
    });
    const transport =
      options.transport === "grpc-web"
        ? createGrpcWebTransport(settings)
        : createConnectTransport(settings);
    this.#caller = new Caller(
      this.url,
      transport,
      timeout(options.timeoutMs ?? DEFAULT_TIMEOUT_MS),
    );
    this.generated = {
      games: createClient(GameService, transport),
      advisor: createClient(AdvisorService, transport),
    };
  }

  /** List the games of the service. */
  async games(options: TextOptions = {}): Promise<Game[]> {
    const request = { language: options.language ?? "" };
    return (await this.#caller.send(GameService.method.listGames, request, options)).games;
  }

  /** Return the details of a game: seats, options, phases, notation. */
  async game(name: AnyGame, options: TextOptions = {}): Promise<Game> {
    const request = { game: name, language: options.language ?? "" };
    const { game } = await this.#caller.send(GameService.method.getGame, request, options);
    if (!game) {
      throw new UnknownGame("the service sent no game", { code: "NOT_FOUND" });
    }
    return game;
  }

  /** Return the rules of a game for players, as Markdown; in English by default. */
  async rules(name: AnyGame, options: TextOptions = {}): Promise<string> {
    const request = { game: name, language: options.language ?? "", includeRules: true };
    return (await this.#caller.send(GameService.method.getGame, request, options)).rules;
  }

  /** Start a game; options that are absent have their defaults. */
  async start<N extends AnyGame>(
    name: N,
    gameOptions?: OptionsOf<N>,
    options: StartOptions = {},
  ): Promise<State> {
    const { match = "" } = options;
    const request = {
      game: name,
      options: (gameOptions ?? {}) as JsonObject,
      match,
      ...given({ seed: seedOf(options.seed) }),
    };
    const reply = await this.#caller.send(GameService.method.startGame, request, options);
    return new State(this.#caller, reply.state, reply.situation, reply.seed, match);
  }

  /** Return the state of a stored token or of a view token. */
  async state(
    token: Uint8Array,
    options: CallOptions & { match?: string | undefined } = {},
  ): Promise<State> {
    if (!(token instanceof Uint8Array)) {
      throw invalid("token", `${String(token)} is not a Uint8Array`);
    }
    const { match = "" } = options;
    // A copy, so that later changes of the caller's buffer do not change the state.
    const state = new Uint8Array(token);
    // Counting moves is the cheapest call that returns the situation and accepts view tokens.
    const request = { state, match, detail: MoveDetail.COUNT };
    const reply = await this.#caller.send(GameService.method.enumerateMoves, request, options);
    return new State(this.#caller, state, reply.situation, undefined, match);
  }

  /** Replay a game; optionally with the state after every move, a transcript and views. */
  async replay<N extends AnyGame>(
    name: N,
    moves: readonly MoveLike[],
    gameOptions: OptionsOf<N> | undefined,
    options: ReplayOptions,
  ): Promise<Replay> {
    const seed = seedOf(options.seed);
    const request = {
      game: name,
      options: (gameOptions ?? {}) as JsonObject,
      moves: writeMoves(moves),
      seed,
      ...asked(options),
    };
    const reply = await this.#caller.send(GameService.method.replayGame, request, options);
    return this.#readReplay(reply, options, seed);
  }

  /**
   * Replay a game from the text of its record.
   *
   * The service rejects a record that has no seed, contains hidden moves or breaks the rules.
   */
  async replayRecord(record: string, options: ReplayRecordOptions = {}): Promise<Replay> {
    const request = {
      // The service wants the name, too, and rejects a record without one.
      game: RECORD_GAME.exec(record)?.[1] ?? "",
      record,
      includeRecord: true,
      ...asked(options),
    };
    const reply = await this.#caller.send(GameService.method.replayGame, request, options);
    return this.#readReplay(reply, options, undefined);
  }

  /** Return the record of a game as text. */
  async record<N extends AnyGame>(
    name: N,
    moves: readonly MoveLike[],
    gameOptions: OptionsOf<N> | undefined,
    options: RecordOptions,
  ): Promise<string> {
    const request = {
      game: name,
      options: (gameOptions ?? {}) as JsonObject,
      moves: writeMoves(moves),
      seed: seedOf(options.seed),
      includeRecord: true,
      ...given({ viewer: int32("viewer", options.viewer) }),
    };
    return (await this.#caller.send(GameService.method.replayGame, request, options)).record;
  }

  #readReplay(
    reply: ReplayGameResponse,
    { match = "", viewer }: ReplayRecordOptions,
    seed: bigint | undefined,
  ): Replay {
    // The seed reveals everything hidden, so states for a seat do not contain it.
    const known = viewer === undefined || viewer < 0 ? seed : undefined;
    return {
      state: new State(this.#caller, reply.state, reply.situation, known, match),
      steps: reply.steps.map(({ move, state, situation }) => ({
        move: readHidden(move),
        state: new State(this.#caller, state, situation, known, match),
      })),
      transcript: reply.transcript,
      views: reply.views,
      record: reply.record,
    };
  }
}

/** What a replay shall return. */
function asked(options: ReplayRecordOptions) {
  return {
    match: options.match ?? "",
    includeSteps: options.steps ?? false,
    includeTranscript: options.transcript ?? false,
    ...given({ viewer: int32("viewer", options.viewer) }),
  };
}

/** Check the address of a service. */
function checkedUrl(address: string | URL, insecure: boolean): string {
  let url: URL;
  try {
    url = new URL(address);
  } catch (error) {
    throw new InvalidField(`${String(address)} is not a URL, such as http://127.0.0.1:8080`, {
      code: "INVALID_ARGUMENT",
      reason: "INVALID_FIELD",
      field: "address",
      cause: error,
    });
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw invalid("address", `${url.href} does not begin with http:// or https://`);
  }
  if (url.username || url.password || url.search || url.hash) {
    throw invalid("address", "an address has no user, query or fragment");
  }
  if (url.protocol === "http:" && !insecure && !LOOPBACK.test(url.hostname)) {
    throw invalid(
      "address",
      `anyone on the way to ${url.host} could read what is sent: use https, or pass insecure: true`,
    );
  }
  return url.href.replace(/\/+$/, "");
}
