/** A real service on free ports, for tests. */

import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const OWN = join(ROOT, ".venv", "bin", "python");
const PYTHON = process.env.PYTHON_OF_TESTS ?? (existsSync(OWN) ? OWN : "python3");
const SOURCES = ["core_ext", "service", "clients/python"].map((path) => join(ROOT, path));

/** @param {Record<string, string>} variables */
function environment(variables) {
  return {
    ...process.env,
    PYTHONPATH: SOURCES.join(delimiter),
    TABLIER_GRPC_PORT: "0",
    TABLIER_HTTP_PORT: "0",
    ...variables,
  };
}

/**
 * Start a service, and wait until it says where it listens.
 *
 * @param {Record<string, string>} variables Its settings
 * @returns {Promise<{ url: string, stop: () => Promise<void> }>}
 */
export async function startServer(variables = {}) {
  const server = spawn(PYTHON, ["-m", "tablier_cli", "serve"], {
    env: environment(variables),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  server.stderr.setEncoding("utf8").on("data", (text) => {
    log += text;
  });
  const ended = new Promise((resolve) => server.once("exit", resolve));
  const stop = async () => {
    server.kill();
    await ended;
  };
  for await (const line of createInterface({ input: server.stdout })) {
    const url = /^REST\s+(\S+)/.exec(line)?.[1];
    if (url) {
      return { url, stop };
    }
  }
  throw new Error(`the service ended with ${await ended}: ${log}`);
}

/**
 * Run a command of Tablier and return what it prints.
 *
 * @param {string[]} words
 */
export function tablier(...words) {
  const done = spawnSync(PYTHON, ["-m", "tablier_cli", ...words], {
    env: environment({}),
    encoding: "utf8",
  });
  if (done.status !== 0) {
    throw new Error(done.stderr);
  }
  return done.stdout;
}
