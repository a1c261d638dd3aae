import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import {
  connect,
  InvalidToken,
  PermissionDenied,
  QuotaExceeded,
  Unauthenticated,
} from "tablier-client";
import { startServer, tablier } from "./server.js";

/** @type {Awaited<ReturnType<typeof startServer>>} */
let server;
let hostKey = "";
let playerKey = "";
const folder = mkdtempSync(join(tmpdir(), "tablier-"));

before(async () => {
  const callers = join(folder, "callers.toml");
  const seal = join(folder, "seal-keys");
  const add = (/** @type {string[]} */ ...words) =>
    tablier("keys", "new", ...words, "--add-to", callers).trim();
  hostKey = add("lobby", "--role", "host");
  playerKey = add("guest", "--role", "player");
  tablier("keys", "seal", "--add-to", seal);
  server = await startServer({ TABLIER_CALLERS_FILE: callers, TABLIER_SEAL_KEYS_FILE: seal });
});
after(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true });
});

for (const transport of /** @type {const} */ (["connect", "grpc-web"])) {
  test(`a service rejects callers without a key, over ${transport}`, async () => {
    const error = await connect(server.url, { transport })
      .start("contract")
      .catch((reason) => reason);
    assert.ok(error instanceof Unauthenticated);
    assert.equal(error.code, "UNAUTHENTICATED");
    const wrong = connect(server.url, { transport, apiKey: "wrong" });
    await assert.rejects(wrong.start("contract"), Unauthenticated);
  });

  test(`a host plays with sealed tokens, over ${transport}`, async () => {
    const host = connect(server.url, { transport, apiKey: hostKey });
    const start = await host.start("contract", { seats: 4 }, { seed: 7, match: "table 1" });
    assert.equal(start.match, "table 1");
    const [move] = await start.moves(start.actors[0]);
    assert.ok(move);
    const next = await start.play(move);
    assert.equal(next.match, "table 1");
    assert.equal((await next.previous()).length, 16);
    const stored = await host.state(next.token, { match: "table 1" });
    assert.equal(stored.ply, 1);
    await assert.rejects(host.state(next.token, { match: "table 2" }), InvalidToken);
    const reports = [];
    for await (const report of next.analyze({ seat: next.actors[0], iterations: 50 })) {
      reports.push(report);
    }
    assert.ok(reports.length > 0);
  });

  test(`a player sees only a view token, over ${transport}`, async () => {
    const host = connect(server.url, { transport, apiKey: hostKey });
    const start = await host.start("contract", { seats: 4 }, { seed: 7, match: "m" });
    const player = connect(server.url, { transport, apiKey: playerKey });
    await assert.rejects(
      player.state(start.token, { match: "m" }).then((state) => state.view(-1)),
      PermissionDenied,
    );
    const mine = await player.state(await start.viewToken(1), { match: "m" });
    assert.equal((await mine.view()).game.case, "contract");
  });
}

test("headers identify a caller, too", async () => {
  const host = connect(server.url, { headers: { "x-api-key": hostKey } });
  assert.equal((await host.start("contrast")).game, "contrast");
  assert.ok(QuotaExceeded.prototype instanceof Error);
});
