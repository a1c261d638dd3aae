"""Descriptors, and the facts about ProtoJSON that reading and writing share."""

from __future__ import annotations

from typing import cast

from google.protobuf import descriptor_pool, message_factory
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

# Types that know their own JSON form, a string.
STRING_FORMS = frozenset(
    f"google.protobuf.{name}" for name in ("Duration", "FieldMask", "Timestamp")
)
STRUCT = "google.protobuf.Struct"
# Types with other special forms, which no message of the protocol contains by itself.
OTHER_FORMS = frozenset(
    f"google.protobuf.{name}"
    for name in (
        *("Value", "ListValue", "BoolValue", "StringValue", "BytesValue"),
        *("DoubleValue", "FloatValue", "Int32Value", "Int64Value", "UInt32Value", "UInt64Value"),
    )
)


def message_class(descriptor: Descriptor) -> type[Message]:
    """The message class of a descriptor."""
    return message_factory.GetMessageClass(descriptor)


def descriptor_of(message_type: type[Message]) -> Descriptor:
    """The descriptor of a message class, with a type that all implementations share."""
    return cast("Descriptor", message_type.DESCRIPTOR)


def message_type_of(type_url: str) -> type[Message] | None:
    """The message class that the URL of an Any names; None if it is unknown."""
    try:
        name = type_url.rpartition("/")[2]
        found = descriptor_pool.Default().FindMessageTypeByName(name)
    except KeyError:
        return None
    return message_factory.GetMessageClass(found)


def check_supported(descriptor: Descriptor) -> None:
    """Raise TypeError for a message that a converter cannot write or read."""
    if descriptor.full_name in OTHER_FORMS:
        raise TypeError(f"{descriptor.full_name} has a special JSON form that is not supported")


def is_map(field: FieldDescriptor) -> bool:
    """Whether a field is a map, which is a repeated message on the wire."""
    entry = field.message_type
    return entry is not None and bool(entry.GetOptions().map_entry)


def map_fields(field: FieldDescriptor) -> tuple[FieldDescriptor, FieldDescriptor]:
    """The key and value of a map."""
    entry = cast("Descriptor", field.message_type)
    return entry.fields_by_name["key"], entry.fields_by_name["value"]


def has_own_form(descriptor: Descriptor) -> bool:
    """Whether the JSON form of a type is not the object of its fields."""
    return descriptor.full_name in {*STRING_FORMS, STRUCT, "google.protobuf.Any"}
