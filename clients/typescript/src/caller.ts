/** Sends calls, with timeouts and retries, and converts their errors. */

import type { DescMessage, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { create } from "@bufbuild/protobuf";
import type { DescMethodServerStreaming, DescMethodUnary } from "@bufbuild/protobuf";
import type { Transport } from "@connectrpc/connect";
import { fromThrown, type TablierError } from "./errors.js";
import { timeout } from "./fields.js";

/** What every call can be given. */
export interface CallOptions {
  /** Ends the call when it is aborted; the call then throws the reason of the signal. */
  signal?: AbortSignal | undefined;
  /** Milliseconds within which the call ends, retries included; overrides that of the client. */
  timeoutMs?: number | undefined;
}

// Pause before the second attempt, and the longest one; each is twice as long as the last.
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1000;
// Clients that fail together must not come back together.
const JITTER = 0.2;
// How often a call is sent to an overloaded service, and before any service was ever reached:
// within a second, so that a wrong address is reported soon.
const FEW_TRIES = 4;
// How often all calls of a client together go back to an overloaded service. Ten answers allow
// another one.
const MOST_RETRIES = 50;
const EARNED_BY_ANSWER = 0.1;

/** The calls of one client. */
export class Caller {
  #reached = false;
  #retries = MOST_RETRIES;

  constructor(
    readonly url: string,
    readonly transport: Transport,
    readonly timeoutMs: number,
  ) {}

  /** Send a call and return its answer. `thinkingMs` is added to the timeout of the client. */
  async send<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    request: MessageInitShape<I>,
    { signal, timeoutMs }: CallOptions,
    thinkingMs = 0,
  ): Promise<MessageShape<O>> {
    const attempts = this.#attempts(signal, timeoutMs ?? this.timeoutMs + thinkingMs);
    for (;;) {
      try {
        const { message } = await this.transport.unary(
          method,
          signal,
          attempts.remaining(),
          undefined,
          request,
        );
        this.#answered();
        return message;
      } catch (thrown) {
        await attempts.pauseAfter(thrown);
      }
    }
  }

  /** Send a call with many answers. It is sent again only before its first answer. */
  async *stream<I extends DescMessage, O extends DescMessage>(
    method: DescMethodServerStreaming<I, O>,
    request: MessageInitShape<I>,
    { signal, timeoutMs }: CallOptions,
  ): AsyncGenerator<MessageShape<O>, void, undefined> {
    const attempts = this.#attempts(signal, timeoutMs ?? this.timeoutMs);
    const message = create(method.input, request);
    for (;;) {
      // Ends the call when the caller leaves its loop.
      const left = new AbortController();
      const both = signal ? AbortSignal.any([signal, left.signal]) : left.signal;
      let answered = false;
      try {
        const reply = await this.transport.stream(
          method,
          both,
          timeoutMs === undefined ? undefined : attempts.remaining(),
          undefined,
          only(message),
        );
        for await (const each of reply.message) {
          answered = true;
          this.#answered();
          yield each;
        }
        return;
      } catch (thrown) {
        await attempts.pauseAfter(thrown, answered);
      } finally {
        left.abort();
      }
    }
  }

  #answered(): void {
    this.#reached = true;
    this.#retries = Math.min(MOST_RETRIES, this.#retries + EARNED_BY_ANSWER);
  }

  #attempts(signal: AbortSignal | undefined, limitMs: number): Attempts {
    signal?.throwIfAborted();
    return new Attempts(this.url, signal, timeout(limitMs), (failure, tries) => {
      if (failure.reason === "OVERLOADED") {
        return tries < FEW_TRIES && this.#retries >= 1 && this.#retries-- >= 1;
      }
      return failure.code === "UNAVAILABLE" && (this.#reached || tries < FEW_TRIES);
    });
  }
}

/** The attempts of one call. */
class Attempts {
  readonly #began = performance.now();
  #tries = 0;
  #failure: TablierError | undefined;

  constructor(
    readonly url: string,
    readonly signal: AbortSignal | undefined,
    readonly limitMs: number,
    readonly isWorthAnother: (failure: TablierError, tries: number) => boolean,
  ) {}

  /** Milliseconds that the next attempt may take. */
  remaining(): number {
    return this.#tries ? this.#began + this.limitMs - performance.now() : this.limitMs;
  }

  /** Wait until the next attempt; throws the error if there is none. */
  async pauseAfter(thrown: unknown, last = false): Promise<void> {
    this.signal?.throwIfAborted();
    const failure = fromThrown(thrown, this.url);
    if (this.#failure && failure.code === "DEADLINE_EXCEEDED" && !failure.reason) {
      // Why the attempts before it failed says more than that time ran out.
      throw this.#failure;
    }
    this.#failure = failure;
    this.#tries += 1;
    if (last || !this.isWorthAnother(failure, this.#tries)) {
      throw failure;
    }
    const doubled = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.#tries - 1));
    const jittered = doubled * (1 + JITTER * (2 * Math.random() - 1));
    // Never sooner than the service asks for.
    const pause = jittered + 1000 * (failure.retrySeconds ?? 0);
    if (pause >= this.remaining()) {
      throw failure;
    }
    await sleep(pause, this.signal);
  }
}

/** The only message of a stream. */
async function* only<T>(message: T): AsyncGenerator<T> {
  yield message;
}

/** Wait; rejects with the reason of the signal when it is aborted. */
function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
