import assert from "node:assert/strict";
import test from "node:test";
import { legalMoves } from "../../service/tablier_web/page/paths.js";
import { offers, readMove, understood } from "../../service/tablier_web/page/typed.js";

const moves = legalMoves({
  actions: [1, 2, 3],
  notations: ["a1-a2", "a1-a3", "pass"],
  words: ["Red goes to a2", "Red goes to a3", "Red passes"],
});

test("finds a move by its notation, its words, or a unique beginning", () => {
  assert.equal(readMove(moves, " A1-a2 ")?.action, 1);
  assert.equal(readMove(moves, "red goes to a3")?.action, 2);
  assert.equal(readMove(moves, "p")?.action, 3);
  assert.equal(readMove(moves, "a1"), null);
  assert.equal(readMove(moves, ""), null);
});

test("offers moves that begin like the text before those that mention it", () => {
  const notations = (/** @type {string} */ text) =>
    offers(moves, text).map((each) => each.notation);
  assert.deepEqual(notations("a1-a3"), ["a1-a3"]);
  assert.deepEqual(notations("goes"), ["a1-a2", "a1-a3"]);
  assert.equal(offers(moves, "", 2).length, 2);
});

const [first, second] = legalMoves({
  actions: [0, 2],
  notations: ["a1-a2", "a1-a3"],
  words: ["Red goes to a2", "Red goes to a3"],
  paths: [{ parts: ["a1", "a2"] }, { parts: ["a1", "a3"] }],
});
const built = [first, second].flatMap((each) => each ?? []);
const exact = {
  outcome: "INTERPRETATION_OUTCOME_NORMALISED",
  understood: { move: { seat: 0, notation: "a1-a2" }, words: "Red goes to a2" },
};

test("takes the move that the service understood, if the board can show it", () => {
  assert.equal(understood(built, exact), first);
  assert.equal(understood(moves, { ...exact }), null);
  assert.equal(understood(built, { outcome: "INTERPRETATION_OUTCOME_NONE" }), null);
});
