import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ROOT, startServer } from "./server.js";

const HERE = join(ROOT, "clients", "typescript");
const PACKED = join(ROOT, "build", "typescript");
const SHELL = process.platform === "win32";
const PROGRAM = `\
import { connect, IllegalMove, type Advice, type State } from "tablier-client";
import { GameService } from "tablier-client/messages";

const client = connect(process.argv[2] ?? "", { apiKey: undefined, timeoutMs: 10_000 });
let state: State = await client.start("contrast", { seats: 3 }, { seed: 7n });
while (!state.over) {
  const [move] = await state.moves();
  if (!move) {
    throw new Error("no move");
  }
  state = await state.play(move);
}
const returns: readonly number[] = state.returns;
try {
  await state.play("nonsense");
} catch (error) {
  if (error instanceof IllegalMove) {
    const reason: string = error.reason;
    throw new Error(reason);
  }
}
const start = await client.start("contigo-alignment", { first: "random" });
for await (const report of start.analyze({ iterations: 100 })) {
  const advice: Advice = report;
  console.log(advice.stopped);
}
const view = await start.view(0);
if (view.game.case === "contigoAlignment") {
  const turns: number = view.game.value.turns;
  console.log(turns);
}
const name: string = start.game;
await client.start(name, { first: 0 });
// @ts-expect-error: this game has no such option
await client.start("contrast", { sets: 2 }).catch((error) => console.log(error.field));
console.log(GameService.typeName, returns.length);
`;

const project = mkdtempSync(join(tmpdir(), "tablier-"));

/** @type {Awaited<ReturnType<typeof startServer>>} */
let server;
before(async () => {
  server = await startServer();
});
after(async () => {
  await server?.stop();
  rmSync(project, { recursive: true });
});

/**
 * Run a command in the project, and return what it prints.
 *
 * @param {string} command
 * @param {string[]} words
 * @param {string} [folder]
 */
function run(command, words, folder = project) {
  const done = spawnSync(command, words, { cwd: folder, encoding: "utf8", shell: SHELL });
  assert.equal(done.status, 0, done.stdout + done.stderr);
  return done.stdout;
}

test("the package type-checks and plays in an empty project", () => {
  run("npm", ["run", "--silent", "package"], HERE);
  const [name = "", ...others] = readdirSync(PACKED).filter((each) => each.endsWith(".tgz"));
  assert.deepEqual(others, []);
  const version = readFileSync(join(ROOT, "VERSION"), "utf8").trim();
  assert.equal(name, `tablier-client-${version}.tgz`);

  writeFileSync(join(project, "package.json"), '{"private": true, "type": "module"}');
  const install = ["install", "--silent", "--no-audit", "--no-fund", "--prefer-offline"];
  run("npm", [...install, join(PACKED, name)]);
  const installed = readdirSync(join(project, "node_modules", "tablier-client"));
  assert.deepEqual(installed.sort(), ["LICENSE", "README.md", "dist", "package.json"]);

  writeFileSync(join(project, "play.ts"), PROGRAM);
  // The examples of the page follow each other.
  const page = readFileSync(join(ROOT, "docs", "typescript.md"), "utf8");
  const examples = [...page.matchAll(/```typescript\n(.*?)```/gs)].map((match) => match[1]);
  assert.ok(examples.length >= 3);
  writeFileSync(join(project, "examples.ts"), examples.join("\n"));
  writeFileSync(join(project, "globals.d.ts"), "declare const process: { argv: string[] };");
  const settings = {
    compilerOptions: {
      strict: true,
      exactOptionalPropertyTypes: true,
      module: "nodenext",
      lib: ["es2023", "dom"],
      target: "es2022",
      types: [],
    },
  };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify(settings));
  run(process.execPath, [join(HERE, "node_modules", "typescript", "bin", "tsc")]);
  const printed = run(process.execPath, ["play.js", server.url]).trim().split("\n");
  assert.equal(printed.at(-1), "tablier.v1.GameService 3");
  assert.equal(printed.at(-2), "options.sets");
  assert.ok(printed.includes("iterations"));
});

test("the README in the package leads to the pages of the documentation", () => {
  const page = readFileSync(join(PACKED, "package", "README.md"), "utf8");
  const targets = [...page.matchAll(/\]\(([^)]+)\)/g)].map((match) => match[1] ?? "");
  assert.ok(targets.length > 0);
  assert.deepEqual(
    targets.filter((target) => !/^(https:|#)/.test(target)),
    [],
  );
});
