import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, describe, test } from "node:test";
import {
  connect,
  DeadlineExceeded,
  GameOver,
  IllegalMove,
  InvalidField,
  InvalidOption,
  InvalidRecord,
  InvalidToken,
  Overloaded,
  TablierError,
  Unavailable,
  UnknownGame,
  UnknownRoute,
  UnparsableMove,
  ViewToken,
  WrongSeat,
} from "tablier-client";
import { startServer } from "./server.js";

const ALIGNMENT = "contigo-alignment";
const LINE = ["a6-a4", "13+1.1"];

/** @type {Awaited<ReturnType<typeof startServer>>} */
let server;
before(async () => {
  server = await startServer();
});
after(() => server?.stop());

/** @param {import("tablier-client").ConnectOptions} [options] */
function client(options) {
  return connect(server.url, options);
}

/** @param {import("tablier-client").Client} [from] */
function begin(from = client()) {
  return from.start(ALIGNMENT, { first: 0 }, { seed: 7 });
}

/**
 * Check that a call fails with an error.
 *
 * @template {TablierError} E
 * @param {Promise<unknown>} call
 * @param {new (...args: any[]) => E} kind
 * @returns {Promise<E>}
 */
async function failure(call, kind) {
  const error = await call.then(
    () => undefined,
    (reason) => reason,
  );
  assert.ok(error instanceof kind, `${error?.name} is not ${kind.name}: ${error}`);
  return error;
}

/**
 * Play random legal moves to the end.
 *
 * @param {import("tablier-client").State} state
 * @param {number} seed
 */
async function playOut(state, seed) {
  let number = seed;
  while (!state.over) {
    const moves = await state.moves();
    number = (number * 48271) % 2147483647;
    const move = moves[number % moves.length];
    assert.ok(move, "the game goes on without a legal move");
    const next = await state.play(move);
    assert.equal(next.ply, state.ply + 1);
    state = next;
  }
  return state;
}

for (const transport of /** @type {const} */ (["connect", "grpc-web"])) {
  describe(`over ${transport}`, () => {
    test("every game is played to its end", async () => {
      const from = client({ transport });
      const games = await from.games();
      assert.equal(games.length, 6);
      for (const { name } of games) {
        const end = await playOut(await from.start(name, {}, { seed: 7 }), 7);
        assert.equal(end.phase, "over", name);
        assert.equal(end.returns.length, end.seats, name);
        assert.deepEqual(end.actors, [], name);
      }
    });

    test("a failed call has a class, a reason, a field and a request id", async () => {
      const start = await begin(client({ transport }));
      const error = await failure(start.play("a6-a5"), IllegalMove);
      assert.equal(error.reason, "MOVE_ILLEGAL");
      assert.equal(error.code, "FAILED_PRECONDITION");
      assert.equal(error.field, "moves[0]");
      assert.equal(error.message, "Pit 20 holds 2 beads, so a6 reaches a4, not a5");
      assert.notEqual(error.requestId, "");
      assert.equal(error.retrySeconds, undefined);
      assert.match(String(error), /^IllegalMove: moves\[0\]: Pit 20/);
    });

    test("an analysis reports until its limit", async () => {
      const start = await begin(client({ transport }));
      const reports = [];
      for await (const report of start.analyze({ milliseconds: 120, interval: 20 })) {
        reports.push(report);
      }
      assert.ok(reports.length > 1);
      assert.equal(reports.at(-1)?.stopped, "time");
      assert.ok(reports.slice(0, -1).every((report) => report.stopped === "unspecified"));
    });

    test("an analysis that fails throws a typed error", async () => {
      const start = await client({ transport }).start(ALIGNMENT, { turn_limit: 2 }, { seed: 7 });
      const end = await playOut(start, 3);
      await failure(end.analyze().next(), GameOver);
    });
  });
}

