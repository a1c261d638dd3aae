"""The reference of the protocol, written from its descriptors and the comments of the protos.

A page of the site asks for some protos, one per line; without any, for those of the games:

    ```{messages}
    game_service
    ```
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from docutils import nodes
from google.protobuf.descriptor import (
    Descriptor,
    EnumDescriptor,
    FieldDescriptor,
    FileDescriptor,
    ServiceDescriptor,
)
from sphinx.util.docutils import SphinxDirective
from tablier.v1 import game_pb2
from tablier_service.openapi.comments import read_comments

PACKAGE = "tablier.v1"
COMMENTS = read_comments()
SCALARS = {
    number: name.removeprefix("TYPE_").lower()
    for name, number in vars(FieldDescriptor).items()
    if name.startswith("TYPE_")
}


class Messages(SphinxDirective):
    """The calls, messages and enums of some protos."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Write the sections as Markdown, and parse them like the rest of the page."""
        named = [import_module(f"{PACKAGE}.{name}_pb2").DESCRIPTOR for name in self.content]
        lines = [line for file in named or of_games() for line in write_file(file)]
        return self.parse_text_to_nodes("\n".join(lines), allow_section_headings=True)


def of_games() -> Iterator[FileDescriptor]:
    """The protos of the games."""
    for view in game_pb2.GameView.DESCRIPTOR.oneofs_by_name["game"].fields:
        assert view.message_type is not None
        yield view.message_type.file


def write_file(file: FileDescriptor) -> Iterator[str]:
    """The section of a proto."""
    yield f"## {file.name.removeprefix('tablier/v1/')}\n"
    for service in file.services_by_name.values():
        yield from write_service(service)
    for message in file.message_types_by_name.values():
        yield from write_message(message)
    for enum in file.enum_types_by_name.values():
        yield from write_enum(enum)


def write_service(service: ServiceDescriptor) -> Iterator[str]:
    """The calls of a service."""
    yield from heading(service.full_name)
    for method in service.methods:
        request = "stream of " * method.client_streaming + link(method.input_type)
        answer = "stream of " * method.server_streaming + link(method.output_type)
        yield f"- **{method.name}**: {request} → {answer}. {comment(method.full_name)}"
    yield ""


def write_message(message: Descriptor) -> Iterator[str]:
    """The fields of a message, and of the messages in it."""
    yield from heading(message.full_name)
    if message.fields:
        yield "| field | type | what it is |\n|---|---|---|"
        for field in message.fields:
            yield f"| `{field.name}` | {type_of(field)} | {comment(field.full_name)} |"
        yield ""
    for nested in message.nested_types:
        if not nested.GetOptions().map_entry:
            yield from write_message(nested)
    for enum in message.enum_types:
        yield from write_enum(enum)


def write_enum(enum: EnumDescriptor) -> Iterator[str]:
    """The values of an enum."""
    yield from heading(enum.full_name)
    yield "| value | number | what it means |\n|---|---|---|"
    for value in enum.values:
        # The values of an enum are named in the scope around it.
        name = f"{enum.full_name}.{value.name}"
        yield f"| `{value.name}` | {value.number} | {comment(name)} |"
    yield ""


def heading(name: str) -> Iterator[str]:
    """The heading of an element, a target for links, and its comment."""
    yield f"({name})=\n### {name.removeprefix(f'{PACKAGE}.')}\n"
    yield COMMENTS.get(name, "") + "\n"


def comment(name: str) -> str:
    """The comment of an element in the cell of a table."""
    return " ".join(COMMENTS[name].split()).replace("|", "\\|")


def type_of(field: FieldDescriptor) -> str:
    """The type of a field, as protos write it."""
    element = field.message_type
    if element is not None and element.GetOptions().map_entry:
        key, value = element.fields
        return f"map of {type_of(key)} to {type_of(value)}"
    named = element or field.enum_type
    name = SCALARS[field.type] if named is None else link(named)
    if field.is_repeated:
        return f"repeated {name}"
    return f"optional {name}" if field.has_presence and named is None else name


def link(named: Descriptor | EnumDescriptor) -> str:
    """The name of a message or an enum, as a link if this project defines it."""
    if named.file.package != PACKAGE:
        return f"`{named.full_name}`"
    return f"[{named.full_name.removeprefix(f'{PACKAGE}.')}](<#{named.full_name}>)"
