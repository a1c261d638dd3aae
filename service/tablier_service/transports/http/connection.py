"""uvicorn's HTTP protocol, with a short way for plain requests whose answer is there at once.

For each request uvicorn makes a task, which begins a turn of the event loop later and hears of the
body through an event: more than half of what a cheap call costs. Here such a call is answered from
the callback that completes its request. All else goes uvicorn's way, which alone can wait, stream
and refuse; a request can turn out to need it at any point, and is then given to it from the start.

A client sends the same head again and again, so the bytes of a head that was answered at once are
kept with their meaning, and when they come again nothing of them is parsed.
"""

from __future__ import annotations

import asyncio
from typing import Any, NoReturn

from tablier_core.errors import TablierError
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from tablier_service.errors import DeadlinePassed, InvalidField, TooLarge, status_of
from tablier_service.security.tls import names_in
from tablier_service.settings import Settings
from tablier_service.transports.http.application import KnownHead, RestDoor
from tablier_service.transports.http.call import Call, failure
from tablier_service.transports.http.replies import Header

# Larger requests are read by the call itself, which may refuse them before all of it has come.
MAX_BODY = 32 * 1024
# How many heads are kept, of how many bytes each.
MAX_HEADS = 512
MAX_HEAD = 1024
BLANK_LINE = b"\r\n\r\n"
# The longest request target that httptools can take apart.
MAX_TARGET = 65535


