import assert from "node:assert/strict";
import test from "node:test";
import { curl, python } from "../../service/tablier_web/page/snippets.js";

test("a call becomes a command, with a place for the key instead of a key", () => {
  const call = { method: "POST", path: "/v1/x", body: { text: "it's" } };
  assert.equal(
    curl(call, "http://h:1", true),
    [
      "curl -X POST 'http://h:1/v1/x' \\",
      '  -H "authorization: Bearer $TABLIER_API_KEY" \\',
      "  -H 'content-type: application/json' \\",
      `  -d '{"text":"it'\\''s"}'`,
    ].join("\n"),
  );
  const get = { method: "GET", path: "/v1/games" };
  assert.equal(curl(get, "http://h:1", false), "curl -X GET 'http://h:1/v1/games'");
});

test("a program opens a record, or a token", () => {
  assert.match(python('a "record"\n', "", "h"), /^record = "a \\"record\\"\\n"$/m);
  assert.match(python("", "VEIB", "h"), /b64decode\("VEIB"\)[\s\S]*client\.state\(token\)/);
});
