"""Calls leave nothing behind in memory. `make load` watches a whole server."""

from __future__ import annotations

import asyncio
import gc
import json
import random
import subprocess
import sys
import tracemalloc
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
from google.protobuf import json_format
from grpc import aio
from tablier.v1 import game_pb2
from tablier.v1 import game_service_pb2 as pb
from tablier_core.registry import GAMES
from tablier_service.lifecycle import Endpoint
from tablier_service.security import sealing
from tablier_service.service import Service
from tablier_service.transports.grpc.asyncio_call import unary_handler
from tablier_service.transports.http.application import HttpApplication

from tests.service.assembly import SEAL_KEYS, Assemble, RecordingLogger
from tests.service.transports.grpc.contexts import Context

Call = Callable[[str, Any], Awaitable[None]]

# Rounds of five calls each.
WARM, COUNTED = 50, 200
# A token has 200 bytes: if one were kept for every call, or every failure, it would be more.
MOST_BYTES = 30_000


class SilentLogger(RecordingLogger):
    """Logs nothing."""

    def log(self, level: int, event: str, **values: Any) -> None: ...


@pytest.fixture
def service(assemble: Assemble) -> Service:
    return assemble({"logger": SilentLogger()}, seal_keys=SEAL_KEYS)


def requests(service: Service, number: int) -> Iterator[tuple[str, Any]]:
    """New calls, valid and invalid, with the names of their methods."""
    position = GAMES["contrat500"].start({}, number)
    state, seat = service.tokens.write(position), position.actors[0]
    move = game_pb2.Move(seat=seat, action=random.Random(number).choice(position.moves(seat)))
    yield "EnumerateMoves", pb.EnumerateMovesRequest(state=state)
    yield "ApplyMoves", pb.ApplyMovesRequest(state=state, moves=[move])
    yield "DescribeState", pb.DescribeStateRequest(state=state, seat=seat)
    yield "ApplyMoves", pb.ApplyMovesRequest(state=state[:-1], moves=[move])
    yield "StartGame", pb.StartGameRequest(game=f"game-{number}")


def over_grpc(service: Service) -> Call:
    handlers: dict[str, Any] = {
        method.descriptor.name: unary_handler(Endpoint(service, method))
        for method in service.methods
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


def over_http(service: Service) -> Call:
    application = HttpApplication(service)

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
        await application(scope, receive, send)
        assert sent[0]["status"] in (200, 400, 404)

    return call


@pytest.mark.parametrize("transport", [over_grpc, over_http])
def test_calls_leave_nothing_behind(
    transport: Callable[[Service], Call], service: Service, monkeypatch: pytest.MonkeyPatch
):
    # As many open tokens are remembered before as after.
    monkeypatch.setattr(sealing, "MAX_RECENT", 1)
    call = transport(service)

    async def make(rounds: range) -> int:
        for number in rounds:
            for name, request in requests(service, number):
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


def test_a_worker_imports_nothing_that_it_does_not_need() -> None:
    """Each of these takes megabytes, in every worker."""
    program = (
        "import sys, tablier_service.process.app\n"
        "heavy = {'rich', 'cryptography', 'jwt', 'opentelemetry'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
        "import rich.console"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
