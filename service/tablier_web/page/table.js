/**
 * The table: one game in the browser, its players, and the screen that shows it. The views read its
 * fields and call its methods.
 */
import { ApiError, pause } from "./api.js";
import { calm } from "./motion.js";
import { isButton, narrow, settled } from "./paths.js";
import { playBot, playMove } from "./playing.js";
import { Screen } from "./screen.js";
import { t } from "./texts.js";
import { endOf, grow, lineTo, nodesOf, plant, prune, rootOf } from "./tree.js";
import { DEFAULT_LEVEL, fill, needsCurtain, nextTurn, personSeats } from "./turns.js";
import { readMove, understood } from "./typed.js";

/**
 * @typedef {import("./types.d.ts").Game} Game
 * @typedef {import("./types.d.ts").Interpretation} Interpretation
 * @typedef {import("./types.d.ts").LegalMove} LegalMove
 * @typedef {import("./types.d.ts").Player} Player
 * @typedef {import("./types.d.ts").Seen} Seen
 * @typedef {import("./tree.js").Node} Node
 * @typedef {import("./playing.js").Played} Played
 * @typedef {import("./turns.js").Turn} Turn
 * @typedef {import("./paths.js").Narrowed} Narrowed
 *
 * @typedef {object} Started how the game was started; a link or a record needs it
 * @property {Record<string, unknown>} options
 * @property {string} seed empty if the service does not reveal it
 */

// The time between moves of bots, so that people can follow them.
const PACE = 350;

export class Table extends Screen {
  /** @type {Game[]} */
  games = [];
  /** @type {Player[]} */
  players = [];
  /** @type {Started} */
  started = { options: {}, seed: "" };
  /** The seat to pass the screen to; -1 if the view is not hidden. */
  curtain = -1;
  /** Whether the service does not let the caller start games. */
  mayNotStart = false;
  /** The move that the owner of a view token wants to make. @type {LegalMove | null} */
  proposal = null;
  /** Whether bots move by themselves; jumping to another position stops them. */
  following = false;
  /** The moves before the start of the tree, as a viewer saw them. @type {{viewer: number, seen: Seen[]}} */
  before = { viewer: -1, seen: [] };
  /** What panels remark on moves. @type {Map<Node, {sign: string, words: string}>} */
  remarks = new Map();
  /** The person who is asked, or was asked last. */
  #asked = -1;

  // ---- What views ask for ------------------------------------------------------------------------

  /** @returns {Turn} */
  get turn() {
    if (!this.node) return { kind: "over", seat: -1, bots: [], persons: [] };
    return nextTurn(this.node.situation, this.players, this.#asked);
  }

  /** Whether the viewer can build a move now. */
  get canMove() {
    const { kind, seat } = this.turn;
    return (
      kind === "person" && seat === this.viewer && this.curtain < 0 && this.shown === this.node
    );
  }

  /** @returns {Narrowed} */
  get narrowed() {
    return narrow(this.canMove ? this.moves : [], this.chosen);
  }

  // ---- Games -------------------------------------------------------------------------------------

  /** Load the list of games. */
  async open() {
    await this.run(async (signal) => {
      const { games } = await this.api.get(`/v1/games?language=${this.api.language}`, signal);
      this.games = games;
    });
  }

  /**
   * The details of a game.
   * @param {string} name
   * @returns {Promise<Game>}
   */
  async details(name) {
    const { game } = await this.api.get(`/v1/games/${name}?language=${this.api.language}`);
    return game;
  }

  /**
   * Start a game; without players, a person plays seat 0 against bots.
   * @param {string} name
   * @param {Record<string, unknown>} [options]
   * @param {Player[]} [players]
   */
  async start(name, options = {}, players = []) {
    await this.run(async (signal) => {
      const game = await this.details(name);
      const answer = await this.#request(name, options, signal);
      this.game = game;
      this.started = { options, seed: answer.seed ?? "" };
      this.viewOnly = false;
      this.players = fill(players, answer.situation.seats);
      this.enter(plant(answer.state, answer.situation), true);
      await this.#go(signal);
    });
  }

  /** @param {string} name @param {Record<string, unknown>} options @param {AbortSignal} signal */
  async #request(name, options, signal) {
    try {
      return await this.api.post(`/v1/games/${name}:start`, { options }, signal);
    } catch (error) {
      this.mayNotStart = error instanceof ApiError && error.reason === "PERMISSION_DENIED";
      throw error;
    }
  }

  /** Ask for another key. */
  async changeKey() {
    this.api.forgetKey();
    this.mayNotStart = false;
    await this.open();
  }

