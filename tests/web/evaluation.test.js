import assert from "node:assert/strict";
import test from "node:test";
import {
  advisedSeat,
  mistakeAt,
  place,
  pointsOf,
  ranked,
  signed,
} from "../../service/tablier_web/page/evaluation.js";
import { grow, plant } from "../../service/tablier_web/page/tree.js";

/**
 * @typedef {import("../../service/tablier_web/page/tree.js").Node} Node
 * @typedef {import("../../service/tablier_web/page/evaluation.js").Evaluation} Evaluation
 */

const situation = { game: "g", seats: 2, phase: "p", actors: [0] };

/** @param {number} action @param {number} value of seat 0 @param {number} [visits] */
function suggestion(action, value, visits = 100) {
  return { move: { seat: 0, action }, visits, values: [value, -value], words: [`move ${action}`] };
}

/** @param {number} seat @param {ReturnType<typeof suggestion>[]} suggestions @returns {Evaluation} */
function evaluation(seat, ...suggestions) {
  return { seat, suggestions };
}

/** A game of one move of seat 0. @param {number} action */
function oneMove(action) {
  const root = plant("s", situation);
  const state = { state: "t", situation: { ...situation, actors: [1] } };
  return { root, node: grow(root, { ...state, seat: 0, move: { action } }) };
}

test("advises the viewer, or the seat to move where nothing is hidden", () => {
  assert.equal(advisedSeat({ ...situation, actors: [0, 2] }, true, 2), 2);
  assert.equal(advisedSeat({ ...situation, actors: [0, 2] }, false, 1), 0);
  assert.equal(advisedSeat({ ...situation, actors: [0, 2] }, true, 1), -1);
  assert.equal(advisedSeat({ ...situation, over: true }, false, 0), -1);
});

test("a graph has the positions whose values are known, and the result", () => {
  const { root, node } = oneMove(1);
  const over = { ...situation, over: true, returns: [1, -1] };
  const end = grow(node, { state: "u", situation: over, seat: 1, move: { action: 2 } });
  /** @type {Map<Node, Evaluation>} */
  const evaluations = new Map([[root, evaluation(0, suggestion(1, 0.5))]]);
  assert.deepEqual(pointsOf([root, node, end], evaluations), [
    { node: root, values: [0.5, -0.5] },
    { node: end, values: [1, -1] },
  ]);
});

test("places values from left to right, and 1 at the top", () => {
  assert.deepEqual(place(0, 1, 4, 100, 50), { x: 0, y: 0 });
  assert.deepEqual(place(4, -1, 4, 100, 50), { x: 100, y: 50 });
  assert.deepEqual(place(1, 0, 4, 100, 50), { x: 25, y: 25 });
  assert.deepEqual(place(0, 0, 0, 100, 50), { x: 50, y: 25 });
});

test("a move that loses much is a mistake, and the better one is named", () => {
  const { root, node } = oneMove(7);
  const before = evaluation(0, suggestion(1, 0.5), suggestion(7, -0.2));
  const found = mistakeAt(node, new Map([[root, before]]));
  assert.equal(found?.sign, "??");
  assert.equal(found?.better.move.action, 1);
  // A search after the move knows more than the one before it.
  const after = evaluation(1, suggestion(3, 0.15));
  const both = new Map([
    [root, before],
    [node, after],
  ]);
  assert.equal(mistakeAt(node, both)?.sign, "?");
});

test("the best move, a move as good and an unknown one are no mistakes", () => {
  const { root, node } = oneMove(7);
  const best = evaluation(0, suggestion(7, 0.5));
  assert.equal(mistakeAt(node, new Map([[root, best]])), null);
  const close = evaluation(0, suggestion(1, 0.5), suggestion(7, 0.45));
  assert.equal(mistakeAt(node, new Map([[root, close]])), null);
  const untried = evaluation(0, suggestion(1, 0.5), suggestion(7, -1, 2));
  assert.equal(mistakeAt(node, new Map([[root, untried]])), null);
  const ofAnother = evaluation(1, suggestion(1, 0.5), suggestion(7, -1));
  assert.equal(mistakeAt(node, new Map([[root, ofAnother]])), null);
  assert.equal(mistakeAt(root, new Map()), null);
});

test("pinned moves come first, however bad they are", () => {
  const all = [1, 2, 3, 4].map((action) => suggestion(action, -action));
  const listed = ranked(all, new Set([4]), 2).map(({ move }) => move.action);
  assert.deepEqual(listed, [4, 1, 2]);
});

test("values have a sign, except nothing", () => {
  assert.deepEqual([0.125, -0.5, 0, -0.001].map(signed), ["+0.13", "−0.50", "0.00", "0.00"]);
});
