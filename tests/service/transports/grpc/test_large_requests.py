"""No request within the limits keeps the thread that polls gRPC for long."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from time import thread_time

import grpc
import pytest
from grpc import aio
from tablier.v1 import game_pb2
from tablier.v1 import game_service_pb2 as pb
from tablier.v1.game_service_pb2_grpc import GameServiceStub
from tablier_core import codec
from tablier_core.position import Position
from tablier_core.registry import GAMES
from tablier_core.wire import write_field
from tablier_service.calls.messages import MAX_RECORD_BYTES, MAX_STRING
from tablier_service.calls.slices import run_slice
from tablier_service.errors import TooLarge
from tablier_service.lifecycle import Endpoint
from tablier_service.service import Service
from tablier_service.transports.grpc.asyncio_call import AsyncioCall
from tablier_service.transports.grpc.server import make_server

from tests.service.assembly import CallCounts, assemble
from tests.service.event_loop import TURN_SECONDS
from tests.service.transports.grpc.contexts import Context

MOST_BYTES = 4 * 1024 * 1024 - 100
# Each is measured a few times, and the best counts: other programs only make it worse.
ROUNDS = 5
FACE = "\N{GRINNING FACE}"


def random_line(game: str, count: int, **options: int) -> tuple[Position, list[game_pb2.Move]]:
    """The first position of a game, and its first moves."""
    choices = random.Random(1)
    position = first = GAMES[game].start(options, 7)
    moves: list[game_pb2.Move] = []
    while len(moves) < count and not position.over:
        seat = choices.choice(position.actors)
        action = choices.choice(position.moves(seat))
        moves.append(game_pb2.Move(seat=seat, action=action))
        position = position.apply(seat, action)
    return first, moves


def line_in_french() -> pb.ApplyMovesRequest:
    first, moves = random_line("contract", 64, seats=5)
    return pb.ApplyMovesRequest(
        state=codec.encode(first),
        moves=moves,
        include_steps=True,
        include_words=True,
        language="fr",
    )


def replay_with_words() -> pb.ReplayGameRequest:
    moves = random_line("contrat500", 10_000)[1]
    return pb.ReplayGameRequest(
        game="contrat500", seed=7, moves=moves, include_steps=True, include_words=True
    )


def record(text: str) -> pb.ReplayGameRequest:
    return pb.ReplayGameRequest(game="contrast", record=text)


def names(character: str) -> pb.BatchRequest:
    game = character * (MAX_STRING // len(character.encode()))
    operation = pb.Operation(get_game=pb.GetGameRequest(game=game))
    return pb.BatchRequest(operations=[operation] * (MOST_BYTES // (MAX_STRING + 20)))


Request = (
    pb.ApplyMovesRequest
    | pb.BatchRequest
    | pb.EnumerateMovesRequest
    | pb.GetGameRequest
    | pb.ReplayGameRequest
)
KINDS: dict[str, Callable[[], Request]] = {
    "the longest record": lambda: record(FACE * (MOST_BYTES // 4)),
    "a record with too many characters": lambda: record("é" * (MOST_BYTES // 2)),
    "the longest record that is read": lambda: record(FACE * (MAX_RECORD_BYTES // 4)),
    "a record with a long comment": lambda: record(
        'Tablier 1\n[Game "contrast"]\n\n{' + FACE * (MAX_RECORD_BYTES // 4 - 20) + "}\n"
    ),
    "records": lambda: pb.BatchRequest(
        operations=[pb.Operation(replay_game=record(FACE * (MAX_RECORD_BYTES // 4)))] * 3
    ),
    "a long name": lambda: pb.BatchRequest(
        operations=[pb.Operation(get_game=pb.GetGameRequest(game="é" * (MOST_BYTES // 2)))]
    ),
    "names": lambda: names("é"),
    "names of longer characters": lambda: names(FACE),
    "a line with words": line_in_french,
    "lines with words": lambda: pb.BatchRequest(
        operations=[pb.Operation(apply_moves=line_in_french())] * 16
    ),
    "a replay with words": replay_with_words,
    "as many moves as possible": lambda: pb.ReplayGameRequest(
        game="contrast", moves=[game_pb2.Move(seat=1, notation="e1-c1", action=5)] * 16_384
    ),
}


def longest_turn(service: Service, request: Request) -> float:
    """The longest time that a call takes without a pause."""
    method = next(each for each in service.methods if each.request_type is type(request))
    call = AsyncioCall(Endpoint(service, method), Context())  # type: ignore[arg-type]
    data = request.SerializeToString()
    assert len(data) <= MOST_BYTES + 100
    longest, answer, began = 0.0, None, thread_time()
    call.start(data)
    while call.waits and answer is None:
        longest, began = max(longest, thread_time() - began), thread_time()
        with call:
            answer = run_slice(call.work)
            if answer is not None:
                call.encode(answer)
                call.succeed()
    return max(longest, thread_time() - began)


@pytest.mark.parametrize("kind", KINDS)
def test_every_request_pauses_in_time(service: Service, kind: str) -> None:
    request = KINDS[kind]()
    assert min(longest_turn(service, request) for _ in range(ROUNDS)) < TURN_SECONDS


@pytest.mark.parametrize(
    ("name", "field", "longest"),
    [("ReplayGame", 8, MAX_RECORD_BYTES), ("ReplayGame", 1, MAX_STRING), ("Batch", 31, MAX_STRING)],
    ids=["a record", "another string", "an unknown field"],
)
def test_rejects_strings_that_are_too_long_before_they_are_read(
    service: Service, name: str, field: int, longest: int
) -> None:
    call = AsyncioCall(Endpoint(service, service.method(name)), Context())  # type: ignore[arg-type]
    call.parse(write_field(field, b"x" * longest))
    with pytest.raises(TooLarge, match=f"more than {MAX_STRING} bytes"):
        # It is not UTF-8 either.
        call.parse(write_field(field, b"\xff" * (longest + 1)))


@pytest.mark.parametrize("compression", [grpc.Compression.Gzip, grpc.Compression.Deflate])
def test_rejects_compressed_requests(compression: grpc.Compression) -> None:
    """A few bytes could become the largest message."""
    service = assemble()
    counts = CallCounts(service, "GetGame")

    async def main() -> None:
        server = make_server(service)
        await server.start()
        try:
            async with aio.insecure_channel(f"127.0.0.1:{server.port}") as channel:
                stub = GameServiceStub(channel)
                request = pb.GetGameRequest(game="contrast")
                with pytest.raises(aio.AioRpcError, match="Compression algorithm") as caught:
                    await stub.GetGame(request, compression=compression)
                assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED
                assert (await stub.GetGame(request)).game.name == "contrast"
        finally:
            await server.stop(1)

    asyncio.run(main())
    service.close()
    # The asyncio server of grpcio rejects the call before it reaches us.
    expected = 1 if service.settings.grpc_server == "asyncio" else 2
    assert counts.started == counts.handled() == expected
