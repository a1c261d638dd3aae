"""The protocol stays compatible: nothing in the baseline is removed or changed.

The baseline is the protocol of the last release, written by `make release`. Additions are always
allowed.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FileDescriptorSet

from tests.architecture.protos import (
    BASELINE,
    BUF_CONFIG,
    enums,
    http_rule,
    image,
    messages,
    methods,
    own_files,
)


def describe_field(message: DescriptorProto, field: FieldDescriptorProto) -> str:
    """Return everything about a field that clients depend on, in bytes or in JSON."""
    oneof = message.oneof_decl[field.oneof_index].name if field.HasField("oneof_index") else ""
    kind = FieldDescriptorProto.Type.Name(field.type)
    label = FieldDescriptorProto.Label.Name(field.label)
    return f"{field.name} {field.json_name} {label} {kind} {field.type_name} {oneof}".strip()


def surface(data: bytes) -> dict[str, str]:
    """Return every promise of an image by the element that it is about."""
    promises = {}
    for file in own_files(data):
        for name, message in messages(file):
            promises[name] = "message"
            for field in message.field:
                promises[f"{name} = {field.number}"] = describe_field(message, field)
        for name, enum in enums(file):
            promises[name] = "enum"
            for value in enum.value:
                promises[f"{name} = {value.number}"] = value.name
        for name, method in methods(file):
            streams = f"{method.client_streaming} {method.server_streaming}"
            promises[name] = f"{method.input_type} {method.output_type} {streams}"
            promises[f"{name} http"] = str(http_rule(method))
    return promises


def broken(before: bytes, after: bytes) -> list[str]:
    now = surface(after)
    return [
        f"{what}: was {said!r}, is {now.get(what)!r}"
        for what, said in surface(before).items()
        if now.get(what) != said
    ]


def test_nothing_in_the_baseline_is_removed_or_changed():
    before = BASELINE.read_bytes()
    assert surface(before)
    assert broken(before, image(comments=False)) == []


@pytest.mark.parametrize("change", ["rename", "retype", "remove", "renumber", "value", "method"])
def test_detects_a_breaking_change(change: str):
    changed = FileDescriptorSet.FromString(image(comments=False))
    file = next(file for file in changed.file if file.name == "tablier/v1/game_service.proto")
    message = next(message for message in file.message_type if message.name == "StartGameRequest")
    if change == "rename":
        message.field[0].name = "title"
    elif change == "retype":
        message.field[0].type = FieldDescriptorProto.TYPE_BYTES
    elif change == "remove":
        del message.field[0]
    elif change == "renumber":
        message.field[0].number = 99
    elif change == "value":
        file.enum_type[0].value[1].name = "MOVE_DETAIL_NUMBER"
    else:
        del file.service[0].method[0]
    assert broken(image(comments=False), changed.SerializeToString()) != []


def test_buf_finds_no_breaking_change(tmp_path: Path):
    path = tmp_path / "image.binpb"
    path.write_bytes(image(comments=False))
    buf = Path(sys.executable).parent / "buf"
    command: list[str | Path] = [
        buf,
        "breaking",
        path,
        "--against",
        BASELINE,
        "--config",
        BUF_CONFIG,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
