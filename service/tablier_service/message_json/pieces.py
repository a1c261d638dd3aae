"""Large messages, read from JSON piece by piece.

A piece takes about a millisecond. The work pauses after each, so that other calls are served. The
pieces are read by the readers of the messages in them, with the same result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from tablier_core.elements import split_json, strip_json

from tablier_service.calls.messages import MAX_STRING
from tablier_service.calls.slices import Work
from tablier_service.errors import InvalidField
from tablier_service.message_json.descriptors import (
    descriptor_of,
    has_own_form,
    is_map,
    message_class,
)
from tablier_service.message_json.reading import ReaderCompiler
from tablier_service.message_json.text import not_json, parse_json

# The size of a piece to read.
PIECE_VALUES = 2048
PIECE_BYTES = MAX_STRING + 2
# The key of a field, what it is, its text, and the number of values in that.
LargeField: TypeAlias = tuple[str, FieldDescriptor, bytes, int]


def is_piece(text: bytes, values: int) -> bool:
    """Whether JSON text with this number of values can be read at once."""
    return values <= PIECE_VALUES and len(text) <= PIECE_BYTES


class PieceReader:
    """Reads messages from large JSON text."""

    def __init__(self, readers: ReaderCompiler) -> None:
        self._readers = readers

    def fill(
        self,
        message: Message,
        text: bytes,
        values: int,
        prepare: Callable[[Any], object] | None = None,
        depth: int = 0,
    ) -> Work[None]:
        """Fill a message; `prepare` may check and change the object of its fields."""
        descriptor = descriptor_of(type(message))
        large: list[LargeField] = []
        text = strip_json(text)
        if is_piece(text, values):
            fields = parse_json(text)
        else:
            fields = yield from self._split(descriptor, text, large)
        if prepare is not None:
            prepare(fields)
        read = self._readers.of_message(descriptor)
        message.MergeFrom(message_class(descriptor)(**read(fields, depth)))
        yield
        for key, field, part, count in large:
            try:
                if field.is_repeated:
                    yield from self._read_list(message, field, part, depth + 1)
                else:
                    own = getattr(message, field.name)
                    yield from self.fill(own, part, count, depth=depth + 1)
            except InvalidField as error:
                raise error.within(key) from None

    def _split(
        self, descriptor: Descriptor, text: bytes, large: list[LargeField]
    ) -> Work[dict[str, Any] | None]:
        """Read the fields of an object, empty in place of those that are large, and list these."""
        parts = split_json(text, PIECE_VALUES, PIECE_BYTES)
        if parts is None:
            raise not_json(text)
        if text[:1] != b"{":
            return None
        known = {
            name: field for field in descriptor.fields for name in (field.name, field.json_name)
        }
        fields: dict[str, Any] = {}
        for start, colon, end, _, values in parts:
            yield
            key = parse_json(text[start:colon]) if colon >= 0 else None
            if type(key) is not str:
                raise InvalidField("", "the body is not JSON: a key must be a string")
            if key in fields:
                raise InvalidField(key, "appears twice")
            field = known.get(key)
            if field is None:
                # The reader rejects a field that does not exist.
                return {key: None}
            part = strip_json(text[colon + 1 : end])
            if is_piece(part, values):
                fields[key] = parse_json(part)
                continue
            empty: Any = {b"{": {}, b"[": []}.get(part[:1])
            if empty is None or not _can_split(field):
                raise InvalidField(key, f"must be smaller, with at most {PIECE_VALUES} values")
            # The reader rejects a field of the wrong type.
            fields[key] = empty
            if field.is_repeated == (type(empty) is list):
                large.append((key, field, part, values))
        return fields

    def _read_list(
        self, message: Message, field: FieldDescriptor, text: bytes, depth: int
    ) -> Work[None]:
        descriptor = _type_of(field)
        make, read = message_class(descriptor), self._readers.of_message(descriptor)
        target = getattr(message, field.name)
        parts = split_json(text, PIECE_VALUES, PIECE_BYTES)
        if parts is None:
            raise not_json(text)
        for start, _, end, members, values in parts:
            part = text[start:end]
            first = len(target)
            if members == 1 and not is_piece(part, values):
                try:
                    yield from self.fill(target.add(), part, values, depth=depth)
                except InvalidField as error:
                    raise error.within(f"[{first}]") from None
            else:
                for item in parse_json(b"[%s]" % part):
                    try:
                        target.append(make(**read(item, depth)))
                    except InvalidField as error:
                        raise error.within(f"[{len(target)}]") from None
            yield


def _type_of(field: FieldDescriptor) -> Descriptor:
    assert field.message_type is not None
    return field.message_type


def _can_split(field: FieldDescriptor) -> bool:
    """Whether a field is a message, or some, that consist of the JSON forms of their fields."""
    message = field.message_type
    return message is not None and not is_map(field) and not has_own_form(message)
