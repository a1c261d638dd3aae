import assert from "node:assert/strict";
import test from "node:test";
import {
  endOf,
  grow,
  lineTo,
  plant,
  promote,
  prune,
  rootOf,
  rows,
} from "../../service/tablier_web/page/tree.js";

const situation = { game: "g", seats: 2, phase: "p" };

/** @param {import("../../service/tablier_web/page/tree.js").Node} node @param {number} action */
function add(node, action) {
  return grow(node, { state: `s${action}`, situation, seat: 0, move: { action } });
}

test("lists the main line, and variations below the move that they replace", () => {
  const root = plant("s", situation);
  const one = add(root, 1);
  const two = add(one, 2);
  add(two, 3);
  const other = add(one, 4);
  add(other, 5);
  const listed = rows(root).map(({ node, indent, first }) => [node.state, indent, first]);
  assert.deepEqual(listed, [
    ["s1", 0, false],
    ["s2", 0, false],
    ["s4", 1, true],
    ["s5", 1, false],
    ["s3", 0, false],
  ]);
});

test("does not add a move that was made before", () => {
  const root = plant("s", situation);
  assert.equal(add(root, 1), add(root, 1));
  const hidden = { state: "h", situation, seat: 0, move: null };
  assert.notEqual(grow(root, hidden), grow(root, hidden));
});

test("finds lines, and removes and promotes them", () => {
  const root = plant("s", situation);
  const one = add(root, 1);
  const two = add(root, 2);
  const three = add(two, 3);
  assert.deepEqual(lineTo(three), [root, two, three]);
  assert.equal(endOf(root), one);
  promote(three);
  assert.equal(endOf(root), three);
  assert.equal(rootOf(three), root);
  assert.equal(prune(two), root);
  assert.deepEqual(root.children, [one]);
});
