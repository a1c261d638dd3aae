"""Reading HTTP requests, and what can be wrong with them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any, NamedTuple

from tablier_service.calls.held import Held
from tablier_service.errors import DeadlinePassed, InvalidField, TooLarge, UnknownRoute
from tablier_service.lifecycle import ClientGone
from tablier_service.transports.http.replies import JSON

# How long the caller will wait, in the format of gRPC, which gateways from HTTP to gRPC read too.
TIMEOUT = b"grpc-timeout"
# The units of a timeout, in seconds.
UNITS = {b"H": 3600.0, b"M": 60.0, b"S": 1.0, b"m": 1e-3, b"u": 1e-6, b"n": 1e-9}
REQUEST_ID = b"x-request-id"
CREDENTIALS = frozenset({b"authorization", b"x-api-key"})

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Headers = Mapping[bytes, bytes]


class PageRequest(NamedTuple):
    """What a page may depend on."""

    headers: Headers
    query: bytes
    # The values in the path.
    values: Mapping[str, str]


class NotJson(InvalidField):
    """The body is not uncompressed JSON."""

    http_status = 415


class TargetTooLong(TooLarge):
    """The path and query string are too long."""

    http_status = 414


class HeadersTooLarge(TooLarge):
    """The headers are too large."""

    http_status = 431


class RequestTimeout(DeadlinePassed):
    """The request did not arrive in time."""

    http_status = 408


class MethodNotAllowed(UnknownRoute):
    """The path exists, but not with this HTTP method."""

    http_status = 405


def is_json(headers: Headers) -> bool:
    """Whether a body is sent as uncompressed JSON."""
    kind = headers.get(b"content-type", b"")
    plain = headers.get(b"content-encoding", b"identity") == b"identity"
    return plain and (kind == JSON or kind.partition(b";")[0].strip().lower() == JSON)


async def read_body(headers: Headers, receive: Receive, limit: int, held: Held) -> bytes:
    """Read a whole body; raises TooLarge or Overloaded as early as possible, and ClientGone."""
    announced = headers.get(b"content-length", b"0")
    # The server has rejected what is not a number. A wrong number is noticed while reading.
    if announced.isdigit() and int(announced[:20]) > limit:
        raise TooLarge("", f"the request has {announced.decode()} bytes; this call accepts {limit}")
    parts = []
    size = 0
    more = True
    while more and size <= limit:
        message = await receive()
        part = message.get("body", b"")
        held.add(len(part))
        parts.append(part)
        size += len(part)
        more = message.get("more_body", False)
    if message["type"] == "http.disconnect":
        raise ClientGone
    if size > limit:
        raise TooLarge("", f"the request has more than the {limit} bytes that this call accepts")
    return b"".join(parts)


def read_timeout(header: bytes) -> float:
    """Parse a grpc-timeout header: up to eight digits and a unit, e.g. `250m`."""
    digits, unit = header[:-1], header[-1:]
    if not (digits.isdigit() and len(digits) <= 8 and unit in UNITS):
        raise InvalidField("", "grpc-timeout must be up to 8 digits and one of H, M, S, m, u, n")
    return int(digits) * UNITS[unit]