describe("states", () => {
  test("have the situation of the game", async () => {
    const start = await begin();
    assert.equal(start.game, ALIGNMENT);
    assert.equal(start.phase, "pawn");
    assert.deepEqual(start.actors, [0]);
    assert.equal(start.ply, 0);
    assert.equal(start.seed, 7n);
    assert.equal(start.over, false);
    assert.equal(await start.countMoves(), 12);
    assert.deepEqual((await start.moves())[0], { notation: "e1-c1", seat: 0, action: 42 });
    assert.equal(String(start), "contigo-alignment, ply 0: seat 0 is to move (pawn)");
  });

  test("do not change", async () => {
    const start = await begin();
    assert.throws(() => Object.assign(start, { ply: 5 }), TypeError);
    assert.throws(() => Object.assign(start.actors, { 0: 1 }), TypeError);
  });

  test("are restored from their tokens", async () => {
    const later = await (await begin()).play(LINE);
    const stored = new Uint8Array(later.token);
    const loaded = await client().state(stored);
    assert.deepEqual([loaded.ply, loaded.actors, loaded.seed], [2, [1], undefined]);
    stored.fill(0);
    assert.deepEqual(loaded.token, later.token);
  });

  test("are played with notations, moves and action numbers", async () => {
    const start = await begin();
    const byNotation = await start.play("a6-a4");
    for (const move of [{ action: 303 }, { notation: "a6-a4", seat: 0 }]) {
      assert.deepEqual((await start.play(move)).token, byNotation.token);
    }
    const phases = (await start.steps(LINE)).map((step) => step.state.phase);
    assert.deepEqual(phases, ["sow", "pawn"]);
  });

  test("take the seat of moves that do not name one", async () => {
    const start = await client().start("contrast", { seats: 3 }, { seed: 1 });
    let table = start;
    for (const seat of [0, 1]) {
      const [move] = await table.moves(seat);
      assert.ok(move);
      table = await table.play({ action: move.action }, { seat });
    }
    assert.deepEqual(table.actors, [2]);
    const exclude = await table.moves(-1);
    assert.deepEqual(
      exclude.map((move) => move.notation),
      ["exclude"],
    );
    assert.equal((await table.play("exclude", { seat: -1 })).ply, 3);
  });

  test("read texts as moves", async () => {
    const start = await begin();
    const read = await start.interpret("My move: **A6 to A4**");
    assert.equal(read.outcome, "normalised");
    assert.ok(read.move);
    assert.equal((await start.play(read.move)).phase, "sow");
    const unsure = await start.interpret("a6-a4, or rather a6-c6?");
    assert.deepEqual(
      [unsure.outcome, unsure.move, unsure.candidates.map((each) => each.move.notation)],
      ["ambiguous", undefined, ["a6-a4", "a6-c6"]],
    );
    assert.match((await start.interpret("a6-a5")).reason, /^Pit 20 holds 2 beads/);
    const french = await start.interpret("a6-a5", { language: "fr" });
    assert.notEqual(french.reason, "");
    assert.doesNotMatch(french.reason, /Pit/);
  });

  test("are drawn", async () => {
    const start = await begin();
    assert.match(await start.draw(), /Red moves a pawn/);
    assert.match(await start.svg(1), /^<svg/);
  });

  test("are shown in logs without what is hidden", async () => {
    const { inspect } = await import("node:util");
    const start = await client().start("contract", {}, { seed: 123456789 });
    assert.equal(inspect(start), `State(${start})`);
  });
});

