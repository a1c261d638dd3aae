import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import test from "node:test";

const folder = new URL("../../service/tablier_web/page/languages/", import.meta.url);

/** @param {string} text */
function placeholders(text) {
  return [...text.matchAll(/\{\w+\}/g)].map(String).sort();
}

/** @param {string} file @returns {Promise<Record<string, string>>} */
async function read(file) {
  return (await import(new URL(file, folder).href)).default;
}

test("every language has the same texts with the same placeholders", async () => {
  const english = await read("en.js");
  const files = readdirSync(folder);
  assert.ok(files.length > 1);
  for (const file of files) {
    const texts = await read(file);
    assert.deepEqual(Object.keys(texts), Object.keys(english), file);
    for (const [name, text] of Object.entries(texts)) {
      assert.ok(text.trim(), `${file}: ${name}`);
      assert.deepEqual(placeholders(text), placeholders(english[name] ?? ""), `${file}: ${name}`);
    }
  }
});
