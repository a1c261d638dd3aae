"""Messages to JSON and back, by readers and writers compiled once from descriptors.

The written JSON equals that of google.protobuf.json_format, which walks the descriptors again for
every message and takes ten times as long. The same messages are read, and what json_format rejects
is rejected, except for the largest 32-bit float, which it writes but does not read. Where
json_format is too lenient, this converter follows the ProtoJSON specification and rejects more:

- an array or a string in place of an object, even an empty one;
- numbers in strings that JSON would not write: with spaces, `_`, `+1`, digits of other scripts;
- `inf`, `1e999` and the like in strings (the spelling is `"Infinity"`), and `true` as a number;
- enum values that are fractions or exceed 32 bits;
- characters in base64 outside its alphabets; both alphabets are read, padded or not;
- a field under both of its names, `includeSteps` and `include_steps`;
- keys other than `@type` and `value` for a well-known type in an Any.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

import orjson
from google.protobuf.message import Message
from tablier_core.json_text import Writing

from tablier_service.calls.slices import Work
from tablier_service.message_json.descriptors import descriptor_of
from tablier_service.message_json.pieces import PieceReader
from tablier_service.message_json.reading import ReaderCompiler
from tablier_service.message_json.text import parse_json
from tablier_service.message_json.text_writing import TextCompiler
from tablier_service.message_json.writing import Writer, WriterCompiler

M = TypeVar("M", bound=Message)

# The size of a piece of text to write, which takes less than a millisecond.
PIECE_TEXT_BYTES = 65_536

_writers = WriterCompiler()
_readers = ReaderCompiler()
_texts = TextCompiler(_writers)
_piece_reader = PieceReader(_readers)


class JsonConverter(Generic[M]):
    """The JSON form of one message type."""

    def __init__(self, message_type: type[M]) -> None:
        self._type = message_type
        self._descriptor = descriptor_of(message_type)
        self._read = _readers.of_message(self._descriptor)
        self.to_value: Writer = _writers.of_message(self._descriptor)
        self._text = _texts.of_message(self._descriptor)
        # Writes a message, given in protobuf's wire format, as the same text as `to_json`.
        self.wire_to_json = self._text.write

    def to_json(self, message: M) -> bytes:
        """Write a message as JSON text."""
        return orjson.dumps(self.to_value(message))

    def to_json_in_pieces(self, wire: bytes) -> Work[bytes]:
        """Do the same as `wire_to_json`, with pauses."""
        writing = Writing(self._text, wire)
        while (text := writing.advance(PIECE_TEXT_BYTES)) is None:
            yield
        return text

    def from_json(self, data: bytes) -> M:
        """Read a message from JSON text; raises InvalidField with the path of the fault."""
        return self.from_value(parse_json(data))

    def from_json_in_pieces(
        self, data: bytes, values: int, prepare: Callable[[Any], object] | None = None
    ) -> Work[M]:
        """Read a large message from JSON text with this number of values.

        `prepare` may check and change its fields, in which large ones are replaced by empty ones.
        """
        message = self._type()
        yield from _piece_reader.fill(message, data, values, prepare)
        return message

    def from_value(self, value: object) -> M:
        """Read a message from a JSON value."""
        return self._type(**self._read(value, 0))
