"""However many streams a caller has, the event loop serves others in time."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
import pytest
from tablier.v1 import game_pb2
from tablier.v1 import game_service_pb2 as pb
from tablier_core.registry import GAMES
from tablier_service.service import Service
from tablier_service.transports.grpc.server import make_server

from tests.service.assembly import SEAL_KEYS, assemble
from tests.service.event_loop import TURN_SECONDS, longest_turn

# As many as a caller may have.
STREAMS = 16
PLAY = "/tablier.v1.GameService/Play"


def description(service: Service) -> pb.Operation:
    state = service.tokens.write(GAMES["contract"].start({"seats": 5}, 7))
    return pb.Operation(describe_state=pb.DescribeStateRequest(state=state))


def drawing(service: Service) -> pb.Operation:
    request = description(service).describe_state
    return pb.Operation(
        render_state=pb.RenderStateRequest(state=request.state, format=pb.RENDER_FORMAT_TEXT)
    )


def replay(service: Service) -> pb.Operation:
    """An operation that is read for milliseconds. Its first move is wrong."""
    moves = [game_pb2.Move(seat=1, notation="e1-c1", action=5)] * 16_000
    return pb.Operation(replay_game=pb.ReplayGameRequest(game="contrast", moves=moves))


async def play(service: Service, data: bytes, messages: int, operations: int) -> None:
    server = make_server(service)
    await server.start()

    def converse(channel: grpc.Channel) -> int:
        call: Any = channel.stream_stream(PLAY, None, None)
        answers = call(iter([data] * messages))
        return sum(len(pb.PlayResponse.FromString(answer).results) for answer in answers)

    try:
        with (
            grpc.insecure_channel(f"127.0.0.1:{server.port}") as channel,
            ThreadPoolExecutor(STREAMS) as pool,
        ):
            loop = asyncio.get_running_loop()
            streams = [loop.run_in_executor(pool, converse, channel) for _ in range(STREAMS)]
            answered = await asyncio.gather(*streams)
    finally:
        await server.stop(0)
    assert answered == [messages * operations] * STREAMS


@pytest.mark.parametrize(
    ("operation", "operations", "messages", "seal_keys"),
    [
        (description, 4, 100, ""),
        (description, 8, 100, ""),
        (description, 4, 100, SEAL_KEYS),
        (drawing, 3, 100, ""),
        (replay, 1, 5, ""),
    ],
    ids=["descriptions", "more descriptions", "sealed descriptions", "drawings", "replays"],
)
def test_all_streams_of_a_caller_share_the_time_of_a_turn(
    operation: Any, operations: int, messages: int, seal_keys: str
) -> None:
    # Limits on memory are not the subject: the process of the tests is larger than a worker.
    service = assemble(seal_keys=seal_keys, max_worker_bytes=2**40, max_buffered_bytes=2**40)
    request = pb.PlayRequest(operations=[operation(service)] * operations)
    data = request.SerializeToString()
    longest = longest_turn(lambda: play(service, data, messages, operations))
    service.close()
    assert longest < TURN_SECONDS
