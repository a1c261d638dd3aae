"""JSON text from protobuf's wire format: byte for byte what the writers of values make of it."""

from __future__ import annotations

from collections.abc import Iterator
from types import GeneratorType
from typing import Any

import orjson
import pytest
from google.protobuf import descriptor_pb2
from google.protobuf.message import DecodeError, Message
from hypothesis import given, settings
from hypothesis import strategies as st
from tablier_core import codec
from tablier_core.json_text import TextWriter, Writing
from tablier_core.position import Position
from tablier_core.registry import GAMES
from tablier_core.wire import write_field, write_number
from tablier_service.calls.methods import Method
from tablier_service.calls.slices import run_all
from tablier_service.message_json import converter as converters
from tablier_service.message_json.converter import JsonConverter
from tablier_service.service import Service

from tests.service.message_json.message_strategies import ALL_TYPES, PlainZoo, messages

every_type = pytest.mark.parametrize(
    "message_type", ALL_TYPES, ids=[message_type.DESCRIPTOR.full_name for message_type in ALL_TYPES]
)
FIELDS = PlainZoo.DESCRIPTOR.fields_by_name
ENDLESS = 2**62


def outcome(write: Any, wire: bytes) -> bytes | None:
    """The text; None if protobuf cannot read the bytes, or a well-known type has no JSON form."""
    try:
        text: bytes = write(wire)
    except (DecodeError, TypeError, ValueError):
        return None
    return text


def expected(message_type: Any, wire: bytes) -> bytes | None:
    to_value = JsonConverter(message_type).to_value
    return outcome(lambda wire: orjson.dumps(to_value(message_type.FromString(wire))), wire)


def check(message_type: type[Message], wire: bytes) -> None:
    converter: JsonConverter[Any] = JsonConverter(message_type)
    text = expected(message_type, wire)
    assert outcome(converter.wire_to_json, wire) == text
    assert outcome(lambda wire: run_all(converter.to_json_in_pieces(wire)), wire) == text


def calls(converter: JsonConverter[Any], wire: bytes) -> int:
    """How many messages the core leaves to the writers of values."""
    writing, count = Writing(converter._text, wire), 0
    while writing.advance(ENDLESS) is None:
        count += 1
    return count


@pytest.fixture(autouse=True)
def tiny_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(converters, "PIECE_TEXT_BYTES", 8)


@every_type
def test_writes_the_same_text(message_type: type[Message]) -> None:
    @settings(max_examples=15)
    @given(messages(message_type))
    def check_one(message: Message) -> None:
        check(message_type, message.SerializeToString(deterministic=True))

    check_one()


@settings(max_examples=300)
@given(messages(PlainZoo), st.data())
def test_writes_or_rejects_the_same_bytes(message: Message, data: st.DataObject) -> None:
    """A few bytes are changed, missing or repeated."""
    wire = message.SerializeToString()
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(wire)))
        more = data.draw(st.binary(max_size=3))
        wire = wire[:at] + more + wire[data.draw(st.integers(at, min(at + 4, len(wire)))) :]
    check(PlainZoo, wire)


@settings(max_examples=300)
@given(st.lists(messages(PlainZoo, 1), max_size=3), st.binary(max_size=40))
def test_writes_or_rejects_any_bytes(several: list[Message], rest: bytes) -> None:
    """Fields appear twice and out of order, and the last bytes are random."""
    check(PlainZoo, b"".join(message.SerializeToString() for message in several) + rest)
    check(PlainZoo, rest)


def tag(name: str, wire_type: int) -> bytes:
    return varint(FIELDS[name].number << 3 | wire_type)


def varint(value: int) -> bytes:
    # The bytes of a field that follow its tag.
    return write_number(1, value)[1:] if value else b"\0"


def data(name: str, content: bytes) -> bytes:
    return write_field(FIELDS[name].number, content)


INT32, UINT32, BOOL, TEXT, DOUBLE = (f"one_{kind}" for kind in (5, 13, 8, 9, 1))
MANY_INT32, MANY_DOUBLE = "many_5", "many_1"
ANIMAL, ANIMALS = "one_animal", "many_animals"