  /**
   * Show a position of another tree, such as one from a link.
   * @param {Node} node
   * @param {boolean} following whether bots go on from here
   */
  enter(node, following) {
    this.node = node;
    this.following = following;
    this.proposal = null;
    this.before = { viewer: -1, seen: [] };
    this.#asked = -1;
    this.clear();
    const persons = personSeats(this.players);
    this.viewer = persons[0] ?? 0;
    this.bottom = persons.length === 1 ? this.viewer : null;
    const { kind, seat } = this.turn;
    this.curtain = -1;
    if (this.hidden && persons.length > 1) this.curtain = kind === "person" ? seat : this.viewer;
    this.onchange();
  }

  /**
   * Show the view of a seat from its view token, on which no moves can be played: a move that is built
   * becomes the `proposal`, for the person who hosts the game.
   * @param {string} state
   */
  async openView(state) {
    await this.run(async (signal) => {
      const { situation, seats = [] } = await this.api.onState("enumerateMoves", { state }, signal);
      this.game = await this.details(situation.game);
      this.started = { options: {}, seed: "" };
      this.viewOnly = true;
      // The only seat is that of the token; a finished game has none.
      const seat = seats[0]?.seat ?? 0;
      this.players = fill([], situation.seats).map((player, at) => ({
        ...player,
        kind: at === seat ? "person" : "bot",
      }));
      this.enter(plant(state, situation), false);
      await this.#go(signal);
    });
  }

  /** Leave the game and choose another. */
  leave() {
    this.stop();
    this.node = this.game = null;
    this.curtain = -1;
    this.error = "";
    this.clear();
    this.onchange();
  }

  // ---- Moves -------------------------------------------------------------------------------------

  /** Choose a part of the picture; makes the move when it is settled. @param {string} part */
  choose(part) {
    if (!this.narrowed.next.includes(part) && !isButton(part)) return;
    this.chosen.push(part);
    this.error = "";
    const move = settled(this.narrowed);
    if (move) {
      void this.play(move);
      return;
    }
    const { complete, moves } = this.narrowed;
    this.announce(complete ? complete.words : t("movesLeft", { count: moves.length }));
    this.onchange();
  }

  /** Make the move whose path is complete. */
  confirm() {
    const { complete } = this.narrowed;
    if (complete) void this.play(complete);
  }

  /**
   * Make the move that a text means; returns whether there is one. If the page finds none, the service
   * reads the text, and the person confirms what it understood.
   * @param {string} text
   */
  type(text) {
    const move = readMove(this.canMove ? this.moves : [], text);
    if (move) void this.play(move);
    else void this.#interpret(text);
    return move !== null;
  }

