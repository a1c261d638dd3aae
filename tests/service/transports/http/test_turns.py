"""However many connections ask at once, the event loop serves others in time."""

from __future__ import annotations

import asyncio
import json
import socket
import threading

import pytest
from tablier_service.service import Service
from tablier_service.transports.http.server import HttpServer

from tests.service.event_loop import TURN_SECONDS, longest_turn, measure_from_here
from tests.service.transports.http.connections import TOKEN, post

CONNECTIONS = 96
ROUNDS = 5


def ask_at_once(port: int, data: bytes, loop: asyncio.AbstractEventLoop) -> None:
    """Send a request on every connection, a few times; all of them arrive in the same turn."""
    connections = [socket.create_connection(("127.0.0.1", port)) for _ in range(CONNECTIONS)]
    readers = [connection.makefile("rb") for connection in connections]
    for _ in range(ROUNDS):
        sent = threading.Event()
        loop.call_soon_threadsafe(sent.wait)
        for connection in connections:
            connection.sendall(data)
        sent.set()
        for reader in readers:
            assert reader.readline() == b"HTTP/1.1 200 OK\r\n"
            headers = dict(line.split(b": ") for line in iter(reader.readline, b"\r\n"))
            assert reader.read(int(headers[b"content-length"]))
    for reader, connection in zip(readers, connections, strict=True):
        reader.close()
        connection.close()


DESCRIPTION = {"describeState": {"state": TOKEN}}


@pytest.mark.parametrize(
    ("path", "content"),
    [("/v1/states:render", {"state": TOKEN}), ("/v1/batch", {"operations": [DESCRIPTION] * 8})],
    ids=["drawings", "batches"],
)
def test_all_connections_share_the_time_of_a_turn(
    service: Service, path: str, content: object
) -> None:
    data = post(path, json.dumps(content).encode())

    async def main() -> None:
        server = HttpServer(service)
        await server.start()
        measure_from_here()
        try:
            loop = asyncio.get_running_loop()
            await asyncio.to_thread(ask_at_once, server.port, data, loop)
        finally:
            await server.stop(0)

    assert longest_turn(main) < TURN_SECONDS
