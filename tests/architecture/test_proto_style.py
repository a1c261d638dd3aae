"""The style of the protocol: everything has a comment, and names follow one pattern."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorProto, MethodOptions

from tests.architecture.protos import (
    BUF_CONFIG,
    enums,
    http_rule,
    image,
    messages,
    methods,
    own_files,
)

FILES = own_files(image(comments=True))


def elements(file: FileDescriptorProto) -> Iterator[tuple[str, str]]:
    """Yield the place and the comment of everything in a file that has a name."""
    for location in file.source_code_info.location:
        path = ".".join(map(str, location.path))
        if is_element(list(location.path)):
            yield f"{file.name}:{location.span[0] + 1} ({path})", location.leading_comments


def is_element(path: list[int]) -> bool:
    """Return whether a path of numbers in descriptor.proto leads to a message, field, oneof, enum,
    value, service or method."""
    steps = {"file": {4: "message", 5: "enum", 6: "service"}}
    steps["message"] = {2: "field", 3: "message", 4: "enum", 8: "oneof"}
    steps["enum"] = {2: "value"}
    steps["service"] = {2: "method"}
    kind = "file"
    for number in path[::2]:
        if kind not in steps or number not in steps[kind]:
            return False
        kind = steps[kind][number]
    return len(path) > 0 and len(path) % 2 == 0


def test_every_file_and_element_has_a_comment():
    found = [place for file in FILES for place, comment in elements(file) if not comment.strip()]
    assert found == []
    seen = sum(1 for file in FILES for _ in elements(file))
    fields = sum(len(message.field) for file in FILES for _, message in messages(file))
    assert seen > fields > 0


def test_every_method_has_a_request_and_a_response_of_its_own():
    for file in FILES:
        for name, method in methods(file):
            short = name.rsplit(".", 1)[1]
            assert method.input_type == f".{file.package}.{short}Request", name
            assert method.output_type == f".{file.package}.{short}Response", name


def test_every_unary_method_has_an_http_rule_and_no_two_share_one():
    rules = []
    for file in FILES:
        for name, method in methods(file):
            rule = http_rule(method)
            if not (method.client_streaming or method.server_streaming):
                assert rule is not None, name
            if rule is not None:
                assert rule[1].startswith("/v1/"), name
                rules.append(rule)
    assert rules
    assert len(set(rules)) == len(rules)


# These may draw a seed: repeating them would start another game.
DRAWING = {"StartGame", "Batch", "Play"}


def test_marks_the_calls_that_clients_may_repeat():
    marks = {
        name.rsplit(".", 1)[1]: method.options.idempotency_level
        for file in FILES
        for name, method in methods(file)
    }
    assert {name for name, mark in marks.items() if mark == MethodOptions.NO_SIDE_EFFECTS} == (
        marks.keys() - DRAWING
    )
    assert all(not marks[name] for name in DRAWING)


def test_enum_values_begin_with_the_enum_and_zero_is_unspecified():
    found = [pair for file in FILES for pair in enums(file)]
    assert found
    for name, enum in found:
        prefix = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", enum.name).upper()
        assert enum.value[0].number == 0, name
        assert enum.value[0].name == f"{prefix}_UNSPECIFIED", name
        assert all(value.name.startswith(f"{prefix}_") for value in enum.value), name


def test_the_package_is_the_folder():
    for file in FILES:
        assert Path(file.name).parent == Path(*file.package.split("."))


def test_buf_lint_passes(tmp_path: Path):
    path = tmp_path / "image.binpb"
    path.write_bytes(image(comments=True))
    buf = Path(sys.executable).parent / "buf"
    command: list[str | Path] = [buf, "lint", path, "--config", BUF_CONFIG, "--path", "tablier"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