class Connection(HttpToolsProtocol):
    """Answers at once, or lets uvicorn do it. A head is limited in size and time."""

    def __init__(self, settings: Settings, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._settings = settings
        # What stands around a door has to see every request, and has no short way.
        self._door = self.app if isinstance(self.app, RestDoor) else None
        self._names: list[str] = []
        # Until the first head is complete.
        self._hurry: asyncio.TimerHandle | None = None
        # Whether the next byte begins a request, and what came with that byte.
        self._between = True
        self._chunk = b""
        # Bytes that the head under way may still have; what to answer if it is not just no HTTP.
        self._room = 0
        self._refusal: tuple[int, TablierError] | None = None
        # While a request has come in part only.
        self._patience: asyncio.TimerHandle | None = None
        # The call that a request under way is for, while it may still be answered at once.
        self._call: Call | None = None
        self._parts: list[bytes] = []
        self._size = 0
        self._last = False
        self._answered = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        certificate = transport.get_extra_info("peercert")
        self._names = names_in(certificate) if certificate else []
        self._hurry = self.loop.call_later(self._settings.handshake_seconds, transport.close)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_hurrying()
        self._stop_waiting()
        super().connection_lost(exc)

    def _stop_hurrying(self) -> None:
        if self._hurry is not None:
            self._hurry.cancel()
            self._hurry = None

    def data_received(self, data: bytes) -> None:
        if self._between and self._door is not None:
            if self._answer_known(data, self._door):
                return
            self._chunk = data
        else:
            self._chunk = b""
        super().data_received(data)
        if self._between:
            self._stop_waiting()
        elif self._patience is None:
            seconds = self._settings.max_idle_seconds
            self._patience = self.loop.call_later(seconds, self._give_up, seconds)

    def _stop_waiting(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None

    def _give_up(self, seconds: float) -> None:
        """End a connection whose request does not come to its end."""
        late = DeadlinePassed("", f"the request did not come in {seconds:g} seconds")
        self._refusal = 408, late
        self.send_400_response(late.message)

    def _answer_known(self, data: bytes, door: RestDoor) -> bool:
        """Answer a whole request whose head was seen before, if it has come and that can be."""
        end = data.find(BLANK_LINE) + len(BLANK_LINE)
        head = door.heads.get(data[:end])
        if (
            head is None
            or len(data) != end + head.length
            or self._last
            or door.leaving
            or self._busy()
        ):
            return False
        answer = door.at_once(head.call, head.headers, head.query, data[end:])
        if answer is None:
            return False
        self._send(answer)
        return True

    def _busy(self) -> bool:
        """Whether another answer has to go out first."""
        cycle = self.cycle
        return (cycle is not None and not cycle.response_complete) or self.flow.write_paused

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._between = False
        self._room = self._settings.max_metadata_bytes
        if self._names:
            self.scope["certificate_names"] = self._names  # type: ignore[typeddict-unknown-key]

    def on_url(self, url: bytes) -> None:
        # The call says itself how long its query may be; this is for what no call takes.
        most = min(2 * self._settings.max_request_bytes, MAX_TARGET)
        if len(self.url) + len(url) > most:
            self._refuse(414, f"the request's target has more than {most} bytes; use POST")
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._room -= len(name) + len(value)
        if self._room < 0:
            most = self._settings.max_metadata_bytes
            self._refuse(431, f"the request's headers have more than {most} bytes")
        super().on_header(name, value)

    def _refuse(self, http_status: int, message: str) -> NoReturn:
        """End a request before it has a call that could answer it."""
        error = TooLarge("", message)
        self._refusal = http_status, error
        # To the parser, which gives up what it reads; uvicorn then asks for an answer below.
        raise error

    def on_headers_complete(self) -> None:
        self._stop_hurrying()
        if self._door is not None and self._is_plain():
            path, _, self._query = self.url.partition(b"?")
            self._call = self._door.quick_call(self.parser.get_method(), path)
        if self._call is None:
            super().on_headers_complete()
            return
        self._parts = []
        self._size = 0

    def _is_plain(self) -> bool:
        return not (
            self._busy()
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
        self._between = True
        call = self._call
        if call is None or self._door is None:
            super().on_message_complete()
            return
        body = self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)
        headers = dict(self.headers)
        answer = self._door.at_once(call, headers, self._query, body)
        if answer is None:
            self._leave_to_uvicorn()
            super().on_message_complete()
            return
        self._call = None
        last = self._last or self._door.leaving or not self.parser.should_keep_alive()
        if not last:
            self._remember(KnownHead(call, headers, self._query, len(body)), self._door.heads)
        self._send(answer, last)

    def _remember(self, head: KnownHead, heads: dict[bytes, KnownHead]) -> None:
        """Keep the bytes of a head, if they came together with all of its request and no more."""
        end = self._chunk.find(BLANK_LINE) + len(BLANK_LINE)
        if end <= MAX_HEAD and len(self._chunk) == end + head.length:
            if len(heads) == MAX_HEADS:
                # Heads that differ with every request would fill it for ever.
                heads.clear()
            heads[self._chunk[:end]] = head

    def _send(self, answer: tuple[int, bytes, list[Header]], last: bool = False) -> None:
        status, content, headers = answer
        lines = [STATUS_LINE[status]]
        for name, value in (*self.server_state.default_headers, *headers):
            lines += (name, b": ", value, b"\r\n")
        lines += (b"connection: close\r\n\r\n" if last else b"\r\n", content)
        self.transport.write(b"".join(lines))
        self.server_state.total_requests += 1
        self._answered = self.loop.time()
        if last:
            self.transport.close()
        elif self.timeout_keep_alive_task is None:
            self._wait_until_idle(self.timeout_keep_alive)

    def _wait_until_idle(self, seconds: float) -> None:
        self.timeout_keep_alive_task = self.loop.call_later(
            seconds, self.timeout_keep_alive_handler
        )

    def timeout_keep_alive_handler(self) -> None:
        """Close what is idle. A timer for every answer would cost more than to look again."""
        left = self._answered + self.timeout_keep_alive - self.loop.time()
        if left > 0:
            self._wait_until_idle(left)
        else:
            super().timeout_keep_alive_handler()

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
        """The answer to what is no request, or none that can be taken: a status, as always."""
        http_status, error = self._refusal or (400, InvalidField("", msg))
        body = failure(status_of(error)).body
        head = b"content-type: application/json\r\ncontent-length: %d\r\n" % len(body)
        lines = (STATUS_LINE[http_status], head, b"connection: close\r\n\r\n", body)
        self.transport.write(b"".join(lines))
        self.transport.close()
