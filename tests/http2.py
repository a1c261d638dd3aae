"""A connection that sends HTTP/2 frames as it likes, for calls that no gRPC client would make."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
END_STREAM, ACK, END_HEADERS = 1, 1, 4
INITIAL_WINDOW_SIZE = 4
DEFAULT_WINDOW = 65535
FRAME_BYTES = 16384


class Http2Connection:
    """One connection, which obeys flow control: a server closes one that does not."""

    def __init__(self, address: str) -> None:
        host, port = address.rsplit(":", 1)
        self._socket = socket.create_connection((host, int(port)))
        self._unread = b""
        self._initial = self._window = DEFAULT_WINDOW
        # What may still be sent on each stream.
        self._windows: dict[int, int] = {}
        # The streams that the server has ended.
        self.ended: set[int] = set()
        self.closed = False
        self._next = 1
        self._socket.sendall(PREFACE + frame(SETTINGS, 0, 0, b""))

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def open_call(self, path: str, metadata: Sequence[tuple[str, str]] = ()) -> int:
        """Send the headers of a call; returns its stream."""
        stream, self._next = self._next, self._next + 2
        headers = [
            (":method", "POST"),
            (":scheme", "http"),
            (":path", path),
            (":authority", "test"),
            ("te", "trailers"),
            ("content-type", "application/grpc"),
            *metadata,
        ]
        block = b"".join(literal(name, value) for name, value in headers)
        self._windows[stream] = self._initial
        self._socket.sendall(frame(HEADERS, END_HEADERS, stream, block))
        return stream

    def send(self, stream: int, data: bytes) -> int:
        """Send as much data as flow control allows now; returns how much that was."""
        self.receive(0)
        sent = 0
        while True:
            room = min(self._windows[stream], self._window, FRAME_BYTES, len(data) - sent)
            if room <= 0 or self.closed or stream in self.ended:
                return sent
            self._socket.sendall(frame(DATA, 0, stream, data[sent : sent + room]))
            self._windows[stream] -= room
            self._window -= room
            sent += room

    def receive(self, seconds: float) -> bool:
        """Read frames for at most this long, until some have come; False if none have."""
        self._socket.settimeout(seconds or 0.000_1)
        try:
            data = self._socket.recv(1 << 16)
        except (TimeoutError, BlockingIOError):
            return False
        except OSError:
            data = b""
        finally:
            self._socket.settimeout(None)
        if not data:
            self.closed = True
            return False
        self._unread += data
        while len(self._unread) >= 9:
            length = int.from_bytes(self._unread[:3], "big")
            if len(self._unread) < 9 + length:
                break
            kind, flags = self._unread[3:5]
            stream = int.from_bytes(self._unread[5:9], "big") & 0x7FFF_FFFF
            self._handle(kind, flags, stream, self._unread[9 : 9 + length])
            self._unread = self._unread[9 + length :]
        return True

    def _handle(self, kind: int, flags: int, stream: int, payload: bytes) -> None:
        if kind == WINDOW_UPDATE:
            (more,) = struct.unpack(">I", payload)
            if stream == 0:
                self._window += more
            elif stream in self._windows:
                self._windows[stream] += more
        elif kind == SETTINGS and not flags & ACK:
            for at in range(0, len(payload), 6):
                setting, value = struct.unpack(">HI", payload[at : at + 6])
                if setting == INITIAL_WINDOW_SIZE:
                    for each in self._windows:
                        self._windows[each] += value - self._initial
                    self._initial = value
            self._socket.sendall(frame(SETTINGS, ACK, 0, b""))
        elif kind == PING and not flags & ACK:
            self._socket.sendall(frame(PING, ACK, 0, payload))
        elif kind == RST_STREAM or (kind in (DATA, HEADERS) and flags & END_STREAM):
            self.ended.add(stream)


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    """A frame of HTTP/2."""
    return len(payload).to_bytes(3, "big") + struct.pack(">BBI", kind, flags, stream) + payload


def literal(name: str, value: str) -> bytes:
    """A header in HPACK, neither indexed nor compressed."""
    return b"\0" + b"".join(integer(len(text)) + text.encode() for text in (name, value))


def integer(number: int) -> bytes:
    """The length of a string in HPACK."""
    if number < 127:
        return bytes([number])
    number -= 127
    out = bytearray([127])
    while number >= 128:
        out.append(number % 128 + 128)
        number //= 128
    out.append(number)
    return bytes(out)


def message_of(size: int) -> bytes:
    """A gRPC message of this size, with the prefix that announces it."""
    return b"\0" + struct.pack(">I", size) + bytes(size)


@contextmanager
def connected(address: str) -> Iterator[Http2Connection]:
    """A connection that is closed at the end of the block."""
    connection = Http2Connection(address)
    try:
        yield connection
    finally:
        connection.close()
