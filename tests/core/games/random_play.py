"""Positions of random games in which one seat moves at a time."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping

from tablier_core.position import Game, Position


def random_play(game: Game, options: Mapping[str, object], seed: int) -> Iterator[Position]:
    """Yield the positions of random games, one game after another."""
    rng = random.Random(seed)
    while True:
        position = game.start(options, rng.getrandbits(32))
        while not position.over:
            yield position
            position = position.apply(mover(position), rng.choice(position.moves(mover(position))))


def mover(position: Position) -> int:
    """Return the seat to move."""
    seat: int = position.actors[0]
    return seat
