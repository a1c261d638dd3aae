/** Errors of failed calls, one class per kind of failure. */

import { Code, ConnectError } from "@connectrpc/connect";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  RetryInfoSchema,
} from "./gen/google/rpc/error_details_pb.js";

const DOMAIN = "tablier";

/** What is known of a failure besides its message. */
export interface Failure {
  /** The code of gRPC, such as "FAILED_PRECONDITION". */
  code: string;
  /** An ErrorReason of the protocol without its prefix, such as "MOVE_ILLEGAL". */
  reason?: string;
  /** The path of the invalid field in the request, or the invalid argument. */
  field?: string;
  /** The number of seconds after which to retry. */
  retrySeconds?: number | undefined;
  /** The id of the request, by which the log of the service finds it. */
  requestId?: string;
  cause?: unknown;
}

/**
 * A call failed. The base class of all errors of this client.
 *
 * An aborted call throws the reason of its signal instead, as `fetch` does.
 */
export class TablierError extends Error {
  /** The code of gRPC, such as "FAILED_PRECONDITION". */
  readonly code: string;
  /**
   * An ErrorReason of the protocol without its prefix, such as "MOVE_ILLEGAL"; empty if the service
   * did not answer.
   */
  readonly reason: string;
  /**
   * The path of the invalid field in the request, such as "moves[0].notation", or the invalid
   * argument; otherwise empty.
   */
  readonly field: string;
  /** The number of seconds after which to retry, if the service sent one. */
  readonly retrySeconds: number | undefined;
  /** The id of the request, by which the log of the service finds it; empty without an answer. */
  readonly requestId: string;

  constructor(message: string, failure: Failure) {
    super(message, failure.cause === undefined ? {} : { cause: failure.cause });
    this.name = new.target.name;
    this.code = failure.code;
    this.reason = failure.reason ?? "";
    this.field = failure.field ?? "";
    this.retrySeconds = failure.retrySeconds;
    this.requestId = failure.requestId ?? "";
  }

  override toString(): string {
    return `${this.name}: ${this.field ? `${this.field}: ` : ""}${this.message}`;
  }
}

/** A field of the request is missing, malformed or out of range. */
export class InvalidField extends TablierError {}

/** The service has no game with this name. */
export class UnknownGame extends TablierError {}

/** A game option is unknown, or its value is invalid. */
export class InvalidOption extends TablierError {}

/** The token is damaged, forged, or of an unsupported version. */
export class InvalidToken extends TablierError {}

/** The call needs the true state instead of a view token, or the view of another seat. */
export class ViewToken extends TablierError {}

/** The text is not a game record, or one of a version that is not supported. */
export class InvalidRecord extends TablierError {}

/** The record cannot be replayed, because it has no seed or contains hidden moves. */
export class IncompleteRecord extends TablierError {}

/** The notation is not a move of this game in any position. */
export class UnparsableMove extends TablierError {}

/** The move is not legal for this seat now. */
export class IllegalMove extends TablierError {}

/** The seat does not exist or is not to move. */
export class WrongSeat extends TablierError {}

/** The game is over. */
export class GameOver extends TablierError {}

/** The request is too large. */
export class TooLarge extends TablierError {}

/** The server does not have this call: it is not Tablier, or an older version of it. */
export class UnknownRoute extends TablierError {}

/** This service cannot draw in the requested format; the message says what it needs. */
export class FormatUnavailable extends TablierError {}

/** The service is overloaded; retry after `retrySeconds`. */
export class Overloaded extends TablierError {}

/** Missing or invalid credentials: pass `apiKey`, or a JWT in `headers`. */
export class Unauthenticated extends TablierError {}

/** The roles of the caller do not allow this. */
export class PermissionDenied extends TablierError {}

/** The caller has exceeded a quota; retry after `retrySeconds`. */
export class QuotaExceeded extends Overloaded {}

/** The service has a bug; retrying or changing the request does not help. */
export class ServiceFault extends TablierError {}

/** No server could be reached, even after retries. */
export class Unavailable extends TablierError {}

/** The answer did not arrive in time. */
export class DeadlineExceeded extends TablierError {}

