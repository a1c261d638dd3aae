/**
 * What the screen shows of a game: the position for one seat, its drawing and its moves; and the work
 * that is in progress. After every change it calls `onchange`.
 *
 * Tokens of true states are kept, because moves are played on them, but their views are only ever
 * requested for `viewer`, the seat that the screen shows.
 */
import { ApiError } from "./api.js";
import { legalMoves } from "./paths.js";
import { findParts, tellMove } from "./playing.js";
import { endOf, lineTo, nodesOf, rootOf } from "./tree.js";

/**
 * @typedef {import("./types.d.ts").Game} Game
 * @typedef {import("./types.d.ts").LegalMove} LegalMove
 * @typedef {import("./tree.js").Node} Node
 * @typedef {import("./marks.js").Arrow} Arrow
 * @typedef {{parts: string[], arrows: Arrow[]}} Hints
 */

const THEMES = { light: "LIGHT", dark: "DARK", contrast: "HIGH_CONTRAST" };
// Plain tokens begin with "TB", sealed tokens with "TS"; this is the latter in base64.
const SEALED = "VFM";

export class Screen {
  /** @param {import("./api.js").Api} api */
  constructor(api) {
    this.api = api;
  }

  /** Called after every change. @type {() => void} */
  onchange = () => {};
  /** Called with sentences for people who cannot see the page. @type {(text: string) => void} */
  announce = () => {};
  /** Called when the sentences must go, because somebody else looks now. @type {() => void} */
  silence = () => {};
  /** The game that is played, with its options. @type {Game | null} */
  game = null;
  /** The position that is shown. @type {Node | null} */
  node = null;
  /** The seat that the screen shows. */
  viewer = 0;
  /** The drawing of the position for the viewer, as SVG. */
  drawing = "";
  /** The node that the drawing and the moves belong to. @type {Node | null} */
  shown = null;
  /** The legal moves of the viewer. @type {LegalMove[]} */
  moves = [];
  /** Moves of the table, which belong to no seat. @type {LegalMove[]} */
  tableMoves = [];
  /** The parts of the move that is being built. @type {string[]} */
  chosen = [];
  /** Parts and arrows that panels point out. @type {Hints} */
  hints = { parts: [], arrows: [] };
  /** @type {"light" | "dark" | "contrast"} */
  theme = "light";
  /** The width to draw for, in pixels. */
  width = 0;
  /** The seat at the bottom of boards with directions. @type {number | null} */
  bottom = null;
  /** Whether the state is a view token of `viewer`. */
  viewOnly = false;
  /** What went wrong last, in words. */
  error = "";

  /** Drawings that were requested for another size or theme. */
  #redrawing = 0;
  #working = false;
  /** Ends what the page is waiting for, when it does something else. */
  #work = new AbortController();

  /** Whether what is shown is about to change. */
  get busy() {
    return this.#working || this.#redrawing > 0;
  }

  /** Whether the tokens of this game cannot be read. */
  get sealed() {
    return this.node?.state.startsWith(SEALED) ?? false;
  }

  get hidden() {
    return this.game?.hiddenInformation ?? false;
  }

  /** Whether the viewer may see how a move was made. @param {Node} node */
  sees(node) {
    return !this.hidden || node.seat === this.viewer;
  }

  /** Show nothing. */
  clear() {
    this.chosen = [];
    this.moves = [];
    this.tableMoves = [];
    this.drawing = "";
    this.shown = null;
    this.hints = { parts: [], arrows: [] };
  }

  /** Forget what one person saw, before another person looks. */
  forget() {
    this.clear();
    this.error = "";
    this.api.records = [];
    for (const each of this.node ? nodesOf(rootOf(this.node)) : []) {
      each.words.clear();
      each.parts = [];
      // Enough to tell it again to those who may know it.
      const { seat, action } = each.move ?? {};
      each.move = each.bot || !each.move ? null : { seat: seat ?? 0, action: action ?? 0 };
    }
    this.silence();
  }

