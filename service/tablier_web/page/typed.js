/**
 * Typing a move: completion, and finding the move that a text means. Pure functions.
 *
 * @typedef {import("./types.d.ts").LegalMove} LegalMove
 * @typedef {import("./types.d.ts").Interpretation} Interpretation
 */
import { narrow } from "./paths.js";

const MOST_OFFERED = 40;

/** @param {string} text */
function folded(text) {
  return text.trim().replace(/\s+/g, " ").toLocaleLowerCase();
}

/**
 * The move that a text means: its notation or its words, or the only move that begins like it.
 * @param {LegalMove[]} moves
 * @param {string} text
 * @returns {LegalMove | null}
 */
export function readMove(moves, text) {
  const wanted = folded(text);
  if (!wanted) return null;
  const exact =
    moves.find((move) => folded(move.notation) === wanted) ??
    moves.find((move) => folded(move.words) === wanted);
  if (exact) return exact;
  const near = offers(moves, text, 2);
  return near.length === 1 ? (near[0] ?? null) : null;
}

/**
 * The moves to offer for a text: those that begin like it, then those whose words mention it.
 * @param {LegalMove[]} moves
 * @param {string} text
 * @param {number} [most]
 * @returns {LegalMove[]}
 */
export function offers(moves, text, most = MOST_OFFERED) {
  const wanted = folded(text);
  const starting = [];
  const mentioning = [];
  for (const move of moves) {
    if (folded(move.notation).startsWith(wanted)) starting.push(move);
    else if (folded(move.words).includes(wanted)) mentioning.push(move);
    if (starting.length >= most) break;
  }
  return [...starting, ...mentioning].slice(0, most);
}

/**
 * The move that the service understood, if it can be built on the board for confirmation.
 * @param {LegalMove[]} moves
 * @param {Interpretation} answer
 * @returns {LegalMove | null}
 */
export function understood(moves, answer) {
  const wanted = answer.understood?.move;
  const move = wanted && moves.find(({ action }) => action === (wanted.action ?? 0));
  return move && narrow(moves, move.parts).complete === move ? move : null;
}
