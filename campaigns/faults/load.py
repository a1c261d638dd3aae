"""The load during a fault: calls at a steady rate, with and without retries, checked."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

import grpc
import httpx
from google.protobuf import json_format
from google.protobuf.message import Message
from tablier.v1 import game_service_pb2 as pb
from tablier_client import AsyncClient, TablierError
from tablier_client.call import Call
from tablier_client.errors import from_call

from campaigns.faults.questions import Question, Questions

# Calls per second of each kind of caller, whether or not earlier ones have been answered. REST,
# whose client is slow, has a tenth of that.
RATE, REST_SHARE = 500, 0.1
# Calls that are late by more than this are skipped and counted: this process does not keep up.
LATEST_SECONDS = 0.25
# As long as the client's own.
TIMEOUT_SECONDS = 20
# A call that takes longer has no timeout at all. That is a failure without a status.
ENDLESS_SECONDS = 60
ANSWERS: dict[str, Any] = {
    "StartGame": pb.StartGameResponse,
    "ApplyMoves": pb.ApplyMovesResponse,
    "EnumerateMoves": pb.EnumerateMovesResponse,
}
REST_PATHS = {
    "ApplyMoves": "/v1/states:applyMoves",
    "EnumerateMoves": "/v1/states:enumerateMoves",
}
# Statuses by which a caller can tell that no answer came, and that it may repeat the call.
TYPED = {"UNAVAILABLE", "CANCELLED", "RESOURCE_EXHAUSTED", "DEADLINE_EXCEEDED"}


@dataclass
class Tally:
    """The calls of one kind of caller in a window of time."""

    calls: int = 0
    skipped: int = 0
    under_way: int = 0
    wrong: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    # When the last call failed.
    last_failure: float = 0.0

    @property
    def failed(self) -> int:
        """How many calls failed."""
        return self.failures.total()

    @property
    def untyped(self) -> int:
        """How many calls failed in a way that says nothing about what to do."""
        return sum(count for kind, count in self.failures.items() if kind not in TYPED)


class Caller(Protocol):
    """One way to call."""

    async def ask(self, method: str, request: Message) -> Any:
        """Send a request and return its answer."""


class Bare:
    """gRPC without retries. It follows the health of the services, and balances calls."""

    def __init__(
        self, address: str, credentials: grpc.ChannelCredentials | None, *, health: bool
    ) -> None:
        config: dict[str, object] = {"loadBalancingConfig": [{"round_robin": {}}]}
        if health:
            config["healthCheckConfig"] = {"serviceName": ""}
        options = [
            ("grpc.enable_retries", 0),
            ("grpc.service_config", json.dumps(config)),
            ("grpc.initial_reconnect_backoff_ms", 100),
            ("grpc.max_reconnect_backoff_ms", 1000),
            ("grpc.use_local_subchannel_pool", 1),
        ]
        self.channel = (
            grpc.aio.insecure_channel(address, options)
            if credentials is None
            else grpc.aio.secure_channel(address, credentials, options)
        )
        self._methods: dict[str, Any] = {
            name: self.channel.unary_unary(
                f"/tablier.v1.GameService/{name}",
                request_serializer=lambda request: request.SerializeToString(),
                response_deserializer=answer.FromString,
            )
            for name, answer in ANSWERS.items()
        }

    async def ask(self, method: str, request: Message) -> Any:
        return await self._methods[method](request, timeout=TIMEOUT_SECONDS)


class Retrying:
    """The client of this project."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client

    async def ask(self, method: str, request: Message) -> Any:
        return await self._client.send(Call(method, request, lambda reply: reply))