const BY_REASON: ReadonlyMap<string, typeof TablierError> = new Map([
  ["INVALID_FIELD", InvalidField],
  ["UNKNOWN_GAME", UnknownGame],
  ["INVALID_OPTION", InvalidOption],
  ["TOKEN_MALFORMED", InvalidToken],
  ["TOKEN_UNSUPPORTED", InvalidToken],
  ["TOKEN_INVALID", InvalidToken],
  ["VIEW_TOKEN", ViewToken],
  ["RECORD_MALFORMED", InvalidRecord],
  ["RECORD_UNSUPPORTED", InvalidRecord],
  ["RECORD_INCOMPLETE", IncompleteRecord],
  ["MOVE_UNPARSABLE", UnparsableMove],
  ["MOVE_ILLEGAL", IllegalMove],
  ["WRONG_SEAT", WrongSeat],
  ["GAME_OVER", GameOver],
  ["TOO_LARGE", TooLarge],
  ["UNKNOWN_ROUTE", UnknownRoute],
  ["FORMAT_UNAVAILABLE", FormatUnavailable],
  // Never for requests of this client, which are not compressed.
  ["ENCODING_UNSUPPORTED", InvalidField],
  ["OVERLOADED", Overloaded],
  ["DEADLINE_EXCEEDED", DeadlineExceeded],
  ["STOPPING", Unavailable],
  ["STREAM_IDLE", Unavailable],
  ["SLOW_READER", DeadlineExceeded],
  ["UNAUTHENTICATED", Unauthenticated],
  ["PERMISSION_DENIED", PermissionDenied],
  ["QUOTA_EXCEEDED", QuotaExceeded],
  ["INTERNAL", ServiceFault],
]);

// For failures without our ErrorInfo: they come from the network, a proxy or the runtime.
const BY_CODE: ReadonlyMap<Code, typeof TablierError> = new Map([
  [Code.Unavailable, Unavailable],
  [Code.DeadlineExceeded, DeadlineExceeded],
  [Code.Unimplemented, UnknownRoute],
]);

/** The error that the service would answer with. */
export function invalid(field: string, message: string): InvalidField {
  return new InvalidField(message, { code: "INVALID_ARGUMENT", reason: "INVALID_FIELD", field });
}

/** Convert what a transport threw to an error of this client. */
export function fromThrown(thrown: unknown, url: string): TablierError {
  if (thrown instanceof TablierError) {
    return thrown;
  }
  const error = ConnectError.from(thrown);
  if (error.cause instanceof TypeError) {
    // All implementations of `fetch` throw this, and nothing else, if the network fails.
    return unreachable(error.cause, url);
  }
  if (error.code === Code.Internal && error.rawMessage.startsWith("serialize binary")) {
    return new InvalidField(error.rawMessage, {
      code: "INVALID_ARGUMENT",
      reason: "INVALID_FIELD",
      cause: error,
    });
  }
  const info = error.findDetails(ErrorInfoSchema).find((each) => each.domain === DOMAIN);
  const violation = error.findDetails(BadRequestSchema)[0]?.fieldViolations[0];
  const delay = error.findDetails(RetryInfoSchema)[0]?.retryDelay;
  const kind = BY_REASON.get(info?.reason ?? "") ?? BY_CODE.get(error.code) ?? TablierError;
  const code = nameOf(error.code);
  return new kind(violation?.description || error.rawMessage || code, {
    code,
    reason: info?.reason ?? "",
    field: violation?.field ?? "",
    retrySeconds: delay && Number(delay.seconds) + delay.nanos / 1e9,
    requestId: error.metadata.get("x-request-id") ?? "",
    cause: error,
  });
}

/** The error for a network that failed; says what to check. */
function unreachable(error: TypeError, url: string): Unavailable {
  // Node says why in the cause, browsers do not say it at all.
  const detail = error.cause instanceof Error ? error.cause.message || error.cause.name : "";
  return new Unavailable(
    `cannot reach ${url} (${detail || error.message}): start a service with \`tablier serve\`, or` +
      " check the address; a page of another origin also needs TABLIER_CORS_ORIGINS",
    { code: "UNAVAILABLE", cause: error },
  );
}

/** The name that gRPC has for a code. */
function nameOf(code: Code): string {
  return Code[code].replace(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase();
}
