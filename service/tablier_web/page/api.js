/**
 * The public REST API: one method per need, with the key of the caller, which is only kept here.
 *
 * A service that does not answer is asked again until it does. Every call is recorded for people who
 * want to see it; the record has no key.
 */

/**
 * @typedef {object} CallRecord
 * @property {string} method
 * @property {string} path
 * @property {unknown} body
 * @property {number} milliseconds
 * @property {number} status 0 if there was no answer
 * @property {string} error
 * @property {Date} at
 *
 * @typedef {object} Details
 * @property {string} [reason]
 * @property {Record<string, string>} [metadata]
 * @property {string} [retryDelay]
 */

const FIRST_DELAY = 250;
const LONGEST_DELAY = 5000;
const MOST_RECORDS = 100;
// No answer, or one of a proxy whose service is gone.
const AWAY = new Set([0, 502, 503, 504]);
const BUSY = 429;
const UNAUTHENTICATED = 401;

/** A failed call: the status and reason of the service, in its words. */
export class ApiError extends Error {
  /**
   * @param {number} status
   * @param {string} message
   * @param {Details[]} details
   */
  constructor(status, message, details) {
    super(message);
    this.status = status;
    this.reason = details.find((each) => each.reason)?.reason ?? "";
    this.field = details.find((each) => each.metadata)?.metadata?.field ?? "";
    this.delay = parseFloat(details.find((each) => each.retryDelay)?.retryDelay ?? "0") * 1000;
  }
}

export class Api {
  /** @type {string} */
  #key = "";
  /** @type {CallRecord[]} */
  records = [];
  /** Whether the service answered the last attempt. */
  reachable = true;
  /** Called when `reachable` or `records` change. @type {() => void} */
  onchange = () => {};
  /** Asks a person for the key; `rejected` if they gave a wrong one. @type {(rejected: boolean) => Promise<string>} */
  askKey = () => Promise.reject(new Error("no key"));
  /** @type {Promise<void> | null} */
  #asking = null;
  language = "en";

  /** Whether calls have a key. */
  get hasKey() {
    return this.#key !== "";
  }

  forgetKey() {
    this.#key = "";
  }

  /**
   * @param {string} path
   * @param {AbortSignal} [signal]
   * @returns {Promise<any>}
   */
  get(path, signal) {
    return this.#send("GET", path, undefined, signal);
  }

  /**
   * @param {string} path
   * @param {Record<string, unknown>} body
   * @param {AbortSignal} [signal]
   * @returns {Promise<any>}
   */
  post(path, body, signal) {
    return this.#send("POST", path, body, signal);
  }

  /**
   * A call on a state: `applyMoves`, `playSeat`, `render` and so on.
   * @param {string} name
   * @param {Record<string, unknown>} body
   * @param {AbortSignal} [signal]
   * @returns {Promise<any>}
   */
  onState(name, body, signal) {
    return this.post(`/v1/states:${name}`, { language: this.language, ...body }, signal);
  }

  /**
   * Several cheap calls in one: `{renderState: {...}}`. Returns the answers; raises the first error.
   * @param {Record<string, unknown>[]} operations
   * @param {AbortSignal} [signal]
   * @returns {Promise<any[]>}
   */
  async batch(operations, signal) {
    const body = { operations, language: this.language };
    const { results } = await this.post("/v1/batch", body, signal);
    return results.map((/** @type {any} */ result, /** @type {number} */ index) => {
      if (result.error) throw new ApiError(400, result.error.message, result.error.details ?? []);
      return result[Object.keys(operations[index] ?? {})[0] ?? ""];
    });
  }

  /**
   * A call with many answers, as server-sent events. Ends when the service ends it or the signal does.
   * @param {string} name
   * @param {Record<string, unknown>} body
   * @param {AbortSignal} signal
   * @returns {AsyncGenerator<any, void, undefined>}
   */
  async *stream(name, body, signal) {
    const path = `/v1/states:${name}`;
    const response = await this.#fetch(
      "POST",
      path,
      { language: this.language, ...body },
      signal,
      "text/event-stream",
    );
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: "" };
      if (done) return;
      const events = (rest + value).split("\n\n");
      rest = events.pop() ?? "";
      for (const event of events) {
        const data = event.split("\n").find((line) => line.startsWith("data: "));
        if (!data) continue;
        const message = JSON.parse(data.slice(6));
        if (event.startsWith("event: error")) {
          throw new ApiError(500, message.message, message.details ?? []);
        }
        yield message;
      }
    }
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {Record<string, unknown> | undefined} body
   * @param {AbortSignal} [signal]
   */
  async #send(method, path, body, signal) {
    const response = await this.#fetch(method, path, body, signal, "application/json");
    return response.json();
  }

  /**
   * Send a request until it is answered; asks for a key if the service wants one.
   * @param {string} method
   * @param {string} path
   * @param {Record<string, unknown> | undefined} body
   * @param {AbortSignal | undefined} signal
   * @param {string} accept
   * @returns {Promise<Response>}
   */
  async #fetch(method, path, body, signal, accept) {
    for (let delay = FIRST_DELAY; ; delay = Math.min(2 * delay, LONGEST_DELAY)) {
      const key = this.#key;
      try {
        return await this.#attempt(method, path, body, signal, accept);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (error.status === UNAUTHENTICATED) {
          if (key === this.#key) await this.#authenticate(key !== "");
          continue;
        }
        if (AWAY.has(error.status)) this.#reached(false);
        else if (error.status !== BUSY) throw error;
        await pause(Math.max(delay, error.delay), signal);
      }
    }
  }

  /** @param {boolean} rejected */
  async #authenticate(rejected) {
    this.#asking ??= this.askKey(rejected).then((key) => {
      this.#key = key;
    });
    try {
      await this.#asking;
    } finally {
      this.#asking = null;
    }
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {Record<string, unknown> | undefined} body
   * @param {AbortSignal | undefined} signal
   * @param {string} accept
   */
  async #attempt(method, path, body, signal, accept) {
    /** @type {Record<string, string>} */
    const headers = { accept, "accept-language": this.language };
    if (body) headers["content-type"] = "application/json";
    if (this.#key) headers.authorization = `Bearer ${this.#key}`;
    const started = performance.now();
    const record = { method, path, body, milliseconds: 0, status: 0, error: "", at: new Date() };
    try {
      const response = await fetch(path, {
        method,
        headers,
        credentials: "omit",
        cache: "no-store",
        ...(body ? { body: JSON.stringify(body) } : {}),
        ...(signal ? { signal } : {}),
      }).catch((/** @type {unknown} */ error) => {
        if (signal?.aborted) throw error;
        throw new ApiError(0, String(error), []);
      });
      record.status = response.status;
      if (!response.ok) throw await readError(response);
      this.#reached(true);
      return response;
    } catch (error) {
      record.error = error instanceof Error ? error.message : String(error);
      throw error;
    } finally {
      record.milliseconds = performance.now() - started;
      this.records = [...this.records.slice(1 - MOST_RECORDS), record];
    }
  }

  /** @param {boolean} reachable */
  #reached(reachable) {
    if (this.reachable === reachable) return;
    this.reachable = reachable;
    this.onchange();
  }
}

/** @param {Response} response */
async function readError(response) {
  try {
    const { message, details } = await response.json();
    return new ApiError(response.status, message, details ?? []);
  } catch {
    return new ApiError(response.status, response.statusText, []);
  }
}

/** @param {number} milliseconds @param {AbortSignal} [signal] @returns {Promise<void>} */
export function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