  /** @param {string} text */
  async #interpret(text) {
    const { node, viewer, moves } = this;
    if (!node || !this.canMove) return;
    await this.run(async (signal) => {
      const call = { state: node.state, seat: viewer, text };
      const answer = await this.api.onState("interpretMove", call, signal);
      const move = understood(moves, answer);
      if (move) {
        this.chosen = [...move.parts];
        this.announce(move.words);
      } else {
        this.fail(misunderstood(text, answer));
      }
      this.onchange();
      await this.tell(signal);
    });
  }

  /**
   * Make a move, and let the others go on.
   * @param {LegalMove} move
   */
  async play(move) {
    const from = this.node;
    if (!from) return;
    if (this.viewOnly) {
      this.proposal = move;
      this.chosen = [];
      this.announce(move.words);
      this.onchange();
      return;
    }
    await this.run(async (signal) => {
      this.#reach(from, await playMove(this.api, from, move, this.viewer, signal));
      this.following = true;
      await this.#go(signal);
    });
  }

  /** Let somebody else move before the person who is asked. */
  async wait() {
    const { bots } = this.turn;
    const bot = bots[Math.floor(Math.random() * bots.length)];
    if (bot === undefined) return;
    this.following = true;
    await this.run(async (signal) => {
      await this.#playBot(bot, signal);
      await this.#go(signal);
    });
  }

  /** Let bots go on from the position that is shown. */
  async goOn() {
    this.following = true;
    await this.go();
  }

  /** Ask another person who may move now. @param {number} seat */
  async ask(seat) {
    this.#asked = seat;
    if (needsCurtain(this.hidden, this.players, this.viewer, seat)) this.#hide(seat);
    else await this.go();
  }

  /** Show the view to the person whom the screen was passed to. */
  async reveal() {
    this.viewer = this.curtain;
    this.#asked = this.curtain;
    this.curtain = -1;
    await this.go();
  }

  /** @param {number} seat */
  #hide(seat) {
    this.forget();
    this.curtain = seat;
    this.announce(t("passScreen", { seat }));
    this.onchange();
  }

  /** Let bots move until a person is asked or the game is over, and show the position. */
  async go() {
    await this.run((signal) => this.#go(signal));
  }

  /** @param {AbortSignal} signal */
  async #go(signal) {
    for (let moved = 0; this.curtain < 0; moved += 1) {
      const turn = this.turn;
      if (turn.kind === "person") {
        this.#asked = turn.seat;
        if (needsCurtain(this.hidden, this.players, this.viewer, turn.seat)) {
          this.#hide(turn.seat);
          return;
        }
        this.viewer = turn.seat;
      }
      await this.load(signal);
      const bot = turn.bots[Math.floor(Math.random() * turn.bots.length)];
      if (turn.kind !== "bot" || bot === undefined || !this.following) break;
      if (moved) await pause(calm() ? 0 : PACE, signal);
      await this.#playBot(bot, signal);
    }
    if (this.curtain >= 0) return;
    await this.tell(signal);
    if (this.node?.situation.over && this.following) this.announce(this.result());
  }

  /** Show the position for the viewer, without letting anybody move. */
  async show() {
    if (this.curtain >= 0) return;
    await this.run(async (signal) => {
      await this.load(signal);
      await this.tell(signal);
    });
  }

  /**
   * @param {number} seat
   * @param {AbortSignal} signal
   */
  async #playBot(seat, signal) {
    const from = this.node;
    if (!from) return;
    const level = this.players[seat]?.level ?? DEFAULT_LEVEL;
    const { api, viewer, hidden } = this;
    this.#reach(from, await playBot(api, from, seat, level, viewer, hidden, signal));
  }

  /**
   * @param {Node} from
   * @param {Played} played
   */
  #reach(from, { reached, words }) {
    this.node = grow(from, reached);
    this.node.words.set(this.viewer, words);
    this.chosen = [];
    this.announce(words);
    this.onchange();
  }

  // ---- The tree ----------------------------------------------------------------------------------

  /** Show another position of the game. @param {Node} node */
  async jump(node) {
    if (node === this.node) return;
    this.node = node;
    this.following = false;
    this.chosen = [];
    this.announce(node.words.get(this.viewer) ?? t("start"));
    const { kind, seat } = this.turn;
    if (kind === "person" && !needsCurtain(this.hidden, this.players, this.viewer, seat)) {
      this.viewer = seat;
      this.#asked = seat;
    }
    this.onchange();
    await this.show();
  }

  /** Go to the start, one move back, one move on, or to the end. @param {"first" | "back" | "on" | "last"} where */
  async step(where) {
    const { node } = this;
    if (!node || this.curtain >= 0) return;
    const target = {
      first: rootOf(node),
      back: node.parent,
      on: node.children[0],
      last: endOf(node),
    }[where];
    if (target) await this.jump(target);
  }

  /** Remove a move and everything after it. @param {Node} node */
  async remove(node) {
    const gone = this.node && lineTo(this.node).includes(node);
    const before = prune(node);
    if (gone) await this.jump(before);
    else this.onchange();
  }

  /** Change who plays a seat. @param {number} seat @param {Player} player */
  async seat(seat, player) {
    this.players = this.players.map((each, index) => (index === seat ? player : each));
    const persons = personSeats(this.players);
    if (this.hidden && !persons.includes(this.viewer) && persons.length) {
      this.#hide(persons[0] ?? 0);
      return;
    }
    await this.go();
  }

  /** Change the language: load every text again. */
  async translate() {
    await this.open();
    if (!this.game || !this.node) return;
    this.game = await this.details(this.game.name);
    for (const each of nodesOf(rootOf(this.node))) each.words.clear();
    await this.go();
  }

  /** The result of the game for the viewer, in words. */
  result() {
    const returns = this.node?.situation.returns ?? [];
    const mine = returns[this.viewer] ?? 0;
    const words = mine > 0 ? t("won") : mine < 0 ? t("lost") : t("drawn");
    return personSeats(this.players).length === 1 ? `${t("over")} ${words}` : t("over");
  }
}

/**
 * Why a text is not a move, or which moves it may mean, in words.
 * @param {string} text
 * @param {Interpretation} answer
 */
function misunderstood(text, answer) {
  const { outcome, candidates = [], reason } = answer;
  const near = answer.understood ? [answer.understood] : candidates;
  const moves = near.map(({ move, words }) => `${move.notation ?? ""} (${words})`).join(", ");
  if (outcome !== "INTERPRETATION_OUTCOME_NONE") return t("mayMean", { text, moves });
  const why = reason || t("noSuchMove", { text });
  return moves ? `${why} ${t("nearest", { moves })}` : why;
}
