"""HTTP connections: uvicorn's protocol, with a fast path for calls that are answered at once.

For every request, uvicorn makes a task that starts one turn of the event loop later and receives
the body through an event: more than half of the cost of a cheap call. Here, a call is started by
the callback that completes its request, and answered there if it does not have to wait, whether it
succeeds or fails. Uvicorn takes over calls that wait, and all other requests. It can take over at
any point and then gets the call in the state that it is in, so no call runs twice.

Clients send the same head again and again. The connection remembers the heads of requests that it
has answered, and does not parse them again. The caller is still authenticated for every request.
"""

from __future__ import annotations

import asyncio
from time import perf_counter
from typing import Any, NoReturn

from tablier_core.drawing import counted
from tablier_core.errors import TablierError
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from tablier_service.calls.slices import SLICE_SECONDS
from tablier_service.errors import InvalidField, Overloaded
from tablier_service.security.callers import Peer
from tablier_service.security.tls import names_in
from tablier_service.transports.http.application import (
    PEER,
    STARTED_CALL,
    HttpApplication,
)
from tablier_service.transports.http.call import HttpCall, RequestHead, failure
from tablier_service.transports.http.pages import HEALTH_PATHS
from tablier_service.transports.http.replies import EVERY_RESPONSE, JSON, Response
from tablier_service.transports.http.request import (
    HeadersTooLarge,
    RequestTimeout,
    TargetTooLong,
)
from tablier_service.transports.http.unread import MAX_UNSENT, UnreadTimeout

# How long a connection beyond the limits may take to send its only request.
SPARE_SECONDS = 2.0
# Larger bodies are left to uvicorn: the call can be rejected before all of it has arrived.
MAX_BODY = 32 * 1024
# The number and size of the heads that are remembered.
MAX_HEADS = 512
MAX_HEAD = 1024
BLANK_LINE = b"\r\n\r\n"
# Data is parsed in blocks of this size, each with few enough requests, and so much may wait.
BLOCK = 2048
MAX_UNFED = 1024 * 1024
# The longest request target that httptools can parse.
MAX_TARGET = 65535


