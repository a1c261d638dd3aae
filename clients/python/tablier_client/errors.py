"""Exceptions of failed calls, one class per kind of failure.

try:
    state = state.play("a6-a5")
except IllegalMove as error:
    print(error.message, error.field)
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any, cast

import grpc
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status

DOMAIN = "tablier"


class TablierError(Exception):
    """Base class: a call failed.

    `reason` is an ErrorReason of the protocol without its prefix, such as "MOVE_ILLEGAL", or empty
    if the service did not answer. `field` is the path of the invalid field in the request, such as
    "moves[0].notation", or the invalid argument or environment variable of a client, such as
    "ca_file", or empty. `retry_after` is the number of seconds after which to retry, if the service
    sent one. As text, an error is its field and its message.
    """

    def __init__(
        self,
        message: str,
        *,
        code: grpc.StatusCode,
        reason: str = "",
        field: str = "",
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.reason = reason
        self.field = field
        self.retry_after = retry_after

    def __str__(self) -> str:
        return f"{self.field}: {self.message}" if self.field else self.message

    def __reduce__(self) -> tuple[Any, ...]:
        # Exceptions are restored from their positional arguments, and these have others.
        return _restore, (type(self), self.message), self.__dict__


def _restore(kind: type[TablierError], message: str) -> TablierError:
    return kind(message, code=grpc.StatusCode.UNKNOWN)


class InvalidField(TablierError):
    """A field of the request is missing, malformed or out of range."""


class UnknownGame(TablierError):
    """The service has no game with this name."""


class InvalidOption(TablierError):
    """A game option is unknown, or its value is invalid."""


class InvalidToken(TablierError):
    """The token is damaged, forged, or of an unsupported version."""


class ViewToken(TablierError):
    """The call needs the true state instead of a view token, or the view of another seat."""


class InvalidRecord(TablierError):
    """The text is not a game record, or one of a version that is not supported.

    `line` and `column` say where, if you read the record yourself; both count from 1.
    """

    line = 0
    column = 0


class IncompleteRecord(TablierError):
    """The record cannot be replayed, because it has no seed or contains hidden moves."""


class UnparsableMove(TablierError):
    """The notation is not a move of this game in any position."""


class IllegalMove(TablierError):
    """The move is not legal for this seat now."""


class WrongSeat(TablierError):
    """The seat does not exist or is not to move."""


class GameOver(TablierError):
    """The game is over."""


class TooLarge(TablierError):
    """The request is too large."""


class UnknownRoute(TablierError):
    """The server does not have this call: it is not Tablier, or an older version of it."""


class FormatUnavailable(TablierError):
    """This service cannot draw in the requested format; the message says what it needs."""


class Overloaded(TablierError):
    """The service is overloaded; retry after `retry_after` seconds."""


class Unauthenticated(TablierError):
    """Missing or invalid credentials: pass `api_key`, or a JWT as metadata."""


class PermissionDenied(TablierError):
    """The roles of the caller do not allow this."""


class QuotaExceeded(Overloaded):
    """The caller has exceeded a quota; retry after `retry_after` seconds."""


class ServiceFault(TablierError):
    """The service has a bug; retrying or changing the request does not help."""


class Unavailable(TablierError):
    """No server could be reached, even after retries."""


class DeadlineExceeded(TablierError):
    """The answer did not arrive in time."""


class Closed(TablierError):
    """The client or the session was closed before the call was answered."""


class Detached(TablierError):
    """The state has no client, because it was unpickled; `state.attach(client)` has one."""


BY_REASON: Mapping[str, type[TablierError]] = MappingProxyType(
    {
        "INVALID_FIELD": InvalidField,
        "UNKNOWN_GAME": UnknownGame,
        "INVALID_OPTION": InvalidOption,
        "TOKEN_MALFORMED": InvalidToken,
        "TOKEN_UNSUPPORTED": InvalidToken,
        "TOKEN_INVALID": InvalidToken,
        "VIEW_TOKEN": ViewToken,
        "RECORD_MALFORMED": InvalidRecord,
        "RECORD_UNSUPPORTED": InvalidRecord,
        "RECORD_INCOMPLETE": IncompleteRecord,
        "MOVE_UNPARSABLE": UnparsableMove,
        "MOVE_ILLEGAL": IllegalMove,
        "WRONG_SEAT": WrongSeat,
        "GAME_OVER": GameOver,
        "TOO_LARGE": TooLarge,
        "UNKNOWN_ROUTE": UnknownRoute,
        "FORMAT_UNAVAILABLE": FormatUnavailable,
        # Never for requests of this client, which are not compressed.
        "ENCODING_UNSUPPORTED": InvalidField,
        "OVERLOADED": Overloaded,
        "DEADLINE_EXCEEDED": DeadlineExceeded,
        "STOPPING": Unavailable,
        "STREAM_IDLE": Unavailable,
        "SLOW_READER": DeadlineExceeded,
        "UNAUTHENTICATED": Unauthenticated,
        "PERMISSION_DENIED": PermissionDenied,
        "QUOTA_EXCEEDED": QuotaExceeded,
        "INTERNAL": ServiceFault,
    }
)

# For failures without our ErrorInfo: they come from the network, a proxy or grpc itself.
BY_CODE: Mapping[grpc.StatusCode, type[TablierError]] = MappingProxyType(
    {
        grpc.StatusCode.UNAVAILABLE: Unavailable,
        grpc.StatusCode.DEADLINE_EXCEEDED: DeadlineExceeded,
        grpc.StatusCode.UNIMPLEMENTED: UnknownRoute,
    }
)

CODES: Mapping[int, grpc.StatusCode] = MappingProxyType(
    {cast("tuple[int, str]", code.value)[0]: code for code in grpc.StatusCode}
)


def from_status(status: status_pb2.Status) -> TablierError:
    """Convert the google.rpc.Status of a failed call or operation to an exception."""
    reason = field = ""
    message = status.message
    retry_after: float | None = None
    info = error_details_pb2.ErrorInfo()
    bad_request = error_details_pb2.BadRequest()
    retry = error_details_pb2.RetryInfo()
    for detail in status.details:
        if detail.Unpack(info) and info.domain == DOMAIN:
            reason = info.reason
        elif detail.Unpack(bad_request) and bad_request.field_violations:
            violation = bad_request.field_violations[0]
            field, message = violation.field, violation.description or message
        elif detail.Unpack(retry):
            retry_after = retry.retry_delay.ToTimedelta().total_seconds()
    code = CODES.get(status.code, grpc.StatusCode.UNKNOWN)
    kind = BY_REASON.get(reason) or BY_CODE.get(code, TablierError)
    return kind(message, code=code, reason=reason, field=field, retry_after=retry_after)


def from_call(error: grpc.RpcError) -> TablierError:
    """Convert an error that grpc raised to an exception."""
    # Errors that a stub raises are also grpc.Call objects, which grpc's types do not state.
    call = cast("grpc.Call", error)
    # A proxy may change the code of an answer, or its details.
    with suppress(DecodeError, ValueError):
        status = rpc_status.from_call(call)
        if status is not None:
            return from_status(status)
    code = call.code()
    return BY_CODE.get(code, TablierError)(call.details() or code.name, code=code)
