/**
 * The analysis of what a table shows: a search of the position that reports while it goes on, then a
 * short one of every other position of the game. Where something is hidden, it asks only for the
 * viewer's seat, and forgets everything when another seat is shown.
 */
import { ApiError } from "./api.js";
import { advisedSeat, mistakeAt, signed } from "./evaluation.js";
import { isButton, legalMoves } from "./paths.js";
import { t } from "./texts.js";
import { endOf, lineTo } from "./tree.js";

/**
 * @typedef {import("./table.js").Table} Table
 * @typedef {import("./tree.js").Node} Node
 * @typedef {import("./types.d.ts").Suggestion} Suggestion
 * @typedef {import("./evaluation.js").Evaluation} Evaluation
 * @typedef {{iterations?: number, milliseconds?: number}} Budget
 */

// Enough for pinned moves to stay in the reports.
const MOST_SUGGESTIONS = 32;
const REVIEW = { iterations: 2000 };
const MOST_ARROWS = 4;

export class Analysis {
  on = false;
  /** @type {Budget} */
  budget = { milliseconds: 5000 };
  /** Whether a search goes on. */
  running = false;
  /** Why there is no analysis, in words. */
  problem = "";
  iterations = 0;
  milliseconds = 0;
  /** The actions of pinned moves. @type {Set<number>} */
  pinned = new Set();
  /** The actions of moves to compare, two at most. @type {number[]} */
  compared = [];
  /** The line that is pointed out. @type {Suggestion | null} */
  pointed = null;
  /** @type {Map<Node, Evaluation>} */
  evaluations = new Map();
  #work = new AbortController();
  #subject = "";
  #circle = "";
  /** Arrows by line. @type {Map<string, Table["hints"]>} */
  #arrows = new Map();
  /** The line whose arrows are drawn. */
  #drawn = "";

  /** @param {Table} table */
  constructor(table) {
    this.table = table;
  }

  /** The moves of the position that is shown, best first. @returns {Suggestion[]} */
  get suggestions() {
    const { node } = this.table;
    return (node && this.evaluations.get(node)?.suggestions) || [];
  }

  /** The seat that is advised; -1 for none. */
  get seat() {
    const { node, hidden, viewer } = this.table;
    return node ? advisedSeat(node.situation, hidden, viewer) : -1;
  }

  /** @param {boolean} on */
  turn(on) {
    this.on = on;
    this.follow();
    this.table.onchange();
  }

  /** @param {Budget} budget */
  spend(budget) {
    this.budget = budget;
    this.restart();
  }

  restart() {
    this.#subject = "";
    this.follow();
    this.table.onchange();
  }

  stop() {
    this.#work.abort();
    this.running = false;
    this.table.onchange();
  }

  /** Search what the table shows, if that has changed. */
  follow() {
    const { table } = this;
    const { node, viewer, curtain, hidden, api } = table;
    const visible = this.on && node && curtain < 0;
    // Nobody else's analysis, and no words of another language.
    const circle = JSON.stringify([hidden && (curtain < 0 ? viewer : -1), api.language]);
    if (circle !== this.#circle) {
      this.#circle = circle;
      this.evaluations.clear();
      table.remarks.clear();
    }
    const subject = visible ? JSON.stringify([node.id, circle]) : "";
    if (subject === this.#subject || (visible && table.shown !== node)) return;
    this.#subject = subject;
    this.#work.abort();
    this.running = false;
    this.problem = "";
    this.pinned.clear();
    this.compared = [];
    this.#arrows.clear();
    this.pointed = null;
    if (!this.on) table.remarks.clear();
    void this.#draw();
    if (visible) void this.#search(node);
  }

  /** @param {Node} node */
  async #search(node) {
    const { table } = this;
    this.#work = new AbortController();
    const { signal } = this.#work;
    this.running = true;
    this.iterations = this.milliseconds = 0;
    try {
      if (this.seat >= 0) {
        await this.#stream(node, this.seat, signal);
        const [best] = this.suggestions;
        const value = signed(best?.values?.[this.seat] ?? 0);
        if (best) table.announce(t("best", { words: best.words?.[0] ?? "", value }));
      }
      await this.#review(node, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ApiError)) throw error;
      this.problem = t("noAdvice", { reason: error.message });
    }
    if (signal.aborted) return;
    this.running = false;
    table.onchange();
  }

