"""The JSON converter compared with google.protobuf.json_format: same text, messages and errors."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from math import isnan
from typing import Any, TypeVar

import pytest
from google.protobuf import json_format
from google.protobuf.descriptor import FieldDescriptor as Field
from google.protobuf.message import Message
from google.protobuf.struct_pb2 import Value
from google.rpc import status_pb2
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tablier.v1 import game_pb2
from tablier.v1 import game_service_pb2 as pb
from tablier_service.errors import InvalidField
from tablier_service.message_json.converter import JsonConverter
from tablier_service.message_json.descriptors import descriptor_of, is_map, map_fields

from tests.service.message_json.message_strategies import ALL_TYPES, LARGEST_FLOAT, Zoo, messages

M = TypeVar("M", bound=Message)

CONVERTERS: dict[Any, JsonConverter[Any]] = {
    message_type: JsonConverter(message_type) for message_type in ALL_TYPES
}
every_type = pytest.mark.parametrize(
    "message_type", ALL_TYPES, ids=[message_type.DESCRIPTOR.name for message_type in ALL_TYPES]
)
quick = settings(max_examples=15)

HOSTILE: list[object] = [
    *(None, True, False, 0, 1, -1, 3, 2**31, -(2**31), 2**32, 2**63, -(2**63), 2**64),
    *(1.0, 1.5, -0.0, 1e18, 1e20, 1e300, 1e38, 1e39),
    *("", "0", "1", "-1", "1.5", "1e3", "2e300", "x", "é", "NaN", "Infinity", "-Infinity", "nan"),
    *("true", "AAAA", "AAA", "AAA=", "A", "-_-_", "+/+/", "ANIMAL_CAT", "MOVE_DETAIL_FULL"),
    *("1.5s", "-3s", "5", "99999999999999s"),
    *([], [None], [1], ["x"], [[]], [{}], {}, {"x": 1}, {"1": 1}, {"true": "AAAA"}, {"": None}),
    *({"@type": "x"}, {"@type": 1}, {"@type": "type.googleapis.com/google.rpc.Status", "code": 1}),
]


def same(one: Message, other: Message) -> bool:
    """Whether messages are equal; NaN equals itself, and an Any may order its maps as it likes."""
    return json_format.MessageToDict(one) == json_format.MessageToDict(other)


def reference(message_type: type[M], text: bytes) -> M | None:
    """The message that json_format reads; None if it rejects the text."""
    try:
        return json_format.Parse(text, message_type())
    except (json_format.ParseError, UnicodeDecodeError):
        return None


def ours(message_type: type[M], text: bytes) -> M | None:
    converter: JsonConverter[M] = CONVERTERS[message_type]
    try:
        return converter.from_json(text)
    except InvalidField:
        return None


@every_type
def test_writes_the_same_as_json_format(message_type: type[Message]) -> None:
    @quick
    @given(messages(message_type))
    def check(message: Message) -> None:
        assert json.loads(CONVERTERS[message_type].to_json(message)) == json_format.MessageToDict(
            message
        )

    check()


@every_type
def test_reads_the_same_as_json_format(message_type: type[Message]) -> None:
    @quick
    @given(messages(message_type), st.booleans(), st.booleans())
    def check(message: Message, proto_names: bool, numbers: bool) -> None:
        text = json_format.MessageToJson(
            message, preserving_proto_field_name=proto_names, use_integers_for_enums=numbers
        )
        assert same(CONVERTERS[message_type].from_json(text.encode()), message)

    check()


def rejected_on_purpose(field: Field, value: Any) -> bool:
    """Whether json_format accepts a value only because the types of Python are lenient."""
    if is_map(field):
        if not isinstance(value, dict):
            return False
        return any(rejected_on_purpose(map_fields(field)[1], item) for item in value.values())
    if field.is_repeated:
        if not isinstance(value, list):
            return False
        return any(rejected_as_one(field, item) for item in value)
    return rejected_as_one(field, value)


def rejected_as_one(field: Field, value: Any) -> bool:
    number = isinstance(value, (int, float))
    if field.message_type is not None:
        return value in ("", [])
    if field.enum_type is not None:
        return number and (value is True or value is False or not fits_enum(value))
    if field.cpp_type in (Field.CPPTYPE_DOUBLE, Field.CPPTYPE_FLOAT):
        beyond = field.cpp_type == Field.CPPTYPE_FLOAT and value == "2e300"
        return value is True or value is False or beyond
    if field.type == Field.TYPE_BYTES:
        return value in ("x", "é", "1.5", "1.5s", "-3s", "")
    return field.cpp_type == Field.CPPTYPE_INT64 and value == -(2**63) and isinstance(value, float)


def fits_enum(value: float) -> bool:
    return value == int(value) and -(2**31) <= value < 2**31


@every_type
def test_rejects_the_same_as_json_format(message_type: type[Message]) -> None:
    fields = list(descriptor_of(message_type).fields)
    if not fields:
        assert ours(message_type, b'{"x":1}') is reference(message_type, b'{"x":1}') is None
        return

    @settings(max_examples=40)
    @given(messages(message_type, 1), st.sampled_from(fields), st.sampled_from(HOSTILE), st.data())
    def check(message: Message, field: Field, value: Any, data: st.DataObject) -> None:
        if is_map(field):
            value = data.draw(st.sampled_from([value, {"1": value}, {"true": value}]))
        elif field.is_repeated:
            value = data.draw(st.sampled_from([value, [value], [value, value]]))
        assume(not rejected_on_purpose(field, value))
        tree = json_format.MessageToDict(message)
        tree[data.draw(st.sampled_from([field.json_name, field.json_name, "noSuchField"]))] = value
        text = json.dumps(tree).encode()
        expected, read = reference(message_type, text), ours(message_type, text)
        assert (read is None) == (expected is None), text
        assert read is None or expected is None or same(read, expected)

    check()


@given(st.binary(max_size=20) | st.text(max_size=20).map(str.encode))
def test_rejects_text_that_is_not_json(text: bytes) -> None:
    if ours(pb.StartGameRequest, text) is not None:
        assert reference(pb.StartGameRequest, text) is not None


@pytest.mark.parametrize(
    "text",
    [
        b'{"seed":1,"seed":1}',
        b'{"seed":1,"s\\u0065ed":2}',
        # A colon hidden by an escape must not replace the one of the lost key.
        b'{"game":"a","game":"\\u003a"}',
        b'{"options":{"first":1,"first":0}}',
        b'{"seed":1}{}',
        b'{"seed":NaN}',
        b'{"game":"\\ud800"}',
        b'{"game":"\xff"}',
        b"\xef\xbb\xbf{}",
        b"null",
        b"5",
        b"",
        b'{"seed":-9223372036854775809}',
        b'{"seed":18446744073709551616}',
        b'{"seed":"' + b"9" * 5000 + b'"}',
    ],
)
def test_both_reject(text: bytes) -> None:
    assert reference(pb.StartGameRequest, text) is None
    assert ours(pb.StartGameRequest, text) is None


@pytest.mark.parametrize(
    "text", [b'{"game":"a:b"}', b'{"game":"\\u003a"}', b'{"game":"\\":{"}', b' { "seed" : 1e3 } ']
)
def test_both_accept(text: bytes) -> None:
    read, expected = ours(pb.StartGameRequest, text), reference(pb.StartGameRequest, text)
    assert read is not None
    assert expected is not None
    assert same(read, expected)


@pytest.mark.parametrize(
    ("message_type", "text"),
    [
        (pb.StartGameRequest, b"[]"),
        (pb.StartGameRequest, b'""'),
        (pb.Operation, b'{"startGame":[]}'),
        (pb.StartGameRequest, b'{"seed":"1_0"}'),
        (pb.StartGameRequest, b'{"seed":"\\n1"}'),
        (pb.StartGameRequest, b'{"seed":"+1"}'),
        (pb.StartGameRequest, '{"seed":"１２"}'.encode()),
        (pb.ApplyMovesRequest, b'{"includeSteps":true,"include_steps":false}'),
        (pb.ApplyMovesRequest, b'{"includeSteps":true,"include_steps":null}'),
        (pb.ApplyMovesRequest, b'{"state":"aG=k"}'),
        (pb.ApplyMovesRequest, b'{"state":"aGkx****"}'),
        (pb.EnumerateMovesRequest, b'{"detail":1.5}'),
        (pb.EnumerateMovesRequest, b'{"detail":true}'),
        (pb.EnumerateMovesRequest, b'{"detail":4294967296}'),
        (game_pb2.Situation, b'{"scores":[true]}'),
        (game_pb2.Situation, b'{"scores":["inf"]}'),
        (game_pb2.Situation, b'{"scores":["1e999"]}'),
        (game_pb2.Situation, b'{"scores":[" 1"]}'),
        (
            status_pb2.Status,
            b'{"details":[{"@type":"x/google.protobuf.Duration","value":"1s","more":1}]}',
        ),
    ],
)
def test_is_stricter_than_json_format(message_type: type[Message], text: bytes) -> None:
    """The differences that the documentation of the converter lists."""
    assert reference(message_type, text) is not None
    assert ours(message_type, text) is None


@pytest.mark.parametrize(
    ("message_type", "tree", "field"),
    [
        (pb.StartGameRequest, {"seat": 1}, "seat"),
        (pb.StartGameRequest, {"seed": -1}, "seed"),
        (pb.StartGameRequest, {"options": 5}, "options"),
        (pb.BatchRequest, {"operations": [{"startGame": {"options": []}}]},
         "operations[0].startGame.options"),
        (pb.ApplyMovesRequest, {"moves": [{}, {"action": -1}]}, "moves[1].action"),
        (pb.ApplyMovesRequest, {"moves": [{}, 5]}, "moves[1]"),
        (pb.ApplyMovesRequest, {"moves": 5}, "moves"),
        (pb.ApplyMovesRequest, {"include_steps": 1}, "include_steps"),
        (pb.BatchRequest, {"operations": [{"getGame": {}, "startGame": {}}]}, "operations[0]"),
        (Zoo, {"byId": {"7": {"many5": [0, "x"]}}}, "byId[7].many5[1]"),
        (Zoo, {"byId": {"x": {}}}, "byId[x]"),
        (Zoo, {"anything": {"@type": "no/such"}}, "anything.@type"),
        (pb.StartGameRequest, [], ""),
    ],
)  # fmt: skip
def test_names_the_path_of_the_fault(message_type: type[Message], tree: object, field: str) -> None:
    with pytest.raises(InvalidField) as caught:
        CONVERTERS[message_type].from_value(tree)
    assert caught.value.field == field


def test_reads_the_largest_float_that_it_writes() -> None:
    converter = CONVERTERS[Zoo]
    text = converter.to_json(Zoo(many_2=[LARGEST_FLOAT, -LARGEST_FLOAT]))
    assert json.loads(text) == json_format.MessageToDict(
        Zoo(many_2=[LARGEST_FLOAT, -LARGEST_FLOAT])
    )
    assert list(converter.from_json(text).many_2) == [LARGEST_FLOAT, -LARGEST_FLOAT]
    assert ours(Zoo, b'{"one2":3.4028236e38}') is None


def test_rejects_integers_below_64_bits() -> None:
    # orjson reads it as a float, rounded to the lowest integer that is in range.
    text = b'{"one3":-9223372036854775809}'
    assert ours(Zoo, text) is reference(Zoo, text) is None
    assert CONVERTERS[Zoo].from_json(b'{"one3":-9223372036854775808}').one_3 == -(2**63)


def test_reads_both_alphabets_of_base64() -> None:
    state = bytes(range(256))
    padded, bare = base64.b64encode(state), base64.urlsafe_b64encode(state).rstrip(b"=")
    for text in (padded, bare, padded + b"="):
        assert CONVERTERS[pb.ApplyMovesRequest].from_value({"state": text.decode()}).state == state


@pytest.mark.parametrize("wrap", [lambda tree: {"child": tree}, lambda tree: {"children": [tree]}])
def test_accepts_the_same_depth_as_json_format(wrap: Callable[[Any], Any]) -> None:
    tree: object = {}
    for depth in range(1, 103):
        text = json.dumps(tree).encode()
        assert (ours(Zoo, text) is None) == (reference(Zoo, text) is None), depth
        tree = wrap(tree)
    assert ours(Zoo, json.dumps(tree).encode()) is None


@pytest.mark.parametrize("depth", [110, 300, 900, 5000])
def test_rejects_deep_nesting(depth: int) -> None:
    url = "type.googleapis.com/google.rpc.Status"
    for opening, closing in (
        (f'{{"@type":"{url}","details":[', "]}"),
        ("[", "]"),
        ('{"child":', "}"),
        ('{"child\\u0000":', "}"),
    ):
        core = "{}" if opening != "[" else ""
        text = f'{{"details":[{opening * depth}{core}{closing * depth}]}}'.encode()
        assert ours(status_pb2.Status, text) is None


@pytest.mark.parametrize(("opening", "closing"), [('{"a":', "}"), ("[", "]")])
def test_limits_the_depth_of_objects(opening: str, closing: str) -> None:
    for depth, accepted in ((23, True), (24, False), (500, False)):
        text = f'{{"options":{{"a":{opening * depth}1{closing * depth}}}}}'.encode()
        assert (ours(pb.StartGameRequest, text) is not None) == accepted


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"])
@pytest.mark.parametrize(
    ("message_type", "text", "field"),
    [
        (pb.StartGameRequest, '{{"game":"a:b","seed":{}}}', "seed"),
        (pb.ApplyMovesRequest, '{{"moves":[{{}},{{"action":{}}}]}}', "moves[1].action"),
        (pb.EnumerateMovesRequest, '{{"detail":{}}}', "detail"),
        (pb.EnumerateMovesRequest, '{{"match":{}}}', "match"),
        (game_pb2.Situation, '{{"scores":[1,{}]}}', "scores[1]"),
        (game_pb2.Situation, '{{"over":{}}}', "over"),
    ],
)
def test_names_the_field_with_a_number_that_is_not_finite(
    number: str, message_type: type[Message], text: str, field: str
) -> None:
    with pytest.raises(InvalidField) as caught:
        CONVERTERS[message_type].from_json(text.format(number).encode())
    assert caught.value.field == field


def test_leaves_numbers_in_options_to_the_game() -> None:
    read = ours(pb.StartGameRequest, b'{"options":{"a":NaN}}')
    assert read is not None
    assert isnan(read.options.fields["a"].number_value)


@pytest.mark.parametrize(
    "text", [b'{"game":"\\ud800","seed":NaN}', b'{"seed":NaN,"seed":1}', b"[NaN"]
)
def test_rejects_other_faults_next_to_nan(text: bytes) -> None:
    assert ours(pb.StartGameRequest, text) is None


def test_rejects_types_with_unsupported_forms_when_compiled() -> None:
    with pytest.raises(TypeError, match="Value"):
        JsonConverter(Value)
    url = "type.googleapis.com/google.protobuf.Value"
    with pytest.raises(InvalidField, match="Value"):
        CONVERTERS[status_pb2.Status].from_value({"details": [{"@type": url}]})
