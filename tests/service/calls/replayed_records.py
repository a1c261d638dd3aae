"""Records of random games, as ReplayGame writes them."""

from __future__ import annotations

import random
from itertools import islice
from typing import Any

from tablier.v1 import game_pb2
from tablier.v1 import game_service_pb2 as pb
from tablier_client.records import Record, RecordedMove, read_record, write_record
from tablier_core.errors import TablierError
from tablier_core.position import Game

from tests.core import laws
from tests.service.assembly import Ask


def replay_request(game: Game, seed: int, limit: int = 1024, **fields: Any) -> Any:
    """A request to replay a random game, and to return its record."""
    return pb.ReplayGameRequest(
        game=game.name,
        seed=seed,
        moves=[
            game_pb2.Move(seat=step.seat, action=step.action)
            for step in islice(laws.play(game, {}, seed), limit)
        ],
        include_record=True,
        **fields,
    )


def record_request(text: str, **fields: Any) -> Any:
    """A request to replay a record, and to return it."""
    name = text.split('[Game "')[-1].split('"')[0] if '[Game "' in text else "contract"
    return pb.ReplayGameRequest(game=name, record=text, include_record=True, **fields)


def annotated(text: str, seed: int) -> str:
    """A record with everything that people add."""
    chance = random.Random(seed)
    record = read_record(text)
    seats = len(record.scores)
    moves = [
        RecordedMove(
            move.seat,
            move.notation,
            (0.5,) * seats,
            chance.randrange(10**6),
            chance.randrange(10**5),
            "Hm.",
            ((RecordedMove(move.seat, move.notation, comment="The same."),),),
        )
        for move in record.moves
    ]
    return write_record(
        Record(
            record.game,
            record.rules,
            tuple(moves),
            record.options,
            record.seed,
            players={0: "Ann"},
            scores=record.scores,
            result=record.result,
            tags=(("Event", "x"),),
            comment="A game.",
        )
    )


def check_replay(ask: Ask, text: str) -> bool:
    """Replay a text: the service answers with the same record, or with one of its errors."""
    try:
        answer = ask(record_request(text))
    except TablierError:
        return False
    again = ask(record_request(answer.record))
    assert again.record == answer.record
    return True