class Connection(HttpToolsProtocol):
    """Answers calls at once if possible, and limits the size and time of requests."""

    def __init__(self, application: HttpApplication, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._application = application
        self._authentication = application.service.authentication
        self.settings = application.service.settings
        self._peer = Peer("")
        # Whether the connection is beyond the limits, and may only ask for health.
        self._spare = False
        # Runs until the first head is complete.
        self._handshake_timeout: asyncio.TimerHandle | None = None
        # Runs while a request has arrived in part.
        self._read_timeout: asyncio.TimerHandle | None = None
        # Whether the next byte begins a request, and the data that began the current one.
        self._between = True
        self._chunk = b""
        # Data that waits to be parsed.
        self._unfed = b""
        # The bytes that the headers of the current request may still have, and why it is rejected.
        self._room = 0
        self._rejection: TablierError | None = None
        # The head of the current request, while it may still be answered here; its call, if that
        # has been started already; and its body so far.
        self._head: RequestHead | None = None
        self._call: HttpCall | None = None
        self._parts: list[bytes] = []
        self._size = 0
        # Whether the connection ends with the current request.
        self._closing = False
        self._answered_at = 0.0

    def admit(self, transport: asyncio.Transport) -> None:
        """Count the connection, before its TLS handshake if it has one."""
        # A Unix socket has neither an address nor a port.
        address, port = (transport.get_extra_info("peername") or ("", id(self)))[:2]
        self._peer = Peer(f"{address}:{port}")
        # What `abort` has to end.
        self.transport = transport
        self._spare = not self._application.connections.enter(self, address)
        # A spare connection ends with its first request.
        self._closing = self._spare

    def abort(self) -> None:
        """End the connection at once."""
        self.transport.abort()

    def leave(self) -> None:
        """Count the connection no more."""
        self._application.connections.leave(self)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._unread = UnreadTimeout(transport, self.settings.send_seconds)
        if not self._peer.connection:
            self.admit(transport)
        certificate = transport.get_extra_info("peercert")
        if certificate:
            self._peer = self._peer._replace(certificate_names=names_in(certificate))
        seconds = self.settings.handshake_seconds
        if self._spare:
            seconds = min(seconds, SPARE_SECONDS)
        self._handshake_timeout = self.loop.call_later(seconds, transport.close)

    def connection_lost(self, exc: Exception | None) -> None:
        self.leave()
        self._unfed = b""
        self._stop_handshake_timeout()
        self._stop_read_timeout()
        self._unread.stop()
        if self._call is not None:
            # The rest of its body will not come.
            self._call.cancel()
            self._call = None
        super().connection_lost(exc)

    def _stop_handshake_timeout(self) -> None:
        if self._handshake_timeout is not None:
            self._handshake_timeout.cancel()
            self._handshake_timeout = None

    def _stop_read_timeout(self) -> None:
        if self._read_timeout is not None:
            self._read_timeout.cancel()
            self._read_timeout = None

    def pause_writing(self) -> None:
        super().pause_writing()
        self._unread.start()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._unread.stop()

    def data_received(self, data: bytes) -> None:
        if self._unfed:
            self._wait_with(self._unfed + data)
            return
        if self._between:
            if self._answer_known(data):
                return
            self._chunk = data
        else:
            self._chunk = b""
        if len(data) <= BLOCK:
            super().data_received(data)
        else:
            self._feed(data)
        if self._between:
            self._stop_read_timeout()
            return
        if self._head is not None and self._call is None:
            # The body is still to come: authenticate before reading on.
            self._call = self._head.endpoint.call_type(self._head, self._peer)
            if not self._call.admit():
                self._hand_over()
        if self._read_timeout is None:
            seconds = self.settings.request_seconds
            self._read_timeout = self.loop.call_later(seconds, self._time_out, seconds)

    def _feed(self, data: bytes) -> None:
        """Parse data that may contain many requests, as far as time allows."""
        end = perf_counter() + SLICE_SECONDS
        for start in range(0, len(data), BLOCK):
            if self.transport.is_closing():
                return
            # Requests behind one that waits for its turn can wait, too.
            if self.pipeline or perf_counter() > end:
                self._wait_with(data[start:])
                if not self.pipeline:
                    self.loop.call_soon(self._feed_on)
                return
            super().data_received(data[start : start + BLOCK])

    def _wait_with(self, data: bytes) -> None:
        """Keep data until the requests before it are answered, and read no more."""
        self._unfed = data
        self.flow.pause_reading()
        if len(data) > MAX_UNFED:
            self.transport.abort()

    def _feed_on(self) -> None:
        """Parse the data that had to wait."""
        data, self._unfed = self._unfed, b""
        if data and not self.transport.is_closing():
            self.flow.resume_reading()
            self.data_received(data)

    def _time_out(self, seconds: float) -> None:
        """End a connection whose request does not arrive in time."""
        error = RequestTimeout(
            "", f"the request did not arrive within {counted(seconds, 'second', 'g')}"
        )
        if self._call is not None:
            self._call.fail(error)
            self._call = None
        self._rejection = error
        self.send_400_response(error.message)

    def _answer_known(self, data: bytes) -> bool:
        """Answer a request that has arrived completely and whose head is remembered."""
        application = self._application
        end = data.find(BLANK_LINE) + len(BLANK_LINE)
        known = application.known_heads.get(application.head_key(data[:end]))
        if (
            known is None
            or len(data) != end + known.length
            or self._closing
            or application.draining
            or self._busy()
        ):
            return False
        caller = None
        if known.digest:
            caller = self._authentication.recall(known.digest)
            if caller is None:
                # Unknown by now, expired, or to be verified again: that needs the credential.
                return False
        call = known.head.endpoint.call_type(known.head, self._peer, caller)
        response = application.respond(call, data[end:])
        if response is None:
            # It has to wait. Once parsed, the request is taken over by uvicorn with this call.
            self._call = call
            return False
        if self._handshake_timeout is not None:
            self._stop_handshake_timeout()
        self._send(response)
        return True

    def _busy(self) -> bool:
        """Whether another response has to be sent first."""
        cycle = self.cycle
        return (cycle is not None and not cycle.response_complete) or self.flow.write_paused

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._between = False
        self._room = self.settings.max_metadata_bytes
        self.scope[PEER] = self._peer  # type: ignore[literal-required]

    def on_url(self, url: bytes) -> None:
        # Calls have their own limit for query strings. This one is for targets beyond all of them.
        limit = min(2 * self.settings.max_request_bytes, MAX_TARGET)
        if len(self.url) + len(url) > limit:
            self._reject(TargetTooLong("", f"the target has more than {limit} bytes; use POST"))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._room -= len(name) + len(value)
        if self._room < 0:
            limit = self.settings.max_metadata_bytes
            self._reject(HeadersTooLarge("", f"the headers have more than {limit} bytes"))
        super().on_header(name, value)

    def _reject(self, error: TablierError) -> NoReturn:
        """End a request before it is known which call it is for."""
        self._rejection = error
        # The parser gives up, and uvicorn calls `send_400_response`.
        raise error

    def on_headers_complete(self) -> None:
        self._stop_handshake_timeout()
        if self._spare and self.url.decode("latin-1") not in HEALTH_PATHS:
            self._reject(Overloaded("", "too many connections are open"))
        if self._call is not None:
            self._head = self._call.head
        elif self._is_plain():
            self._head = self._application.find_call(
                self.parser.get_method(), self.url, self.headers
            )
        if self._head is None:
            self._unread.bound()
            super().on_headers_complete()
            if self._spare:
                super().shutdown()
            return
        self._parts = []
        self._size = 0

    def _is_plain(self) -> bool:
        """Whether a request can be answered without uvicorn."""
        return not (
            self._busy()
            or self.expect_100_continue
            or self.parser.should_upgrade()
            or self.parser.get_http_version() != "1.1"
            or b"#" in self.url
        )

    def on_body(self, body: bytes) -> None:
        if self._head is None:
            super().on_body(body)
            return
        self._parts.append(body)
        self._size += len(body)
        if self._size > MAX_BODY:
            self._hand_over()

    def on_message_complete(self) -> None:
        self._between = True
        self._stop_read_timeout()
        head = self._head
        if head is None:
            super().on_message_complete()
            return
        if self._call is None:
            self._call = head.endpoint.call_type(head, self._peer)
        call = self._call
        body = self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)
        response = None if call.waits else self._application.respond(call, body)
        if response is None:
            self._hand_over()
            super().on_message_complete()
            return
        self._head = self._call = None
        last = self._closing or self._application.draining or not self.parser.should_keep_alive()
        if not last and call.status is None:
            self._remember(head, len(body))
        self._send(response, last)

    def _remember(self, head: RequestHead, length: int) -> None:
        """Remember the bytes of a head, if they came with all of the request and nothing more."""
        end = self._chunk.find(BLANK_LINE) + len(BLANK_LINE)
        if end <= MAX_HEAD and len(self._chunk) == end + length:
            if len(self._application.known_heads) == MAX_HEADS:
                # Heads that differ with every request would otherwise stay for ever.
                self._application.known_heads.clear()
            self._application.remember(self._chunk[:end], head, length)

    def _send(self, response: Response, last: bool = False) -> None:
        status, content, headers = response
        if len(content) > MAX_UNSENT:
            self._unread.bound()
            self._application.service.memory.freed = True
        common = self._application.common_lines(self.server_state.default_headers)
        lines = [STATUS_LINE[status], common]
        for name, value in headers:
            lines += (name, b": ", value, b"\r\n")
        lines += (b"connection: close\r\n\r\n" if last else b"\r\n", content)
        self.transport.write(b"".join(lines))
        self.server_state.total_requests += 1
        self._answered_at = self.loop.time()
        if last:
            self._unread.close()
        elif self.timeout_keep_alive_task is None:
            self._start_idle_timeout(self.timeout_keep_alive)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.transport.is_closing():
            self._unread.close()
        elif self._unfed:
            self.flow.pause_reading()
            self.loop.call_soon(self._feed_on)

    def _start_idle_timeout(self, seconds: float) -> None:
        self.timeout_keep_alive_task = self.loop.call_later(
            seconds, self.timeout_keep_alive_handler
        )

    def timeout_keep_alive_handler(self) -> None:
        """Close an idle connection. Restarting a timer for every answer would cost more."""
        left = self._answered_at + self.timeout_keep_alive - self.loop.time()
        if left > 0:
            self._start_idle_timeout(left)
        else:
            self._unread.close()

    def _hand_over(self) -> None:
        """Let uvicorn serve the current request, with the call in the state that it is in."""
        call, parts = self._call, self._parts
        self._head = self._call = None
        self._parts = []
        if call is not None:
            self.scope[STARTED_CALL] = call  # type: ignore[literal-required]
        self._unread.bound()
        super().on_headers_complete()
        if call is None or not call.began:
            for part in parts:
                super().on_body(part)
        if self._closing:
            super().shutdown()

    def distrust(self) -> None:
        """End the connection, but let a call that has arrived completely finish."""
        if self._between:
            self.shutdown()
        else:
            self.transport.close()

    def shutdown(self) -> None:
        """End the connection; a request that is arriving is still answered, as the last one."""
        self._closing = True
        if self._head is None:
            super().shutdown()

    def send_400_response(self, msg: str) -> None:
        """Answer a request that cannot be served, with a status like every failure."""
        reply = failure(self._rejection or InvalidField("", msg))
        length = b"%d" % len(reply.body)
        headers = [*EVERY_RESPONSE, (b"content-type", JSON), (b"content-length", length)]
        lines = [STATUS_LINE[reply.status], *(b"%s: %s\r\n" % header for header in headers)]
        lines += (b"connection: close\r\n\r\n", reply.body)
        self.transport.write(b"".join(lines))
        self._unread.close()
