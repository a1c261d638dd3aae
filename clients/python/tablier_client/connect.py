"""The Connect protocol: requests as HTTP, and answers and failures from it; for both clients."""

from __future__ import annotations

import json
import math
import re
import ssl
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from struct import Struct
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import grpc
from google.protobuf import any_pb2, json_format, message_factory
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from google.protobuf.message import DecodeError, Message
from google.rpc import error_details_pb2, status_pb2  # noqa: F401 (registers the details)

from tablier_client.errors import (
    BY_CODE,
    CODES,
    DeadlineExceeded,
    ServiceFault,
    TablierError,
    Unavailable,
    UnknownRoute,
    from_status,
)
from tablier_client.fields import invalid
from tablier_client.http1 import NotHttp, Response

PREFIX = Struct(">BI")
END_OF_STREAM = 2
UNARY_TYPE, STREAM_TYPE = "application/proto", "application/connect+proto"
# What the deadline of a call may be, in milliseconds: up to ten digits.
MAX_TIMEOUT_MS = 9_999_999_999
PORTS = {"http": 80, "https": 443}

CONNECT_CODES: Mapping[str, grpc.StatusCode] = {
    "canceled" if code is grpc.StatusCode.CANCELLED else code.name.lower(): code
    for code in grpc.StatusCode
}
NUMBERS = {code: number for number, code in CODES.items()}

# What answers mean that are not from the service, but from a proxy in front of it.
BY_HTTP_STATUS: Mapping[int, grpc.StatusCode] = {
    401: grpc.StatusCode.UNAUTHENTICATED,
    403: grpc.StatusCode.PERMISSION_DENIED,
    404: grpc.StatusCode.UNIMPLEMENTED,
    408: grpc.StatusCode.DEADLINE_EXCEEDED,
    429: grpc.StatusCode.UNAVAILABLE,
    502: grpc.StatusCode.UNAVAILABLE,
    503: grpc.StatusCode.UNAVAILABLE,
    504: grpc.StatusCode.UNAVAILABLE,
}


class Place(NamedTuple):
    """Where a service listens, from a URL."""

    scheme: str
    host: str
    port: int
    # Before the path of a call, for a service behind a proxy.
    prefix: str

    @property
    def authority(self) -> str:
        """The host and port as a request names them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"


def is_url(address: object) -> bool:
    """Whether an address is that of a service over Connect."""
    return isinstance(address, str) and bool(re.match(r"https?://", address, re.IGNORECASE))


def read_url(address: str, source: str) -> Place:
    """Read the URL of a service; raises InvalidField."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError as error:
        raise invalid(source, f"{address!r} is not a URL: {error}") from None
    if parts.username is not None:
        # Without the URL, which contains a password.
        raise invalid(source, "the URL has a user: pass api_key= or metadata= instead")
    host, path = parts.hostname or "", parts.path.rstrip("/")
    if not host or parts.query or parts.fragment or port == 0:
        raise invalid(source, f"{address!r} is not a URL such as 'http://127.0.0.1:8080'")
    if not re.fullmatch(r"[!-~]+", host + (path or "/")):
        raise invalid(source, f"{address!r} is not a URL such as 'http://127.0.0.1:8080'")
    return Place(parts.scheme, host, port or PORTS[parts.scheme], path)


class Method:
    """A method of the protocol over Connect: writes requests and reads answers."""

    def __init__(
        self,
        descriptor: MethodDescriptor,
        place: Place,
        metadata: Sequence[tuple[str, str | bytes]],
    ) -> None:
        self.name = descriptor.name
        self.streaming = bool(descriptor.server_streaming)
        self._answer_type = message_factory.GetMessageClass(descriptor.output_type)
        service = descriptor.containing_service.full_name
        kind = STREAM_TYPE if self.streaming else UNARY_TYPE
        lines = [
            f"POST {place.prefix}/{service}/{descriptor.name} HTTP/1.1",
            f"host: {place.authority}",
            f"content-type: {kind}",
            "connect-protocol-version: 1",
            *(f"{name}: {header_value(value)}" for name, value in metadata),
        ]
        self._head = "\r\n".join(lines).encode()

    def write(self, request: Message, timeout: float | None) -> bytes:
        """The bytes of a request that may take `timeout` seconds; raises DeadlineExceeded."""
        data = request.SerializeToString()
        if self.streaming:
            data = PREFIX.pack(0, len(data)) + data
        deadline = b""
        if timeout is not None:
            milliseconds = math.ceil(timeout * 1000)
            if milliseconds <= 0:
                raise late()
            deadline = b"\r\nconnect-timeout-ms: %d" % min(milliseconds, MAX_TIMEOUT_MS)
        return b"%s%s\r\ncontent-length: %d\r\n\r\n%s" % (self._head, deadline, len(data), data)

    def read(self, response: Response) -> Message:
        """The answer in a complete response; raises TablierError."""
        body = response.take()
        if response.status != 200 or response.headers.get("content-type") != UNARY_TYPE:
            raise failure(response, body)
        return self.parse(body)

    def parse(self, data: bytes) -> Message:
        """Read one answer; raises ServiceFault."""
        try:
            return self._answer_type.FromString(data)
        except DecodeError:
            raise ServiceFault(
                "the answer is not a valid message", code=grpc.StatusCode.INTERNAL
            ) from None