@pytest.mark.parametrize(
    "wire",
    [
        pytest.param(b"", id="empty message"),
        pytest.param(tag(INT32, 0) + b"\0", id="zero that should not be there"),
        pytest.param(data(TEXT, b""), id="empty string that should not be there"),
        pytest.param(tag("maybe_1", 0) + b"\0", id="zero that is present"),
        pytest.param(tag("maybe_2", 0) + b"\0", id="first name that is present"),
        pytest.param(data("left", b""), id="empty member of a oneof"),
        pytest.param(data("left", b"a") + data("right", b""), id="two members of a oneof"),
        pytest.param(data("right", b"") + data("left", b"a"), id="two members in reverse"),
        pytest.param(tag(INT32, 0) + b"\1" + tag(INT32, 0) + b"\2", id="field twice"),
        pytest.param(data("child", b"") + data("child", data(TEXT, b"a")), id="merged messages"),
        pytest.param(tag(UINT32, 0) + b"\1" + tag(INT32, 0) + b"\2", id="out of order"),
        pytest.param(data(MANY_INT32, b""), id="empty list"),
        pytest.param(data(MANY_INT32, b"\1\0\2"), id="packed"),
        pytest.param((tag(MANY_INT32, 0) + b"\1") * 2, id="not packed"),
        pytest.param(tag(MANY_INT32, 0) + b"\1" + data(MANY_INT32, b"\2\3"), id="both"),
        pytest.param(data(MANY_INT32, b"") + tag(INT32, 0) + b"\1", id="empty list and more"),
        pytest.param(data(MANY_INT32, b"\1\x80"), id="packed and cut off"),
        pytest.param(data(MANY_DOUBLE, bytes(9)), id="packed doubles and a byte"),
        pytest.param(data(INT32, b"\1"), id="packed but not a list"),
        pytest.param(tag(INT32, 5) + bytes(4), id="wrong wire type"),
        pytest.param(tag(TEXT, 0) + b"\1", id="number for a string"),
        pytest.param(tag(DOUBLE, 0) + b"\1", id="varint for a double"),
        pytest.param(tag("child", 3) + tag("child", 4), id="group"),
        pytest.param(tag(INT32, 0) + varint(2**32), id="only bits that do not fit"),
        pytest.param(tag(INT32, 0) + varint(2**32 - 1), id="negative in five bytes"),
        pytest.param(tag(INT32, 0) + varint(2**64 - 1), id="negative in ten bytes"),
        pytest.param(tag(INT32, 0) + b"\xff" * 9 + b"\2", id="more than 64 bits"),
        pytest.param(tag(INT32, 0) + b"\xff" * 10 + b"\1", id="eleven bytes"),
        pytest.param(tag(INT32, 0) + b"\x81\x80\0", id="longer than needed"),
        pytest.param(b"\xa8\x80\0\1", id="long tag"),
        pytest.param(tag(TEXT, 2) + b"\x81\x80\x80\x80\x80\0a", id="long length"),
        pytest.param(tag(TEXT, 2) + b"\x85\x80\0abcde", id="length longer than needed"),
        pytest.param(tag(TEXT, 2) + b"\5abc", id="length beyond the end"),
        pytest.param(tag(BOOL, 0) + varint(300), id="large boolean"),
        pytest.param(tag(ANIMAL, 0) + b"\2", id="enum with two names"),
        pytest.param(tag(ANIMAL, 0) + varint(2**64 - 5), id="unknown negative enum"),
        pytest.param(data(ANIMALS, b"\0\1\2\x63"), id="enums"),
        pytest.param(b"\0\1", id="field 0"),
        pytest.param(varint(127 << 3) + b"\1", id="unknown field"),
        pytest.param(varint(2047 << 3) + b"\1", id="unknown field with a large number"),
        pytest.param(varint(100_000 << 3) + b"\1", id="unknown field with a larger number"),
        pytest.param(data(TEXT, b"a\xff"), id="not UTF-8"),
        pytest.param(data(TEXT, b"\xed\xa0\x80"), id="surrogate"),
        pytest.param(data(TEXT, b"\xc0\x80"), id="overlong character"),
        pytest.param(data("child", data(TEXT, b"\xff")), id="not UTF-8 inside"),
        pytest.param(data(TEXT, bytes(range(128))), id="every character of ASCII"),
        pytest.param(data(TEXT, "é€😀\u2028\x7f".encode() * 9), id="other characters"),
        pytest.param(data(TEXT, ("x" * 4095 + "é" + "\n" * 4096).encode()), id="long string"),
        pytest.param(data("many_9", b"") * 2, id="empty strings"),
        pytest.param(data("object", b"") + data("period", b""), id="well-known out of order"),
    ],
)
def test_writes_or_rejects_the_same(wire: bytes) -> None:
    check(PlainZoo, wire)


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_escapes_like_orjson(text: str) -> None:
    assert JsonConverter(PlainZoo).wire_to_json(data("left", text.encode())) == (
        b'{"left":%s}' % orjson.dumps(text)
    )


