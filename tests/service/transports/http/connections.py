"""An HTTP server with real connections, for tests of what happens on them."""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from tablier_core import codec
from tablier_core.registry import GAMES
from tablier_service.calls.slices import Slices
from tablier_service.service import Service
from tablier_service.transports.http.server import HttpServer

TOKEN = b64encode(codec.encode(GAMES["contigo-alignment"].start({"first": 0}, 7))).decode()


class Connection:
    """A connection to a server."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    def send(self, data: bytes) -> None:
        self._writer.write(data)

    async def answer(self) -> tuple[int, dict[str, str], bytes]:
        """The next answer: status, headers and body."""
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode()
        first, *lines = head.strip().split("\r\n")
        headers = dict(line.split(": ", 1) for line in lines)
        body = await self._reader.readexactly(int(headers.get("content-length", "0")))
        return int(first.split()[1]), headers, body

    async def is_closed(self) -> bool:
        """Whether the server closes the connection without another byte."""
        try:
            return await self._reader.read() == b""
        except ConnectionResetError:
            # Something sent just before has reached a closed connection.
            return True

    def close(self) -> None:
        self._writer.close()


class Unhurried(Slices):
    """Begins all work at once, even if a busy machine takes long for it."""

    has_time = True


class Server:
    """A running server, and how many requests uvicorn has served."""

    def __init__(self, service: Service) -> None:
        self.service = replace(service, slices=Unhurried())
        self.http = HttpServer(self.service)
        self.application = self.http.application
        self.served_by_uvicorn = 0
        self._opened: list[Connection] = []
        application: Any = self.application

        async def counted(scope: Any, receive: Any, send: Any) -> None:
            self.served_by_uvicorn += 1
            await application(scope, receive, send)

        self.http._server.config.app = counted
        # Connections do not end because they are idle, unless a test asks for it.
        self.http._server.config.timeout_keep_alive = 600

    async def connect(self) -> Connection:
        connection = Connection(*await asyncio.open_connection("127.0.0.1", self.http.port))
        self._opened.append(connection)
        return connection

    def disconnect(self) -> None:
        """Close the clients' side of all connections."""
        for connection in self._opened:
            connection.close()

    @property
    def connections(self) -> Any:
        """The connections on the side of the server."""
        return self.http._server.server_state.connections

    async def until(self, holds: Callable[[Any], bool]) -> None:
        """Wait until something holds for a connection on the side of the server."""
        while not any(map(holds, self.connections)):
            await asyncio.sleep(0.001)

    async def until_arriving(self) -> None:
        """Wait until a request has arrived in part."""
        await self.until(lambda connection: not connection._between)

    async def until_waiting(self) -> None:
        """Wait until a request is being served by uvicorn."""
        await self.until(lambda connection: connection.cycle and connection._busy())


Scenario = Callable[[Connection, Server], Awaitable[None]]


def run_scenario(service: Service, scenario: Scenario, idle_seconds: int = 600) -> None:
    """Run a scenario with a connection to a server of this service."""

    async def run() -> None:
        server = Server(service)
        server.http._server.config.timeout_keep_alive = idle_seconds
        await server.http.start()
        try:
            connection = await server.connect()
            await asyncio.wait_for(scenario(connection, server), 60)
        finally:
            server.disconnect()
            await server.http.stop(1)

    asyncio.run(run())


def post(path: str, body: bytes, *headers: str, version: str = "1.1") -> bytes:
    lines = [
        f"POST {path} HTTP/{version}",
        "host: here",
        "content-type: application/json",
        f"content-length: {len(body)}",
        *headers,
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def moves_request(path: str = "enumerateMoves", *headers: str, version: str = "1.1") -> bytes:
    body = json.dumps({"state": TOKEN}).encode()
    return post(f"/v1/states:{path}", body, *headers, version=version)