  /**
   * @param {Node} node
   * @param {number} seat
   * @param {AbortSignal} signal
   */
  async #stream(node, seat, signal) {
    const { table, budget } = this;
    const wanted = { maxSuggestions: MOST_SUGGESTIONS, includeWords: true };
    const call = { state: node.state, seat, budget, ...wanted };
    for await (const report of table.api.stream("streamAnalysis", call, signal)) {
      if (signal.aborted) return;
      this.iterations = Number(report.iterations ?? 0);
      this.milliseconds = report.milliseconds ?? 0;
      if (report.suggestions?.length) {
        this.evaluations.set(node, { seat, suggestions: report.suggestions });
      }
      this.#remark(node);
      table.onchange();
      void this.#draw();
    }
  }

  /**
   * Search the other positions of the game, as far as they have not been searched.
   * @param {Node} shown
   * @param {AbortSignal} signal
   */
  async #review(shown, signal) {
    const { table } = this;
    const { hidden, viewer } = table;
    for (const node of lineTo(endOf(shown))) {
      const seat = advisedSeat(node.situation, hidden, viewer);
      if (seat < 0 || this.evaluations.has(node)) continue;
      const wanted = { maxSuggestions: MOST_SUGGESTIONS, includeWords: true, budget: REVIEW };
      const call = { state: node.state, seat, ...wanted };
      const { suggestions } = await table.api.onState("suggestMoves", call, signal);
      if (signal.aborted) return;
      if (suggestions?.length) this.evaluations.set(node, { seat, suggestions });
      this.#remark(node);
      table.onchange();
    }
    for (const node of lineTo(endOf(shown))) this.#remark(node);
  }

  /** Mark mistakes in the moves to and from a node. @param {Node} node */
  #remark(node) {
    const { remarks } = this.table;
    for (const each of [node, ...node.children]) {
      const mistake = mistakeAt(each, this.evaluations);
      if (!mistake) {
        remarks.delete(each);
        continue;
      }
      const { sign, better, loss } = mistake;
      const words = t("better", { words: better.words?.[0] ?? "", loss: loss.toFixed(2) });
      remarks.set(each, { sign, words });
    }
  }

  // ---- Moves that people are interested in -------------------------------------------------------

  /** @param {number} action */
  pin(action) {
    if (!this.pinned.delete(action)) this.pinned.add(action);
    this.table.onchange();
  }

  /** Compare a move with another one, or no longer. @param {number} action */
  compare(action) {
    this.compared = this.compared.includes(action)
      ? this.compared.filter((each) => each !== action)
      : [...this.compared.slice(-1), action];
    this.table.onchange();
  }

  /** Make a move, as a variation if there is another one already. @param {Suggestion} suggestion */
  play({ move, words = [] }) {
    const { seat = 0, action = 0, notation = "" } = move;
    const known = this.table.moves.find((each) => each.seat === seat && each.action === action);
    const made = { seat, action, notation, words: words[0] ?? notation, parts: [] };
    void this.table.play(known ?? { ...made, needsConfirmation: false });
  }

  /** Point out the line of a move, or that of the best move. @param {Suggestion | null} suggestion */
  async point(suggestion) {
    this.pointed = suggestion;
    this.table.onchange();
    await this.#draw();
  }

  /** Draw the line that is pointed out, or that of the best move, as arrows. */
  async #draw() {
    const { table } = this;
    const { node } = table;
    const drawn = this.on && table.curtain < 0 ? (this.pointed ?? this.suggestions[0]) : null;
    const key = node && drawn ? JSON.stringify([node.id, drawn.line?.slice(0, MOST_ARROWS)]) : "";
    if (key === this.#drawn) return;
    this.#drawn = key;
    let hints = this.#arrows.get(key);
    if (node && drawn && !hints) hints = await this.#arrowsOf(node, drawn);
    if (hints) this.#arrows.set(key, hints);
    // Meanwhile, another line may have become the best one.
    if (key !== this.#drawn) return;
    table.hints = hints ?? { parts: [], arrows: [] };
    table.onchange();
  }

  /**
   * The paths of the moves of a line as arrows. Where something is hidden, the line after the own move
   * is a guess that must not be compared with the true state.
   * @param {Node} node
   * @param {Suggestion} suggestion
   * @returns {Promise<Table["hints"]>}
   */
  async #arrowsOf(node, { move, line = [], words = [] }) {
    const { table } = this;
    const length = Math.min(words.length, MOST_ARROWS);
    const moves = table.hidden ? [move] : line.slice(0, Math.max(length, 1));
    /** @type {Table["hints"]} */
    const hints = { parts: [], arrows: [] };
    try {
      const states = [node.state];
      if (moves.length > 1) {
        const call = { state: node.state, moves: moves.slice(0, -1), includeSteps: true };
        const { steps } = await table.api.onState("applyMoves", call);
        for (const { state } of steps) states.push(state);
      }
      const listed = await table.api.batch(
        moves.map(({ seat = 0 }, index) => ({
          enumerateMoves: { state: states[index], seat, includePaths: true },
        })),
      );
      moves.forEach(({ action = 0 }, index) => {
        const made = legalMoves(listed[index].seats[0]).find((each) => each.action === action);
        const parts = (made?.parts ?? []).filter((part) => !isButton(part));
        if (parts.length === 1) hints.parts.push(...parts);
        for (let at = 1; at < parts.length; at += 1) {
          hints.arrows.push({ from: parts[at - 1] ?? "", to: parts[at] ?? "", later: index });
        }
      });
    } catch (error) {
      // A line can end where the search guessed what happens.
      if (!(error instanceof ApiError)) throw error;
    }
    return hints;
  }
}
