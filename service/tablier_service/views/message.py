"""Compiles the writer of a game's view from the descriptor of its message.

A view of the core is a NamedTuple that has the fields of the message, by name, and possibly others.
The file of a game states only where the two differ.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Any,
    TypeAlias,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from tablier.v1 import game_pb2
from tablier_core.wire import MessageWriter, write_field

if TYPE_CHECKING:
    from tablier_core.wire import Source, WireField

# How the core writes each type; views have no others.
KINDS = {
    FieldDescriptor.TYPE_BOOL: "number",
    FieldDescriptor.TYPE_INT32: "number",
    FieldDescriptor.TYPE_UINT32: "number",
    FieldDescriptor.TYPE_UINT64: "number",
    FieldDescriptor.TYPE_DOUBLE: "double",
    FieldDescriptor.TYPE_FLOAT: "float",
    FieldDescriptor.TYPE_STRING: "text",
    FieldDescriptor.TYPE_BYTES: "bytes",
    FieldDescriptor.TYPE_MESSAGE: "message",
}
GAME_VIEWS = game_pb2.GameView.DESCRIPTOR.fields_by_name
# By class of the core and field of its message: a function that returns the value of the field,
# given an object of the class.
Differences: TypeAlias = Mapping[type, Mapping[str, Callable[[Any], object]]]


@dataclass(frozen=True)
class GameMessages:
    """The messages of a game."""

    # The name of the game in the oneof of GameView, and its number.
    field: str
    number: int
    # Writes the game's own message from a view of the core.
    writer: MessageWriter

    @classmethod
    def of(cls, field: str, view: type, differences: Differences | None = None) -> GameMessages:
        """Compile the messages of a game, given the class of its views."""
        descriptor = GAME_VIEWS[field]
        message = cast("Descriptor", descriptor.message_type)
        return cls(field, descriptor.number, compile_writer(message, view, differences or {}))

    def write_view(self, view: Any) -> bytes:
        """Write a GameView, given a view of the core."""
        return write_field(self.number, self.writer.write(view))


def compile_writer(message: Descriptor, view: Any, differences: Differences) -> MessageWriter:
    """Compile a writer from objects to messages.

    The objects are of a NamedTuple class; or tuples that have the fields of the message in order;
    or mappings from the names of the fields.
    """
    fields = sorted(message.fields, key=lambda field: field.number)
    names = [field.name for field in fields]
    functions: Mapping[str, Callable[[Any], object]] = {}
    types: Mapping[str, Any]
    if get_origin(view) is Mapping:
        return MessageWriter([wire_field(field, field.name, None, {}) for field in fields])
    if get_origin(view) is tuple:
        types = dict(zip(names, get_args(view), strict=True))
    else:
        types, functions = get_type_hints(view), differences.get(view, {})
    places = {name: place for place, name in enumerate(types)}
    if not functions.keys() <= set(names) <= functions.keys() | places.keys():
        raise TypeError(f"{view} must have the fields of {message.full_name}")
    sources: dict[str, tuple[Source, Any]] = {
        name: (places[name], types[name]) for name in names if name not in functions
    }
    for name, function in functions.items():
        sources[name] = function, get_type_hints(function)["return"]
    return MessageWriter(
        [wire_field(field, *sources[field.name], differences) for field in fields], len(places)
    )


def wire_field(
    field: FieldDescriptor, source: Source, hint: Any, differences: Differences
) -> WireField:
    """Describe a field to the core, given where its value is and of which type."""
    message = field.message_type
    writer = compile_writer(message, type_in(hint), differences) if message else None
    return field.number, KINDS[field.type], field.is_repeated, field.has_presence, source, writer


def type_in(hint: Any) -> Any:
    """The type A in the hints `A`, `A | None` and `tuple[A, ...]`."""
    if get_origin(hint) is tuple and get_args(hint)[-1] is Ellipsis:
        return type_in(get_args(hint)[0])
    if get_origin(hint) in (Union, UnionType):
        return type_in(next(each for each in get_args(hint) if each is not NoneType))
    return hint
