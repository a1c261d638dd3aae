import assert from "node:assert/strict";
import test from "node:test";
import { decodeLink, encodeLink } from "../../service/tablier_web/page/link.js";

/** @typedef {import("../../service/tablier_web/page/link.js").Link} Link */

/** @type {Link} */
const game = {
  kind: "game",
  game: "some-game",
  rules: 2,
  players: [
    { kind: "person", level: 3 },
    { kind: "bot", level: 7 },
  ],
  viewer: 0,
  following: true,
  options: { seats: 2, names: ["é", "ü"] },
  // More than a number of JavaScript can hold.
  seed: "18446744073709551615",
  entries: [
    { seat: 0, action: 4711, parent: 0 },
    { seat: 1, action: 0, parent: 1 },
    { seat: -1, action: 12, parent: 1 },
    { seat: 0, action: 5, parent: 3 },
    { seat: 0, action: 6, parent: 2 },
  ],
  at: 4,
  token: "",
  seen: [],
};

/** @type {Link} */
const view = {
  ...game,
  kind: "view",
  seed: "",
  entries: [],
  at: 0,
  token: "VEIBAApjb2/+AA==",
  seen: [
    { seat: 0, notation: "bid 15", words: "You bid 15" },
    { seat: 1, notation: "", words: "Seat 1 draws a card" },
  ],
};

for (const link of [game, view]) {
  test(`a link of a ${link.kind} is a short text that can be read again`, async () => {
    const text = await encodeLink(link);
    assert.match(text, /^1[\w-]+$/);
    assert.deepEqual(await decodeLink(text), link);
  });
}

test("a long game makes a short link", async () => {
  const entries = Array.from({ length: 200 }, (_, index) => ({
    seat: index % 2,
    action: (index * 7919) % 5000,
    parent: index,
  }));
  const text = await encodeLink({ ...game, entries });
  assert.ok(text.length < 1500, String(text.length));
  assert.deepEqual((await decodeLink(text)).entries, entries);
});

test("any changed character is detected", async () => {
  const text = await encodeLink(game);
  for (let at = 1; at < text.length - 1; at += 1) {
    const other = text[at] === "A" ? "B" : "A";
    const damaged = text.slice(0, at) + other + text.slice(at + 1);
    await assert.rejects(decodeLink(damaged), { reason: "damaged" }, `at ${at}`);
  }
});

test("a truncated link and other texts are damaged", async () => {
  const text = await encodeLink(game);
  for (const wrong of ["", "1", "about", "1%%%", text.slice(0, -5)]) {
    await assert.rejects(decodeLink(wrong), { reason: "damaged" }, wrong);
  }
});

test("a link of another version says so", async () => {
  await assert.rejects(decodeLink("2abc"), { reason: "version" });
});

test("a link with wrong content is damaged", async () => {
  /** @type {Partial<Link>[]} */
  const wrong = [
    { game: "../x" },
    { seed: "x" },
    { at: 6 },
    { rules: 0.5 },
    { entries: [{ seat: 0, action: 1, parent: 3 }], at: 0 },
  ];
  for (const each of wrong) {
    const text = await encodeLink({ ...game, ...each });
    await assert.rejects(decodeLink(text), { reason: "damaged" }, JSON.stringify(each));
  }
});

test("a link cannot grow without limit", async () => {
  const text = await encodeLink({ ...game, options: { long: "x".repeat(2 << 20) } }).catch(
    (error) => error,
  );
  // The writer compresses it to a few kilobytes; the reader refuses what it would become.
  await assert.rejects(decodeLink(text), { reason: "damaged" });
});
