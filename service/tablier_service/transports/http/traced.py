"""The REST door with a span for every call."""

from __future__ import annotations

from typing import Any

from tablier_service.observability.tracing import CARRIERS, Tracing
from tablier_service.transports.http.application import RestDoor
from tablier_service.transports.http.call import Call
from tablier_service.transports.http.replies import Reply
from tablier_service.transports.http.request import Disconnected, Exchange

CLIENT_CLOSED_REQUEST = 499


class TracedDoor(RestDoor):
    """A RestDoor that reports to OpenTelemetry."""

    def __init__(self, tracing: Tracing, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._tracing = tracing

    def quick_call(self, http_method: bytes, path: bytes) -> Call | None:
        """None: every call has to come the way on which it gets its span."""
        return None

    async def _admit(self, target: Call, exchange: Exchange) -> Reply | None:
        headers = exchange.headers
        known = {name: headers.get(name.encode(), b"").decode("latin-1") for name in CARRIERS}
        span = self._tracing.begin(target.descriptor, "http", known)
        status = 500
        try:
            reply = await super()._admit(target, exchange)
            # What was sent event by event had begun well.
            status = 200 if reply is None else reply.status
        except Disconnected:
            status = CLIENT_CLOSED_REQUEST
            raise
        finally:
            code = "http.response.status_code"
            self._tracing.end(span, code, status, failed=status >= 500)
        return reply
