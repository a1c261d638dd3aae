"""Counting the elements of requests, compared with what the parsers make of them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tablier_core.elements import (
    FieldCounter,
    count_json,
    count_keys,
    count_members,
    split_json,
    strip_json,
)

MANY = 10**6
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4)
    ),
)
texts = st.builds(
    lambda value, indent, ascii_only: json.dumps(
        value, indent=indent, ensure_ascii=ascii_only
    ).encode(),
    values,
    st.none() | st.integers(0, 3),
    st.booleans(),
)
# Pieces of JSON in any order, mostly malformed.
scraps = st.lists(
    st.sampled_from([*'[]{},:" \\', "1", "-2.5", "true", '"a"', '"\\""', '{"a":1}', "[1,2]"]),
    max_size=12,
).map(lambda parts: "".join(parts).encode())


def size_of(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(size_of, inner))


def keys_of(value: Any) -> int:
    if isinstance(value, dict):
        return len(value) + sum(map(keys_of, value.values()))
    return sum(map(keys_of, value)) if isinstance(value, list) else 0


@given(texts)
def test_counts_the_values_and_keys_of_text(text: bytes) -> None:
    value = json.loads(text)
    assert count_json(text, MANY, MANY) == size_of(value)
    assert count_keys(text) == count_members(value) == keys_of(value)


@pytest.mark.parametrize("depth", [254, 255, 100_000])
def test_counts_the_keys_of_values_up_to_a_depth(depth: int) -> None:
    value: Any = 1
    for level in range(depth):
        value = {"a": value} if level % 2 else [value]
    assert count_members(value) == (depth // 2 if depth <= 254 else -1)


@given(texts, st.integers(1, 10))
def test_stops_at_the_limit(text: bytes, most: int) -> None:
    count = size_of(json.loads(text))
    assert count_json(text, most, MANY) == (count if count <= most else -1)


@pytest.mark.parametrize("text", ['"{}"', '["{}"]', '{{"a":"{}"}}', '{{"{}":1}}'])
@pytest.mark.parametrize("content", ["x" * 100, '\\"' * 50, "\\\\" * 50])
def test_finds_long_strings(text: str, content: str) -> None:
    found = text.format(content).encode()
    json.loads(found)
    assert count_json(found, MANY, 100) > 0
    assert count_json(found, MANY, 99) == -2


def test_finds_long_numbers() -> None:
    assert count_json(b"[1,%s]" % (b"1" * 100), MANY, 100) == 3
    assert count_json(b"[1,%s]" % (b"1" * 102), MANY, 100) == -2


def parsed_parts(text: bytes, most: int, longest: int) -> Any:
    """A value put together from the parts of its text; raises ValueError for malformed text."""
    parts = split_json(text, most, longest)
    if parts is None:
        raise ValueError("not an object or array")
    if strip_json(text)[:1] == b"{":
        if any(colon < 0 for _, colon, *_ in parts):
            raise ValueError("a member has no key")
        pairs = [(json.loads(text[a:b]), json.loads(text[b + 1 : c])) for a, b, c, _, _ in parts]
        if not all(isinstance(key, str) for key, _ in pairs):
            raise ValueError("a key is not a string")
        return dict(pairs)
    items = []
    for start, _, end, members, count in parts:
        found = json.loads(b"[%s]" % text[start:end])
        assert len(found) == members
        assert sum(map(size_of, found)) == count
        assert members == 1 or (count <= most and end - start <= longest)
        items += found
    return items


@given(texts | scraps, st.integers(1, 10), st.integers(1, 40))
def test_the_parts_of_a_text_are_the_whole(text: bytes, most: int, longest: int) -> None:
    try:
        whole = json.loads(text)
    except ValueError:
        whole = None
    try:
        found = parsed_parts(text, most, longest)
    except ValueError:
        found = None
    assert found == (whole if isinstance(whole, (dict, list)) else None)


def test_does_not_look_at_all_members_of_a_large_object() -> None:
    text = json.dumps({str(number): number for number in range(1000)}).encode()
    assert len(split_json(text, 10, 10) or ()) == 100
    assert split_json(b"[" * 2000 + b"]" * 2000, 10, 10) is None


# A message whose field 1 is a message of its own type, and field 2 one with nothing inside. Strings
# have up to 20 bytes, and those in field 4 up to 30.
COUNTER = FieldCounter([{1: 0, 2: 1}, {}], 20, [{4: 30}, {}])


@pytest.mark.parametrize(
    ("data", "count"),
    [
        (b"", 0),
        (b"\x08\x01", 1),
        (b"\x0a\x00" * 5, 5),
        # Two levels, each with a number.
        (b"\x0a\x04\x18\x01\x18\x02", 3),
        (b"\x0a\x06\x0a\x04\x18\x01\x18\x02", 4),
        # A string is not looked into, nor is a message in an unknown field.
        (b"\x1a\x04\x18\x01\x18\x02", 1),
        (b"\xfa\x07\x04\x18\x01\x18\x02", 1),
        # Fixed sizes, and a group.
        (b"\x19" + bytes(8) + b"\x1d" + bytes(4), 2),
        (b"\x1b\x18\x01\x1c", 3),
        # Damaged: the message is rejected later.
        (b"\x0a\x05\x00", 1),
        (b"\x19\x00", 1),
        (b"\x18\x80", 1),
        (b"\x80", 0),
        (b"\x0a" + b"\xff" * 9 + b"\x01", 1),
    ],
)
def test_counts_the_fields_of_a_message(data: bytes, count: int) -> None:
    assert COUNTER.count(data, MANY) == count


def test_stops_counting_fields_at_the_limit() -> None:
    assert COUNTER.count(b"\x0a\x00" * 10, 10) == 10
    assert 10 < COUNTER.count(b"\x0a\x00" * 1000, 10) < 20
    assert 10 < COUNTER.count(b"\x0a\x7e" + b"\x0a\x00" * 63, 10) < 20


@pytest.mark.parametrize(
    ("begin", "longest"),
    [(b"\x1a", 20), (b"\x22", 30), (b"\xfa\x07", 20), (b"\xfa\xff\xff\xff\x0f", 20)],
    ids=["a string", "a longer string", "an unknown field", "the largest field number"],
)
def test_finds_strings_that_are_too_long(begin: bytes, longest: int) -> None:
    fits, too_long = (begin + bytes([n]) + bytes(n) for n in (longest, longest + 1))
    assert COUNTER.count(fits, MANY) == 1
    assert COUNTER.count(too_long, MANY) == -1
    # In a message, which may be longer.
    inner = fits + too_long
    assert COUNTER.count(b"\x0a" + bytes([len(inner)]) + inner, MANY) == -1


def test_survives_deep_nesting() -> None:
    data = b""
    for _ in range(300):
        length = len(data)
        data = b"\x0a" + bytes([length & 127 | 128, length >> 7]) + data
    deep = FieldCounter([{1: 0}], 1000, [{}])
    assert deep.count(data, MANY) >= 100


def test_rejects_a_table_that_it_cannot_hold() -> None:
    with pytest.raises(ValueError, match="field 32"):
        FieldCounter([{32: 0}], 20, [{}])
    with pytest.raises(ValueError, match="field 1"):
        FieldCounter([{1: 1}], 20, [{}])
    with pytest.raises(ValueError, match="field 32"):
        FieldCounter([{}], 20, [{32: 30}])
