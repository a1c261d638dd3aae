"""The game of Contract's page for players, which several tests continue."""

from __future__ import annotations

from tablier_core.position import Position

from tests.core.games.contract_positions import GAME, play

# Three seats bid on five Mafiosi.
BIDS = [
    "on 2", "token", "contract", "done",
    "on 1", "token", "contract", "contract", "done",
    "on 5", "token", "contract", "vicelard", "done",
    "copper-to 2", "pay down brakova",
    "on 4", "token", "contract", "done",
    "on 3", "token", "dollar", "done",
    "on 3", "token", "dollar", "down rodrigos", "done",
    "pass", "pass",
]  # fmt: skip


def example(moves: int) -> Position:
    """The game after some moves."""
    return play(GAME.start({}, 40), *BIDS[:moves])


def counted(*moves: str) -> Position:
    """The same game, when all have passed and seat 0 has won the Costa 4 under Copper."""
    return play(example(len(BIDS)), "pass", *moves)
