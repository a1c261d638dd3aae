"""Build requests from arguments, with errors that name the field.

Protobuf's own errors do not state which field has the wrong type or is out of range.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, ParamSpec, TypeVar, cast

import grpc
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from tablier_client.errors import InvalidField

P = ParamSpec("P")
M = TypeVar("M", bound=Message)
T = TypeVar("T")

# Protobuf raises one of these for a value that does not fit.
MISFITS = (TypeError, ValueError, OverflowError)
# What fits into the fields of requests that callers choose.
EXPECTED = {
    FieldDescriptor.TYPE_BOOL: "True or False",
    FieldDescriptor.TYPE_BYTES: "bytes",
    FieldDescriptor.TYPE_INT32: "a whole number from -2**31 to 2**31 - 1",
    FieldDescriptor.TYPE_STRING: "a string without surrogates",
    FieldDescriptor.TYPE_UINT32: "a whole number from 0 to 2**32 - 1",
    FieldDescriptor.TYPE_UINT64: "a whole number from 0 to 2**64 - 1",
}


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
    except MISFITS:
        for name, value in given.items():
            if not fits(kind, name, value):
                about = cast("type[Message]", kind).DESCRIPTOR.fields_by_name[name]
                expected = EXPECTED[about.type]
                if about.is_repeated:
                    expected = f"a list, each of whose items is {expected}"
                raise invalid(f"{path}{name}", f"{value!r} is not {expected}") from None
        raise


def items(field: str, values: Iterable[T]) -> list[T]:
    """Return the items of an argument; raises InvalidField if it cannot have any."""
    try:
        iterator = iter(values)
    except TypeError:
        raise invalid(field, f"{values!r} is not a list") from None
    return [*iterator]


def fits(kind: Callable[..., Any], name: str, value: object) -> bool:
    """Whether a field can have a value."""
    try:
        kind(**{name: value})
    except MISFITS:
        return False
    return True


def invalid(field: str, message: str) -> InvalidField:
    """Make the error that the service would answer with."""
    return InvalidField(
        message, code=grpc.StatusCode.INVALID_ARGUMENT, reason="INVALID_FIELD", field=field
    )
