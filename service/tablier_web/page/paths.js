/**
 * Building a move by choosing parts of the picture: the paths of the legal moves narrow with every
 * part. Pure functions of the moves and of the parts chosen so far.
 *
 * @typedef {import("./types.d.ts").LegalMove} LegalMove
 * @typedef {import("./types.d.ts").SeatMoves} SeatMoves
 *
 * @typedef {object} Narrowed
 * @property {LegalMove[]} moves the moves whose path begins with the chosen parts
 * @property {string[]} next the parts that can be chosen now, without buttons
 * @property {LegalMove[]} buttons the moves whose next part is a button
 * @property {LegalMove | null} complete the move whose path is exactly the chosen parts
 */

const BUTTON = "button-";

/**
 * The moves of a seat, one record each instead of parallel lists.
 * @param {SeatMoves} listed
 * @returns {LegalMove[]}
 */
export function legalMoves(listed) {
  const { seat = 0, actions = [], notations = [], words = [], paths = [] } = listed;
  return actions.map((action, index) => ({
    seat,
    action,
    notation: notations[index] ?? "",
    words: words[index] ?? notations[index] ?? "",
    parts: paths[index]?.parts ?? [],
    needsConfirmation: paths[index]?.needsConfirmation ?? false,
  }));
}

/** @param {string} part whether a part has no place in the picture */
export function isButton(part) {
  return part.startsWith(BUTTON);
}

/**
 * @param {LegalMove[]} moves
 * @param {string[]} chosen
 * @returns {Narrowed}
 */
export function narrow(moves, chosen) {
  const depth = chosen.length;
  const left = depth
    ? moves.filter(({ parts }) => chosen.every((part, index) => parts[index] === part))
    : moves;
  /** @type {Set<string>} */
  const next = new Set();
  const buttons = [];
  let complete = null;
  for (const move of left) {
    const part = move.parts[depth];
    if (part === undefined) {
      // A move without any path is offered as a button, too.
      if (depth) complete = move;
      else buttons.push(move);
    } else if (isButton(part)) {
      buttons.push(move);
    } else {
      next.add(part);
    }
  }
  return { moves: left, next: [...next], buttons, complete };
}

/**
 * The move to make at once after a part was chosen: the only one left, if its path ends here.
 * @param {Narrowed} narrowed
 * @returns {LegalMove | null}
 */
export function settled({ moves, complete }) {
  return complete && moves.length === 1 && !complete.needsConfirmation ? complete : null;
}

/**
 * What choosing a part would do: the move that it completes, or the number of moves that it leaves.
 * @param {Narrowed} narrowed
 * @param {number} depth the number of parts chosen so far
 * @param {string} part
 * @returns {{move: LegalMove | null, count: number}}
 */
export function consequence(narrowed, depth, part) {
  const left = narrowed.moves.filter(({ parts }) => parts[depth] === part);
  const done = left.find(({ parts }) => parts.length === depth + 1) ?? null;
  return { move: left.length === 1 ? (left[0] ?? null) : done, count: left.length };
}
