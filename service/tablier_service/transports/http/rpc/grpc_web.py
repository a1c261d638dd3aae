"""The gRPC-Web protocol: messages and trailers in the body, as bytes or as base64."""

from __future__ import annotations

from binascii import b2a_base64
from collections.abc import Iterable
from urllib.parse import quote

from google.rpc import status_pb2

from tablier_service.errors import status_of
from tablier_service.transports.http.cors import Header
from tablier_service.transports.http.envelopes import (
    TRAILERS,
    envelope,
    from_text,
    only_message,
    to_text,
)
from tablier_service.transports.http.replies import Framing, Reply
from tablier_service.transports.http.request import Send
from tablier_service.transports.http.rpc.call import RpcCall
from tablier_service.transports.http.rpc.frames import FrameSender

ACCEPTED_ENCODINGS = b"grpc-accept-encoding"
ENCODING = b"grpc-encoding"
# The characters of a message that are sent as they are: those that can be printed, but for `%`.
PLAIN = "".join(chr(code) for code in range(0x20, 0x7F) if chr(code) != "%")
SUCCEEDED = envelope(b"grpc-status: 0\r\n", TRAILERS)


def trailers(status: status_pb2.Status | None) -> bytes:
    """The envelope with the trailers of a call."""
    if status is None:
        return SUCCEEDED
    details = b2a_base64(status.SerializeToString(), newline=False).rstrip(b"=").decode()
    lines = (
        f"grpc-status: {status.code}\r\n"
        f"grpc-message: {quote(status.message, safe=PLAIN)}\r\n"
        f"grpc-status-details-bin: {details}\r\n"
    )
    return envelope(lines.encode(), TRAILERS)


class GrpcWebCall(RpcCall):
    """A call over gRPC-Web. Its HTTP status is always 200; the trailers say how it has ended."""

    __slots__ = ()

    transport = "grpc-web"
    request_encoding = ENCODING

    def take_message(self, data: bytes, packs: bool) -> tuple[bytes, bool]:
        return only_message(data, packs)

    def write(self, frames: bytes) -> bytes:
        """The bytes that are sent for envelopes."""
        return frames

    def reply(self, content: bytes | None) -> Reply:
        if content is None:
            return self._ended(self.status)
        framing = Framing(ACCEPTED_ENCODINGS, ENCODING, SUCCEEDED, self.write)
        return Reply(200, content, self.endpoint.media_type, framing=framing)

    def refusal(self, error: Exception) -> Reply:
        return self._ended(status_of(error))

    def _ended(self, status: status_pb2.Status | None) -> Reply:
        body = self.write(trailers(status))
        return Reply(200, body, self.endpoint.media_type, plain=True)

    def sender(self, send: Send, headers: Iterable[Header]) -> GrpcWebSender:
        return GrpcWebSender(self, send, headers)


class GrpcWebTextCall(GrpcWebCall):
    """A call whose body and response are base64."""

    __slots__ = ()

    @staticmethod
    def largest_body(limit: int) -> int:
        # Every part may be padded, and a client may send one for the prefix.
        return (RpcCall.largest_body(limit) + 2) // 3 * 4 + 4

    def take_message(self, data: bytes, packs: bool) -> tuple[bytes, bool]:
        return only_message(from_text(data), packs)

    def write(self, frames: bytes) -> bytes:
        return to_text(frames)


class GrpcWebSender(FrameSender):
    """Sends the answers of a call over gRPC-Web."""

    accepted_encodings = ACCEPTED_ENCODINGS
    answer_encoding = ENCODING

    def __init__(self, call: GrpcWebCall, send: Send, headers: Iterable[Header]) -> None:
        super().__init__(call, send, headers)
        self._write = call.write

    def last(self) -> bytes:
        return trailers(self.call.status)

    def write(self, frame: bytes) -> bytes:
        return self._write(frame)
