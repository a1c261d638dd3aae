"""One table from what went wrong to what every door answers: status code, reason, field.

A failure is a google.rpc.Status with an ErrorInfo (reason, domain "tablier") and, where a field of
the request is at fault, a BadRequest that names it. Unknown exceptions tell the caller nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from types import MappingProxyType

from google.rpc import code_pb2, error_details_pb2, status_pb2
from tablier.v1 import errors_pb2
from tablier_core.errors import TablierError

DOMAIN = "tablier"
# A caller who was refused may try again after this long at the least.
LEAST_RETRY_SECONDS = 0.05


class InvalidField(TablierError):
    """A field of the request is missing, of the wrong form or out of range."""

    reason = "INVALID_FIELD"


class TooLarge(TablierError):
    """The request has more bytes than the call takes."""

    reason = "TOO_LARGE"


class Overloaded(TablierError):
    """The service is at its limit; the same call may succeed when some time has passed."""

    reason = "OVERLOADED"

    def __init__(self, field: str, message: str, *, retry_seconds: float = 0.0) -> None:
        super().__init__(field, message)
        self.retry_seconds = retry_seconds


class DeadlinePassed(TablierError):
    """Nobody waits for the answer any more, so nothing was done."""

    reason = "DEADLINE_EXCEEDED"


class Unauthenticated(TablierError):
    """The call says not, or not credibly, who makes it."""

    reason = "UNAUTHENTICATED"


class PermissionDenied(TablierError):
    """The caller is known and may not do this."""

    reason = "PERMISSION_DENIED"


class QuotaExceeded(TablierError):
    """The caller has used up what it may ask for, for the moment."""

    reason = "QUOTA_EXCEEDED"
    quota = ""
    wait = 1.0

    @classmethod
    def of(cls, quota: str, wait: float) -> QuotaExceeded:
        """The error of a quota that has room again after some seconds."""
        error = cls("", f"your quota of {quota} is used up; try again after the delay")
        error.quota = quota
        error.wait = wait
        return error


class Stopping(TablierError):
    """The service stops, and reads no more of a stream."""

    reason = "STOPPING"


class UnknownRoute(TablierError):
    """No call has the request's path, or none has it with that HTTP method."""

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
        "OVERLOADED": code_pb2.RESOURCE_EXHAUSTED,
        "UNAUTHENTICATED": code_pb2.UNAUTHENTICATED,
        "PERMISSION_DENIED": code_pb2.PERMISSION_DENIED,
        "QUOTA_EXCEEDED": code_pb2.RESOURCE_EXHAUSTED,
        "UNKNOWN_ROUTE": code_pb2.NOT_FOUND,
        "DEADLINE_EXCEEDED": code_pb2.DEADLINE_EXCEEDED,
        "STOPPING": code_pb2.UNAVAILABLE,
        "INTERNAL": code_pb2.INTERNAL,
    }
)

# The HTTP status of a gRPC code, as the Google API guides map them.
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
    """The status that a door sends for an exception."""
    if not isinstance(error, TablierError):
        return make_status("INTERNAL", "", "the service failed; its log has this request's id")
    status = make_status(error.reason, error.field, error.message)
    if isinstance(error, Overloaded):
        add_retry(status, max(error.retry_seconds, LEAST_RETRY_SECONDS))
    if isinstance(error, QuotaExceeded):
        violation = error_details_pb2.QuotaFailure.Violation(
            subject=error.quota, description=error.message
        )
        status.details.add().Pack(error_details_pb2.QuotaFailure(violations=[violation]))
        add_retry(status, error.wait)
    return status


def make_status(reason: str, field: str, message: str) -> status_pb2.Status:
    """A status with the details that every failure carries."""
    # A reason that the protocol does not list would be a defect of ours: fail here, in the tests.
    errors_pb2.ErrorReason.Value(f"ERROR_REASON_{reason}")
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
    """Say when to come back."""
    retry = error_details_pb2.RetryInfo()
    retry.retry_delay.FromMilliseconds(max(1, ceil(seconds * 1000)))
    status.details.add().Pack(retry)
