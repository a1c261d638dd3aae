"""Messages as JSON and back, by readers and writers compiled once from their descriptors.

What is written equals google.protobuf.json_format, which walks the descriptors anew for every
message and takes ten times as long. What is read gives the same message; what json_format refuses
is refused, except the largest 32-bit float, which it writes but does not read. Where Python's
leniency leaks through it, this codec keeps to the ProtoJSON specification and refuses more:

- an array or a string where an object belongs, even an empty one;
- numbers in strings that JSON would not write so: spaces, `_`, `+1`, other scripts' digits;
- `inf`, `1e999` and the like in strings (`"Infinity"` is the spelling), `true` as a number;
- enum numbers that are fractions or beyond 32 bits;
- characters in base64 that are not of its alphabets; both alphabets are read, padded or not;
- a field that comes under both of its names, `includeSteps` and `include_steps`;
- keys beside `@type` and `value` where a well-known type is in an Any.
"""

from __future__ import annotations

import json
from typing import Any, Generic, TypeVar

import orjson
from google.protobuf.message import Message

from tablier_service.errors import InvalidField
from tablier_service.message_json.descriptors import descriptor_of
from tablier_service.message_json.reading import Readers
from tablier_service.message_json.writing import Writer, Writers

M = TypeVar("M", bound=Message)

_writers = Writers()
_readers = Readers()


class JsonCodec(Generic[M]):
    """The JSON form of one message type."""

    def __init__(self, message_type: type[M]) -> None:
        self._type = message_type
        self._read = _readers.of_message(descriptor_of(message_type))
        self.to_value: Writer = _writers.of_message(descriptor_of(message_type))

    def to_json(self, message: M) -> bytes:
        """A message as JSON text."""
        return orjson.dumps(self.to_value(message))

    def from_json(self, data: bytes) -> M:
        """The message of a JSON text; raises InvalidField with the path of what is wrong."""
        return self.from_value(parse_json(data))

    def from_value(self, value: object) -> M:
        """The message of a JSON value."""
        return self._type(**self._read(value, 0))


def parse_json(data: bytes) -> Any:
    """The value of a JSON text in which no object has a key twice."""
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise InvalidField("", f"the body is not JSON: {error}") from None
    try:
        # orjson keeps the last of two equal keys and does not tell. But it writes one colon a key:
        # where no escape can hide a colon, equal counts mean that no key was dropped.
        if b"\\" in data or data.count(b":") != orjson.dumps(value).count(b":"):
            json.loads(data, object_pairs_hook=_check_keys, parse_int=str, parse_float=str)
    except (RecursionError, orjson.JSONEncodeError):
        raise InvalidField("", "the body is nested too deeply") from None
    return value


def _check_keys(pairs: list[tuple[str, object]]) -> None:
    seen = set()
    for key, _ in pairs:
        if key in seen:
            raise InvalidField(key, "comes twice")
        seen.add(key)
