"""The protocol as descriptors, compiled from the protos.

`make release` stores it as the baseline that later changes must not break. Until the first release,
`python -m tests.architecture.protos` stores it at any time.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.metadata import distribution
from pathlib import Path
from tempfile import TemporaryDirectory

import grpc_tools

# Import it before reading any descriptor, so that protobuf knows the http options.
from google.api import annotations_pb2
from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
    MethodDescriptorProto,
)
from grpc_tools import protoc

from tests.architecture.sources import ROOT

PROTO = ROOT / "proto"
BUF_CONFIG = PROTO / "buf.yaml"
BASELINE = ROOT / "tests" / "data" / "proto" / "baseline.binpb"


@cache
def image(comments: bool) -> bytes:
    """Return a FileDescriptorSet of all protos and their imports, with or without comments."""
    google = distribution("googleapis-common-protos").locate_file("")
    builtin = Path(grpc_tools.__file__).parent / "_proto"
    names = sorted(str(path.relative_to(PROTO)) for path in PROTO.rglob("*.proto"))
    with TemporaryDirectory() as folder:
        out = Path(folder) / "image.binpb"
        arguments = [f"-I{PROTO}", f"-I{google}", f"-I{builtin}", f"--descriptor_set_out={out}"]
        if comments:
            arguments.append("--include_source_info")
        assert protoc.main(["protoc", "--include_imports", *arguments, *names]) == 0
        return out.read_bytes()


def own_files(data: bytes) -> list[FileDescriptorProto]:
    """Return the files of an image that belong to this project."""
    files = FileDescriptorSet.FromString(data).file
    return [file for file in files if file.package.startswith("tablier.")]


def messages(file: FileDescriptorProto) -> Iterator[tuple[str, DescriptorProto]]:
    """Yield every message of a file, nested ones too, with its full name; but no map entries."""
    todo = [(file.package, message) for message in file.message_type]
    while todo:
        prefix, message = todo.pop()
        if not message.options.map_entry:
            name = f"{prefix}.{message.name}"
            yield name, message
            todo += [(name, nested) for nested in message.nested_type]


def enums(file: FileDescriptorProto) -> Iterator[tuple[str, EnumDescriptorProto]]:
    """Yield every enum of a file with its full name."""
    yield from ((f"{file.package}.{enum.name}", enum) for enum in file.enum_type)
    for name, message in messages(file):
        yield from ((f"{name}.{enum.name}", enum) for enum in message.enum_type)


def methods(file: FileDescriptorProto) -> Iterator[tuple[str, MethodDescriptorProto]]:
    """Yield every method of a file with its full name."""
    for service in file.service:
        for method in service.method:
            yield f"{file.package}.{service.name}.{method.name}", method


def http_rule(method: MethodDescriptorProto) -> tuple[str, str] | None:
    """Return the HTTP verb and path of a method, if it has them."""
    rule = method.options.Extensions[annotations_pb2.http]
    verb = rule.WhichOneof("pattern")
    return (verb, getattr(rule, verb)) if verb else None


if __name__ == "__main__":
    BASELINE.write_bytes(image(comments=False))
