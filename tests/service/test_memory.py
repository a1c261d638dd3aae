"""Calls leave nothing behind: found in a second, where `make load` watches a whole server."""

from __future__ import annotations

import asyncio
import gc
import json
import random
import subprocess
import sys
import tracemalloc
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, cast

import pytest
from google.protobuf import json_format
from grpc import aio
from tablier.v1 import game_pb2
from tablier.v1 import game_service_pb2 as pb
from tablier_core.registry import GAMES
from tablier_service.calls.limits import CallLimit
from tablier_service.calls.pool import SearchPool
from tablier_service.calls.servicer import GameServicer
from tablier_service.calls.use_cases import UseCases
from tablier_service.observability.call_log import Observer
from tablier_service.observability.metrics import Metrics
from tablier_service.security.authentication import Gate
from tablier_service.security.sealing import SealedTokens
from tablier_service.settings import Settings
from tablier_service.transports.grpc.server import make_handler
from tablier_service.transports.http.application import RestDoor

Call = Callable[[str, Any], Awaitable[None]]

# Rounds of five calls each.
WARM, COUNTED = 50, 200
# A token has 200 bytes: kept of every call, or of those that fail, it would be more.
MOST_BYTES = 30_000

TOKENS = SealedTokens(GAMES, {1: bytes(32)})
METHODS = GameServicer(UseCases(GAMES, TOKENS)).methods
SETTINGS = Settings(slow_call_ms=10_000)


class Silent:
    """Writes no log."""

    def log(self, *_: Any, **__: Any) -> None: ...

    warning = info = log


class Context:
    """Of a gRPC call without metadata or a deadline."""

    def time_remaining(self) -> None: ...

    def invocation_metadata(self) -> tuple[()]:
        return ()

    async def abort(self, *_: Any) -> None:
        raise aio.AbortError


def requests(number: int) -> Iterator[tuple[str, Any]]:
    """Calls that were never made before, right and wrong, and the names of their handlers."""
    position = GAMES["contrat500"].start({}, number)
    state, seat = TOKENS.write(position), position.actors[0]
    move = game_pb2.Move(seat=seat, action=random.Random(number).choice(position.moves(seat)))
    yield "EnumerateMoves", pb.EnumerateMovesRequest(state=state)
    yield "ApplyMoves", pb.ApplyMovesRequest(state=state, moves=[move])
    yield "DescribeState", pb.DescribeStateRequest(state=state, seat=seat)
    yield "ApplyMoves", pb.ApplyMovesRequest(state=state[:-1], moves=[move])
    yield "StartGame", pb.StartGameRequest(game=f"game-{number}")


def parts() -> tuple[Observer, SearchPool, CallLimit, Gate]:
    metrics = Metrics()
    observer = Observer(cast("Any", Silent()), metrics)
    return observer, SearchPool(1, 0), CallLimit(8, metrics), Gate(metrics)


def over_grpc() -> Call:
    observer, pool, calls, gate = parts()
    handlers: dict[str, Any] = {
        method.descriptor.name: make_handler(method, SETTINGS, observer, pool, calls, gate)
        for method in METHODS
    }

    async def call(name: str, request: Any) -> None:
        try:
            await handlers[name](request.SerializeToString(), Context())
        except aio.AbortError:
            assert name in ("ApplyMoves", "StartGame")

    return call


ROUTES = {
    "EnumerateMoves": "/v1/states:enumerateMoves",
    "ApplyMoves": "/v1/states:applyMoves",
    "DescribeState": "/v1/states:describe",
    "StartGame": "/v1/games/{}:start",
}


def over_rest() -> Call:
    observer, pool, calls, gate = parts()
    door = RestDoor(METHODS, SETTINGS, observer, pool, calls, lambda: True, gate)

    async def call(name: str, request: Any) -> None:
        fields = json_format.MessageToDict(request)
        path = ROUTES[name].format(fields.pop("game", ""))
        body = json.dumps(fields).encode()
        sent: list[Any] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body}

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {
            "type": "http", "method": "POST", "path": path, "raw_path": path.encode(),
            "query_string": b"", "headers": [(b"content-type", b"application/json")],
        }  # fmt: skip
        await door(scope, receive, send)
        assert sent[0]["status"] in (200, 400, 404)

    return call


@pytest.mark.parametrize("way", [over_grpc, over_rest])
def test_calls_leave_nothing_behind(way: Callable[[], Call]):
    call = way()

    async def make(rounds: range) -> int:
        for number in rounds:
            for name, request in requests(number):
                await call(name, request)
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    async def grown() -> int:
        await make(range(WARM))
        tracemalloc.start()
        before = await make(range(WARM, WARM + 20))
        return await make(range(WARM + 20, WARM + 20 + COUNTED)) - before

    try:
        assert asyncio.run(grown()) < MOST_BYTES
    finally:
        tracemalloc.stop()


def test_a_worker_loads_nothing_that_it_has_no_use_for() -> None:
    """Each of these takes megabytes, in every worker."""
    program = (
        "import sys, tablier_service.process.app\n"
        "heavy = {'rich', 'cryptography', 'jwt', 'opentelemetry'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
        "import rich.console"
    )
    told = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert told.returncode == 0, told.stderr