  /** Take back the last chosen part. */
  stepBack() {
    if (!this.chosen.length) return false;
    this.chosen = this.chosen.slice(0, -1);
    this.onchange();
    return true;
  }

  /** Draw again, after the theme, the width or the side at the bottom has changed. */
  async redraw() {
    const { shown, viewer } = this;
    if (!shown) return;
    this.#redrawing += 1;
    const { content } = await this.api.onState("render", this.drawingRequest(shown)).finally(() => {
      this.#redrawing -= 1;
    });
    if (this.shown !== shown || this.viewer !== viewer) return;
    this.drawing = content;
    this.onchange();
  }

  /**
   * The request for a drawing of a position for the viewer.
   * @param {Node} node
   */
  drawingRequest(node) {
    return {
      state: node.state,
      // A view token has its own seat.
      ...(this.viewOnly ? {} : { seat: this.viewer }),
      theme: `RENDER_THEME_${THEMES[this.theme]}`,
      ...(this.width ? { width: this.width } : {}),
      ...(this.bottom === null ? {} : { bottom: this.bottom }),
    };
  }

  /**
   * Load the drawing and the moves of the position for the viewer.
   * @param {AbortSignal} signal
   */
  async load(signal) {
    const { node, viewer } = this;
    if (!node) return;
    // First, the board measures the width to draw for.
    await null;
    /** @type {Record<string, unknown>[]} */
    const operations = [{ renderState: this.drawingRequest(node) }];
    const actors = node.situation.actors ?? [];
    const list = { state: node.state, detail: "MOVE_DETAIL_WORDS", includePaths: true };
    if (actors.includes(viewer)) {
      operations.push({ enumerateMoves: { ...list, seat: viewer } });
      // A view token has only the moves of its own seat.
      if (!this.viewOnly) operations.push({ enumerateMoves: { ...list, seat: -1 } });
    }
    const [drawn, listed, ofTable] = await this.api.batch(operations, signal);
    await this.#findParts(node, signal);
    if (this.shown !== node) this.hints = { parts: [], arrows: [] };
    this.drawing = drawn.content;
    this.moves = listed ? legalMoves(listed.seats[0]) : [];
    this.tableMoves = ofTable ? legalMoves(ofTable.seats[0]) : [];
    this.shown = node;
    this.onchange();
  }

  /**
   * Find the path of the last move if a link or a record made it, where nothing is hidden.
   * @param {Node} node
   * @param {AbortSignal} signal
   */
  async #findParts(node, signal) {
    const { parent, seat, move } = node;
    if (!parent || !move || node.parts.length || this.hidden) return;
    node.parts = await findParts(this.api, parent, seat, move, signal);
  }

  /**
   * Load the story of every move of the line that the viewer has not been told yet.
   * @param {AbortSignal} signal
   */
  async tell(signal) {
    const { node, viewer } = this;
    if (!node) return;
    for (const each of lineTo(endOf(node))) {
      if (!each.parent || each.words.has(viewer)) continue;
      const { move, words } = await tellMove(this.api, each, viewer, signal);
      each.move = move;
      each.words.set(viewer, words);
      this.onchange();
    }
  }

  // ---- Work and errors ---------------------------------------------------------------------------

  /**
   * Do some work instead of what is in progress; shows what goes wrong.
   * @param {(signal: AbortSignal) => Promise<void>} work
   */
  async run(work) {
    this.#work.abort();
    this.#work = new AbortController();
    const { signal } = this.#work;
    this.#working = true;
    this.error = "";
    this.onchange();
    try {
      await work(signal);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ApiError)) throw error;
      this.chosen = [];
      this.fail(error.message);
    } finally {
      if (this.#work.signal === signal) this.#working = false;
      this.onchange();
    }
  }

  /** Do nothing more of what is in progress. */
  stop() {
    this.#work.abort();
    this.#working = false;
  }

  /** Show what went wrong. @param {string} message */
  fail(message) {
    this.error = message;
    this.announce(message);
    this.onchange();
  }

  dismiss() {
    this.error = "";
    this.onchange();
  }
}
