"""Calls by the name of their method: what Connect and gRPC-Web have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from tablier_service.calls.methods import wire_of
from tablier_service.calls.slices import Work, run_all
from tablier_service.errors import InvalidField, TooLarge
from tablier_service.message_json.bindings import Binding
from tablier_service.observability.tracing import FAULTS
from tablier_service.service import Service
from tablier_service.transports.http.call import HttpCall, HttpEndpoint
from tablier_service.transports.http.envelopes import PREFIX
from tablier_service.transports.http.json_answers import JsonAnswer, JsonAnswers
from tablier_service.transports.http.rpc.compression import decompress, is_packed
from tablier_service.transports.wire_requests import parse_wire


class RpcEndpoint(HttpEndpoint):
    """A method in one protocol and one form of its messages, protobuf or JSON."""

    def __init__(
        self,
        service: Service,
        binding: Binding,
        call_type: type[RpcCall],
        media_type: bytes,
        *,
        in_json: bool,
    ) -> None:
        super().__init__(service, binding.method, has_body=call_type.has_body)
        self.call_type = call_type
        self.max_body = call_type.largest_body(self.max_bytes)
        # The type of answers.
        self.media_type = media_type
        self.read_json = binding.read if in_json else None
        self.write: Callable[[Any], bytes] = wire_of
        if in_json:
            answers = JsonAnswers(binding)
            self.handler = answers.handler
            self.write = answers.write
        self._encoding = call_type.request_encoding

    def unpacks_in_parts(self, headers: Mapping[bytes, bytes]) -> bool:
        return self.method.large and self._encoding in headers


class RpcCall(HttpCall):
    """One call by the name of its method."""

    __slots__ = ()

    endpoint: RpcEndpoint
    has_body: ClassVar[bool] = True
    # The header that says how the message of the request is compressed.
    request_encoding: ClassVar[bytes]

    @staticmethod
    def largest_body(limit: int) -> int:
        """The bytes that a body may have if its message may have as many as the limit."""
        return PREFIX.size + limit

    @abstractmethod
    def take_message(self, data: bytes, packs: bool) -> tuple[bytes, bool]:
        """The message in a body, and whether it is compressed; raises InvalidField.

        `packs` is whether the head says that messages are compressed.
        """

    def _packs(self) -> bool:
        return is_packed(self.head.headers.get(self.request_encoding, b""))

    def unpack(self, body: bytes, hold: Callable[[int], object]) -> Work[bytes] | None:
        return self._unpack(body, hold) if self.endpoint.method.large and self._packs() else None

    def _unpack(self, body: bytes, hold: Callable[[int], object]) -> Work[bytes]:
        message, packed = self.take_message(body, True)
        if packed and message:
            message = yield from decompress(message, self.endpoint.max_bytes, hold)
        return message

    def _message(self, data: bytes) -> bytes:
        """The message in a body, as the caller wrote it; that of a large call is unpacked."""
        packs = self._packs()
        if packs and self.endpoint.method.large:
            return data
        message, packed = self.take_message(data, packs)
        if packed and message:
            return run_all(decompress(message, self.endpoint.max_bytes))
        return message

    def parse(self, data: bytes) -> Any:
        endpoint = self.endpoint
        message = self._message(data)
        if endpoint.read_json is None:
            return parse_wire(self, message)
        if not message:
            raise InvalidField("", "the message must be a JSON object")
        if len(message) > endpoint.max_bytes:
            raise TooLarge.request(len(message), endpoint.max_bytes)
        return endpoint.read_json({}, b"", message)

    def encode(self, answer: JsonAnswer) -> bytes:
        return self.endpoint.write(answer)

    def trace_status(self, code: int) -> tuple[str, int, bool]:
        return "rpc.grpc.status_code", code, code in FAULTS
