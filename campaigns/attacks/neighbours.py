"""Well-behaved neighbours, which attackers are compared with."""

from __future__ import annotations

import asyncio
import base64
import json

from google.protobuf.message import Message
from tablier.v1 import advisor_service_pb2
from tablier.v1 import game_service_pb2 as pb

from campaigns.attacks.requests import (
    ADVISOR,
    GAME,
    SOURCE,
    STATE,
    analysis,
    begin_call,
    send_bodies,
)
from campaigns.attacks.stage import PAUSE, Figures, Stage, Target, repeat
from tests.http2 import connected


async def polite_calls(target: Target, stage: Stage) -> Figures:
    """As many connections as most attackers have, with complete calls."""
    request = pb.GetGameRequest(game="contrast")

    async def call(_: int) -> None:
        async with connected(target.grpc, SOURCE) as connection:
            while not connection.closed.is_set():
                stream = await begin_call(connection, target, f"{GAME}GetGame", request)
                await connection.wait(stream)
                stage.begin()
                await asyncio.sleep(PAUSE)

    await repeat(stage, 10, call)
    return {}


async def one_after_the_other(target: Target, stage: Stage, path: str, request: Message) -> Figures:
    """The same call again and again. Each has a connection and is read to its end."""

    async def call(_: int) -> None:
        async with connected(target.grpc, SOURCE) as connection:
            stream = await begin_call(connection, target, path, request)
            stage.begin()
            await connection.wait(stream)

    await repeat(stage, 1, call)
    return {}


async def read_analysis(target: Target, stage: Stage) -> Figures:
    """Someone reads the reports of one search after the other."""
    return await one_after_the_other(target, stage, f"{ADVISOR}StreamAnalysis", analysis(500))


async def complete_searches(target: Target, stage: Stage) -> Figures:
    """Someone waits for the answers to searches, within their quota."""
    request = advisor_service_pb2.SuggestMovesRequest(
        state=STATE, budget=advisor_service_pb2.Budget(milliseconds=10)
    )
    return await one_after_the_other(target, stage, f"{ADVISOR}SuggestMoves", request)


async def batches(target: Target, stage: Stage) -> Figures:
    """Someone sends batches of a hundred moves in JSON."""
    state = base64.urlsafe_b64encode(STATE).decode()
    operation = {"applyMoves": {"state": state, "moves": [{"notation": "a6-a4"}]}}
    return await send_bodies(target, stage, json.dumps({"operations": [operation] * 100}).encode())


async def no_neighbours(target: Target, stage: Stage) -> Figures:
    """Nobody else calls."""
    stage.begin()
    await stage.end()
    return {}