@given(st.lists(st.floats() | st.integers(-(10**7), 10**7).map(float), min_size=1))
def test_writes_floating_point_numbers_like_orjson(numbers: list[float]) -> None:
    check(PlainZoo, PlainZoo(many_1=numbers, one_1=numbers[0]).SerializeToString())


@given(st.lists(st.floats(width=32) | st.integers(-(2**24), 2**24).map(float), min_size=1))
def test_writes_short_numbers_like_orjson(numbers: list[float]) -> None:
    check(PlainZoo, PlainZoo(many_2=numbers, one_2=numbers[0]).SerializeToString())


@pytest.mark.parametrize(("depth", "left"), [(0, 0), (1, 0), (15, 0), (16, 1), (90, 1)])
def test_writes_nested_messages(depth: int, left: int) -> None:
    wire = data(TEXT, b"a")
    for _ in range(depth):
        wire = data("child", wire)
    check(PlainZoo, wire)
    assert calls(JsonConverter(PlainZoo), wire) == left


def test_leaves_closed_enums_to_protobuf() -> None:
    # 99 is not a type, so it is an unknown field.
    check(descriptor_pb2.FieldDescriptorProto, write_number(5, 99))
    check(descriptor_pb2.FieldDescriptorProto, write_number(5, 9))


def test_writes_a_failed_or_complete_text_no_further() -> None:
    def fail(wire: bytes) -> bytes:
        raise ZeroDivisionError

    writing = Writing(TextWriter(lambda wire: b"{}"), b"")
    assert writing.advance(1) == b"{}"
    with pytest.raises(ValueError, match="complete"):
        writing.advance(1)
    with pytest.raises(ZeroDivisionError):
        Writing(TextWriter(fail), b"")


def answers(methods: dict[str, Method], position: Position) -> Iterator[tuple[Method, bytes]]:
    """The answers to the common calls about a position, in wire format."""
    token = codec.encode(position)
    seat = position.actors[0]
    moves = [{"seat": seat, "notation": position.notations(seat)[0]}]
    for name, fields in (
        ("EnumerateMoves", {}),
        ("DescribeState", {}),
        ("DescribeState", {"seat": seat}),
        ("ApplyMoves", {"moves": moves}),
        ("ApplyMoves", {"moves": moves, "include_steps": True}),
    ):
        method = methods[name]
        answer = method.handler(method.request_type(state=token, **fields))
        if isinstance(answer, GeneratorType):
            answer = run_all(answer)
        assert isinstance(answer, bytes)
        yield method, answer


@pytest.mark.parametrize("game", GAMES)
def test_the_core_writes_all_of_common_answers(service: Service, game: str) -> None:
    methods = {method.descriptor.name: method for method in service.methods}
    for seed in range(3):
        position = GAMES[game].start({}, seed)
        for _ in range(30):
            if position.over:
                break
            for method, wire in answers(methods, position):
                check(method.response_type, wire)
                assert calls(JsonConverter(method.response_type), wire) == 0
            seat = position.actors[-1]
            moves = position.moves(seat)
            position = position.apply(seat, moves[(seed + position.ply) % len(moves)])
