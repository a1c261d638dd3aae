"""Build requests from arguments, with errors that name the field.

Protobuf's own errors do not state which field has the wrong type or is out of range.
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
    """Build a request; raises InvalidField, which names the field with an impossible value."""
    return make_part("", kind, *args, **fields)


def make_part(path: str, kind: Callable[P, M], *args: P.args, **fields: P.kwargs) -> M:
    """Build a part of a request, such as "budget."; raises InvalidField with the full path."""
    try:
        return kind(*args, **fields)
    except (TypeError, ValueError):
        for name, value in fields.items():
            if reason := misfit(kind, name, value):
                raise invalid(
                    f"{path}{name}", f"{value!r} is not a valid {name}: {reason}"
                ) from None
        raise


def misfit(kind: Callable[..., Any], name: str, value: object) -> str:
    """Return why a field cannot have a value, or an empty string if it can."""
    try:
        kind(**{name: value})
    except (TypeError, ValueError) as error:
        return str(error)
    return ""


def invalid(field: str, message: str) -> InvalidField:
    """Make the error that the service would answer with."""
    return InvalidField(
        message, code=grpc.StatusCode.INVALID_ARGUMENT, reason="INVALID_FIELD", field=field
    )
