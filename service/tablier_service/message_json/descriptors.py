"""Facts of the ProtoJSON form that reading and writing share."""

from __future__ import annotations

from typing import cast

from google.protobuf import descriptor_pool, message_factory
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

# These know their own JSON form: a string.
STRING_FORMS = frozenset(
    f"google.protobuf.{name}" for name in ("Duration", "FieldMask", "Timestamp")
)
# No message of the protocol holds one, so nothing here writes or reads their special forms.
OTHER_FORMS = frozenset(
    f"google.protobuf.{name}"
    for name in (
        *("Struct", "Value", "ListValue", "BoolValue", "StringValue", "BytesValue"),
        *("DoubleValue", "FloatValue", "Int32Value", "Int64Value", "UInt32Value", "UInt64Value"),
    )
)


def message_class(descriptor: Descriptor) -> type[Message]:
    """A descriptor's message type."""
    return message_factory.GetMessageClass(descriptor)


def descriptor_of(message_type: type[Message]) -> Descriptor:
    """A message type's descriptor, under the one type that both implementations share."""
    return cast("Descriptor", message_type.DESCRIPTOR)


def message_type_of(type_url: str) -> type[Message] | None:
    """The message type that an Any's URL names, if this program knows it."""
    try:
        name = type_url.rpartition("/")[2]
        found = descriptor_pool.Default().FindMessageTypeByName(name)
    except KeyError:
        return None
    return message_factory.GetMessageClass(found)


def check_supported(descriptor: Descriptor) -> None:
    """Refuse, when a codec is compiled, what it could not write or read."""
    if descriptor.full_name in OTHER_FORMS:
        raise TypeError(f"{descriptor.full_name} has a JSON form of its own, unknown to this codec")


def is_map(field: FieldDescriptor) -> bool:
    """Whether a field is a map; the wire knows it as repeated entries."""
    entry = field.message_type
    return entry is not None and bool(entry.GetOptions().map_entry)


def map_fields(field: FieldDescriptor) -> tuple[FieldDescriptor, FieldDescriptor]:
    """A map's key and value."""
    entry = cast("Descriptor", field.message_type)
    return entry.fields_by_name["key"], entry.fields_by_name["value"]


def has_own_form(descriptor: Descriptor) -> bool:
    """Whether a type's JSON form is not an object of its fields."""
    return descriptor.full_name in STRING_FORMS or descriptor.full_name == "google.protobuf.Any"
