"""The table from errors to what every transport answers: status code, reason, field.

A failure is a google.rpc.Status with an ErrorInfo (reason, domain "tablier") and, if a field of the
request is at fault, a BadRequest that names it. Unexpected exceptions reveal nothing to the caller.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from types import MappingProxyType

from google.rpc import code_pb2, error_details_pb2, status_pb2
from tablier.v1 import errors_pb2
from tablier_core.drawing import counted
from tablier_core.errors import InvalidField as InvalidField  # transports raise it, too
from tablier_core.errors import TablierError

DOMAIN = "tablier"
# The shortest delay that a rejected caller is asked to wait before it tries again.
MIN_RETRY_SECONDS = 0.05
# A field may have a name that the caller has chosen. Longer ones are cut.
MAX_FIELD = 100


class TooLarge(TablierError):
    """The request is larger than the call accepts."""

    reason = "TOO_LARGE"
    http_status = 413

    @classmethod
    def request(cls, size: int, limit: int) -> TooLarge:
        """The error for a request with more bytes than its call accepts."""
        return cls("", f"the request has {size} bytes; this call accepts {limit}")


class AnswerTooLarge(TooLarge):
    """The answer is larger than the service sends."""

    @classmethod
    def of(cls, limit: int) -> AnswerTooLarge:
        """The error for an answer of more than `limit` bytes."""
        return cls(
            "",
            f"the answer has more than {limit} bytes: ask for fewer steps or views, or divide the "
            "operations among several batches or messages",
        )


class RecordMalformed(TablierError):
    """The text is not a game record, or contradicts itself."""

    reason = "RECORD_MALFORMED"


class RecordUnsupported(TablierError):
    """The game record has a format or a rules version that this service does not support."""

    reason = "RECORD_UNSUPPORTED"


class RecordIncomplete(TablierError):
    """The game record has no seed or contains hidden moves, so it cannot be replayed."""

    reason = "RECORD_INCOMPLETE"


class Overloaded(TablierError):
    """The service is at its limit; the same call may succeed later."""

    reason = "OVERLOADED"

    def __init__(self, field: str, message: str, *, retry_seconds: float = 0.0) -> None:
        super().__init__(field, message)
        self.retry_seconds = retry_seconds


class DeadlinePassed(TablierError):
    """The deadline has passed, so nobody waits for the answer."""

    reason = "DEADLINE_EXCEEDED"


class Unauthenticated(TablierError):
    """Missing or invalid credentials."""

    reason = "UNAUTHENTICATED"


class PermissionDenied(TablierError):
    """The caller is known but not allowed to do this."""

    reason = "PERMISSION_DENIED"


class QuotaExceeded(TablierError):
    """The caller has used up one of its quotas for now."""

    reason = "QUOTA_EXCEEDED"
    quota = ""
    wait = 1.0

    @classmethod
    def of(cls, quota: str, wait: float) -> QuotaExceeded:
        """The error for a quota that has room again after `wait` seconds."""
        error = cls("", f"your quota of {quota} is used up; try again after the retry delay")
        error.quota = quota
        error.wait = wait
        return error


class Stopping(TablierError):
    """The service is stopping and reads no more of a stream."""

    reason = "STOPPING"


class StreamIdle(TablierError):
    """Nothing was sent or received on a stream for too long."""

    reason = "STREAM_IDLE"

    @classmethod
    def after(cls, seconds: float) -> StreamIdle:
        """The error for a stream that was idle for this long."""
        return cls("", f"the stream was idle for {counted(seconds, 'second', 'g')}; open another")


class SlowReader(TablierError):
    """The caller does not read its answers."""

    reason = "SLOW_READER"

    @classmethod
    def after(cls, seconds: float) -> SlowReader:
        """The error for a caller that did not take an answer for this long."""
        waited = counted(seconds, "second", "g")
        return cls("", f"an answer was not read for {waited}; read while you write")


class EncodingUnsupported(TablierError):
    """The request is compressed in a way that the service cannot read."""

    reason = "ENCODING_UNSUPPORTED"


class UnknownRoute(TablierError):
    """No call has this path, or none has it with this HTTP method."""

    reason = "UNKNOWN_ROUTE"


CODES: Mapping[str, int] = MappingProxyType(
    {
        "INVALID_FIELD": code_pb2.INVALID_ARGUMENT,
        "UNKNOWN_GAME": code_pb2.NOT_FOUND,
        "INVALID_OPTION": code_pb2.INVALID_ARGUMENT,
        "TOKEN_MALFORMED": code_pb2.INVALID_ARGUMENT,
        "TOKEN_UNSUPPORTED": code_pb2.FAILED_PRECONDITION,
        "TOKEN_INVALID": code_pb2.INVALID_ARGUMENT,
        "VIEW_TOKEN": code_pb2.FAILED_PRECONDITION,
        "MOVE_UNPARSABLE": code_pb2.INVALID_ARGUMENT,
        "MOVE_ILLEGAL": code_pb2.FAILED_PRECONDITION,
        "WRONG_SEAT": code_pb2.FAILED_PRECONDITION,
        "GAME_OVER": code_pb2.FAILED_PRECONDITION,
        "TOO_LARGE": code_pb2.RESOURCE_EXHAUSTED,
        "RECORD_MALFORMED": code_pb2.INVALID_ARGUMENT,
        "RECORD_UNSUPPORTED": code_pb2.FAILED_PRECONDITION,
        "RECORD_INCOMPLETE": code_pb2.FAILED_PRECONDITION,
        "OVERLOADED": code_pb2.RESOURCE_EXHAUSTED,
        "UNAUTHENTICATED": code_pb2.UNAUTHENTICATED,
        "PERMISSION_DENIED": code_pb2.PERMISSION_DENIED,
        "QUOTA_EXCEEDED": code_pb2.RESOURCE_EXHAUSTED,
        "UNKNOWN_ROUTE": code_pb2.NOT_FOUND,
        "FORMAT_UNAVAILABLE": code_pb2.UNIMPLEMENTED,
        "ENCODING_UNSUPPORTED": code_pb2.UNIMPLEMENTED,
        "DEADLINE_EXCEEDED": code_pb2.DEADLINE_EXCEEDED,
        "STOPPING": code_pb2.UNAVAILABLE,
        "STREAM_IDLE": code_pb2.UNAVAILABLE,
        "SLOW_READER": code_pb2.DEADLINE_EXCEEDED,
        "INTERNAL": code_pb2.INTERNAL,
    }
)

# The HTTP status for a gRPC code, as in the Google API guides. An error class with an attribute
# `http_status` overrides it.
HTTP_STATUS: Mapping[int, int] = MappingProxyType(
    {
        code_pb2.OK: 200,
        code_pb2.CANCELLED: 499,
        code_pb2.INVALID_ARGUMENT: 400,
        code_pb2.DEADLINE_EXCEEDED: 504,
        code_pb2.NOT_FOUND: 404,
        code_pb2.PERMISSION_DENIED: 403,
        code_pb2.UNAUTHENTICATED: 401,
        code_pb2.RESOURCE_EXHAUSTED: 429,
        code_pb2.FAILED_PRECONDITION: 400,
        code_pb2.UNIMPLEMENTED: 501,
        code_pb2.INTERNAL: 500,
        code_pb2.UNAVAILABLE: 503,
    }
)


def status_of(error: Exception) -> status_pb2.Status:
    """The status that transports send for an exception."""
    if not isinstance(error, TablierError):
        return make_status(
            "INTERNAL",
            "",
            "internal error; the log has details under the request id",
        )
    status = make_status(error.reason, error.field, error.message)
    if isinstance(error, Overloaded):
        add_retry(status, max(error.retry_seconds, MIN_RETRY_SECONDS))
    if isinstance(error, QuotaExceeded):
        violation = error_details_pb2.QuotaFailure.Violation(
            subject=error.quota, description=error.message
        )
        status.details.add().Pack(error_details_pb2.QuotaFailure(violations=[violation]))
        add_retry(status, error.wait)
    return status


def http_status_of(kind: type[Exception], code: int) -> int:
    """The HTTP status for a kind of error with this gRPC code."""
    return getattr(kind, "http_status", 0) or HTTP_STATUS[code]


def make_status(reason: str, field: str, message: str) -> status_pb2.Status:
    """Make a status with the details that every failure carries."""
    # Fails for a reason that the protocol does not list, so that tests find it.
    errors_pb2.ErrorReason.Value(f"ERROR_REASON_{reason}")
    if len(field) > MAX_FIELD:
        field = f"{field[: MAX_FIELD - 1]}…"
    text = f"{field}: {message}" if field else message
    status = status_pb2.Status(code=CODES[reason], message=text)
    info = error_details_pb2.ErrorInfo(reason=reason, domain=DOMAIN)
    if field:
        info.metadata["field"] = field
    status.details.add().Pack(info)
    if field:
        violation = error_details_pb2.BadRequest.FieldViolation(field=field, description=message)
        bad_request = error_details_pb2.BadRequest(field_violations=[violation])
        status.details.add().Pack(bad_request)
    return status


def add_retry(status: status_pb2.Status, seconds: float) -> None:
    """Add when to try again."""
    retry = error_details_pb2.RetryInfo()
    retry.retry_delay.FromMilliseconds(max(1, ceil(seconds * 1000)))
    status.details.add().Pack(retry)
