"""Direct gRPC servers in this process, and clients of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from grpc import aio
from grpc_health.v1 import health_pb2
from tablier.v1 import game_service_pb2 as pb
from tablier_service.service import Service
from tablier_service.transports.grpc.direct_server import DirectServer

from tests.service.assembly import Assemble

SECONDS = 60
KEY = "key-of-the-lobby"
GET_GAME = "/tablier.v1.GameService/GetGame"
BATCH = "/tablier.v1.GameService/Batch"
PLAY = "/tablier.v1.GameService/Play"
HEALTH = "/grpc.health.v1.Health/"
REFLECTION = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"


def write_callers(folder: Path) -> Path:
    """A file with one caller, the lobby."""
    callers = folder / "callers"
    digest = sha256(KEY.encode()).hexdigest()
    callers.write_text(f'[[callers]]\nname="lobby"\nroles=["host"]\nkey_sha256=["{digest}"]\n')
    return callers


@dataclass
class Running:
    """A server that is driven directly, and a client of it."""

    service: Service
    server: DirectServer
    channel: Any

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.server.port}"

    async def serves(self) -> None:
        """Make a cheap call and a health check."""
        game = pb.GetGameRequest(game="contrast").SerializeToString()
        await self.channel.unary_unary(GET_GAME)(game, metadata=(("x-api-key", KEY),))
        check: Any = self.channel.unary_unary(HEALTH + "Check")
        answer = health_pb2.HealthCheckResponse.FromString(await check(b""))
        assert answer.status == health_pb2.HealthCheckResponse.SERVING

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until a condition holds; the test has a time limit."""
        while not holds():
            await asyncio.sleep(0.001)

    def overloaded(self) -> float:
        """How many calls were rejected because there are too many."""
        return self.service.metrics.total(self.service.metrics.rejected["calls"])


@asynccontextmanager
async def running(assemble: Assemble, **settings: Any) -> AsyncIterator[Running]:
    service = assemble(**settings)
    server = DirectServer(service)
    await server.start()
    try:
        async with aio.insecure_channel(f"127.0.0.1:{server.port}") as channel:
            yield Running(service, server, channel)
    finally:
        await server.stop(0)


def run(test: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(asyncio.wait_for(test(), SECONDS))
