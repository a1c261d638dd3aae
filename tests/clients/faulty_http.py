"""An HTTP server that answers with given bytes."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field


@dataclass
class FaultyHttp:
    """Answers each request with the next of some bytes, and closes the connection after `closes`.

    The last answer is repeated. An answer of None is never sent.
    """

    answers: Sequence[bytes | None]
    # Whether each connection ends after its answer, without saying so.
    closes: bool = False
    requests: list[bytes] = field(default_factory=list)
    connections: int = 0
    _listener: socket.socket = field(default_factory=lambda: socket.create_server(("127.0.0.1", 0)))
    _open: list[socket.socket] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def run(self) -> None:
        """Serve until the listener is closed."""
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                self.connections += 1
                self._open.append(connection)
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def stop(self) -> None:
        """Close everything."""
        for each in (self._listener, *self._open):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _serve(self, connection: socket.socket) -> None:
        with suppress(OSError):
            while request := self._receive(connection):
                self.requests.append(request)
                answer = self.answers[min(len(self.requests), len(self.answers)) - 1]
                if answer is not None:
                    connection.sendall(answer)
                    if self.closes:
                        connection.close()

    def _receive(self, connection: socket.socket) -> bytes:
        data = b""
        while b"\r\n\r\n" not in data:
            part = connection.recv(65_536)
            if not part:
                return b""
            data += part
        head, _, body = data.partition(b"\r\n\r\n")
        length = int(head.partition(b"content-length: ")[2].split(b"\r\n")[0])
        while len(body) < length:
            body += connection.recv(65_536)
        return data


@contextmanager
def faulty_http(*answers: bytes | None, closes: bool = False) -> Iterator[FaultyHttp]:
    """A server with these answers."""
    server = FaultyHttp(answers, closes)
    threading.Thread(target=server.run, daemon=True).start()
    try:
        yield server
    finally:
        server.stop()


def answer(body: bytes, status: str = "200 OK", kind: str = "application/proto") -> bytes:
    """An answer with this body."""
    head = f"HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n\r\n"
    return head.encode() + body
