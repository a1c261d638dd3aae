"""Scenarios: generators that yield calls and receive the answers, for any transport."""

from __future__ import annotations

import random
from collections.abc import Generator, Sequence

from google.protobuf.message import Message
from tablier.v1 import game_pb2
from tablier.v1 import game_service_pb2 as pb

# The name of a call and its request; the answer is sent to the generator.
Call = tuple[str, Message]
Scenario = Generator[Call, Message, None]

# Longer games are abandoned, so that more positions are visited.
LONGEST = 200


def whole_game(games: Sequence[str], rng: random.Random) -> Scenario:
    """Play a random game to its end with random moves, and describe some of its states."""
    game = rng.choice(games)
    started = yield "StartGame", pb.StartGameRequest(game=game, seed=rng.getrandbits(64))
    assert isinstance(started, pb.StartGameResponse)
    state, over = started.state, started.situation.over
    for ply in range(LONGEST):
        if over:
            break
        listed = yield (
            "EnumerateMoves",
            pb.EnumerateMovesRequest(state=state, detail=pb.MOVE_DETAIL_ACTIONS),
        )
        assert isinstance(listed, pb.EnumerateMovesResponse)
        moves = rng.choice(listed.seats)
        move = game_pb2.Move(seat=moves.seat, action=rng.choice(moves.actions))
        played = yield "ApplyMoves", pb.ApplyMovesRequest(state=state, moves=[move])
        assert isinstance(played, pb.ApplyMovesResponse)
        state, over = played.state, played.situation.over
        if ply % 10 == 0:
            yield "DescribeState", pb.DescribeStateRequest(state=state, seat=moves.seat)
    yield "RenderState", pb.RenderStateRequest(state=state)
