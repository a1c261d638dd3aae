"""One HTTP request under way, and the way back to its caller."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from tablier_service.calls.limits import read_timeout
from tablier_service.errors import TooLarge
from tablier_service.security.authentication import credential_in

# How long the caller will wait, in gRPC's own form; gateways from HTTP to gRPC read it too.
TIMEOUT = b"grpc-timeout"

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class Disconnected(Exception):
    """The caller went away before its answer was complete."""


@dataclass(slots=True)
class Exchange:
    """What ASGI tells of a request, and what the door finds out about it."""

    scope: Scope
    headers: dict[bytes, bytes]
    request_id: bytes
    receive: Receive
    send: Send
    # The variable parts of its path, by the names of the fields that they fill; the router's find.
    values: Mapping[str, str] = field(init=False)

    @property
    def query(self) -> bytes:
        """The query string."""
        query: bytes = self.scope["query_string"]
        return query

    def deadline(self) -> float | None:
        """When the caller stops waiting, on the clock of perf_counter; None if it does not say."""
        if TIMEOUT not in self.headers:
            return None
        return perf_counter() + read_timeout(self.headers[TIMEOUT])

    def shown(self) -> tuple[bytes, list[str]]:
        """What it shows to say who makes it: a credential, and the names of its certificate."""
        credential = credential_in(self.scope["headers"], (b"authorization", b"x-api-key"))
        return credential, self.scope.get("certificate_names", [])

    async def body(self, limit: int) -> bytes:
        """The whole body; raises TooLarge as soon as it is known to be."""
        announced = self.headers.get(b"content-length", b"0")
        # What is no number has been refused by the server; a wrong one is caught while reading.
        if announced.isdigit() and int(announced[:20]) > limit:
            announced_bytes = announced.decode()
            raise TooLarge("", f"the request has {announced_bytes} bytes; this call takes {limit}")
        parts = []
        size = 0
        more = True
        while more and size <= limit:
            message = await self.receive()
            part = message.get("body", b"")
            parts.append(part)
            size += len(part)
            more = message.get("more_body", False)
        if message["type"] == "http.disconnect":
            raise Disconnected
        if size > limit:
            raise TooLarge(
                "", f"the request has more than {limit} bytes, which is what this call takes"
            )
        return b"".join(parts)