describe("what a seat may see", () => {
  test("a view has the message of its game", async () => {
    const { game } = await (await begin()).view(0);
    assert.equal(game.case, "contigoAlignment");
    assert.equal(game.value?.$typeName, "tablier.v1.ContigoAlignmentView");
  });

  test("a view token shows its seat and cannot be played", async () => {
    const start = await client().start("contrat500", {}, { seed: 7 });
    const seat = start.actors[0] ?? 0;
    const other = 1 - seat;
    const mine = await client().state(await start.viewToken(seat));
    assert.deepEqual(await mine.moves(seat), await start.moves(seat));
    assert.deepEqual(await mine.view(), await start.view(seat));
    const [move] = await mine.moves(seat);
    assert.ok(move);
    const error = await failure(mine.play(move), ViewToken);
    assert.equal(error.reason, "VIEW_TOKEN");
    await failure(mine.view(other), ViewToken);
    await failure(mine.view(-1), ViewToken);
  });

  test("learners get numbers", async () => {
    const start = await begin();
    const { features, mask } = await start.observation(0);
    assert.equal(features.length % 4, 0);
    assert.ok(features.length > 0);
    assert.ok(mask.length > 0);
  });
});

describe("advice", () => {
  test("is the same for the same seed and iterations", async () => {
    const start = await begin();
    const options = { iterations: 500, seed: 1, limit: 3 };
    const advice = await start.suggest(options);
    assert.deepEqual(advice, await start.suggest(options));
    assert.equal(advice.suggestions.length, 3);
    assert.equal(advice.iterations, 500);
    assert.equal(advice.stopped, "iterations");
    const [best] = advice.suggestions;
    assert.ok(best);
    assert.deepEqual(best.move, best.line[0]);
    assert.equal(best.values.length, 2);
    assert.equal((await start.play(best.move)).ply, 1);
  });

  test("has levels", async () => {
    const advice = await (await begin()).suggest({ level: 3 });
    assert.ok(advice.suggestions.length >= 1);
  });

  test("a bot plays, and another viewer sees its moves", async () => {
    const start = await begin();
    const turn = await start.playBot({ level: 2, viewer: 1, maxMoves: 2, seed: 3 });
    assert.equal(turn.state.ply, turn.moves.length);
    assert.ok(turn.moves.length > 0);
    assert.ok(turn.moves.every((seen) => seen.seat === 0 && seen.words.length > 0));
  });

  test("simulations count games", async () => {
    const start = await begin();
    const result = await start.simulate({ games: 6, levels: [1, 0], seed: 1, sample: true });
    assert.equal(result.games, 6);
    assert.equal(result.outcomes.length, 2);
    assert.ok(result.sample.length > 0);
    const histogram = result.outcomes[0]?.histogram ?? [];
    assert.equal(
      histogram.reduce((sum, count) => sum + count, 0),
      6,
    );
  });

  test("leaving the loop ends an analysis", async () => {
    const from = client();
    const start = await begin(from);
    for await (const report of start.analyze({ milliseconds: 20_000, interval: 20 })) {
      assert.ok(report.suggestions.length > 0);
      break;
    }
    await noSearches();
  });

  test("a signal ends an analysis", async () => {
    const start = await begin();
    const stop = new AbortController();
    const reason = new Error("the player left");
    const reports = [];
    await assert.rejects(async () => {
      const options = { milliseconds: 20_000, interval: 20, signal: stop.signal };
      for await (const report of start.analyze(options)) {
        reports.push(report);
        stop.abort(reason);
      }
    }, reason);
    assert.ok(reports.length >= 1);
    await noSearches();
  });

  /** Wait until the service searches no more. */
  async function noSearches() {
    for (const end = Date.now() + 10_000; ; ) {
      const page = await (await fetch(`${server.url}/metrics`)).text();
      const found = /^tablier_searches_running (\S+)$/m.exec(page);
      assert.ok(found, "the service has no metric of its searches");
      if (Number(found[1]) === 0) {
        return;
      }
      assert.ok(Date.now() < end, "a search goes on");
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
});

describe("games", () => {
  test("have details and rules in several languages", async () => {
    const from = client();
    const game = await from.game("contrast", { language: "fr" });
    assert.equal(game.minSeats, 2);
    assert.ok(game.optionsSchema?.properties);
    assert.match(await from.rules("contract"), /^# Contract\n/);
  });

  test("are seeded by the caller or by the service", async () => {
    const seed = 2n ** 63n + 1n;
    assert.equal((await client().start(ALIGNMENT, {}, { seed })).seed, seed);
    assert.equal(typeof (await client().start(ALIGNMENT)).seed, "bigint");
  });

  test("are replayed, with steps, views and a transcript", async () => {
    const from = client();
    const start = await begin(from);
    const options = { seed: 7, steps: true, transcript: true, viewer: -1 };
    const replay = await from.replay(ALIGNMENT, LINE, { first: 0 }, options);
    assert.deepEqual(replay.state.token, (await start.play(LINE)).token);
    assert.deepEqual(
      replay.steps.map((step) => step.move?.notation),
      LINE,
    );
    assert.equal(replay.views.length, 3);
    assert.match(replay.transcript, /a6-a4/);
    assert.equal(replay.state.seed, 7n);
    const seen = await from.replay(ALIGNMENT, LINE, { first: 0 }, { seed: 7, viewer: 1 });
    assert.equal(seen.state.seed, undefined);
    await failure(seen.state.play("a1-a3"), ViewToken);
  });

  test("are recorded, and replayed from their records", async () => {
    const from = client();
    const record = await from.record(ALIGNMENT, LINE, { first: 0 }, { seed: 7 });
    assert.match(record, /^Tablier game record/);
    const replay = await from.replayRecord(record);
    assert.equal(replay.state.ply, 2);
    assert.equal(replay.record, record);
    const seen = await from.record(ALIGNMENT, LINE, { first: 0 }, { seed: 7, viewer: 0 });
    assert.doesNotMatch(seen, /\[Seed/);
    await failure(from.replayRecord(record.replace("a6-a4", "a6")), TablierError);
    await failure(from.replayRecord(record.replace("end", "")), InvalidRecord);
  });

  test("are also served by the generated clients", async () => {
    const from = client();
    const { results } = await from.generated.games.batch({
      operations: [{ call: { case: "getGame", value: { game: "contract" } } }],
    });
    assert.equal(results[0]?.outcome.case, "getGame");
  });
});

describe("errors", () => {
  test("have a class for each reason", async () => {
    const from = client();
    const start = await begin(from);
    await failure(from.game("chess"), UnknownGame);
    await failure(from.start("chess", { variant: 960 }), UnknownGame);
    const option = await failure(
      from.start(/** @type {string} */ ("contrast"), { seats: 9 }),
      InvalidOption,
    );
    assert.equal(option.field, "options.seats");
    await failure(from.state(new Uint8Array([1, 2, 3])), InvalidToken);
    await failure(start.play("nonsense"), UnparsableMove);
    await failure(start.moves(7), WrongSeat);
    await failure(start.play("a6-a4", { seat: 1 }), WrongSeat);
  });

  test("name invalid arguments before anything is sent", async () => {
    const start = await begin();
    const bad = await failure(start.suggest({ iterations: -1 }), InvalidField);
    assert.equal(bad.field, "budget.iterations");
    assert.equal((await failure(start.moves(0.5), InvalidField)).field, "seat");
    assert.equal(
      (await failure(start.play([{ action: -1 }]), InvalidField)).field,
      "moves[0].action",
    );
    const seed = await failure(client().start(ALIGNMENT, {}, { seed: 2 ** 60 }), InvalidField);
    assert.equal(seed.field, "seed");
    const late = await failure(start.moves(0, { timeoutMs: 0 }), InvalidField);
    assert.equal(late.field, "timeoutMs");
    for (const address of [
      "127.0.0.1:8080",
      "ftp://a",
      "http://tablier.example",
      "http://a:b@[::1]",
    ]) {
      assert.throws(() => connect(address), InvalidField, address);
    }
    connect("http://tablier.example", { insecure: true });
    connect("https://tablier.example/games/");
  });

  test("say that nothing listens", async () => {
    const error = await failure(connect("http://127.0.0.1:1").games(), Unavailable);
    assert.match(error.message, /^cannot reach http:\/\/127.0.0.1:1 \(.*\): start a service/);
    assert.equal(error.code, "UNAVAILABLE");
    assert.equal(error.reason, "");
  });

  test("tell another server from a service", async () => {
    await withServer(
      (_, response) => response.writeHead(404).end("no"),
      async (url) => {
        await failure(connect(url).games(), UnknownRoute);
      },
    );
  });
});

describe("time", () => {
  test("a call ends within its timeout", async () => {
    await withServer(
      () => {},
      async (url) => {
        const began = performance.now();
        const slow = connect(url, { timeoutMs: 150 });
        const error = await failure(slow.games(), DeadlineExceeded);
        assert.equal(error.code, "DEADLINE_EXCEEDED");
        await failure(connect(url).games({ timeoutMs: 150 }), DeadlineExceeded);
        assert.ok(performance.now() - began < 5000);
      },
    );
  });

  test("a search may take its time besides the timeout", async () => {
    const start = await begin(client({ timeoutMs: 2000 }));
    const advice = await start.suggest({ milliseconds: 2200 });
    assert.equal(advice.stopped, "time");
  });

  test("an aborted call throws the reason of its signal", async () => {
    await withServer(
      () => {},
      async (url) => {
        const stop = new AbortController();
        const call = connect(url).games({ signal: stop.signal });
        setTimeout(() => stop.abort(), 50);
        await assert.rejects(call, { name: "AbortError" });
        await assert.rejects(connect(url).games({ signal: stop.signal }), { name: "AbortError" });
        const signal = AbortSignal.timeout(50);
        await assert.rejects(connect(url).games({ signal }), { name: "TimeoutError" });
      },
    );
  });

  test("a call waits for a service that restarts", async () => {
    let calls = 0;
    const target = server.url;
    await withServer(
      async (request, response) => {
        calls += 1;
        if (calls === 2 || calls === 3) {
          request.socket.destroy();
          return;
        }
        await forward(target, request, response);
      },
      async (url) => {
        const from = connect(url);
        assert.equal((await from.games()).length, 6);
        assert.equal((await from.games()).length, 6);
        assert.equal(calls, 4);
      },
    );
  });

  test("a call goes back to an overloaded service, but not forever", async () => {
    let calls = 0;
    const info = "CgpPVkVSTE9BREVEEgd0YWJsaWVy"; // reason OVERLOADED, domain tablier
    const body = JSON.stringify({
      code: "resource_exhausted",
      message: "too many calls",
      details: [{ type: "google.rpc.ErrorInfo", value: info }],
    });
    await withServer(
      (_, response) => {
        calls += 1;
        response.writeHead(429, { "content-type": "application/json" }).end(body);
      },
      async (url) => {
        const error = await failure(connect(url).games(), Overloaded);
        assert.equal(error.message, "too many calls");
        assert.equal(calls, 4);
      },
    );
  });
});

/**
 * Run something with an HTTP server.
 *
 * @param {import("node:http").RequestListener} listener
 * @param {(url: string) => Promise<void>} body
 */
async function withServer(listener, body) {
  const other = createServer(listener);
  await new Promise((resolve) => other.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = /** @type {import("node:net").AddressInfo} */ (other.address());
  try {
    await body(`http://127.0.0.1:${address.port}`);
  } finally {
    other.closeAllConnections();
    other.close();
  }
}

/**
 * Pass a request on to a service.
 *
 * @param {string} url
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 */
async function forward(url, request, response) {
  const parts = [];
  for await (const part of request) {
    parts.push(part);
  }
  const answer = await fetch(`${url}${request.url}`, {
    method: "POST",
    headers: { "content-type": request.headers["content-type"] ?? "" },
    body: Buffer.concat(parts),
  });
  response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
  response.end(Buffer.from(await answer.arrayBuffer()));
}
