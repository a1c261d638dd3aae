"""A server of the REST door with real connections, for tests of what happens on them."""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from collections.abc import Awaitable, Callable
from typing import Any

from tablier_core.registry import GAMES
from tablier_service.calls.advisor import AdvisorServicer
from tablier_service.calls.limits import CallLimit
from tablier_service.calls.pool import SearchPool
from tablier_service.calls.servicer import GameServicer
from tablier_service.calls.use_cases import UseCases
from tablier_service.observability.call_log import Observer
from tablier_service.observability.metrics import Metrics
from tablier_service.security.sealing import PlainTokens
from tablier_service.settings import Settings
from tablier_service.transports.http.application import RestDoor
from tablier_service.transports.http.server import RestServer

ENGINE = UseCases(GAMES, PlainTokens(GAMES))
CODES = ("OK", "InvalidArgument", "ResourceExhausted", "DeadlineExceeded")
TOKEN = b64encode(ENGINE.tokens.write(GAMES["contigo-alignment"].start({"first": 0}, 7))).decode()
SETTINGS = Settings.model_validate({"rest_port": 0, "max_request_bytes": 2048})


class CountingDoor(RestDoor):
    """Counts the requests that come uvicorn's way."""

    asked = 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.asked += 1
        await super().__call__(scope, receive, send)


class Silent:
    """Writes no log."""

    def log(self, *_: Any, **__: Any) -> None: ...

    warning = info = log


METHODS = (*GameServicer(ENGINE).methods, *AdvisorServicer(ENGINE, 60.0).methods)
METRICS = Metrics()
OBSERVER = Observer(Silent(), METRICS)  # type: ignore[arg-type]
POOL = SearchPool(1, 4)
CALLS = CallLimit(SETTINGS.max_calls, OBSERVER.metrics)
DOOR = CountingDoor(METHODS, SETTINGS, OBSERVER, POOL, CALLS, lambda: True)


class Caller:
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
        return await self._reader.read() == b""


Scenario = Callable[[Caller, RestServer], Awaitable[None]]


def served(scenario: Scenario) -> None:
    """Run a scenario with a connection to a server of its own."""

    async def run() -> None:
        DOOR.asked = 0
        # The stop of the server before this one told it to leave.
        DOOR.leaving = False
        server = RestServer(DOOR, SETTINGS)
        # No connection ends for being idle: what closes here is closed on purpose.
        server._server.config.timeout_keep_alive = 600
        await server.start()
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        try:
            await asyncio.wait_for(scenario(Caller(reader, writer), server), 30)
        finally:
            writer.close()
            await server.stop(1)

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
