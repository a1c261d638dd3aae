"""Options of new games: how they are sent, and what type checkers know about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar, cast

import grpc
from google.protobuf.struct_pb2 import Struct

from tablier_client.errors import InvalidOption
from tablier_client.fields import invalid
from tablier_client.game_options import (
    RecordGame,
    RecordGameCall,
    ReplayGame,
    ReplayGameCall,
    StartGame,
    StartGameCall,
)

R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
M_co = TypeVar("M_co", covariant=True)


def all_options(
    options: Mapping[str, object] | None, keywords: Mapping[str, object]
) -> dict[str, object]:
    """Return the options of both arguments; raises InvalidField or InvalidOption."""
    if options is None:
        return {**keywords}
    if not isinstance(options, Mapping):
        raise invalid("options", f"{options!r} is not a mapping")
    for name in keywords:
        if name in options:
            raise invalid_option(name, "is in the mapping and a keyword")
    return {**options, **keywords}


def write_options(options: Mapping[str, Any]) -> Struct:
    """Return options as a message; raises InvalidOption for a value that JSON cannot express.

    The service checks everything else.
    """
    struct = Struct()
    for name, value in options.items():
        try:
            struct.update({name: value})
        except (TypeError, ValueError, OverflowError, RecursionError) as error:
            raise invalid_option(name, f"cannot be sent as JSON: {error}") from None
    return struct


def invalid_option(name: str, message: str) -> InvalidOption:
    """Make the error that the service would answer with."""
    return InvalidOption(
        message,
        code=grpc.StatusCode.INVALID_ARGUMENT,
        reason="INVALID_OPTION",
        field=f"options.{name}",
    )


class Method(Protocol[M_co]):
    """A method that has the type `M_co` on every instance."""

    def __get__(self, instance: object, owner: type | None = None) -> M_co: ...


# Give a method one overload per game, so that type checkers find misspelt options. The overloads
# are generated; at run time these functions change nothing.


def typed_start(method: Callable[..., R]) -> Method[StartGame[R]]:
    """Type `start` of a client."""
    return cast("Method[StartGame[R]]", method)


def typed_replay(method: Callable[..., R]) -> Method[ReplayGame[R]]:
    """Type `replay` of a client."""
    return cast("Method[ReplayGame[R]]", method)


def typed_start_call(method: Callable[..., R]) -> Method[StartGameCall[R]]:
    """Type `start` of `client.calls`."""
    return cast("Method[StartGameCall[R]]", method)


def typed_replay_call(method: Callable[..., R]) -> Method[ReplayGameCall[R]]:
    """Type `replay` of `client.calls`."""
    return cast("Method[ReplayGameCall[R]]", method)


def typed_record(method: Callable[..., R]) -> Method[RecordGame[R]]:
    """Type `record` of a client."""
    return cast("Method[RecordGame[R]]", method)


def typed_record_call(method: Callable[..., R]) -> Method[RecordGameCall[R]]:
    """Type `record` of `client.calls`."""
    return cast("Method[RecordGameCall[R]]", method)
