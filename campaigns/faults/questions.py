"""Calls with known answers, which this process computes beforehand.

Each question is two calls: a game is started or a move is played, and then the moves are listed of
the state in that answer. So each service gets tokens of the other, and from before keys changed.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import cycle
from typing import Any

from google.protobuf.message import Message
from tablier.v1 import game_service_pb2 as pb
from tablier_core import codec
from tablier_core.errors import TablierError
from tablier_core.registry import GAMES
from tablier_service.security.sealing import PlainTokens, SealedTokens, Tokens, read_keys

from tests.service.assembly import Ask, asking, assemble

GAMES_EACH, MOVES_EACH = 3, 6


@dataclass(frozen=True)
class Question:
    """A request, its answer and then the moves of the new state; all with plain tokens."""

    request: Any
    answer: Any
    moves: Any


class Questions:
    """Questions in an endless order that is always the same, and what is right."""

    def __init__(self, keys: str = "") -> None:
        # With the keys of the services, this process opens their tokens. It compares what is in
        # them, because the same state is sealed differently every time.
        self.tokens: Tokens = SealedTokens(GAMES, read_keys(keys)) if keys else PlainTokens(GAMES)
        with closing(assemble()) as service:
            found = [each for name in GAMES for each in about(asking(service), name)]
        random.Random(1).shuffle(found)
        self._next = cycle([self._sealed(question) for question in found])

    def next(self) -> Question:
        """The next question, with tokens as the service wants them."""
        return next(self._next)

    def is_right(self, question: Question, reply: Any) -> bool:
        """Whether the first answer is right."""
        try:
            position = self.tokens.open(reply.state).position
        except TablierError:
            return False
        if question.answer is None:
            # A game without a seed. The service tells it unless that would reveal what is hidden.
            begun = GAMES[question.request.game].start({}, reply.seed) if reply.seed else position
            return position.ply == 0 and codec.encode(begun) == codec.encode(position)
        opened = type(reply).FromString(reply.SerializeToString())
        opened.state = codec.encode(position)
        return bool(opened == question.answer)

    def _sealed(self, question: Question) -> Question:
        if not (self.tokens.sealed and question.request.DESCRIPTOR.fields_by_name.get("state")):
            return question
        request = type(question.request)()
        request.CopyFrom(question.request)
        request.state = self.tokens.write(codec.decode(request.state, GAMES))
        return Question(request, question.answer, question.moves)


def about(ask: Ask, name: str) -> Iterator[Question]:
    """Questions about one game: its start, with and without a seed, and the moves of some games."""
    yield Question(pb.StartGameRequest(game=name), None, None)
    for seed in range(1, GAMES_EACH + 1):
        request: Message = pb.StartGameRequest(game=name, seed=seed)
        chance = random.Random(seed)
        answer = ask(request)
        for _ in range(MOVES_EACH):
            moves = ask(pb.EnumerateMovesRequest(state=answer.state))
            yield Question(request, answer, moves)
            position = codec.decode(answer.state, GAMES)
            if position.over:
                break
            seat = position.actors[0]
            played = pb.ApplyMovesRequest(state=answer.state)
            played.moves.add(seat=seat, action=chance.choice(position.moves(seat)))
            request, answer = played, ask(played)
