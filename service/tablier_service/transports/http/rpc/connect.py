"""The Connect protocol: unary calls by POST and GET, and calls with many answers."""

from __future__ import annotations

from binascii import Error, a2b_base64, b2a_base64
from collections.abc import Iterable
from functools import cache
from typing import Any
from urllib.parse import unquote_to_bytes

import orjson
from google.protobuf.any_pb2 import Any as AnyMessage
from google.rpc import code_pb2, status_pb2

from tablier_service.errors import HTTP_STATUS, InvalidField, TooLarge, status_of
from tablier_service.message_json.bindings import MAX_PARAMETERS
from tablier_service.message_json.converter import JsonConverter
from tablier_service.transports.http.call import ACCEPTED
from tablier_service.transports.http.cors import Header
from tablier_service.transports.http.envelopes import END_OF_STREAM, envelope, only_message
from tablier_service.transports.http.replies import JSON, Reply, etag_of
from tablier_service.transports.http.request import Send
from tablier_service.transports.http.rpc.call import RpcCall
from tablier_service.transports.http.rpc.compression import is_packed
from tablier_service.transports.http.rpc.frames import FrameSender

VERSION_HEADER = b"connect-protocol-version"
VERSION = b"1"
# Milliseconds, in up to ten digits.
MAX_TIMEOUT_DIGITS = 10
VARIES: tuple[Header, ...] = ((b"vary", ACCEPTED),)
# What ends a stream that succeeded.
NO_ERROR = envelope(b"{}", END_OF_STREAM)

describe = JsonConverter(AnyMessage).to_value


def read_timeout_ms(header: bytes) -> float:
    """Parse a Connect-Timeout-Ms header."""
    if not (header.isdigit() and len(header) <= MAX_TIMEOUT_DIGITS):
        raise InvalidField("", "connect-timeout-ms must be up to 10 digits")
    return int(header) / 1000


@cache
def code_name(code: int) -> str:
    """A code in errors, e.g. `invalid_argument`."""
    if code == code_pb2.CANCELLED:
        return "canceled"
    return code_pb2.Code.DESCRIPTOR.values_by_number[code].name.lower()


def error_value(status: status_pb2.Status) -> dict[str, Any]:
    """The JSON value of an error: its details as protobuf and, for people, as JSON."""
    details = []
    for detail in status.details:
        debug = describe(detail)
        del debug["@type"]
        value = b2a_base64(detail.value, newline=False).rstrip(b"=").decode()
        details.append({"type": detail.TypeName(), "value": value, "debug": debug})
    return {"code": code_name(status.code), "message": status.message, "details": details}


class ConnectCall(RpcCall):
    """A unary call by POST."""

    __slots__ = ()

    transport = "connect"
    timeout_header = b"connect-timeout-ms"
    request_encoding = b"content-encoding"

    @staticmethod
    def largest_body(limit: int) -> int:
        return limit

    def read_timeout(self, header: bytes) -> float:
        return read_timeout_ms(header)

    def take_message(self, data: bytes, packs: bool) -> tuple[bytes, bool]:
        return data, packs

    def parse(self, data: bytes) -> Any:
        if self.head.headers.get(VERSION_HEADER, VERSION) != VERSION:
            raise InvalidField("", "connect-protocol-version must be 1")
        return RpcCall.parse(self, data)

    def reply(self, content: bytes | None) -> Reply:
        if content is not None:
            return Reply(200, content, self.endpoint.media_type)
        assert self.status is not None
        return error_reply(self.status)

    def refusal(self, error: Exception) -> Reply:
        return error_reply(status_of(error))

    def sender(self, send: Send, headers: Iterable[Header]) -> ConnectSender:
        raise AssertionError("a unary call has one answer")


def error_reply(status: status_pb2.Status) -> Reply:
    """The response to a unary call that has failed."""
    return Reply(HTTP_STATUS[status.code], orjson.dumps(error_value(status)), JSON)


class ConnectGet(ConnectCall):
    """A unary call by GET, with its message in the query string."""

    __slots__ = ()

    has_body = False
    request_encoding = b""

    def take_message(self, data: bytes, packs: bool) -> tuple[bytes, bool]:
        query = self.head.query
        if len(query) > self.endpoint.max_bytes:
            raise TooLarge.request(len(query), self.endpoint.max_bytes)
        values = read_query(query)
        if values.get(b"connect", b"v1") != b"v1":
            raise InvalidField("connect", "must be v1")
        message = values.get(b"message")
        if message is None:
            raise InvalidField("message", "is missing")
        if values.get(b"base64") == b"1":
            message = read_base64(message)
        return message, is_packed(values.get(b"compression", b""))

    def reply(self, content: bytes | None) -> Reply:
        reply = ConnectCall.reply(self, content)
        if content is None:
            return reply
        headers = VARIES if self.endpoint.has_language else ()
        return reply._replace(headers=headers, etag=etag_of(content))


def read_query(query: bytes) -> dict[bytes, bytes]:
    """The parameters of a query string, as bytes; raises InvalidField."""
    pairs = query.split(b"&", MAX_PARAMETERS)
    if len(pairs) > MAX_PARAMETERS:
        raise InvalidField("", f"the query string has more than {MAX_PARAMETERS} parameters")
    values: dict[bytes, bytes] = {}
    for pair in pairs:
        name, _, value = pair.partition(b"=")
        if name in values:
            raise InvalidField(name.decode("latin-1"), "appears twice")
        values[name] = unquote_to_bytes(value.replace(b"+", b" "))
    return values


def read_base64(text: bytes) -> bytes:
    """Read base64url, padded or not; raises InvalidField."""
    digits = text.replace(b"-", b"+").replace(b"_", b"/").rstrip(b"=")
    try:
        return a2b_base64(digits + b"=" * (-len(digits) % 4), strict_mode=True)
    except Error:
        raise InvalidField("message", "is not base64url") from None


class ConnectStream(ConnectCall):
    """A call with many answers. It fails with the status 200, in the end of the stream."""

    __slots__ = ()

    request_encoding = b"connect-content-encoding"
    largest_body = staticmethod(RpcCall.largest_body)

    def take_message(self, data: bytes, packs: bool) -> tuple[bytes, bool]:
        return only_message(data, packs)

    def reply(self, content: bytes | None) -> Reply:
        assert content is None
        assert self.status is not None
        return self._ended(end_of_stream(self.status))

    def refusal(self, error: Exception) -> Reply:
        return self._ended(end_of_stream(status_of(error)))

    def _ended(self, body: bytes) -> Reply:
        return Reply(200, body, self.endpoint.media_type, plain=True)

    def sender(self, send: Send, headers: Iterable[Header]) -> ConnectSender:
        return ConnectSender(self, send, headers)


def end_of_stream(status: status_pb2.Status) -> bytes:
    """What ends a stream that has failed."""
    return envelope(orjson.dumps({"error": error_value(status)}), END_OF_STREAM)


class ConnectSender(FrameSender):
    """Sends the answers of a ConnectStream."""

    accepted_encodings = b"connect-accept-encoding"
    answer_encoding = b"connect-content-encoding"

    def last(self) -> bytes:
        status = self.call.status
        return NO_ERROR if status is None else end_of_stream(status)
