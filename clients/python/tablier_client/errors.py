"""What a call can fail with: one class a reason, all with reason, field, code and message.

try:
    state = state.play("a6-a5")
except IllegalMove as error:
    print(error.message, error.field)
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import cast

import grpc
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status

DOMAIN = "tablier"


class TablierError(Exception):
    """A call that failed.

    `reason` is an ErrorReason of the protocol without its prefix, such as "MOVE_ILLEGAL", and empty
    where the service did not answer. `field` is the path of the request's field that is at fault,
    such as "moves[0].notation", or empty. `retry_after` is the seconds after which the service
    asks to try again, if it does.
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


class InvalidField(TablierError):
    """A field of the request is missing, of the wrong form or out of range."""


class UnknownGame(TablierError):
    """The service has no game of that name."""


class InvalidOption(TablierError):
    """A game option is unknown or has a value that the game refuses."""


class InvalidToken(TablierError):
    """The token is damaged, forged, or of a version that the service does not play."""


class ViewToken(TablierError):
    """A view token where the true state is needed, or another seat's knowledge was asked for."""


class UnparsableMove(TablierError):
    """The text is no move of this game, in any position."""


class IllegalMove(TablierError):
    """A move of this game, but not a legal one of that seat now."""


class WrongSeat(TablierError):
    """The seat does not exist or is not to move."""


class GameOver(TablierError):
    """A move was sent to a finished game."""


class TooLarge(TablierError):
    """The request is larger than the service takes."""


class UnknownRoute(TablierError):
    """No call has that path: a REST answer, which this client never causes by itself."""


class Overloaded(TablierError):
    """The service is at its limit; try again after `retry_after` seconds."""


class Unauthenticated(TablierError):
    """The service wants to know who calls: pass an API key or a JWT as metadata."""


class PermissionDenied(TablierError):
    """The caller's roles do not allow this."""


class QuotaExceeded(Overloaded):
    """The caller's own quota is used up; try again after `retry_after` seconds."""


class ServiceFault(TablierError):
    """The service failed at something that it should do; nothing that the caller can put right."""


class Unavailable(TablierError):
    """No server could be reached, also after the retries."""


class DeadlineExceeded(TablierError):
    """The answer did not come in time."""


BY_REASON: Mapping[str, type[TablierError]] = MappingProxyType(
    {
        "INVALID_FIELD": InvalidField,
        "UNKNOWN_GAME": UnknownGame,
        "INVALID_OPTION": InvalidOption,
        "TOKEN_MALFORMED": InvalidToken,
        "TOKEN_UNSUPPORTED": InvalidToken,
        "TOKEN_INVALID": InvalidToken,
        "VIEW_TOKEN": ViewToken,
        "MOVE_UNPARSABLE": UnparsableMove,
        "MOVE_ILLEGAL": IllegalMove,
        "WRONG_SEAT": WrongSeat,
        "GAME_OVER": GameOver,
        "TOO_LARGE": TooLarge,
        "UNKNOWN_ROUTE": UnknownRoute,
        "OVERLOADED": Overloaded,
        "DEADLINE_EXCEEDED": DeadlineExceeded,
        "STOPPING": Unavailable,
        "UNAUTHENTICATED": Unauthenticated,
        "PERMISSION_DENIED": PermissionDenied,
        "QUOTA_EXCEEDED": QuotaExceeded,
        "INTERNAL": ServiceFault,
    }
)

# For answers without an ErrorInfo of ours: they come from the network, a proxy or grpc itself.
BY_CODE: Mapping[grpc.StatusCode, type[TablierError]] = MappingProxyType(
    {
        grpc.StatusCode.UNAVAILABLE: Unavailable,
        grpc.StatusCode.DEADLINE_EXCEEDED: DeadlineExceeded,
    }
)

CODES: Mapping[int, grpc.StatusCode] = MappingProxyType(
    {cast("tuple[int, str]", code.value)[0]: code for code in grpc.StatusCode}
)


def from_status(status: status_pb2.Status) -> TablierError:
    """The exception of a google.rpc.Status, as a failed call or operation carries it."""
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
    """The exception of a call that grpc reports as failed."""
    # Every error that a stub raises is a call as well; grpc's types do not say so.
    call = cast("grpc.Call", error)
    status = rpc_status.from_call(call)
    if status is not None:
        return from_status(status)
    code = call.code()
    return BY_CODE.get(code, TablierError)(call.details() or code.name, code=code)
