"""Random messages of any type, from its descriptor, and types with every kind of field."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from google.protobuf import (
    any_pb2,
    descriptor_pb2,
    descriptor_pool,
    duration_pb2,
    message_factory,
    struct_pb2,
)
from google.protobuf.descriptor import FieldDescriptor as Field
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from tablier.v1 import errors_pb2, game_pb2, game_service_pb2
from tablier_service.calls.messages import write_struct
from tablier_service.message_json.descriptors import descriptor_of, is_map, map_fields

LARGEST_FLOAT = float.fromhex("0x1.fffffep+127")

SCALARS: dict[int, SearchStrategy[Any]] = {
    Field.TYPE_DOUBLE: st.floats(),
    # json_format does not read the largest float: it has a test of its own.
    Field.TYPE_FLOAT: st.floats(width=32).filter(lambda value: abs(value) != LARGEST_FLOAT),
    Field.TYPE_INT32: st.integers(-(2**31), 2**31 - 1),
    Field.TYPE_INT64: st.integers(-(2**63), 2**63 - 1),
    Field.TYPE_UINT32: st.integers(0, 2**32 - 1),
    Field.TYPE_UINT64: st.integers(0, 2**64 - 1),
    Field.TYPE_BOOL: st.booleans(),
    Field.TYPE_STRING: st.text(st.characters(exclude_categories=["Cs"])),
    Field.TYPE_BYTES: st.binary(),
}

# JSON objects. NaN is not JSON: json_format does not write it.
OBJECTS: SearchStrategy[dict[str, Any]] = st.dictionaries(
    SCALARS[Field.TYPE_STRING],
    st.recursive(
        st.none()
        | st.booleans()
        | st.floats(allow_nan=False, allow_infinity=False)
        | SCALARS[Field.TYPE_STRING],
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(SCALARS[Field.TYPE_STRING], inner, max_size=3)
        ),
        max_leaves=5,
    ),
    max_size=3,
)


def zoo_type(package: str, *, maps: bool) -> type[Message]:
    """A message type with every scalar, an enum, maps, a oneof, itself and well-known types."""
    file = descriptor_pb2.FileDescriptorProto(
        name=f"{package}/zoo.proto",
        package=package,
        syntax="proto3",
        dependency=[f"google/protobuf/{name}.proto" for name in ("any", "duration", "struct")],
    )
    enum = file.enum_type.add(name="Animal")
    for number, name in enumerate(("ANIMAL_NONE", "ANIMAL_CAT", "ANIMAL_DOG")):
        enum.value.add(name=name, number=number)
    # Another name of the same animal: both are read, the first is written.
    enum.options.allow_alias = True
    enum.value.add(name="ANIMAL_HOUND", number=2)
    zoo = file.message_type.add(name="Zoo")
    zoo.oneof_decl.add(name="choice")

    def add(
        name: str, kind: Any, type_name: str | None = None, label: Any = 1, oneof: int | None = None
    ) -> None:
        number = len(zoo.field) + 1
        zoo.field.add(
            name=name, number=number, type=kind, type_name=type_name, label=label, oneof_index=oneof
        )

    def add_map(name: str, key: Any, value: Any, type_name: str | None = None) -> None:
        entry = zoo.nested_type.add(name=name.title().replace("_", "") + "Entry")
        entry.options.map_entry = True
        entry.field.add(name="key", number=1, type=key, label=1)
        entry.field.add(name="value", number=2, type=value, type_name=type_name, label=1)
        add(name, Field.TYPE_MESSAGE, f".{package}.Zoo.{entry.name}", label=3)

    for kind in SCALARS:
        add(f"one_{kind}", kind)
        add(f"many_{kind}", kind, label=3)
    add("one_animal", Field.TYPE_ENUM, f".{package}.Animal")
    add("many_animals", Field.TYPE_ENUM, f".{package}.Animal", label=3)
    add("left", Field.TYPE_STRING, oneof=0)
    add("right", Field.TYPE_MESSAGE, f".{package}.Zoo", oneof=0)
    add("child", Field.TYPE_MESSAGE, f".{package}.Zoo")
    add("children", Field.TYPE_MESSAGE, f".{package}.Zoo", label=3)
    add("anything", Field.TYPE_MESSAGE, ".google.protobuf.Any")
    add("period", Field.TYPE_MESSAGE, ".google.protobuf.Duration")
    add("periods", Field.TYPE_MESSAGE, ".google.protobuf.Duration", label=3)
    add("object", Field.TYPE_MESSAGE, ".google.protobuf.Struct")
    add("objects", Field.TYPE_MESSAGE, ".google.protobuf.Struct", label=3)
    if maps:
        add_map("by_flag", Field.TYPE_BOOL, Field.TYPE_BYTES)
        add_map("by_number", Field.TYPE_INT64, Field.TYPE_DOUBLE)
        add_map("by_name", Field.TYPE_STRING, Field.TYPE_ENUM, f".{package}.Animal")
        add_map("by_id", Field.TYPE_UINT32, Field.TYPE_MESSAGE, f".{package}.Zoo")
        add_map("by_word", Field.TYPE_STRING, Field.TYPE_MESSAGE, ".google.protobuf.Duration")
        add_map("by_text", Field.TYPE_STRING, Field.TYPE_MESSAGE, ".google.protobuf.Struct")
    for number in range(1, 3):
        zoo.field.add(
            name=f"maybe_{number}",
            number=100 + number,
            type=Field.TYPE_INT32 if number == 1 else Field.TYPE_ENUM,
            type_name=None if number == 1 else f".{package}.Animal",
            label=1,
            proto3_optional=True,
            oneof_index=number,
        )
        zoo.oneof_decl.add(name=f"_maybe_{number}")
    pool = descriptor_pool.Default()
    pool.AddSerializedFile(file.SerializeToString())
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{package}.Zoo"))


Zoo: Any = zoo_type("tests", maps=True)
# Without maps, so that the core can write it.
PlainZoo: Any = zoo_type("tests.plain", maps=False)

PROTOCOL_TYPES: list[type[Message]] = [
    message_factory.GetMessageClass(descriptor)
    for file in (
        *(game_service_pb2.DESCRIPTOR, game_pb2.DESCRIPTOR, errors_pb2.DESCRIPTOR),
        *(file for file in game_pb2.DESCRIPTOR.dependencies if file.package == "tablier.v1"),
    )
    for descriptor in file.message_types_by_name.values()
]
ALL_TYPES: list[type[Message]] = [
    *PROTOCOL_TYPES,
    status_pb2.Status,
    error_details_pb2.RetryInfo,
    Zoo,
    PlainZoo,
]


def messages(message_type: type[Message], depth: int = 2) -> SearchStrategy[Any]:
    """Random messages of a type; those inside are empty beyond a depth."""
    if message_type is duration_pb2.Duration:
        return st.builds(
            lambda seconds, nanos: duration_pb2.Duration(
                seconds=seconds, nanos=nanos if seconds >= 0 else -nanos
            ),
            st.integers(-315_576_000_000, 315_576_000_000),
            st.integers(0, 999_999_999),
        )
    if message_type is any_pb2.Any:
        return anys(depth)
    if message_type is struct_pb2.Struct:
        return OBJECTS.map(write_struct)
    if depth == 0:
        return st.just(message_type())
    descriptor = descriptor_of(message_type)
    alone = [field for field in descriptor.fields if field.containing_oneof is None]
    parts = {field.name: st.none() | field_values(field, depth - 1) for field in alone}
    choices = [
        st.none() | st.one_of([pairs(field, depth - 1) for field in oneof.fields])
        for oneof in descriptor.oneofs
    ]
    return st.builds(
        lambda fields, chosen: message_type(
            **{name: value for name, value in fields.items() if value is not None},
            **dict(pair for pair in chosen if pair is not None),
        ),
        st.fixed_dictionaries(parts),
        st.tuples(*choices),
    )


def pairs(field: Field, depth: int) -> SearchStrategy[Any]:
    return st.tuples(st.just(field.name), field_values(field, depth))


def field_values(field: Field, depth: int) -> SearchStrategy[Any]:
    if is_map(field):
        key, value = map_fields(field)
        return st.dictionaries(one_value(key, depth), one_value(value, depth), max_size=3)
    one = one_value(field, depth)
    return st.lists(one, max_size=3) if field.is_repeated else one


def one_value(field: Field, depth: int) -> SearchStrategy[Any]:
    if field.message_type is not None:
        return messages(message_factory.GetMessageClass(field.message_type), depth)
    if field.enum_type is not None:
        return st.sampled_from([*(v.number for v in field.enum_type.values), 77])
    return SCALARS[field.type]


@st.composite
def anys(draw: Callable[[SearchStrategy[Any]], Any], depth: int) -> any_pb2.Any:
    packed = any_pb2.Any()
    if depth == 0:
        return packed
    kinds: list[type[Message]] = [
        *(error_details_pb2.ErrorInfo, error_details_pb2.BadRequest),
        *(error_details_pb2.RetryInfo, duration_pb2.Duration, status_pb2.Status, any_pb2.Any),
        struct_pb2.Struct,
    ]
    packed.Pack(draw(messages(draw(st.sampled_from(kinds)), depth - 1)))
    return packed
