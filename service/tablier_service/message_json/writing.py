"""Writing messages as JSON values: one writer per message type, compiled from its descriptor."""

from __future__ import annotations

from binascii import b2a_base64
from collections.abc import Callable
from math import isfinite
from struct import pack
from typing import Any, cast

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

from tablier_service.calls.messages import read_struct
from tablier_service.message_json.descriptors import (
    STRING_FORMS,
    STRUCT,
    check_supported,
    descriptor_of,
    has_own_form,
    is_map,
    map_fields,
    message_type_of,
)

# From the value of a field to a JSON value.
Writer = Callable[[Any], Any]

# Numbers in JavaScript cannot hold these, so they become strings.
WIDE = frozenset({FieldDescriptor.CPPTYPE_INT64, FieldDescriptor.CPPTYPE_UINT64})


class WriterCompiler:
    """Compiles writers, one per message type."""

    def __init__(self) -> None:
        self._messages: dict[str, Writer] = {
            "google.protobuf.Any": self._write_any,
            STRUCT: read_struct,
        }
        for name in STRING_FORMS:
            self._messages[name] = _write_string_form

    def of_message(self, descriptor: Descriptor) -> Writer:
        known = self._messages.get(descriptor.full_name)
        if known is not None:
            return known
        check_supported(descriptor)
        fields: dict[FieldDescriptor, tuple[str, Writer | None]] = {}

        def write(message: Message) -> dict[str, Any]:
            out = {}
            for field, value in message.ListFields():
                name, convert = fields[field]
                out[name] = value if convert is None else convert(value)
            return out

        # Registered before its fields are: a message may contain its own type.
        self._messages[descriptor.full_name] = write
        for field in descriptor.fields:
            fields[field] = (field.json_name, self._of_field(field))
        return write

    def _of_field(self, field: FieldDescriptor) -> Writer | None:
        if is_map(field):
            return self._of_map(field)
        one = self._of_value(field)
        if not field.is_repeated:
            return one
        # A slice is a list: iterating over a repeated field itself costs an IndexError at its end.
        if one is None:
            return lambda values: values[:]
        return lambda values: [one(value) for value in values[:]]

    def _of_map(self, field: FieldDescriptor) -> Writer:
        key_field, value_field = map_fields(field)
        boolean = key_field.cpp_type == FieldDescriptor.CPPTYPE_BOOL
        key = (lambda key: "true" if key else "false") if boolean else str
        one = self._of_value(value_field)
        if one is None:
            return lambda values: {key(name): value for name, value in values.items()}
        return lambda values: {key(name): one(value) for name, value in values.items()}

    def _of_value(self, field: FieldDescriptor) -> Writer | None:
        """The writer of one value; None if it stays as it is."""
        kind = field.cpp_type
        if field.message_type is not None:
            return self.of_message(field.message_type)
        if field.enum_type is not None:
            names = {value.number: value.name for value in reversed(field.enum_type.values)}
            return lambda number: names.get(number, number)
        if kind in WIDE:
            return str
        if kind == FieldDescriptor.CPPTYPE_DOUBLE:
            return write_double
        if kind == FieldDescriptor.CPPTYPE_FLOAT:
            return write_float
        return _write_bytes if field.type == FieldDescriptor.TYPE_BYTES else None

    def _write_any(self, message: Any) -> dict[str, Any]:
        if not message.type_url and not message.value:
            return {}
        found = message_type_of(message.type_url)
        if found is None:
            raise TypeError(f"an Any with an unknown type: {message.type_url}")
        descriptor = descriptor_of(found)
        value = self.of_message(descriptor)(found.FromString(message.value))
        if has_own_form(descriptor):
            return {"@type": message.type_url, "value": value}
        return {"@type": message.type_url, **value}


def _write_string_form(message: Any) -> str:
    return cast("str", message.ToJsonString())


def write_double(value: float) -> float | str:
    """A number, or the name of what is not one in JSON."""
    if isfinite(value):
        return value
    return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"


def write_float(value: float) -> float | str:
    """The shortest decimal that is read back as the same 32-bit float."""
    if not isfinite(value):
        return write_double(value)
    exact = pack("<f", value)
    for digits in range(6, 9):
        short = float(f"{value:.{digits}g}")
        if pack("<f", short) == exact:
            return short
    return float(f"{value:.9g}")


def _write_bytes(value: bytes) -> str:
    return b2a_base64(value, newline=False).decode("ascii")
