import assert from "node:assert/strict";
import test from "node:test";
import { needsCurtain, nextTurn } from "../../service/tablier_web/page/turns.js";

/** @type {import("../../service/tablier_web/page/types.d.ts").Player[]} */
const players = [
  { kind: "person", level: 1 },
  { kind: "bot", level: 1 },
  { kind: "person", level: 1 },
];
const situation = { game: "g", seats: 3, phase: "p" };

test("asks persons before bots, and goes on with the one who was asked", () => {
  const all = { ...situation, actors: [0, 1, 2] };
  assert.deepEqual(nextTurn(all, players, -1), {
    kind: "person",
    seat: 0,
    bots: [1],
    persons: [2],
  });
  assert.equal(nextTurn(all, players, 2).seat, 2);
  assert.equal(nextTurn({ ...situation, actors: [1] }, players, 2).kind, "bot");
  assert.equal(nextTurn({ ...situation, over: true }, players, 2).kind, "over");
});

test("hides the view between persons where something is hidden", () => {
  assert.equal(needsCurtain(true, players, 0, 2), true);
  assert.equal(needsCurtain(true, players, 0, 0), false);
  assert.equal(needsCurtain(false, players, 0, 2), false);
});
