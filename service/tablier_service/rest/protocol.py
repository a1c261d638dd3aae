"""uvicorn's HTTP protocol, with a short way for plain requests whose answer is there at once.

For each request uvicorn makes a task, which begins a turn of the event loop later and hears of the
body through an event: more than half of what a cheap call costs. Here such a call is answered from
the callback that completes its request. All else goes uvicorn's way, which alone can wait, stream
and refuse; a request can turn out to need it at any point, and is then given to it from the start.
"""

from __future__ import annotations

from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from tablier_service.errors import InvalidField, status_of
from tablier_service.rest.call import Call, failure
from tablier_service.rest.door import RestDoor

# Larger requests are read by the call itself, which may refuse them before all of it has come.
MAX_BODY = 32 * 1024


class PromptProtocol(HttpToolsProtocol):
    """Answers at once, or lets uvicorn do it."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        # What stands around a door has to see every request, and has no short way.
        self._door = self.app if isinstance(self.app, RestDoor) else None
        # The call that a request under way is for, while it may still be answered at once.
        self._call: Call | None = None
        self._parts: list[bytes] = []
        self._size = 0
        self._last = False

    def on_headers_complete(self) -> None:
        if self._door is not None and self._is_plain():
            path, _, self._query = self.url.partition(b"?")
            self._call = self._door.quick_call(self.parser.get_method(), path)
        if self._call is None:
            super().on_headers_complete()
            return
        self._parts = []
        self._size = 0

    def _is_plain(self) -> bool:
        busy = self.cycle is not None and not self.cycle.response_complete
        return not (
            busy
            or self.flow.write_paused
            or self.expect_100_continue
            or self.parser.should_upgrade()
            or self.parser.get_http_version() != "1.1"
            or b"#" in self.url
        )

    def on_body(self, body: bytes) -> None:
        if self._call is None:
            super().on_body(body)
            return
        self._parts.append(body)
        self._size += len(body)
        if self._size > MAX_BODY:
            self._leave_to_uvicorn()

    def on_message_complete(self) -> None:
        call = self._call
        if call is None or self._door is None:
            super().on_message_complete()
            return
        body = self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)
        answer = self._door.at_once(call, dict(self.headers), self._query, body)
        if answer is None:
            self._leave_to_uvicorn()
            super().on_message_complete()
            return
        self._call = None
        status, content, headers = answer
        last = self._last or self._door.leaving or not self.parser.should_keep_alive()
        lines = [STATUS_LINE[status]]
        for name, value in (*self.server_state.default_headers, *headers):
            lines += (name, b": ", value, b"\r\n")
        lines += (b"connection: close\r\n\r\n" if last else b"\r\n", content)
        self.transport.write(b"".join(lines))
        if last:
            self.transport.close()
        self.on_response_complete()

    def _leave_to_uvicorn(self) -> None:
        """Give uvicorn what has come so far, as if it came now."""
        self._call = None
        super().on_headers_complete()
        for part in self._parts:
            super().on_body(part)
        if self._last:
            super().shutdown()

    def shutdown(self) -> None:
        """A request that is coming in is still answered, as the connection's last."""
        self._last = True
        if self._call is None:
            super().shutdown()

    def send_400_response(self, msg: str) -> None:
        """The answer to what is no HTTP: a status, as all failures are."""
        body = failure(status_of(InvalidField("", msg))).body
        head = b"content-type: application/json\r\ncontent-length: %d\r\n" % len(body)
        lines = (STATUS_LINE[400], head, b"connection: close\r\n\r\n", body)
        self.transport.write(b"".join(lines))
        self.transport.close()
