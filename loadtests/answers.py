"""The right answers, computed in this process: by the core, without a server or a transport.

With plain tokens, an answer must be the same byte for byte, in protobuf and in JSON. Sealed tokens
contain a random nonce, so answers with them are compared after their tokens were opened.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from google.protobuf import json_format
from google.protobuf.message import DecodeError, Message
from google.rpc import error_details_pb2, status_pb2
from tablier.v1 import game_service_pb2 as pb
from tablier_core import codec
from tablier_core.errors import TablierError
from tablier_service.calls.methods import Method, wire_of
from tablier_service.errors import InvalidField, status_of
from tablier_service.message_json.converter import JsonConverter
from tablier_service.security.sealing import Tokens
from tablier_service.service import Service
from tablier_service.settings import Settings

from loadtests.requests import Request

# The fields that contain tokens.
TOKENS = frozenset({"state", "view_token"})
# The field with the time that a search took.
MEASURED = "milliseconds"
write_status = JsonConverter(status_pb2.Status).to_json


class Disagreement(Exception):
    """The service disagrees with the core, so its answers cannot be expected of anyone."""


class Expected(NamedTuple):
    """The right answer to a request."""

    # Whether the right answer is an error, a google.rpc.Status.
    failed: bool
    # In protobuf and in JSON.
    wire: bytes
    json: bytes
    # How to compare answers that may differ from each other and all be right; None if none may.
    normal: Normal | None = None

    def matches_wire(self, data: bytes) -> bool:
        """Whether an answer in protobuf is right."""
        return data == self.wire or (self.normal is not None and self.normal.matches_wire(data))

    def matches_json(self, data: bytes) -> bool:
        """Whether an answer in JSON is right."""
        return data == self.json or (self.normal is not None and self.normal.matches_json(data))


class Normal(NamedTuple):
    """An answer without nonces and measured times, in which right answers can differ."""

    content: bytes
    message_type: type[Message]
    tokens: Tokens

    @classmethod
    def of(cls, message: Message, tokens: Tokens) -> Normal | None:
        """That of an answer; None if all right answers have the same bytes."""
        if not (tokens.sealed or getattr(message, MEASURED, False)):
            return None
        return cls(normalised(message, tokens), type(message), tokens)

    def matches_wire(self, data: bytes) -> bool:
        """Whether an answer in protobuf is the same."""
        try:
            return normalised(self.message_type.FromString(data), self.tokens) == self.content
        except (DecodeError, TablierError):
            return False

    def matches_json(self, data: bytes) -> bool:
        """Whether an answer in JSON is the same."""
        try:
            message = json_format.Parse(data, self.message_type())
            return normalised(message, self.tokens) == self.content
        except (json_format.ParseError, TablierError):
            return False


def normalised(message: Message, tokens: Tokens) -> bytes:
    """The bytes of a message with its tokens opened and its measured time removed."""
    for holder, name in token_fields(message):
        opened = tokens.open(getattr(holder, name))
        setattr(holder, name, opened.previous + codec.encode(opened.position))
    if hasattr(message, MEASURED):
        message.ClearField(MEASURED)
    return message.SerializeToString(deterministic=True)


def token_fields(message: Message) -> Iterator[tuple[Message, str]]:
    """The fields with a token, in a message and all messages in it."""
    for field, value in message.ListFields():
        if field.name in TOKENS and isinstance(value, bytes):
            yield message, field.name
        elif field.message_type is not None and not field.message_type.GetOptions().map_entry:
            for each in value if field.is_repeated else (value,):
                yield from token_fields(each)


class Oracle:
    """Knows the right answers of a service that seals tokens with `seal_keys`, or does not."""

    def __init__(self, seal_keys: str = "") -> None:
        settings: Any = {"seal_keys": seal_keys} if seal_keys else {"tokens": "plain"}
        self._service = Service.assemble(Settings(**settings))
        self.tokens = self._service.tokens
        self._converters = {
            method.descriptor.name: JsonConverter(method.response_type)
            for method in self._service.methods
        }

    def method(self, call: str) -> Method:
        """A method by name."""
        return self._service.method(call)

    def expect(self, request: Request) -> Expected:
        """Compute the right answer; raises Disagreement if the core says otherwise."""
        method = self.method(request.call)
        try:
            message = request.message
            if isinstance(message, bytes):
                message = method.request_type.FromString(message)
            # The last answer of a stream is the result.
            *_, answer = method.answers(message)
        except DecodeError:
            name = method.descriptor.input_type.full_name
            return failed(InvalidField("", f"the request is not a valid {name}"))
        except TablierError as error:
            return failed(error)
        wire = wire_of(answer)
        check_with_core(message, method.response_type.FromString(wire), self.tokens)
        text = self._converters[request.call].wire_to_json(wire)
        normal = Normal.of(method.response_type.FromString(wire), self.tokens)
        return Expected(False, wire, text, normal)

    def expect_results(self, request: pb.PlayRequest) -> dict[int, Expected]:
        """The right result of every operation of a message, by its id."""
        [answer] = self.method("Play").answers(request)
        found = {}
        for result in pb.PlayResponse.FromString(wire_of(answer)).results:
            wire = result.SerializeToString(deterministic=True)
            found[result.id] = Expected(False, wire, b"", Normal.of(result, self.tokens))
        return found

    def close(self) -> None:
        """Release threads."""
        self._service.close()


def failed(error: TablierError) -> Expected:
    """The right answer to a request that is wrong."""
    status = status_of(error)
    return Expected(True, status.SerializeToString(), write_status(status))


def check_with_core(request: Message, answer: Message, tokens: Tokens) -> None:
    """Raise Disagreement if moves that were listed or played are not those of the core."""
    if isinstance(answer, pb.ApplyMovesResponse) and isinstance(request, pb.ApplyMovesRequest):
        position = tokens.open(request.state).position
        for move in request.moves:
            seat = move.seat if move.HasField("seat") else None
            action = move.action if move.HasField("action") else None
            *_, position = position.play(seat, move.notation, action)
        if tokens.open(answer.state).position.pack() != position.pack():
            raise Disagreement("ApplyMoves")
    if isinstance(answer, pb.EnumerateMovesResponse):
        assert isinstance(request, pb.EnumerateMovesRequest)
        position = tokens.open(request.state).position
        listed = [(each.seat, each.count) for each in answer.seats]
        if listed != [(seat, len(position.moves(seat))) for seat in position.actors]:
            raise Disagreement("EnumerateMoves")


def reason_of(status: status_pb2.Status) -> str:
    """The reason of an error; empty if it has none."""
    info = error_details_pb2.ErrorInfo()
    return next((info.reason for each in status.details if each.Unpack(info)), "")


def may_retry(status: status_pb2.Status) -> bool:
    """Whether an error asks the caller to try again later."""
    return any(each.Is(error_details_pb2.RetryInfo.DESCRIPTOR) for each in status.details)
