"""Cross-origin requests: which web pages of other origins may call over HTTP."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Header = tuple[bytes, bytes]

ANY = "*"
# The headers that a page may send and read, besides those that browsers always allow.
ALLOWED = b", ".join(
    (
        b"authorization, content-type, if-none-match, traceparent, x-api-key, x-request-id",
        b"connect-protocol-version, connect-timeout-ms, grpc-timeout, x-grpc-web, x-user-agent",
    )
)
EXPOSED = b"connect-content-encoding, etag, grpc-encoding, x-request-id"
# How long a browser remembers what a page may do; browsers cap it at two hours or less.
MAX_AGE = b"7200"


class CrossOrigin:
    """Allows pages of some origins, or of any (`*`), to call."""

    def __init__(self, origins: Sequence[str]) -> None:
        self._any = ANY in origins
        self._origins = frozenset(origin.encode() for origin in origins)

    def headers(self, request: Mapping[bytes, bytes]) -> tuple[Header, ...]:
        """The headers of the response to a request; none if it does not come from a page."""
        origin = request.get(b"origin")
        if origin is None:
            return ()
        return (*self._allowed(origin), (b"access-control-expose-headers", EXPOSED))

    def preflight(self, method: str, request: Mapping[bytes, bytes]) -> list[Header] | None:
        """The headers that answer a preflight request of a browser; None for other requests."""
        origin = request.get(b"origin")
        if origin is None or method != "OPTIONS" or b"access-control-request-method" not in request:
            return None
        return [
            *self._allowed(origin),
            (b"access-control-allow-methods", b"GET, HEAD, POST"),
            (b"access-control-allow-headers", ALLOWED),
            (b"access-control-max-age", MAX_AGE),
        ]

    def _allowed(self, origin: bytes) -> tuple[Header, ...]:
        if self._any:
            return ((b"access-control-allow-origin", b"*"),)
        # The response depends on the origin, which caches have to know.
        vary = (b"vary", b"origin")
        if origin in self._origins:
            return (vary, (b"access-control-allow-origin", origin))
        return (vary,)
