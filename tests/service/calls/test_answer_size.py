"""Answers that are too large are rejected before they are complete."""

from __future__ import annotations

from types import GeneratorType
from typing import Any

import pytest
from tablier.v1 import game_pb2
from tablier.v1 import game_service_pb2 as pb
from tablier_core import codec
from tablier_core.registry import GAMES
from tablier_service.errors import AnswerTooLarge

from tests.core import laws
from tests.service.assembly import Assemble, asking

NAME = "contrat500"
LINE = list(laws.play(GAMES[NAME], {}, 3))[:200]
DRAWING = pb.Operation(render_state=pb.RenderStateRequest(state=codec.encode(LINE[-1].after)))
LIMIT = 20_000


def steps_of(work: Any) -> int:
    """After how many pauses work is rejected."""
    assert isinstance(work, GeneratorType)
    steps: list[None] = []
    with pytest.raises(AnswerTooLarge, match=f"more than {LIMIT} bytes"):
        steps.extend(work)
    return len(steps)


@pytest.mark.parametrize(
    ("call", "request_type"), [("Batch", pb.BatchRequest), ("Play", pb.PlayRequest)]
)
def test_operations_stop_at_the_limit(assemble: Assemble, call: str, request_type: Any) -> None:
    service = assemble(max_response_bytes=LIMIT)
    size = asking(service)(DRAWING.render_state).ByteSize()
    handler = service.method(call).handler
    fitting = LIMIT // (size + 20)
    assert steps_of(handler(request_type(operations=[DRAWING] * 1000))) == fitting


def test_an_operation_that_is_too_large_by_itself_does_not_fail_the_others(
    assemble: Assemble,
) -> None:
    ask = asking(assemble(max_response_bytes=LIMIT))
    replay = pb.Operation(id=1, replay_game=replay_of(include_steps=True))
    large, small = ask(pb.BatchRequest(operations=[replay, DRAWING])).results
    assert large.error.details
    assert "divide the operations" in large.error.message
    assert small.render_state.content


def replay_of(**fields: Any) -> pb.ReplayGameRequest:
    moves = [game_pb2.Move(seat=step.seat, action=step.action) for step in LINE]
    return pb.ReplayGameRequest(game=NAME, seed=3, moves=moves, **fields)


@pytest.mark.parametrize(
    "fields",
    [
        {"include_steps": True},
        {"include_steps": True, "viewer": 0},
        {"viewer": -1},
        {"viewer": 0},
        {"include_transcript": True},
    ],
)
def test_a_replay_stops_at_the_limit(assemble: Assemble, fields: dict[str, Any]) -> None:
    complete = asking(assemble())(replay_of(**fields)).ByteSize()
    assert complete > 1.5 * LIMIT
    work = assemble(max_response_bytes=LIMIT).method("ReplayGame").handler(replay_of(**fields))
    # It pauses once for every move, and then for every part of the answer.
    assert steps_of(work) < len(LINE) + (len(LINE) + 1) / 1.5


def test_a_long_line_stops_at_the_limit(assemble: Assemble) -> None:
    request = pb.ApplyMovesRequest(
        state=codec.encode(LINE[0].before),
        moves=[game_pb2.Move(seat=step.seat, action=step.action) for step in LINE],
        include_steps=True,
    )
    assert asking(assemble())(request).ByteSize() > 1.5 * LIMIT
    work = assemble(max_response_bytes=LIMIT).method("ApplyMoves").handler(request)
    assert steps_of(work) < len(LINE) * (1 + 1 / 1.5)
