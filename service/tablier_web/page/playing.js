/**
 * Playing moves on a position: the calls, and what they tell a viewer. In games with hidden
 * information, bots are played by the call that reveals only what the viewer sees.
 *
 * @typedef {import("./api.js").Api} Api
 * @typedef {import("./tree.js").Node} Node
 * @typedef {import("./tree.js").Reached} Reached
 * @typedef {import("./types.d.ts").LegalMove} LegalMove
 * @typedef {import("./types.d.ts").Move} Move
 *
 * @typedef {object} Played
 * @property {Reached} reached
 * @property {string} words the move as the viewer saw it
 */
import { legalMoves } from "./paths.js";

/**
 * Make a move of a person.
 * @param {Api} api
 * @param {Node} from
 * @param {LegalMove} move
 * @param {number} viewer
 * @param {AbortSignal} signal
 * @returns {Promise<Played>}
 */
export async function playMove(api, from, move, viewer, signal) {
  const made = { seat: move.seat, action: move.action };
  const call = { state: from.state, moves: [made], ...STEPS, viewer };
  const { state, situation, steps } = await api.onState("applyMoves", call, signal);
  const [step] = steps;
  const { seat, parts } = move;
  return { reached: { state, situation, seat, move: step.move, parts }, words: step.words };
}

const STEPS = { includeSteps: true, includeWords: true };

/**
 * Let a bot move.
 * @param {Api} api
 * @param {Node} from
 * @param {number} seat
 * @param {number} level
 * @param {number} viewer
 * @param {boolean} hidden whether the game has hidden information
 * @param {AbortSignal} signal
 * @returns {Promise<Played>}
 */
export async function playBot(api, from, seat, level, viewer, hidden, signal) {
  const bot = { level, seed: randomSeed() };
  const [answer, known] = await Promise.all([
    api.onState("playSeat", { state: from.state, seat, ...bot, viewer }, signal),
    // Where nothing is hidden, the path of the move may be known, too.
    hidden ? [] : movesOf(api, from, seat, signal),
  ]);
  const { state, situation, moves } = answer;
  const [seen] = moves;
  const move = seen.move ?? null;
  const parts = partsOf(known, move);
  return { reached: { state, situation, seat, move, bot, parts }, words: seen.words };
}

/**
 * The path of a move that was made, where nothing is hidden.
 * @param {Api} api
 * @param {Node} from
 * @param {number} seat
 * @param {Move} move
 * @param {AbortSignal} signal
 * @returns {Promise<string[]>}
 */
export async function findParts(api, from, seat, move, signal) {
  return partsOf(await movesOf(api, from, seat, signal), move);
}

/** @param {Api} api @param {Node} from @param {number} seat @param {AbortSignal} signal */
async function movesOf(api, from, seat, signal) {
  const call = { state: from.state, seat, includePaths: true };
  const { seats } = await api.onState("enumerateMoves", call, signal);
  return legalMoves(seats[0]);
}

/** @param {LegalMove[]} moves @param {Move | null} made */
function partsOf(moves, made) {
  return moves.find(({ action }) => action === (made?.action ?? 0))?.parts ?? [];
}

/**
 * A move that was made, as a viewer knows it: the same call tells it again.
 * @param {Api} api
 * @param {Node} node the position after the move
 * @param {number} viewer
 * @param {AbortSignal} signal
 * @returns {Promise<{move: Move | null, words: string}>}
 */
export async function tellMove(api, { parent, seat, move, bot }, viewer, signal) {
  const state = parent?.state;
  if (bot) {
    const { moves } = await api.onState("playSeat", { state, seat, ...bot, viewer }, signal);
    return { move: moves[0].move ?? null, words: moves[0].words };
  }
  const call = { state, moves: [move], ...STEPS, viewer };
  const { steps } = await api.onState("applyMoves", call, signal);
  return { move: steps[0].move ?? move, words: steps[0].words };
}

function randomSeed() {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return ((BigInt(high) << 32n) | BigInt(low)).toString();
}
