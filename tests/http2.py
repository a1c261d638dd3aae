"""A raw HTTP/2 client: frames written by hand, for calls that no gRPC client would make.

It respects flow control, because a server closes a connection that does not, and otherwise does
only what it is asked to do.
"""

from __future__ import annotations

import asyncio
import struct
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from time import monotonic

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = (
    *(0, 1, 3, 4),
    *(6, 7, 8, 9),
)
END_STREAM, END_HEADERS, ACK = 0x1, 0x4, 0x1
MAX_STREAMS, INITIAL_WINDOW = 3, 4
CANCEL = 8
WINDOW = 65_535
FRAME_BYTES = 16_384
# The local address of a connection, if it does not matter.
LOCAL = "127.0.0.1"
# Without progress for so long, a server accepts no more.
STALLED_SECONDS = 0.5

Fields = Iterable[tuple[str, str]]


def frame(kind: int, flags: int, stream: int, payload: bytes | memoryview = b"") -> bytes:
    """The bytes of a frame."""
    head = struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream)
    return head + payload


def text(value: str) -> bytes:
    """A string of HPACK, without Huffman coding."""
    data = value.encode()
    if len(data) < 127:
        return bytes([len(data)]) + data
    length, rest = b"\x7f", len(data) - 127
    while rest >= 128:
        length, rest = length + bytes([rest % 128 + 128]), rest // 128
    return length + bytes([rest]) + data


def header_block(fields: Fields) -> bytes:
    """Headers in HPACK, none of which enters a table."""
    return b"".join(b"\x00" + text(name) + text(value) for name, value in fields)


def grpc_fields(path: str, metadata: Fields = ()) -> list[tuple[str, str]]:
    """The headers of a gRPC call."""
    return [
        *((":method", "POST"), (":scheme", "http"), (":path", path), (":authority", "tablier")),
        *(("content-type", "application/grpc"), ("te", "trailers")),
        *metadata,
    ]


def message(data: bytes, announced: int | None = None) -> bytes:
    """A gRPC message; it may announce more bytes than it has."""
    return struct.pack(">BI", 0, len(data) if announced is None else announced) + data