class Envelopes:
    """The answers of a stream, from the bytes of its body."""

    def __init__(self, method: Method) -> None:
        self._method = method
        self._unread = b""
        self.ended = False

    def feed(self, data: bytes) -> Iterator[Message]:
        """Yield the answers that are complete; raises TablierError if the stream has failed."""
        unread = self._unread + data
        at = 0
        while len(unread) - at >= PREFIX.size:
            flags, length = PREFIX.unpack_from(unread, at)
            if len(unread) - at - PREFIX.size < length:
                break
            content = unread[at + PREFIX.size : at + PREFIX.size + length]
            at += PREFIX.size + length
            if flags & END_OF_STREAM:
                self.ended = True
                error = json_object(content).get("error")
                if error is not None:
                    raise from_status(read_error(error))
            else:
                self._unread = unread[at:]
                yield self._method.parse(content)
        self._unread = unread[at:]

    def end(self) -> None:
        """Raise NotHttp unless the stream has ended."""
        if not self.ended:
            raise NotHttp("the stream of answers was cut off")


def methods_of(
    services: Sequence[ServiceDescriptor],
    place: Place,
    metadata: Sequence[tuple[str, str | bytes]],
) -> Iterator[Method]:
    """The methods of services, but for streams of requests, which HTTP/1.1 has not."""
    for service in services:
        for descriptor in service.methods:
            if not descriptor.client_streaming:
                yield Method(descriptor, place, metadata)


def has_failed(response: Response) -> bool:
    """Whether a response to a call with many answers has none."""
    return response.status != 200 or response.headers.get("content-type") != STREAM_TYPE


def header_value(value: str | bytes) -> str:
    """Write metadata as a header; that with bytes has a name that ends with `-bin`."""
    return value if isinstance(value, str) else b64encode(value).decode().rstrip("=")


def json_object(data: bytes) -> dict[str, Any]:
    """Read a JSON object; empty if it is not one."""
    with suppress(ValueError, RecursionError):
        value = json.loads(data)
        if isinstance(value, dict):
            return value
    return {}


def read_error(error: Any) -> status_pb2.Status:
    """Read an error of Connect; whatever is malformed in it is left out."""
    value = error if isinstance(error, dict) else {}
    code = CONNECT_CODES.get(str(value.get("code")), grpc.StatusCode.UNKNOWN)
    status = status_pb2.Status(code=NUMBERS[code], message=str(value.get("message", "")))
    details = value.get("details")
    for detail in details if isinstance(details, list) else ():
        with suppress(KeyError, TypeError, NotBase64, ValueError):
            content = detail["value"]
            status.details.append(
                any_pb2.Any(
                    type_url="type.googleapis.com/" + detail["type"],
                    value=b64decode(content + "=" * (-len(content) % 4), validate=True),
                )
            )
    return status


def failure(response: Response, body: bytes) -> TablierError:
    """The error of a call that was answered without an answer."""
    value = json_object(body)
    if isinstance(value.get("code"), str):
        return from_status(read_error(value))
    if isinstance(value.get("code"), int):
        # What the service answers to requests whose call it does not know.
        with suppress(json_format.ParseError):
            return from_status(json_format.ParseDict(value, status_pb2.Status()))
    if response.status == 200:
        return UnknownRoute(
            "the server speaks HTTP, but not Connect: it is not Tablier, or an older version of it",
            code=grpc.StatusCode.UNIMPLEMENTED,
        )
    code = BY_HTTP_STATUS.get(response.status, grpc.StatusCode.UNKNOWN)
    message = f"the server answered with the HTTP status {response.status}"
    return BY_CODE.get(code, TablierError)(message, code=code)


def late() -> DeadlineExceeded:
    """The error of a call whose answer did not arrive in time."""
    return DeadlineExceeded(
        "the answer did not arrive in time", code=grpc.StatusCode.DEADLINE_EXCEEDED
    )


def explain(place: Place, error: Exception) -> Exception:
    """The error of a call, for what went wrong on its connection."""
    if isinstance(error, TimeoutError):
        return late()
    if isinstance(error, OSError | NotHttp):
        return unreachable(place, error)
    return error


def unreachable(place: Place, error: Exception) -> TablierError:
    """The error of a call that could not be sent, or whose answer was lost."""
    where = place.authority if place.port != PORTS[place.scheme] else f"{place.host}:{place.port}"
    if isinstance(error, ConnectionRefusedError):
        message = (
            f"no server listens on {where}: start one with `tablier serve`, or check the address "
            "and the port"
        )
    elif isinstance(error, ssl.SSLCertVerificationError):
        message = (
            f"the certificate of {where} is not trusted ({error.verify_message}): pass ca_file= "
            "with the certificate of its authority"
        )
    elif isinstance(error, ssl.SSLError):
        message = f"{where} does not speak TLS like this client: {error.reason or error}"
    else:
        message = f"the connection to {where} failed: {error or type(error).__name__}"
    return Unavailable(message, code=grpc.StatusCode.UNAVAILABLE)
