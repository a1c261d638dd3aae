"""Large messages, read in pieces: the same as at once, with tiny pieces."""

from __future__ import annotations

import json
from typing import Any

import pytest
from google.protobuf import json_format
from google.protobuf.message import Message
from hypothesis import given, settings
from hypothesis import strategies as st
from tablier.v1 import game_service_pb2 as pb
from tablier_core.elements import count_json
from tablier_service.calls.slices import run_all
from tablier_service.errors import InvalidField
from tablier_service.message_json import pieces
from tablier_service.message_json.converter import JsonConverter

from tests.service.message_json.message_strategies import messages

MANY = 10**6


@pytest.fixture(autouse=True)
def tiny_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "PIECE_VALUES", 4)


def outcome(read: Any) -> Message | str:
    """What is read, or the field at fault."""
    try:
        message: Message = read()
    except InvalidField as error:
        return error.field
    return message


def at_once(converter: JsonConverter[Any], text: bytes) -> Message | str:
    return outcome(lambda: converter.from_json(text))


def in_pieces(converter: JsonConverter[Any], text: bytes) -> Message | str:
    values = count_json(text, MANY, MANY)
    return outcome(lambda: run_all(converter.from_json_in_pieces(text, values)))


requests = messages(pb.BatchRequest) | messages(pb.ReplayGameRequest)


@settings(max_examples=200)
@given(requests, st.none() | st.integers(0, 2), st.booleans())
def test_reads_the_same_request(message: Message, indent: int | None, names: bool) -> None:
    text = json_format.MessageToJson(
        message, indent=indent, preserving_proto_field_name=names
    ).encode()
    converter: JsonConverter[Any] = JsonConverter(type(message))
    found = in_pieces(converter, text)
    # What cannot be split is limited to a piece.
    assert found == at_once(converter, text) or (isinstance(found, str) and "options" in found)


@settings(max_examples=300)
@given(requests, st.data())
def test_rejects_the_same_text(message: Message, data: st.DataObject) -> None:
    """One byte is changed, or a few are missing."""
    text = json_format.MessageToJson(message, indent=None).encode()
    at = data.draw(st.integers(0, len(text) - 1))
    text = data.draw(
        st.sampled_from(
            [
                *(
                    text[:at] + each + text[at + 1 :]
                    for each in (b",", b"[", b"}", b'"', b"1", b":")
                ),
                text[:at] + text[at + 1 :],
                text[:at],
                text + text[at:],
            ]
        )
    )
    converter: JsonConverter[Any] = JsonConverter(type(message))
    found, whole = in_pieces(converter, text), at_once(converter, text)
    if isinstance(whole, str):
        assert isinstance(found, str)
    else:
        assert found == whole or (isinstance(found, str) and "options" in found)


LONG = {"state": "AAAA", "moves": [{"action": 1}] * 10}


@pytest.mark.parametrize(
    ("value", "field"),
    [
        ({"operations": [{}] * 5 + [{"x": 1}] + [{}] * 5}, "operations[5].x"),
        ({"operations": [{"id": 1}] * 5 + [1] * 20}, "operations[5]"),
        ({"operations": [{"applyMoves": {**LONG, "x": 1}}]}, "operations[0].applyMoves.x"),
        ({"operations": [{"applyMoves": LONG, "getGame": {}}]}, "operations[0]"),
        (
            {"operations": [{}, {"applyMoves": {"moves": [{}] * 7 + [{"seat": "x"}]}}]},
            "operations[1].applyMoves.moves[7].seat",
        ),
        ({"operations": {"x": [1] * 10}}, "operations"),
        ({"operations": [{"startGame": {"options": {"x": [1] * 10}}}]},
         "operations[0].startGame.options"),
        ({"operations": "x" * 70_000}, "operations"),
        ({"operations": [{"id": "1" * 40_000}, {"id": "1" * 40_000}]}, "operations[0].id"),
        ({"operations": [{"applyMoves": [1] * 20}]}, "operations[0].applyMoves"),
        ({str(number): 1 for number in range(200)}, "0"),
        ([{}] * 20, ""),
    ],
)  # fmt: skip
def test_names_the_fault(value: Any, field: str) -> None:
    assert in_pieces(JsonConverter(pb.BatchRequest), json.dumps(value).encode()) == field


@pytest.mark.parametrize(
    ("text", "field"),
    [
        (b'{"operations": [], "operations": [{},{},{},{},{},{}]}', "operations"),
        (b'{"operations": [{},{},{},{},{},{},{"id":1,"id":2}]}', "operations.id"),
        (b'{"operations": [{},{},{},{},{},{},]}', "operations"),
        (b'{1: [{},{},{},{},{},{}], "operations": []}', ""),
        (b'{"operations" [{},{},{},{},{},{}], "x": 1}', ""),
        (b'{"operations": [' + b"[" * 2000, ""),
    ],
)
def test_rejects_text_that_is_not_json(text: bytes, field: str) -> None:
    assert in_pieces(JsonConverter(pb.BatchRequest), text) == field
