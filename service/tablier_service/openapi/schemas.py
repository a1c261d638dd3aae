"""JSON Schemas of messages in the form that the converter reads and writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor

from tablier_service.message_json.descriptors import STRUCT, is_map, map_fields
from tablier_service.message_json.scalars import INTEGERS
from tablier_service.message_json.writing import WIDE

Schema = dict[str, Any]

ANY: Schema = {
    "type": "object",
    "description": "A detail: its type in `@type`, and the fields of that type.",
    "required": ["@type"],
    "properties": {"@type": {"type": "string"}},
}
STATUS: Schema = {
    "type": "object",
    "description": "Why a call failed: a google.rpc.Status.",
    "required": ["code", "message", "details"],
    "properties": {
        "code": {"type": "integer", "format": "int32", "description": "The gRPC status code."},
        "message": {"type": "string", "description": "What is wrong, for people."},
        "details": {
            "type": "array",
            "description": "For programs: a google.rpc.ErrorInfo, whose `reason` is an "
            "ErrorReason, and a google.rpc.BadRequest if a field is at fault.",
            "items": ANY,
        },
    },
}
DURATION: Schema = {"type": "string", "pattern": "^-?[0-9]+(\\.[0-9]{1,9})?s$"}
# Types whose schema does not follow from their fields, or that have no comments.
FIXED: Mapping[str, Schema] = {
    "google.rpc.Status": STATUS,
    "google.protobuf.Any": ANY,
    "google.protobuf.Duration": DURATION,
}


class Schemas:
    """Collects the schemas of messages and of everything that they contain.

    `options` are the schemas of the games' options, by game.
    """

    def __init__(self, comments: Mapping[str, str], options: Mapping[str, Schema]) -> None:
        self._comments = comments
        self._options = options
        self.components: dict[str, Schema] = {}

    def message(self, descriptor: Descriptor) -> Schema:
        """A reference to a message's schema."""
        if descriptor.name not in self.components:
            fixed = FIXED.get(descriptor.full_name)
            # Registered before its fields are: a message may contain its own type.
            self.components[descriptor.name] = fixed or {}
            if fixed is None:
                self.components[descriptor.name] = self.fields(descriptor, frozenset())
        return reference(descriptor.name)

    def fields(self, descriptor: Descriptor, without: frozenset[str]) -> Schema:
        """The schema of a message without some of its fields."""
        schema: Schema = {
            "type": "object",
            **self._description(descriptor.full_name),
            "additionalProperties": False,
            "properties": {
                field.json_name: self.field(field)
                for field in descriptor.fields
                if field.name not in without
            },
        }
        for oneof in descriptor.oneofs:
            if 1 < len(oneof.fields) == len(descriptor.fields):
                schema["maxProperties"] = 1
            elif len(oneof.fields) > 1:
                schema["oneOf"] = at_most_one([field.json_name for field in oneof.fields])
        return schema

    def field(self, field: FieldDescriptor) -> Schema:
        """The schema of a field, with its comment in the protocol."""
        described = self._description(field.full_name)
        if is_map(field):
            value = self._value(map_fields(field)[1])
            return {"type": "object", "additionalProperties": value, **described}
        value = self._value(field)
        if field.is_repeated:
            return {"type": "array", "items": value, **described}
        return {**value, **described}

    def _value(self, field: FieldDescriptor) -> Schema:
        kind = field.cpp_type
        if field.message_type is not None:
            if field.message_type.full_name == STRUCT:
                return self._any_options() if field.name == "options" else {"type": "object"}
            return self.message(field.message_type)
        if field.enum_type is not None:
            return self._enum(field.enum_type)
        if kind in WIDE:
            return {"type": "string", "format": "int64", "pattern": "^-?[0-9]+$"}
        if kind in INTEGERS:
            low, high = INTEGERS[kind]
            return {"type": "integer", "minimum": low, "maximum": high}
        if kind == FieldDescriptor.CPPTYPE_BOOL:
            return {"type": "boolean"}
        if kind in (FieldDescriptor.CPPTYPE_DOUBLE, FieldDescriptor.CPPTYPE_FLOAT):
            return {"type": "number"}
        if field.type == FieldDescriptor.TYPE_BYTES:
            return {"type": "string", "contentEncoding": "base64"}
        return {"type": "string"}

    def _enum(self, enum: EnumDescriptor) -> Schema:
        lines = [
            f"- `{value.name}`: {self._comments.get(f'{enum.full_name}.{value.name}', '')}"
            for value in enum.values
        ]
        self.components[enum.name] = {
            "type": "string",
            "description": "\n".join([self._comments.get(enum.full_name, ""), "", *lines]),
            "enum": [value.name for value in enum.values],
        }
        return reference(enum.name)

    def _any_options(self) -> Schema:
        """The options of any game: a schema cannot depend on the game in the path."""
        for game, schema in self._options.items():
            # The document already names the dialect.
            content = {keyword: value for keyword, value in schema.items() if keyword != "$schema"}
            text = f"Options of `{game}`."
            self.components[options_name(game)] = {"description": text, **content}
        return {"anyOf": [reference(options_name(game)) for game in self._options]}

    def _description(self, name: str) -> Schema:
        text = self._comments.get(name)
        return {"description": text} if text else {}


def options_name(game: str) -> str:
    """The name of the schema of a game's options, such as `ChessOptions`."""
    return f"{game.title().replace('-', '')}Options"


def reference(name: str) -> Schema:
    """A reference to a schema of the components."""
    return {"$ref": f"#/components/schemas/{name}"}


def at_most_one(names: Sequence[str]) -> list[Schema]:
    """The schemas of an object with at most one of these properties."""
    given: list[Schema] = [{"required": [name]} for name in names]
    return [*given, {"not": {"anyOf": given}}]
