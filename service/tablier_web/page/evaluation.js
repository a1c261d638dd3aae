/**
 * What searches say about positions: the seat to advise, the values over a game, and mistakes. Pure.
 *
 * @typedef {import("./types.d.ts").Situation} Situation
 * @typedef {import("./types.d.ts").Suggestion} Suggestion
 * @typedef {import("./tree.js").Node} Node
 *
 * @typedef {object} Evaluation
 * @property {number} seat the seat that was advised
 * @property {Suggestion[]} suggestions best first, at least one
 *
 * @typedef {ReadonlyMap<Node, Evaluation>} Evaluations
 *
 * @typedef {object} Point
 * @property {Node} node
 * @property {number[]} values the expected return of each seat
 *
 * @typedef {object} Mistake
 * @property {string} sign
 * @property {Suggestion} better
 * @property {number} loss
 */

// Losses of the expected return, which is from -1 to 1, and their signs.
const SIGNS = /** @type {const} */ ([
  [0.6, "??"],
  [0.3, "?"],
  [0.15, "?!"],
]);
// With fewer visits, the value of a move says little.
const LEAST_VISITS = 8;

/**
 * The seat to advise; -1 if nobody can be advised. Where something is hidden, that is only the viewer.
 * @param {Situation} situation
 * @param {boolean} hidden
 * @param {number} viewer
 */
export function advisedSeat(situation, hidden, viewer) {
  const actors = situation.over ? [] : (situation.actors ?? []);
  if (actors.includes(viewer)) return viewer;
  return hidden ? -1 : (actors[0] ?? -1);
}

/**
 * The expected return of each seat in a position, or its result; null if it is not known.
 * @param {Node} node
 * @param {Evaluations} evaluations
 * @returns {number[] | null}
 */
export function valuesAt(node, evaluations) {
  if (node.situation.over) return node.situation.returns ?? null;
  return evaluations.get(node)?.suggestions[0]?.values ?? null;
}

/**
 * The positions of a line whose values are known.
 * @param {Node[]} line
 * @param {Evaluations} evaluations
 * @returns {Point[]}
 */
export function pointsOf(line, evaluations) {
  return line.flatMap((node) => {
    const values = valuesAt(node, evaluations);
    return values ? [{ node, values }] : [];
  });
}

/**
 * Where a value is in a graph: the first position on the left, 1 at the top and -1 at the bottom.
 * @param {number} depth
 * @param {number} value
 * @param {number} last the depth of the last position
 * @param {number} width
 * @param {number} height
 */
export function place(depth, value, last, width, height) {
  const x = last ? (depth / last) * width : width / 2;
  return { x: Math.round(x * 10) / 10, y: Math.round(((1 - value) / 2) * height * 10) / 10 };
}

/**
 * Whether the move to a node was a mistake of the seat that was advised before it.
 * @param {Node} node
 * @param {Evaluations} evaluations
 * @returns {Mistake | null}
 */
export function mistakeAt(node, evaluations) {
  const { parent, move, seat } = node;
  const before = parent && evaluations.get(parent);
  const better = before?.suggestions[0];
  if (!before || !better || !move || before.seat !== seat) return null;
  const action = move.action ?? 0;
  if ((better.move.action ?? 0) === action) return null;
  const made = before.suggestions.find((each) => (each.move.action ?? 0) === action);
  const tried = made && (made.visits ?? 0) >= LEAST_VISITS ? made.values : null;
  const after = valuesAt(node, evaluations) ?? tried;
  if (!after) return null;
  const loss = (better.values?.[seat] ?? 0) - (after[seat] ?? 0);
  const sign = SIGNS.find(([least]) => loss >= least)?.[1];
  return sign ? { sign, better, loss } : null;
}

/**
 * The moves to list: pinned ones first, then the best ones.
 * @param {Suggestion[]} suggestions
 * @param {ReadonlySet<number>} pinned
 * @param {number} most how many of those that are not pinned
 */
export function ranked(suggestions, pinned, most) {
  const isPinned = (/** @type {Suggestion} */ { move }) => pinned.has(move.action ?? 0);
  const others = suggestions.filter((each) => !isPinned(each)).slice(0, most);
  return [...suggestions.filter(isPinned), ...others];
}

/** A value as people read it. @param {number} value */
export function signed(value) {
  const text = Math.abs(value).toFixed(2);
  return Number(text) === 0 ? text : (value < 0 ? "−" : "+") + text;
}
