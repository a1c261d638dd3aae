"""Pages of other origins: which may call from a browser, where any may.

It stands around the door, so that a service that allows none, the default, pays nothing for it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

ANY = "*"
# What a page may send beside the headers that browsers always allow, and what it may read.
ALLOWED = b"authorization, content-type, if-none-match, traceparent, x-api-key, x-request-id"
EXPOSED = b"etag, x-request-id"
# How long a browser remembers what it may do; browsers cap it at two hours or less.
MAX_AGE = b"7200"


class CrossOrigin:
    """An ASGI application that also serves pages of some origins, or of any (`*`)."""

    def __init__(self, application: Application, origins: tuple[str, ...]) -> None:
        self._application = application
        self._any = ANY in origins
        self._origins = frozenset(origin.encode() for origin in origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request; a browser's question before it is answered here."""
        headers = dict(scope.get("headers", ()))
        origin = headers.get(b"origin")
        if origin is None or scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        # An answer depends on the origin unless all are told the same.
        told = [] if self._any else [(b"vary", b"origin")]
        if self._any or origin in self._origins:
            told.append((b"access-control-allow-origin", b"*" if self._any else origin))
        if scope["method"] == "OPTIONS" and b"access-control-request-method" in headers:
            told += [
                (b"access-control-allow-methods", b"GET, HEAD, POST"),
                (b"access-control-allow-headers", ALLOWED),
                (b"access-control-max-age", MAX_AGE),
            ]
            await send({"type": "http.response.start", "status": 204, "headers": told})
            await send({"type": "http.response.body", "body": b""})
            return
        told.append((b"access-control-expose-headers", EXPOSED))

        async def send_told(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *told]
            await send(message)

        await self._application(scope, receive, send_told)


def allow_origins(application: Application, origins: str) -> Application:
    """The application for a list of origins with commas between; itself where there is none."""
    named = tuple(origin.strip() for origin in origins.split(",") if origin.strip())
    return CrossOrigin(application, named) if named else application
