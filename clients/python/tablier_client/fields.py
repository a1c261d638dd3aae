"""Build requests from arguments, with errors that name the field.

Protobuf's own errors do not state which field has the wrong type or is out of range.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, ParamSpec, TypeVar

import grpc
from google.protobuf.message import Message

from tablier_client.errors import InvalidField

P = ParamSpec("P")
M = TypeVar("M", bound=Message)
T = TypeVar("T")


def make(kind: Callable[P, M], *args: P.args, **fields: P.kwargs) -> M:
    """Build a request; raises InvalidField, which names the field with an impossible value."""
    return make_part("", kind, *args, **fields)


def make_part(path: str, kind: Callable[P, M], *args: P.args, **fields: P.kwargs) -> M:
    """Build a part of a request, such as "budget."; raises InvalidField with the full path."""
    # An iterator can be read only once, but finding the misfit reads it again.
    given = {
        name: [*value] if isinstance(value, Iterator) else value for name, value in fields.items()
    }
    try:
        return kind(*args, **given)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        for name, value in given.items():
            if reason := misfit(kind, name, value):
                raise invalid(
                    f"{path}{name}", f"{value!r} is not a valid {name}: {reason}"
                ) from None
        raise


def items(field: str, values: Iterable[T]) -> list[T]:
    """Return the items of an argument; raises InvalidField if it cannot have any."""
    try:
        iterator = iter(values)
    except TypeError:
        raise invalid(field, f"{values!r} is not a list") from None
    return [*iterator]


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
