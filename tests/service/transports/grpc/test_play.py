"""Streams of operations, and long calls that let others run, on a real gRPC server."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from time import monotonic, sleep
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
from tablier_service.calls.servicer import GameServicer
from tablier_service.calls.slices import Work
from tablier_service.calls.streams import MAX_LONG
from tablier_service.calls.use_cases import UseCases
from tablier_service.service import Service
from tablier_service.transports.grpc.server import make_server
from tablier_service.transports.http.application import HttpApplication

from tests.service.assembly import CallCounts, assemble

STATE = codec.encode(GAMES["contigo-alignment"].start({"first": 0}, 7))
GAME = pb.GetGameRequest(game="contrast")
DRAWING = pb.Operation(render_state=pb.RenderStateRequest(state=STATE))
MANY = [DRAWING] * 1024
# A drawing that is held would hold its test for ever, so it ends by itself after this long.
HELD_SECONDS = 60


class Counting(GameServicer):
    """A servicer that counts drawings, and notes their number at each GetGame."""

    drawings = 0
    # A drawing that costs nothing to make.
    ready_made = ""
    # How long each drawing takes, without using a core.
    seconds = 0.0
    # Whether drawings are long work that goes on until this is changed.
    held = False

    def __init__(self, service: Service) -> None:
        self.seen: list[int] = []
        super().__init__(UseCases(service.games, service.tokens))

    def RenderState(self, request: pb.RenderStateRequest) -> Any:  # noqa: N802
        self.drawings += 1
        sleep(self.seconds)
        if self.held:
            return self.draw_when_released(request)
        if self.ready_made:
            return pb.RenderStateResponse(content=self.ready_made)
        return super().RenderState(request)

    def draw_when_released(self, request: pb.RenderStateRequest) -> Work[bytes]:
        end = monotonic() + HELD_SECONDS
        while self.held:
            assert monotonic() < end, "the test did not release it"
            yield
        drawn = super().RenderState(request)
        assert isinstance(drawn, bytes)
        return drawn

    def GetGame(self, request: pb.GetGameRequest) -> bytes:  # noqa: N802
        self.seen.append(self.drawings)
        return super().GetGame(request)


def counting_service() -> tuple[Service, Counting]:
    # A batch of drawings has up to 20 MB.
    service = assemble(search_slots=1, search_queue=0, max_response_bytes=64 * 1024 * 1024)
    servicer = Counting(service)
    return replace(service, methods=servicer.methods), servicer


class Running:
    """A gRPC server in this event loop, and a client of it."""

    def __init__(self, service: Service, servicer: Counting, channel: Any) -> None:
        self.service = service
        self.servicer = servicer
        self.channel = channel
        self.stub: Any = GameServiceStub(channel)

    async def until(self, reached: Callable[[], bool]) -> None:
        """Make other calls, one after the other, until a condition holds."""
        for _ in range(10_000):
            await self.stub.GetGame(GAME)
            if reached():
                return
        raise AssertionError("the condition never held")

    async def until_still(self) -> int:
        """Make other calls until no more drawings are made; returns their number."""
        drawings = -1
        while drawings != self.servicer.drawings:
            drawings = self.servicer.drawings
            for _ in range(20):
                await self.stub.GetGame(GAME)
        return drawings

    async def until_handled(self) -> None:
        """Make other calls until the only batch or stream has been handled."""
        counts = [CallCounts(self.service, name) for name in ("Batch", "Play")]
        await self.until(lambda: all(count.started == count.handled() for count in counts))

    def counted(self, metric: str, method: str, kind: str, **labels: str) -> float | None:
        wanted = {
            "grpc_type": kind,
            "grpc_service": "tablier.v1.GameService",
            "grpc_method": method,
            **labels,
        }
        text = self.service.metrics.exposition().decode()
        samples = (
            each for family in text_string_to_metric_families(text) for each in family.samples
        )
        return next(
            (each.value for each in samples if (each.name, each.labels) == (metric, wanted)), None
        )


@asynccontextmanager
async def running() -> AsyncIterator[Running]:
    service, servicer = counting_service()
    server = make_server(service)
    await server.start()
    try:
        async with aio.insecure_channel(f"127.0.0.1:{server.port}") as channel:
            yield Running(service, servicer, channel)
    finally:
        servicer.held = False
        await server.stop(0)
        service.close()


def run(test: Callable[[Running], Awaitable[None]]) -> None:
    async def main() -> None:
        async with running() as started:
            await asyncio.wait_for(test(started), 120)

    asyncio.run(main())


async def play(stub: Any, messages: Iterable[Iterable[pb.Operation]]) -> list[pb.OperationResult]:
    """The results of a stream of operations, in the order of arrival."""
    stream = stub.Play(iter([pb.PlayRequest(operations=each) for each in messages]))
    return [result async for answer in stream for result in answer.results]


def reason(error: grpc.RpcError) -> tuple[str, str]:
    status = rpc_status.from_call(cast("Any", error))
    assert status is not None
    info = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(info)
    return info.reason, info.metadata["field"]


def test_a_stream_answers_like_single_calls():
    listing = pb.EnumerateMovesRequest(state=STATE)
    replay = pb.ReplayGameRequest(game="contrast", seed=3, include_transcript=True)
    operations = [
        pb.Operation(id=5, enumerate_moves=listing),
        pb.Operation(id=5, replay_game=replay),
        pb.Operation(get_game=GAME),
    ]

    async def test(server: Running) -> None:
        stub = server.stub
        listed, replayed, game = await play(stub, [operations[:1], operations[1:]])
        assert (listed.id, replayed.id, game.id) == (5, 5, 0)
        assert listed.enumerate_moves == await stub.EnumerateMoves(listing)
        assert replayed.replay_game == await stub.ReplayGame(replay)
        assert game.get_game == await stub.GetGame(GAME)

    run(test)


def test_metadata_name_the_language_of_a_stream():
    async def test(server: Running) -> None:
        stream = server.stub.Play(metadata=(("accept-language", "fr"),))
        for language, chosen in (("", "fr"), ("en", "")):
            operation = pb.Operation(get_game=pb.GetGameRequest(game="contract"))
            await stream.write(pb.PlayRequest(operations=[operation], language=language))
            (result,) = (await stream.read()).results
            assert result.get_game.language == chosen
        await stream.done_writing()

    run(test)


def test_a_stream_survives_a_failed_operation():
    async def test(server: Running) -> None:
        bad = pb.Operation(id=1, get_game=pb.GetGameRequest(game="chess"))
        good = pb.Operation(id=2, get_game=GAME)
        results = await play(server.stub, [[bad], [pb.Operation(id=3), good], [good]])
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
def test_an_invalid_message_ends_the_stream(
    data: bytes, code: grpc.StatusCode, why: tuple[str, str]
):
    async def test(server: Running) -> None:
        good = pb.PlayRequest(operations=[pb.Operation(id=1, get_game=GAME)]).SerializeToString()
        stream = server.channel.stream_stream("/tablier.v1.GameService/Play")()
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
            server.counted("grpc_server_handled_total", "Play", "bidi_stream", grpc_code=kind) == 1
        )

    run(test)


def test_does_not_read_from_a_caller_that_does_not_read():
    """Answers do not pile up in memory; when the caller reads, all of them arrive."""
    messages = 32

    async def test(server: Running) -> None:
        server.servicer.ready_made = "." * 16_384
        stream = server.stub.Play()

        async def write() -> None:
            for _ in range(messages):
                await stream.write(pb.PlayRequest(operations=MANY[:64]))
            await stream.done_writing()

        writing = asyncio.ensure_future(write())
        await server.until(lambda: server.servicer.drawings > 0)
        assert await server.until_still() < messages * 64
        results = 0
        while (answer := await stream.read()) is not cast("Any", aio).EOF:
            results += len(answer.results)
        await writing
        assert results == server.servicer.drawings == messages * 64

    run(test)


def test_limits_the_long_operations_of_a_stream(monkeypatch: pytest.MonkeyPatch):
    messages = MAX_LONG + 8
    # Operations that are held use up their slices, and other calls wait for all of them.
    monkeypatch.setattr(slices, "SLICE_SECONDS", 5e-5)

    async def test(server: Running) -> None:
        server.servicer.held = True
        stream = server.stub.Play(iter([pb.PlayRequest(operations=[DRAWING])] * messages))
        await server.until(lambda: server.servicer.drawings >= MAX_LONG)
        assert await server.until_still() == MAX_LONG
        server.servicer.held = False
        assert sum([len(answer.results) async for answer in stream]) == messages

    run(test)


def test_a_long_operation_does_not_delay_a_short_one():
    async def test(server: Running) -> None:
        server.servicer.held = True
        stream = server.stub.Play()
        await stream.write(pb.PlayRequest(operations=[DRAWING]))
        await stream.write(pb.PlayRequest(operations=[pb.Operation(id=7, get_game=GAME)]))
        assert [result.id for result in (await stream.read()).results] == [7]
        server.servicer.held = False
        await stream.done_writing()
        assert len((await stream.read()).results) == 1

    run(test)


def test_answers_that_queue_up_share_messages():
    messages = 200

    async def test(server: Running) -> None:
        operation = pb.Operation(get_game=GAME)
        results = await play(server.stub, [[operation]] * messages)
        assert len(results) == messages
        sent = server.counted("grpc_server_msg_sent_total", "Play", "bidi_stream")
        assert sent is not None
        assert sent < messages

    run(test)


def test_counts_streams_and_their_messages():
    async def test(server: Running) -> None:
        operation = pb.Operation(get_game=GAME)
        await play(server.stub, [[operation], [operation] * 5, [operation]])
        kind = "bidi_stream"
        assert server.counted("grpc_server_started_total", "Play", kind) == 1
        assert server.counted("grpc_server_handled_total", "Play", kind, grpc_code="OK") == 1
        assert server.counted("grpc_server_handling_seconds_count", "Play", kind) == 1
        assert server.counted("grpc_server_msg_received_total", "Play", kind) == 3
        # Answers that are ready together go in one message.
        sent = server.counted("grpc_server_msg_sent_total", "Play", kind)
        assert sent is not None
        assert 1 <= sent <= 3
        await server.stub.GetGame(GAME)
        assert server.counted("grpc_server_started_total", "GetGame", "unary") == 1

    run(test)


def begin_batch(server: Running, timeout: float | None = None) -> Any:
    return server.stub.Batch(pb.BatchRequest(operations=MANY), timeout=timeout)


def begin_play(server: Running, timeout: float | None = None) -> Any:
    return server.stub.Play(iter([pb.PlayRequest(operations=MANY)]), timeout=timeout)


@pytest.mark.parametrize("begin", [begin_batch, begin_play])
def test_serves_other_calls_during_a_long_one(begin: Callable[[Running], Any]):
    async def test(server: Running) -> None:
        # Two seconds of drawings, so that other calls get their turn on a busy machine too.
        server.servicer.seconds = 0.002
        call = begin(server)
        await server.until(lambda: server.servicer.drawings >= 1024)
        assert len({seen for seen in server.servicer.seen if 0 < seen < 1024}) > 5
        call.cancel()

    run(test)


@pytest.mark.parametrize("begin", [begin_batch, begin_play])
def test_a_cancelled_call_stops(begin: Callable[[Running], Any]):
    async def test(server: Running) -> None:
        server.servicer.held = True
        call = begin(server)
        await server.until(lambda: server.servicer.drawings > 0)
        call.cancel()
        await server.until_handled()
        server.servicer.held = False
        assert await server.until_still() == 1

    run(test)


@pytest.mark.parametrize("begin", [begin_batch, begin_play])
def test_a_call_stops_at_its_deadline(begin: Callable[[Running, float], Any]):
    async def test(server: Running) -> None:
        server.servicer.held = True
        call = begin(server, 0.5)
        await server.until(call.done)
        assert await call.code() == grpc.StatusCode.DEADLINE_EXCEEDED
        await server.until_handled()
        server.servicer.held = False
        # On a busy machine, the deadline may pass before the first.
        assert await server.until_still() <= 1

    run(test)


def test_a_long_line_can_pause_at_every_move():
    """And at every step, drawing and view of it."""
    game, seed = "contigo-alignment", 5
    moves: list[game_pb2.Move] = []
    position = first = GAMES[game].start({}, seed)
    while not position.over and len(moves) < 100:
        seat = position.actors[0]
        action = position.moves(seat)[len(moves) % position.count_moves(seat)]
        moves.append(game_pb2.Move(seat=seat, action=action))
        position = position.apply(seat, action)
    service, servicer = counting_service()
    state = codec.encode(first)
    line = servicer.ApplyMoves(pb.ApplyMovesRequest(state=state, moves=moves, include_steps=True))
    assert not isinstance(line, bytes)
    assert sum(1 for _ in line) >= 2 * len(moves)
    request = pb.ReplayGameRequest(game=game, seed=seed, moves=moves, viewer=0)
    request.include_steps = request.include_transcript = True
    replay = servicer.ReplayGame(request)
    assert sum(1 for _ in replay) >= 4 * len(moves)
    service.close()


@pytest.mark.parametrize("leaves", [True, False])
def test_a_long_call_over_http_lets_others_run_and_ends_with_its_client(leaves: bool):
    async def main() -> None:
        service, servicer = counting_service()
        application = HttpApplication(service)
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
        await application(scope, receive, send)
        if leaves:
            assert 0 < servicer.drawings < 1024
            assert sent == []
        else:
            assert servicer.drawings == 1024
            assert sent[0]["status"] == 200
            assert len({turn for turn in turns if 0 < turn < 1024}) > 5

    asyncio.run(main())
