import assert from "node:assert/strict";
import test from "node:test";
import { readRecord, writeRecord } from "../../service/tablier_web/page/record.js";

const text = `Tablier game record 1
[Game "some-game"]
[Rules "1"]
[Options {"b":{"c":1,"d":[2]},"e":true}]
[Seed "18446744073709551615"]
[Result "1 -1"]

1. seat 0: a6-a4
2. seat 1: 13+1.1
(
  2. seat 1: 13-1.1
  (
    2. seat 0: 0
  )
  3. table: exclude
)
(
  2. seat 1: pass
)
3. seat 0: take 2
end
`;

test("reading a record and writing it gives the same text", () => {
  // Variations of one move are all alternatives to it, so the nested one becomes a neighbour.
  const flat = text.replace("  (\n    2. seat 0: 0\n  )\n", "");
  assert.equal(writeRecord(readRecord(flat)), flat);
  assert.equal(readRecord(text).entries.length, 7);
});

test("reads the moves of variations after the move before them", () => {
  const { entries } = readRecord(text);
  assert.deepEqual(
    entries.map(({ notation, parent }) => [notation, parent]),
    [
      ["a6-a4", 0],
      ["13+1.1", 1],
      ["13-1.1", 1],
      ["0", 1],
      ["exclude", 3],
      ["pass", 1],
      ["take 2", 2],
    ],
  );
});

test("ignores comments, clocks and evaluations", () => {
  const { entries } = readRecord(
    "1. seat 0: take 12 [%eval 0.5 -1] [%emt 0:00:12.5] {Too much!}\n2. table: x {a}\n{b}\nend\n",
  );
  assert.deepEqual(entries, [
    { seat: 0, notation: "take 12", parent: 0 },
    { seat: -1, notation: "x", parent: 1 },
  ]);
});

test("a record of a viewer has no seed, and hides what they did not see", () => {
  const written = writeRecord({
    game: "g",
    rules: 1,
    options: { z: 1, a: 2 },
    seed: "5",
    viewer: 1,
    returns: [],
    entries: [{ seat: 0, notation: "", parent: 0 }],
  });
  assert.ok(!written.includes("Seed"));
  assert.match(written, /^\[Options \{"a":2,"z":1\}\]\n\[Viewer "1"\]\n\[Result "\*"\]$/m);
  assert.match(written, /^1\. seat 0: \?$/m);
});
