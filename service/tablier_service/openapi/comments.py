"""The comments of the protocol, by the full name of the element."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
)

# The place of an element in a file: field numbers of descriptor.proto and indices in turn.
Path = tuple[int, ...]


def read_comments() -> Mapping[str, str]:
    """Read the comments of messages, fields, enums, enum values, services and methods."""
    data = files("tablier.v1").joinpath("protocol.binpb").read_bytes()
    protocol = FileDescriptorSet.FromString(data)
    return {name: text for file in protocol.file for name, text in comments_of(file)}


def comments_of(file: FileDescriptorProto) -> Iterator[tuple[str, str]]:
    """The comments of one file, with the lines of each paragraph joined."""
    names = dict(named_paths(file))
    for location in file.source_code_info.location:
        name = names.get(tuple(location.path))
        if name is not None and location.leading_comments:
            paragraphs = location.leading_comments.split("\n\n")
            yield name, "\n\n".join(" ".join(text.split()) for text in paragraphs)


def named_paths(file: FileDescriptorProto) -> Iterator[tuple[Path, str]]:
    """The place and full name of every element of a file."""
    yield from message_paths(file.message_type, (4,), file.package)
    yield from enum_paths(file.enum_type, (5,), file.package)
    for number, service in enumerate(file.service):
        name = f"{file.package}.{service.name}"
        yield (6, number), name
        for index, method in enumerate(service.method):
            yield (6, number, 2, index), f"{name}.{method.name}"


def message_paths(
    messages: Iterable[DescriptorProto], at: Path, parent: str
) -> Iterator[tuple[Path, str]]:
    """The same for messages and everything in them."""
    for number, message in enumerate(messages):
        path, name = (*at, number), f"{parent}.{message.name}"
        yield path, name
        for index, field in enumerate(message.field):
            yield (*path, 2, index), f"{name}.{field.name}"
        yield from message_paths(message.nested_type, (*path, 3), name)
        yield from enum_paths(message.enum_type, (*path, 4), name)


def enum_paths(
    enums: Iterable[EnumDescriptorProto], at: Path, parent: str
) -> Iterator[tuple[Path, str]]:
    """The same for enums and their values."""
    for number, enum in enumerate(enums):
        path, name = (*at, number), f"{parent}.{enum.name}"
        yield path, name
        for index, value in enumerate(enum.value):
            yield (*path, 2, index), f"{name}.{value.name}"
