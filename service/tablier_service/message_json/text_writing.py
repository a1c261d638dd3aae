"""Writing messages as JSON text from protobuf's wire format, with tables made from descriptors."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import orjson
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from tablier_core.json_text import TextWriter

from tablier_service.message_json.descriptors import has_own_form, is_map, message_class
from tablier_service.message_json.writing import Writer, WriterCompiler, write_double, write_float

if TYPE_CHECKING:
    from tablier_core.json_text import Extra, TextField

# The kinds of values that the core can write. A message with a field of another kind is left to the
# writers of values.
KINDS = {
    FieldDescriptor.TYPE_BOOL: "bool",
    FieldDescriptor.TYPE_INT32: "int32",
    FieldDescriptor.TYPE_UINT32: "uint32",
    FieldDescriptor.TYPE_INT64: "int64",
    FieldDescriptor.TYPE_UINT64: "uint64",
    FieldDescriptor.TYPE_ENUM: "enum",
    FieldDescriptor.TYPE_DOUBLE: "double",
    FieldDescriptor.TYPE_FLOAT: "float",
    FieldDescriptor.TYPE_STRING: "text",
    FieldDescriptor.TYPE_BYTES: "bytes",
    FieldDescriptor.TYPE_MESSAGE: "message",
}


class TextCompiler:
    """Compiles writers of text, one per message type; they write what the writers of values do."""

    def __init__(self, writers: WriterCompiler) -> None:
        self._writers = writers
        self._messages: dict[str, TextWriter] = {}

    def of_message(self, descriptor: Descriptor) -> TextWriter:
        known = self._messages.get(descriptor.full_name)
        if known is not None:
            return known
        parse = message_class(descriptor).FromString
        to_value = self._writers.of_message(descriptor)
        writer = TextWriter(lambda wire: orjson.dumps(to_value(parse(wire))))
        # Registered before its fields are: a message may contain its own type.
        self._messages[descriptor.full_name] = writer
        if not has_own_form(descriptor) and all(map(_is_supported, descriptor.fields)):
            writer.add_fields(map(self._field, descriptor.fields))
        return writer

    def _field(self, field: FieldDescriptor) -> TextField:
        oneof = field.containing_oneof
        return (
            field.number,
            field.json_name,
            KINDS[field.type],
            field.is_repeated,
            field.has_presence,
            -1 if oneof is None else oneof.index,
            self._extra(field),
        )

    def _extra(self, field: FieldDescriptor) -> Extra:
        if field.message_type is not None:
            return self.of_message(field.message_type)
        if field.enum_type is not None:
            # The first of two names with the same number is written.
            values = reversed(field.enum_type.values)
            return {value.number: orjson.dumps(value.name) for value in values}
        if field.type == FieldDescriptor.TYPE_DOUBLE:
            return _number_text(write_double)
        if field.type == FieldDescriptor.TYPE_FLOAT:
            return _number_text(write_float)
        return None


def _is_supported(field: FieldDescriptor) -> bool:
    closed = field.enum_type is not None and field.enum_type.is_closed
    return field.type in KINDS and not is_map(field) and not closed


def _number_text(to_value: Writer) -> Callable[[float], bytes]:
    return lambda number: orjson.dumps(to_value(number))
