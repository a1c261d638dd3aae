"""The load of legitimate callers: a mix of calls at a steady rate, and what they notice."""

from __future__ import annotations

import asyncio
import base64
import json
import random
import ssl
import statistics
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import grpc
from grpc_health.v1 import health_pb2
from tablier.v1 import advisor_service_pb2, game_pb2
from tablier.v1 import game_service_pb2 as pb

from bench.loads import Failed, RestClient
from campaigns.attacks.requests import ADVISOR, GAME, STATE

# Requests per second, whether or not earlier ones have been answered.
RATE = 400
CALLERS = 4
TIMEOUT_SECONDS = 5
# How often each request comes. The sum shares no factor with CALLERS: each makes every request.
MIX = {
    "EnumerateMoves": 50,
    "ApplyMoves": 50,
    "REST enumerateMoves": 30,
    "REST applyMoves": 29,
    "Check": 20,
    "/healthz": 10,
    "/readyz": 10,
    "SuggestMoves": 4,
}
ADVICE_MILLISECONDS = 20


class Client(NamedTuple):
    """How legitimate callers reach the service."""

    grpc: str
    # Address and port of the REST server.
    rest: str
    # Their keys; empty without authentication.
    keys: tuple[str, ...] = ()
    # The authority of the service, and the certificate and key of the callers, with TLS.
    authority: Path | None = None
    certificate: tuple[Path, Path] | None = None


@dataclass
class Noticed:
    """What legitimate callers noticed."""

    cheap: list[float] = field(default_factory=list)
    advice: list[float] = field(default_factory=list)
    failures: Counter[str] = field(default_factory=Counter)

    @property
    def requests(self) -> int:
        """The number of requests."""
        return len(self.cheap) + len(self.advice)

    @property
    def share(self) -> float:
        """The share of requests that succeeded."""
        return 1 - self.failures.total() / self.requests

    @property
    def p99(self) -> float:
        """The seconds that one cheap call in a hundred exceeds."""
        return statistics.quantiles(self.cheap, n=100)[98]

    @property
    def p99_of_all(self) -> float:
        """The same for all requests. Advice takes longest, and is two requests in a hundred."""
        return statistics.quantiles(self.cheap + self.advice, n=100)[98]


Requests = dict[str, Callable[[], Awaitable[object]]]


def requests_of(channel: grpc.aio.Channel, rest: RestClient, key: str) -> Requests:
    """All requests of one caller, by name."""
    metadata = [("authorization", f"Bearer {key}")] if key else []
    state = base64.urlsafe_b64encode(STATE).decode()
    move = {"notation": "a6-a4"}
    apply = json.dumps({"state": state, "moves": [move]}).encode()

    def unary(path: str, request: Any) -> Callable[[], Awaitable[object]]:
        call: Any = channel.unary_unary(path, None, None)
        data = request.SerializeToString()
        return lambda: call(data, metadata=metadata, timeout=TIMEOUT_SECONDS)

    return {
        "EnumerateMoves": unary(f"{GAME}EnumerateMoves", pb.EnumerateMovesRequest(state=STATE)),
        "ApplyMoves": unary(
            f"{GAME}ApplyMoves",
            pb.ApplyMovesRequest(state=STATE, moves=[game_pb2.Move(**move)]),  # type: ignore[arg-type]
        ),
        "REST enumerateMoves": lambda: rest.ask(
            "POST", "/v1/states:enumerateMoves", json.dumps({"state": state}).encode()
        ),
        "REST applyMoves": lambda: rest.ask("POST", "/v1/states:applyMoves", apply),
        "Check": unary("/grpc.health.v1.Health/Check", health_pb2.HealthCheckRequest()),
        "/healthz": lambda: rest.ask("GET", "/healthz"),
        "/readyz": lambda: rest.ask("GET", "/readyz"),
        "SuggestMoves": unary(
            f"{ADVISOR}SuggestMoves",
            advisor_service_pb2.SuggestMovesRequest(
                state=STATE,
                budget=advisor_service_pb2.Budget(milliseconds=ADVICE_MILLISECONDS),
            ),
        ),
    }


def mixed() -> Iterator[str]:
    """The names of requests, in an endless mix that is always the same."""
    names = [name for name, count in MIX.items() for _ in range(count)]
    random.Random(1).shuffle(names)
    return cycle(names)


def channel_to(client: Client) -> grpc.aio.Channel:
    """A gRPC connection of its own."""
    options = [("grpc.use_local_subchannel_pool", 1), ("grpc.enable_retries", 0)]
    if client.authority is None:
        return grpc.aio.insecure_channel(client.grpc, options)
    assert client.certificate is not None
    certificate, key = (file.read_bytes() for file in client.certificate)
    return grpc.aio.secure_channel(
        client.grpc,
        grpc.ssl_channel_credentials(client.authority.read_bytes(), key, certificate),
        options,
    )


def tls_of(client: Client) -> ssl.SSLContext | None:
    """The TLS of REST requests."""
    if client.authority is None:
        return None
    assert client.certificate is not None
    context = ssl.create_default_context(cafile=client.authority)
    context.load_cert_chain(*client.certificate)
    return context


async def load(client: Client, requests: int, advance: Callable[[], object]) -> Noticed:
    """Make requests at the steady rate, as several callers with connections of their own."""
    noticed = Noticed()

    async def ask(name: str, request: Callable[[], Awaitable[object]]) -> None:
        begun = perf_counter()
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                await request()
        except grpc.aio.AioRpcError as error:
            noticed.failures[f"{name}: {error.code().name}"] += 1
        except (OSError, EOFError, Failed, TimeoutError) as error:
            noticed.failures[f"{name}: {str(error) or type(error).__name__}"] += 1
        seconds = perf_counter() - begun
        (noticed.advice if name == "SuggestMoves" else noticed.cheap).append(seconds)
        advance()

    async def each_once(caller: Requests) -> None:
        for name, request in caller.items():
            await ask(name, request)

    async with AsyncExitStack() as stack:
        callers: list[Requests] = []
        for number in range(CALLERS):
            key = client.keys[number] if client.keys else ""
            channel = await stack.enter_async_context(channel_to(client))
            rest = RestClient(client.rest, key, tls_of(client))
            stack.callback(rest.close)
            callers.append(requests_of(channel, rest, key))
        # All at once, new connections would cost more than the calls.
        await asyncio.gather(*map(each_once, callers))
        begun = perf_counter()
        tasks = []
        for number, (name, caller) in enumerate(zip(mixed(), cycle(callers), strict=False)):
            if number + CALLERS * len(MIX) >= requests:
                break
            await asyncio.sleep(begun + number / RATE - perf_counter())
            tasks.append(asyncio.ensure_future(ask(name, caller[name])))
        await asyncio.gather(*tasks)
    return noticed
