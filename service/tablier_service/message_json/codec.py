"""Messages to JSON and back, by readers and writers compiled once from descriptors.

The written JSON equals that of google.protobuf.json_format, which walks the descriptors again for
every message and takes ten times as long. The same messages are read, and what json_format rejects
is rejected, except for the largest 32-bit float, which it writes but does not read. Where
json_format is too lenient, this codec follows the ProtoJSON specification and rejects more:

- an array or a string in place of an object, even an empty one;
- numbers in strings that JSON would not write: with spaces, `_`, `+1`, digits of other scripts;
- `inf`, `1e999` and the like in strings (the spelling is `"Infinity"`), and `true` as a number;
- enum values that are fractions or exceed 32 bits;
- characters in base64 outside its alphabets; both alphabets are read, padded or not;
- a field under both of its names, `includeSteps` and `include_steps`;
- keys other than `@type` and `value` for a well-known type in an Any.
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
        """Write a message as JSON text."""
        return orjson.dumps(self.to_value(message))

    def from_json(self, data: bytes) -> M:
        """Read a message from JSON text; raises InvalidField with the path of the fault."""
        return self.from_value(parse_json(data))

    def from_value(self, value: object) -> M:
        """Read a message from a JSON value."""
        return self._type(**self._read(value, 0))


def parse_json(data: bytes) -> Any:
    """Parse JSON text in which no object has the same key twice."""
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        value = _parse_not_finite(data)
        if value is None:
            raise InvalidField("", f"the body is not JSON: {error}") from None
    try:
        # orjson silently keeps the last of two equal keys. But it writes one colon per key: if no
        # escape can hide a colon, equal counts mean that no key was dropped.
        if b"\\" in data or data.count(b":") != orjson.dumps(value).count(b":"):
            json.loads(data, object_pairs_hook=_check_keys, parse_int=str, parse_float=str)
    except (RecursionError, orjson.JSONEncodeError):
        raise InvalidField("", "the body is nested too deeply") from None
    return value


def _parse_not_finite(data: bytes) -> Any:
    """Parse an object that is JSON but for NaN, infinity or 1e999; None if it has other faults.

    Some libraries write such numbers. Every reader rejects them, and the error names the field.
    """
    try:
        value = json.loads(data.decode())
        orjson.dumps(value)  # rejects the rest of what json accepts and orjson does not
    except (ValueError, RecursionError, orjson.JSONEncodeError):
        return None
    return value if type(value) is dict else None


def _check_keys(pairs: list[tuple[str, object]]) -> None:
    seen = set()
    for key, _ in pairs:
        if key in seen:
            raise InvalidField(key, "appears twice")
        seen.add(key)
