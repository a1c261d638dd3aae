"""Answers as JSON, for every HTTP form of a call that has JSON."""

from __future__ import annotations

from collections.abc import Callable
from types import GeneratorType
from typing import Any, NamedTuple, TypeAlias, cast

from google.protobuf.message import Message

from tablier_service.calls.methods import Answer
from tablier_service.calls.slices import Work
from tablier_service.message_json.bindings import Binding
from tablier_service.message_json.converter import JsonConverter


class JsonText(NamedTuple):
    """An answer that is written already."""

    text: bytes


JsonAnswer: TypeAlias = Answer | JsonText


class JsonAnswers:
    """Writes the answers of a method as JSON."""

    def __init__(self, binding: Binding) -> None:
        converter = JsonConverter(binding.method.response_type)
        self._write_wire = converter.wire_to_json
        self._write_message = converter.to_json
        self.handler = binding.method.handler
        if binding.has_lists:
            self.handler = in_pieces(self.handler, converter.to_json_in_pieces)

    def write(self, answer: JsonAnswer) -> bytes:
        """Write an answer of the handler."""
        if isinstance(answer, bytes):
            return self._write_wire(answer)
        if isinstance(answer, JsonText):
            return answer.text
        return self._write_message(answer)


def in_pieces(
    handler: Callable[[Any], Any], write: Callable[[bytes], Work[bytes]]
) -> Callable[[Any], Any]:
    """Wrap a handler of large requests, so that its work includes reading and writing.

    Its answers, or the results of its work, are bytes.
    """

    def handle(request: Message | Work[Message]) -> bytes | Work[JsonText]:
        if isinstance(request, GeneratorType):
            return finish(answer_to(request))
        answer = handler(request)
        return finish(answer) if isinstance(answer, GeneratorType) else cast("bytes", answer)

    def answer_to(reading: Work[Message]) -> Work[bytes]:
        answer = handler((yield from reading))
        if isinstance(answer, GeneratorType):
            answer = yield from answer
        return cast("bytes", answer)

    def finish(work: Work[bytes]) -> Work[JsonText]:
        answer = yield from work
        return JsonText((yield from write(answer)))

    return handle