class Connection:
    """An open connection. Its streams are numbers."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, window: int
    ) -> None:
        self._reader = reader
        self._writer = writer
        # With a window of 0, the server can send headers, but no part of an answer.
        self._reads = window > 0
        self._next = 1
        self._room = WINDOW
        self._initial_room = WINDOW
        self._rooms: dict[int, int] = {}
        self._changed = asyncio.Event()
        # How many streams the server allows, as far as it has said so.
        self.max_streams = 2**31
        self.greeted = asyncio.Event()
        # When each stream was opened, and when the server ended it.
        self.opened: dict[int, float] = {}
        self.ended: dict[int, float] = {}
        # Bytes of answers received, by stream.
        self.received: dict[int, int] = {}
        self.closed = asyncio.Event()
        self._written = 0
        self._writer.write(
            PREFACE + frame(SETTINGS, 0, 0, struct.pack(">HI", INITIAL_WINDOW, window))
        )
        self._task = asyncio.ensure_future(self._read())

    @classmethod
    async def open(cls, address: str, source: str = LOCAL, window: int = WINDOW) -> Connection:
        """Connect from a local address; a client with a window of 0 reads no answers."""
        host, _, port = address.rpartition(":")
        reader, writer = await asyncio.open_connection(host, int(port), local_addr=(source, 0))
        connection = cls(reader, writer, window)
        try:
            with suppress(TimeoutError):
                # Behind some servers, the limit on streams comes late or not at all.
                async with asyncio.timeout(2):
                    await connection.greeted.wait()
        except asyncio.CancelledError:
            await connection.close()
            raise
        return connection

    @property
    def accepted(self) -> int:
        """Bytes of messages and of endless headers that have left for the server."""
        return max(0, self._written - self._writer.transport.get_write_buffer_size())

    def call(self, path: str, metadata: Fields = (), *, end: bool = False) -> int:
        """Send the headers of a gRPC call; returns its stream."""
        flags = END_HEADERS | (END_STREAM if end else 0)
        stream = self._open_stream()
        self._writer.write(frame(HEADERS, flags, stream, header_block(grpc_fields(path, metadata))))
        return stream

    async def send(self, stream: int, data: bytes, *, end: bool = False) -> None:
        """Send a part of a message as flow control permits, until the server ends the stream."""
        rest = memoryview(data)
        while rest and stream not in self.ended and not self.closed.is_set():
            size = min(self._room, self._rooms[stream], FRAME_BYTES, len(rest))
            if size <= 0:
                self._changed.clear()
                await self._changed.wait()
                continue
            self._room -= size
            self._rooms[stream] -= size
            flags = END_STREAM if end and size == len(rest) else 0
            self._write(frame(DATA, flags, stream, rest[:size]), size)
            rest = rest[size:]
            with suppress(ConnectionError):
                await self._writer.drain()

    async def flood_with_headers(self, bytes_per_second: float) -> None:
        """Send headers that never end, in CONTINUATION frames, at a steady rate."""
        stream = self._open_stream()
        self._writer.write(frame(HEADERS, 0, stream, header_block(grpc_fields("/"))))
        part = header_block([("x", "a" * (FRAME_BYTES - 6))])
        begun = monotonic()
        with suppress(ConnectionError):
            while not self.closed.is_set():
                self._write(frame(CONTINUATION, 0, stream, part), len(part))
                await self._writer.drain()
                await asyncio.sleep(begun + self._written / bytes_per_second - monotonic())

    async def write(self, data: bytes) -> None:
        """Send frames that somebody else has made."""
        self._writer.write(data)
        await self._writer.drain()

    def cancel(self, stream: int) -> None:
        """Cancel a call."""
        self._writer.write(frame(RST_STREAM, 0, stream, struct.pack(">I", CANCEL)))
        self._end(stream)

    @property
    def in_progress(self) -> int:
        """The number of streams that have not ended."""
        return len(self._rooms)

    def older_than(self, seconds: float) -> int:
        """The number of streams that have been in progress for longer than this."""
        begun = monotonic() - seconds
        return sum(self.opened[stream] < begun for stream in self._rooms)

    @property
    def longest(self) -> float:
        """How long a stream has lasted at most, whether or not it has ended."""
        now = monotonic()
        return max((self.ended.get(each, now) - at for each, at in self.opened.items()), default=0)

    async def wait(self, stream: int) -> None:
        """Wait until the server ends a stream or the connection."""
        while stream not in self.ended and not self.closed.is_set():
            self._changed.clear()
            await self._changed.wait()

    async def close(self) -> None:
        """Close the connection, without waiting until what was written has left."""
        self._task.cancel()
        self._writer.transport.abort()
        with suppress(ConnectionError, asyncio.CancelledError):
            await self._task

    def _open_stream(self) -> int:
        stream, self._next = self._next, self._next + 2
        self._rooms[stream] = self._initial_room
        self.opened[stream] = monotonic()
        return stream

    def _write(self, data: bytes, counted: int) -> None:
        if not self._writer.is_closing():
            self._writer.write(data)
            self._written += counted

    def _end(self, stream: int) -> None:
        self._rooms.pop(stream, None)
        self.ended.setdefault(stream, monotonic())

    async def _read(self) -> None:
        try:
            while True:
                head = await self._reader.readexactly(9)
                payload = await self._reader.readexactly(int.from_bytes(head[:3], "big"))
                stream = int.from_bytes(head[5:], "big") & 0x7FFFFFFF
                self._take(head[3], head[4], stream, payload)
                self._changed.set()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            for stream in list(self._rooms):
                self._end(stream)
            self.closed.set()
            self.greeted.set()
            self._changed.set()

    def _take(self, kind: int, flags: int, stream: int, payload: bytes) -> None:
        if kind == SETTINGS and not flags & ACK:
            self._obey(payload)
        elif kind == PING and not flags & ACK:
            self._writer.write(frame(PING, ACK, 0, payload))
        elif kind == WINDOW_UPDATE:
            more = int.from_bytes(payload, "big")
            if stream == 0:
                self._room += more
            elif stream in self._rooms:
                self._rooms[stream] += more
        elif kind == DATA:
            self.received[stream] = self.received.get(stream, 0) + len(payload)
            if payload and self._reads:
                more_room = struct.pack(">I", len(payload))
                for target in (0, stream):
                    self._writer.write(frame(WINDOW_UPDATE, 0, target, more_room))
        if kind == RST_STREAM or (kind in (DATA, HEADERS) and flags & END_STREAM):
            self._end(stream)

    def _obey(self, payload: bytes) -> None:
        for number, value in struct.iter_unpack(">HI", payload):
            if number == MAX_STREAMS:
                self.max_streams = value
            elif number == INITIAL_WINDOW:
                for stream in self._rooms:
                    self._rooms[stream] += value - self._initial_room
                self._initial_room = value
        self._writer.write(frame(SETTINGS, ACK, 0))
        self.greeted.set()


@asynccontextmanager
async def connected(
    address: str, source: str = LOCAL, window: int = WINDOW
) -> AsyncIterator[Connection]:
    """A connection that is closed at the end of the block."""
    connection = await Connection.open(address, source, window)
    try:
        yield connection
    finally:
        await connection.close()


async def send_parts(connection: Connection, path: str, calls: int, size: int) -> int:
    """Begin calls with messages of this size, none of which is complete.

    Returns how many bytes the server accepted of all messages together.
    """
    part = message(bytes(size))[:-1]
    sending = [
        asyncio.ensure_future(connection.send(connection.call(path), part)) for _ in range(calls)
    ]
    sent = -1
    while sent < connection.accepted:
        sent = connection.accepted
        await asyncio.sleep(STALLED_SECONDS)
    for task in sending:
        task.cancel()
    await asyncio.gather(*sending, return_exceptions=True)
    return sent
