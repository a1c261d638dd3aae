"""Requests from a caller's arguments: what cannot be a field's value is told with its name.

Protobuf itself says only that some value is out of range, or of a wrong type, and not which.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import grpc
from google.protobuf.message import Message

from tablier_client.errors import InvalidField

P = ParamSpec("P")
M = TypeVar("M", bound=Message)


def make(kind: Callable[P, M], *args: P.args, **fields: P.kwargs) -> M:
    """A request with these fields; raises InvalidField for the one that cannot have its value."""
    return make_part("", kind, *args, **fields)


def make_part(path: str, kind: Callable[P, M], *args: P.args, **fields: P.kwargs) -> M:
    """A message that stands in its request at this path, such as "budget."; raises as `make`."""
    try:
        return kind(*args, **fields)
    except (TypeError, ValueError):
        for name, value in fields.items():
            if reason := misfit(kind, name, value):
                raise invalid(
                    f"{path}{name}", f"{value!r} cannot be a value of {name!r}: {reason}"
                ) from None
        raise


def misfit(kind: Callable[..., Any], name: str, value: object) -> str:
    """Why a field of a message cannot have a value; empty if it can."""
    try:
        kind(**{name: value})
    except (TypeError, ValueError) as error:
        return str(error)
    return ""


def invalid(field: str, message: str) -> InvalidField:
    """The error that the service would answer with, if it could be asked."""
    return InvalidField(
        message, code=grpc.StatusCode.INVALID_ARGUMENT, reason="INVALID_FIELD", field=field
    )
