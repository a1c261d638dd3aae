import assert from "node:assert/strict";
import test from "node:test";
import {
  consequence,
  isButton,
  legalMoves,
  narrow,
  settled,
} from "../../service/tablier_web/page/paths.js";

const moves = legalMoves({
  seat: 1,
  actions: [3, 5, 8, 9],
  notations: ["a-b", "a-b-c", "d", "pass"],
  words: ["one step", "two steps", "drop", "pass"],
  paths: [
    { parts: ["a", "b"], needsConfirmation: true },
    { parts: ["a", "b", "c"] },
    { parts: ["d"] },
    { parts: ["button-pass"] },
  ],
});

test("lists the parts where moves start, and the buttons", () => {
  const { next, buttons, complete } = narrow(moves, []);
  assert.deepEqual(next, ["a", "d"]);
  assert.deepEqual(
    buttons.map((each) => each.notation),
    ["pass"],
  );
  assert.equal(complete, null);
});

test("asks for confirmation where a path is the beginning of another", () => {
  const narrowed = narrow(moves, ["a", "b"]);
  assert.equal(narrowed.complete?.action, 3);
  assert.equal(settled(narrowed), null);
  assert.deepEqual(narrowed.next, ["c"]);
});

test("makes the only move that is left at once", () => {
  assert.equal(settled(narrow(moves, ["a", "b", "c"]))?.action, 5);
  assert.equal(settled(narrow(moves, ["d"]))?.action, 8);
  assert.equal(settled(narrow(moves, ["a"])), null);
});

test("says what choosing a part does", () => {
  assert.deepEqual(consequence(narrow(moves, []), 0, "a"), { move: null, count: 2 });
  assert.equal(consequence(narrow(moves, []), 0, "d").move?.words, "drop");
  assert.equal(consequence(narrow(moves, ["a"]), 1, "b").move?.words, "one step");
});

test("offers a move without a path as a button", () => {
  const [lone] = legalMoves({ actions: [0], notations: ["x"] });
  assert.equal(lone?.seat, 0);
  assert.equal(narrow([/** @type {any} */ (lone)], []).buttons.length, 1);
  assert.ok(isButton("button-x"));
});
