import assert from "node:assert/strict";
import test from "node:test";
import { readEnvelope } from "../../service/tablier_web/page/token.js";

/** @param {number[]} bytes */
function base64(bytes) {
  return Buffer.from(bytes).toString("base64");
}

/** @param {string} text */
function codes(text) {
  return [...text].map((char) => char.charCodeAt(0));
}

test("reads the envelope of a plain token", () => {
  const bytes = [...codes("TB"), 1, 255, 2, ...codes("ab"), 3, 0, 4, 1, 0, 0, 2, 0, 0xfe, 1];
  const token = base64([...bytes, 9, 9, 9, 9]);
  assert.deepEqual(readEnvelope(token), {
    sealed: false,
    game: "ab",
    rules: 3,
    bytes: bytes.length + 4,
    viewer: null,
    ply: 260,
    state: "fe01",
  });
});

test("a view token has its seat", () => {
  const bytes = [...codes("TB"), 1, 2, 1, ...codes("a"), 1, 0, 0, 0, 0, 0, 0, 0, 9, 9, 9, 9];
  assert.equal(readEnvelope(base64(bytes))?.viewer, 2);
});

test("of a sealed token, only the envelope can be read", () => {
  const token = base64([...codes("TS"), 1, 7, 1, ...codes("a"), 1, 0, ...new Array(40).fill(5)]);
  const expected = { sealed: true, game: "a", rules: 1, bytes: 48, key: 7 };
  assert.deepEqual(readEnvelope(token), expected);
});

test("other bytes are no token", () => {
  assert.equal(readEnvelope(base64(codes("hello"))), null);
});
