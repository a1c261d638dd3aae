/**
 * Packs the package: `npm run package`, or `make typescript`.
 *
 * The version of all distributions is in the file VERSION, and the page of the client in the
 * documentation is its README. So the package is assembled in build/typescript first.
 */

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const ROOT = join(HERE, "..", "..");
const TARGET = join(ROOT, "build", "typescript");
const STAGE = join(TARGET, "package");
const PAGES = "https://github.com/tablier-project/tablier/blob/main";

rmSync(TARGET, { recursive: true, force: true });
mkdirSync(STAGE, { recursive: true });
const about = JSON.parse(readFileSync(join(HERE, "package.json"), "utf8"));
about.version = readFileSync(join(ROOT, "VERSION"), "utf8").trim();
for (const name of ["private", "scripts", "devDependencies"]) {
  delete about[name];
}
writeFileSync(join(STAGE, "package.json"), `${JSON.stringify(about, null, 2)}\n`);
// Links to other pages of the documentation lead to them from everywhere.
const page = readFileSync(join(ROOT, "docs", "typescript.md"), "utf8")
  .replace(/\]\(\.\.\/(?=[^)]+\))/g, `](${PAGES}/`)
  .replace(/\]\((?=[\w-]+(\/[\w-]+)*\.md)/g, `](${PAGES}/docs/`);
writeFileSync(join(STAGE, "README.md"), page);
cpSync(join(ROOT, "LICENSE"), join(STAGE, "LICENSE"));
cpSync(join(HERE, "dist"), join(STAGE, "dist"), { recursive: true });
const done = spawnSync("npm", ["pack", "--silent", "--pack-destination", TARGET], {
  cwd: STAGE,
  stdio: "inherit",
  shell: process.platform === "win32",
});
process.exit(done.status ?? 1);
