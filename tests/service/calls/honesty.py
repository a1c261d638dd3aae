"""The law of honest advice: it depends only on what the seat knows.

For a state, for another state that the seat cannot distinguish from it, and for the view of the
seat, in plain and in sealed tokens, the answer of SuggestMoves is the same, byte for byte.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tablier.v1 import advisor_service_pb2 as pb
from tablier_core.advice import STRONGEST
from tablier_core.position import Game, Position

from tests.core import laws
from tests.core.variants import VARIANTS
from tests.service.assembly import SEAL_KEYS, assemble

# Full strength, and every level.
LEVELS = range(STRONGEST + 1)
ITERATIONS = 12


class Advisors:
    """The service with plain tokens and with sealed ones."""

    def __init__(self, games: Mapping[str, Game]) -> None:
        parts = {"games": games}
        longest = {"max_search_seconds": 600}
        self._services = (
            assemble(parts, **longest),
            assemble(parts, seal_keys=SEAL_KEYS, **longest),
        )

    def answers(self, position: Position, seat: int, level: int, seed: int) -> Iterator[bytes]:
        """The advice on a position, for every kind of token that its seat could hold."""
        world = position.determinize(seat, seed + 1)
        for service in self._services:
            for held in (position, world, position.view_of(seat), world.view_of(seat)):
                request = pb.SuggestMovesRequest(
                    state=service.tokens.write(held),
                    seat=seat,
                    level=level,
                    seed=seed,
                    budget=pb.Budget(iterations=ITERATIONS),
                    max_suggestions=1024,
                )
                answer = service.method("SuggestMoves").ask(request)
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
