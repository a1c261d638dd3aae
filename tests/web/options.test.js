import assert from "node:assert/strict";
import test from "node:test";
import { fieldsOf, optionsIn } from "../../service/tablier_web/page/options.js";

const fields = fieldsOf({
  properties: {
    deck: { type: "array", items: { type: "integer" } },
    first: {
      anyOf: [{ type: "integer", minimum: 0, maximum: 1 }, { enum: ["random"] }],
      default: "random",
    },
    limit: { type: "integer", minimum: 0, maximum: 1000, default: 200 },
    layout: { type: "string", pattern: "^[ab]+$", default: "ab" },
    quick: {
      type: "boolean",
      title: "Variante rapide",
      description: "like `limit` 20",
      default: false,
    },
    seats: { type: "integer", minimum: 2, maximum: 4, default: 3 },
    stakes: { type: "number", minimum: 0, multipleOf: 0.5, default: 1 },
  },
});

test("chooses a field for every kind of option, seats first", () => {
  assert.equal(fields[0]?.name, "seats");
  const kinds = Object.fromEntries(fields.map(({ name, kind }) => [name, kind]));
  assert.deepEqual(kinds, {
    seats: "choice",
    first: "choice",
    limit: "number",
    quick: "check",
    stakes: "number",
    layout: "text",
    deck: "json",
  });
  assert.deepEqual(fields.find(({ name }) => name === "first")?.choices, ["0", "1", "random"]);
});

test("describes options without the marks of code", () => {
  const quick = fields.find(({ name }) => name === "quick");
  assert.equal(quick?.description, "like “limit” 20");
});

test("names options by their titles", () => {
  const titles = fields.map(({ title }) => title);
  assert.ok(titles.includes("Variante rapide"));
  assert.ok(titles.includes("seats"));
});

test("sends the options that differ from their defaults, with their types", () => {
  const texts = {
    seats: "4",
    first: "1",
    limit: "200",
    quick: "true",
    deck: "[1, 2]",
    layout: "b",
  };
  assert.deepEqual(optionsIn(fields, texts), {
    seats: 4,
    first: 1,
    quick: true,
    layout: "b",
    deck: [1, 2],
  });
  assert.throws(() => optionsIn(fields, { deck: "[1," }), SyntaxError);
});
