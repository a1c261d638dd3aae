"""Streams of operations, and calls that give way to others: through a real gRPC server."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from time import monotonic
from typing import Any, cast

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc import aio
from grpc_status import rpc_status
from prometheus_client.parser import text_string_to_metric_families
from tablier.v1 import game_pb2
from tablier.v1 import game_service_pb2 as pb
from tablier.v1.game_service_pb2_grpc import GameServiceStub
from tablier_core import codec
from tablier_core.registry import GAMES
from tablier_service.calls import slices
from tablier_service.calls.limits import CallLimit
from tablier_service.calls.pool import SearchPool
from tablier_service.calls.servicer import GameServicer
from tablier_service.calls.slices import Work
from tablier_service.calls.streams import MAX_LONG
from tablier_service.calls.use_cases import UseCases
from tablier_service.observability.call_log import Observer
from tablier_service.observability.logs import configure_logs
from tablier_service.observability.metrics import Metrics
from tablier_service.security.sealing import PlainTokens
from tablier_service.settings import Settings
from tablier_service.transports.grpc.server import GrpcDoor
from tablier_service.transports.http.application import RestDoor

SETTINGS = Settings(grpc_port=0, log_level="error")
STATE = codec.encode(GAMES["contigo-alignment"].start({"first": 0}, 7))
GAME = pb.GetGameRequest(game="contrast")
DRAWING = pb.Operation(render_state=pb.RenderStateRequest(state=STATE))
MANY = [DRAWING] * 1024
# A drawing that is held without a pause holds its test too: it ends by itself after this long.
HELD_SECONDS = 20


class Counting(GameServicer):
    """A servicer that counts drawings, and keeps how many there were at each GetGame."""

    drawings = 0
    # A drawing that costs nothing to make.
    ready_made = ""
    # Whether drawings are long work that goes on until this is changed.
    held = False

    def __init__(self) -> None:
        self.seen: list[int] = []
        super().__init__(UseCases(GAMES, PlainTokens(GAMES)))

    def RenderState(self, request: pb.RenderStateRequest) -> Any:  # noqa: N802
        self.drawings += 1
        if self.held:
            return self.draw_when_released(request)
        if self.ready_made:
            return pb.RenderStateResponse(content=self.ready_made)
        return super().RenderState(request)

    def draw_when_released(self, request: pb.RenderStateRequest) -> Work[pb.RenderStateResponse]:
        end = monotonic() + HELD_SECONDS
        while self.held:
            assert monotonic() < end, "nobody came to release it"
            yield
        return super().RenderState(request)

    def GetGame(self, request: pb.GetGameRequest) -> pb.GetGameResponse:  # noqa: N802
        self.seen.append(self.drawings)
        return super().GetGame(request)


class House:
    """A gRPC door in this event loop, and a client of it."""

    def __init__(self, servicer: Counting, observer: Observer, stub: Any, channel: Any) -> None:
        self.servicer = servicer
        self.observer = observer
        self.stub = stub
        self.channel = channel

    async def until(self, reached: Callable[[], bool]) -> None:
        """Make other calls, one after the other, until something is so."""
        for _ in range(10_000):
            await self.stub.GetGame(GAME)
            if reached():
                return
        raise AssertionError("it never came to that")

    async def until_still(self) -> int:
        """Make other calls until no drawing is made beside them; how many there were."""
        drawings = -1
        while drawings != self.servicer.drawings:
            drawings = self.servicer.drawings
            for _ in range(20):
                await self.stub.GetGame(GAME)
        return drawings

    def counted(self, metric: str, method: str, kind: str, **labels: str) -> float | None:
        wanted = {
            "grpc_type": kind,
            "grpc_service": "tablier.v1.GameService",
            "grpc_method": method,
            **labels,
        }
        text = self.observer.metrics.exposition().decode()
        samples = (
            each for family in text_string_to_metric_families(text) for each in family.samples
        )
        return next(
            (each.value for each in samples if (each.name, each.labels) == (metric, wanted)), None
        )


@asynccontextmanager
async def house() -> AsyncIterator[House]:
    servicer = Counting()
    observer = Observer(configure_logs(SETTINGS), Metrics())
    pool = SearchPool(1, 0)
    calls = CallLimit(SETTINGS.max_calls, observer.metrics)
    door = GrpcDoor(servicer.methods, SETTINGS, observer, pool, calls)
    await door.start()
    try:
        async with aio.insecure_channel(f"127.0.0.1:{door.port}") as channel:
            yield House(servicer, observer, GameServiceStub(channel), channel)
    finally:
        await door.stop(0)
        pool.close()


def run(test: Callable[[House], Awaitable[None]]) -> None:
    async def main() -> None:
        async with house() as built:
            await test(built)

    asyncio.run(main())


async def play(stub: Any, messages: Iterable[Iterable[pb.Operation]]) -> list[pb.OperationResult]:
    """The results of a stream of operations, as they come."""
    stream = stub.Play(iter([pb.PlayRequest(operations=each) for each in messages]))
    return [result async for answer in stream for result in answer.results]


def reason(error: grpc.RpcError) -> tuple[str, str]:
    status = rpc_status.from_call(cast("Any", error))
    assert status is not None
    info = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(info)
    return info.reason, info.metadata["field"]


def test_a_stream_answers_as_the_calls_alone_do():
    listing = pb.EnumerateMovesRequest(state=STATE)
    replay = pb.ReplayGameRequest(game="contrast", seed=3, include_transcript=True)
    operations = [
        pb.Operation(id=5, enumerate_moves=listing),
        pb.Operation(id=5, replay_game=replay),
        pb.Operation(get_game=GAME),
    ]

    async def test(house: House) -> None:
        stub = house.stub
        listed, replayed, game = await play(stub, [operations[:1], operations[1:]])
        assert (listed.id, replayed.id, game.id) == (5, 5, 0)
        assert listed.enumerate_moves == await stub.EnumerateMoves(listing)
        assert replayed.replay_game == await stub.ReplayGame(replay)
        assert game.get_game == await stub.GetGame(GAME)

    run(test)


def test_a_stream_survives_a_bad_operation():
    async def test(house: House) -> None:
        bad = pb.Operation(id=1, get_game=pb.GetGameRequest(game="chess"))
        good = pb.Operation(id=2, get_game=GAME)
        results = await play(house.stub, [[bad], [pb.Operation(id=3), good], [good]])
        assert [(each.id, each.WhichOneof("outcome")) for each in results] == [
            (1, "error"), (3, "error"), (2, "get_game"), (2, "get_game"),
        ]  # fmt: skip

    run(test)


@pytest.mark.parametrize(
    ("data", "code", "why"),
    [
        (b"\xff\xff", grpc.StatusCode.INVALID_ARGUMENT, ("INVALID_FIELD", "")),
        (b"", grpc.StatusCode.INVALID_ARGUMENT, ("INVALID_FIELD", "operations")),
        (b"\x0a\x00" * 1025, grpc.StatusCode.INVALID_ARGUMENT, ("INVALID_FIELD", "operations")),
        (bytes(4 * 1024 * 1024 + 1), grpc.StatusCode.RESOURCE_EXHAUSTED, ("TOO_LARGE", "")),
    ],
)
def test_a_message_that_cannot_be_read_ends_the_stream(
    data: bytes, code: grpc.StatusCode, why: tuple[str, str]
):
    async def test(house: House) -> None:
        good = pb.PlayRequest(operations=[pb.Operation(id=1, get_game=GAME)]).SerializeToString()
        stream = house.channel.stream_stream("/tablier.v1.GameService/Play")()
        await stream.write(good)
        assert pb.PlayResponse.FromString(await stream.read()).results[0].id == 1
        await stream.write(data)
        with pytest.raises(aio.AioRpcError) as failure:
            await stream.read()
        assert failure.value.code() == code
        assert reason(failure.value) == why
        kind = (
            "InvalidArgument" if code == grpc.StatusCode.INVALID_ARGUMENT else "ResourceExhausted"
        )
        assert (
            house.counted("grpc_server_handled_total", "Play", "bidi_stream", grpc_code=kind) == 1
        )

    run(test)


def test_a_caller_who_does_not_read_is_not_read_from():
    """Drawings wait for their reader, not in our memory; when it reads, all are there."""
    messages = 32

    async def test(house: House) -> None:
        house.servicer.ready_made = "." * 16_384
        stream = house.stub.Play()

        async def write() -> None:
            for _ in range(messages):
                await stream.write(pb.PlayRequest(operations=MANY[:64]))
            await stream.done_writing()

        writing = asyncio.ensure_future(write())
        await house.until(lambda: house.servicer.drawings > 0)
        assert await house.until_still() < messages * 64
        results = 0
        while (answer := await stream.read()) is not cast("Any", aio).EOF:
            results += len(answer.results)
        await writing
        assert results == house.servicer.drawings == messages * 64

    run(test)


def test_only_so_many_long_operations_of_a_stream_are_under_way(monkeypatch: pytest.MonkeyPatch):
    messages = MAX_LONG + 8
    # What is held uses its slices up, and other calls wait for all of them.
    monkeypatch.setattr(slices, "SLICE_SECONDS", 5e-5)

    async def test(house: House) -> None:
        house.servicer.held = True
        stream = house.stub.Play(iter([pb.PlayRequest(operations=[DRAWING])] * messages))
        await house.until(lambda: house.servicer.drawings >= MAX_LONG)
        assert await house.until_still() == MAX_LONG
        house.servicer.held = False
        assert sum([len(answer.results) async for answer in stream]) == messages

    run(test)


def test_a_long_operation_holds_up_no_short_one():
    async def test(house: House) -> None:
        short = pb.Operation(id=7, get_game=GAME)
        results = await play(house.stub, [MANY[:200], [short]])
        assert len(results) == 201
        assert results[0].id == 7

    run(test)


def test_answers_that_queue_up_share_messages():
    messages = 200

    async def test(house: House) -> None:
        operation = pb.Operation(get_game=GAME)
        results = await play(house.stub, [[operation]] * messages)
        assert len(results) == messages
        sent = house.counted("grpc_server_msg_sent_total", "Play", "bidi_stream")
        assert sent is not None
        assert sent < messages

    run(test)


def test_streams_are_counted_as_streams():
    async def test(house: House) -> None:
        operation = pb.Operation(get_game=GAME)
        await play(house.stub, [[operation], [operation] * 5, [operation]])
        kind = "bidi_stream"
        assert house.counted("grpc_server_started_total", "Play", kind) == 1
        assert house.counted("grpc_server_handled_total", "Play", kind, grpc_code="OK") == 1
        assert house.counted("grpc_server_handling_seconds_count", "Play", kind) == 1
        assert house.counted("grpc_server_msg_received_total", "Play", kind) == 3
        # Answers that are ready together go in one message.
        sent = house.counted("grpc_server_msg_sent_total", "Play", kind)
        assert sent is not None
        assert 1 <= sent <= 3
        await house.stub.GetGame(GAME)
        assert house.counted("grpc_server_started_total", "GetGame", "unary") == 1

    run(test)


def begin_batch(house: House, timeout: float | None = None) -> Any:
    return house.stub.Batch(pb.BatchRequest(operations=MANY), timeout=timeout)


def begin_play(house: House, timeout: float | None = None) -> Any:
    return house.stub.Play(iter([pb.PlayRequest(operations=MANY)]), timeout=timeout)


@pytest.mark.parametrize("begin", [begin_batch, begin_play])
def test_other_calls_are_served_during_a_long_one(begin: Callable[[House], Any]):
    async def test(house: House) -> None:
        call = begin(house)
        await house.until(lambda: house.servicer.drawings >= 1024)
        assert len({seen for seen in house.servicer.seen if 0 < seen < 1024}) > 5
        call.cancel()

    run(test)


@pytest.mark.parametrize("begin", [begin_batch, begin_play])
def test_a_cancelled_call_stops(begin: Callable[[House], Any]):
    async def test(house: House) -> None:
        call = begin(house)
        await house.until(lambda: house.servicer.drawings > 0)
        call.cancel()
        assert 0 < await house.until_still() < 1024

    run(test)


@pytest.mark.parametrize("begin", [begin_batch, begin_play])
def test_a_call_whose_deadline_passes_stops(begin: Callable[[House, float], Any]):
    async def test(house: House) -> None:
        call = begin(house, 0.05)
        await house.until(call.done)
        assert await call.code() == grpc.StatusCode.DEADLINE_EXCEEDED
        assert await house.until_still() < 1024

    run(test)


def test_a_long_line_can_pause_at_every_move():
    """And at every step, drawing and view that is told of it."""
    game, seed = "contigo-alignment", 5
    moves: list[game_pb2.Move] = []
    position = first = GAMES[game].start({}, seed)
    while not position.over and len(moves) < 100:
        seat = position.actors[0]
        action = position.moves(seat)[len(moves) % position.count_moves(seat)]
        moves.append(game_pb2.Move(seat=seat, action=action))
        position = position.apply(seat, action)
    servicer = Counting()
    state = codec.encode(first)
    line = servicer.ApplyMoves(pb.ApplyMovesRequest(state=state, moves=moves, include_steps=True))
    assert not isinstance(line, bytes)
    assert sum(1 for _ in line) >= 2 * len(moves)
    request = pb.ReplayGameRequest(game=game, seed=seed, moves=moves, viewer=0)
    request.include_steps = request.include_transcript = True
    replay = servicer.ReplayGame(request)
    assert sum(1 for _ in replay) >= 4 * len(moves)


@pytest.mark.parametrize("leaves", [True, False])
def test_a_long_call_over_rest_gives_way_and_ends_when_its_caller_leaves(leaves: bool):
    async def main() -> None:
        servicer = Counting()
        observer = Observer(configure_logs(SETTINGS), Metrics())
        pool = SearchPool(1, 0)
        calls = CallLimit(SETTINGS.max_calls, observer.metrics)
        door = RestDoor(servicer.methods, SETTINGS, observer, pool, calls, lambda: True)
        servicer.drawings = 0
        operation = b'{"renderState":{"state":"%s"}}' % base64.urlsafe_b64encode(STATE)
        body = b'{"operations":[%s]}' % b",".join([operation] * 1024)
        parts = [{"type": "http.request", "body": body}]
        turns = []
        sent = []

        async def receive() -> dict[str, Any]:
            if parts:
                return parts.pop()
            while not leaves or servicer.drawings == 0:
                turns.append(servicer.drawings)
                await asyncio.sleep(0)
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {
            "type": "http", "method": "POST", "path": "/v1/batch", "raw_path": b"/v1/batch",
            "query_string": b"", "headers": [(b"content-type", b"application/json")],
        }  # fmt: skip
        await door(scope, receive, send)
        if leaves:
            assert 0 < servicer.drawings < 1024
            assert sent == []
        else:
            assert servicer.drawings == 1024
            assert sent[0]["status"] == 200
            assert len({turn for turn in turns if 0 < turn < 1024}) > 5

    asyncio.run(main())