class Rest:
    """REST without retries, through a proxy."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client = client

    async def ask(self, method: str, request: Message) -> Any:
        body = json_format.MessageToDict(request)
        path = REST_PATHS.get(method) or f"/v1/games/{body.pop('game')}:start"
        answer = await self._client.post(path, json=body)
        if answer.status_code != httpx.codes.OK:
            raise httpx.HTTPStatusError(
                f"HTTP {answer.status_code}", request=answer.request, response=answer
            )
        return json_format.Parse(answer.content, ANSWERS[method]())


@dataclass(frozen=True)
class Reach:
    """How callers reach the services."""

    grpc: str
    # The URL of a proxy, or empty: only a proxy balances REST.
    rest: str = ""
    authority: Path | None = None


class Load:
    """Context manager: callers of every kind that call until the end of the block."""

    def __init__(self, reach: Reach, questions: Questions, rate: int = RATE) -> None:
        self._reach = reach
        self._rate = rate
        self._questions = questions
        # What was noticed in the present window, by kind of caller.
        self.tallies: dict[str, Tally] = {}
        self._stack = AsyncExitStack()
        self._over = False

    async def __aenter__(self) -> Load:
        reach = self._reach
        credentials = None
        if reach.authority is not None:
            credentials = grpc.ssl_channel_credentials(reach.authority.read_bytes())
        bare = Bare(reach.grpc, credentials, health=not reach.rest)
        self._stack.push_async_callback(bare.channel.close, None)
        client = await self._stack.enter_async_context(
            AsyncClient(reach.grpc, ca_file=reach.authority, timeout=TIMEOUT_SECONDS)
        )
        callers: dict[str, tuple[Caller, float]] = {
            "gRPC": (bare, self._rate),
            "client": (Retrying(client), self._rate),
        }
        if reach.rest:
            http = httpx.AsyncClient(base_url=reach.rest, timeout=TIMEOUT_SECONDS)
            callers["REST"] = (
                Rest(await self._stack.enter_async_context(http)),
                REST_SHARE * self._rate,
            )
        self.window()
        tasks = []
        for kind, (caller, rate) in callers.items():
            await self._until_served(caller)
            tasks.append(asyncio.ensure_future(self._call(kind, caller, rate)))
        self._stack.push_async_callback(self._finish, tasks)
        self.window()
        return self

    async def __aexit__(self, *details: Any) -> None:
        self._over = True
        await self._stack.__aexit__(*details)

    def window(self) -> dict[str, Tally]:
        """Begin new counts; returns the old ones, which still grow by calls in progress."""
        before, self.tallies = self.tallies, {}
        return before

    async def _finish(self, tasks: list[asyncio.Task[None]]) -> None:
        await asyncio.gather(*tasks)

    async def _until_served(self, caller: Caller) -> None:
        """Wait until calls are answered, also by the second service."""
        answered = 0
        async with asyncio.timeout(TIMEOUT_SECONDS):
            while answered < 8:
                try:
                    await caller.ask("StartGame", pb.StartGameRequest(game="contrast", seed=1))
                    answered += 1
                except (grpc.RpcError, TablierError, httpx.HTTPError):
                    await asyncio.sleep(0.05)

    async def _call(self, kind: str, caller: Caller, rate: float) -> None:
        """Ask questions of two calls each at a steady rate until the end."""
        under_way: set[asyncio.Task[None]] = set()
        begun, number = monotonic(), 0
        while not self._over:
            tally = self.tallies.setdefault(kind, Tally())
            # Several at once: timers are not more precise than that.
            due = int((monotonic() - begun) * rate / 2)
            late = max(0, due - number - max(1, int(LATEST_SECONDS * rate / 2)))
            tally.skipped += 2 * late
            for _ in range(due - number - late):
                task = asyncio.ensure_future(self._put(caller, self._questions.next(), tally))
                under_way.add(task)
                task.add_done_callback(under_way.discard)
            number = due
            await asyncio.sleep(0.005)
        await asyncio.gather(*under_way)

    async def _put(self, caller: Caller, question: Question, tally: Tally) -> None:
        tally.under_way += 1
        try:
            await self._put_both(caller, question, tally)
        finally:
            tally.under_way -= 1

    async def _put_both(self, caller: Caller, question: Question, tally: Tally) -> None:
        name = type(question.request).__name__.removesuffix("Request")
        reply = await self._ask(caller, name, question.request, tally)
        if reply is None:
            return
        if not self._questions.is_right(question, reply):
            tally.wrong += 1
            return
        request = pb.EnumerateMovesRequest(state=reply.state)
        moves = await self._ask(caller, "EnumerateMoves", request, tally)
        if moves is not None and question.moves is not None and moves != question.moves:
            tally.wrong += 1

    async def _ask(self, caller: Caller, name: str, request: Message, tally: Tally) -> Any:
        tally.calls += 1
        try:
            async with asyncio.timeout(ENDLESS_SECONDS):
                return await caller.ask(name, request)
        except Exception as error:
            tally.failures[kind_of(error)] += 1
            tally.last_failure = monotonic()
            return None


def kind_of(error: Exception) -> str:
    """What a caller learns about a failure: a status, or the type of anything unexpected."""
    if isinstance(error, grpc.RpcError):
        error = from_call(error)
    if isinstance(error, TablierError):
        return error.code.name
    if isinstance(error, httpx.HTTPStatusError):
        status = error.response.status_code
        return "UNAVAILABLE" if status in (502, 503, 504) else f"HTTP {status}"
    if isinstance(error, httpx.TransportError):
        return "UNAVAILABLE"
    return f"{type(error).__name__}: {error}"
