"""The law of honest advice: what a seat is told depends on nothing that it cannot know.

For a state, another state that the seat cannot tell from it, and the seat's view, in plain and in
sealed tokens, the whole answer of SuggestMoves is the same, byte for byte.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tablier.v1 import advisor_service_pb2 as pb
from tablier_core.advice import STRONGEST, Cancel
from tablier_core.position import Game, Position
from tablier_service.calls.advisor import AdvisorServicer
from tablier_service.calls.use_cases import UseCases
from tablier_service.security.sealing import PlainTokens, SealedTokens, Tokens

from tests.core import laws
from tests.core.variants import VARIANTS

# Full strength, and every level from the one that slips most.
LEVELS = range(STRONGEST + 1)
ITERATIONS = 12


class Advisors:
    """The service with plain tokens and with sealed ones."""

    def __init__(self, games: Mapping[str, Game]) -> None:
        self._tokens: tuple[Tokens, ...] = (PlainTokens(games), SealedTokens(games, {1: bytes(32)}))
        self._servicers = [AdvisorServicer(UseCases(games, kind), 600.0) for kind in self._tokens]

    def answers(self, position: Position, seat: int, level: int, seed: int) -> Iterator[bytes]:
        """What is told of a position, from every kind of token that its seat could hold."""
        world = position.determinize(seat, seed + 1)
        for tokens, servicer in zip(self._tokens, self._servicers, strict=True):
            for held in (position, world, position.view_of(seat), world.view_of(seat)):
                request = pb.SuggestMovesRequest(
                    state=tokens.write(held),
                    seat=seat,
                    level=level,
                    seed=seed,
                    budget=pb.Budget(iterations=ITERATIONS),
                    max_suggestions=1024,
                )
                answer = servicer.SuggestMoves(request)(Cancel())
                yield answer.SerializeToString(deterministic=True)

    def check(self, position: Position, seat: int, level: int, seed: int) -> None:
        """Raise AssertionError if the law does not hold."""
        assert len(set(self.answers(position, seat, level, seed))) == 1


def states(game: Game, seed: int) -> Iterator[tuple[Position, int]]:
    """Positions of random games in all variants, without end, each with a seat to move."""
    variants = VARIANTS[game.name]
    while True:
        options = variants[seed % len(variants)]
        for position in laws.sample(game, options, seed, count=6):
            for seat in position.actors[:2]:
                yield position, seat
        seed += 1
