"""Players of Contrast to measure its engine by; each sees what its seat sees, nothing else."""

from __future__ import annotations

import math
from random import Random

from tablier_core.games.contrast.observe import View
from tablier_core.position import Position


def choose_by_affinity(position: Position, seat: int, rng: Random, temperature: float) -> int:
    """A symbol in hand, drawn by the softmax of how well each fits the image."""
    view: View = position.observe(seat)
    symbols = position.moves(seat)
    weights = [math.exp(view.affinities[symbol] / temperature) for symbol in symbols]
    return rng.choices(symbols, weights)[0]


def people(position: Position, seat: int, rng: Random) -> int:
    """What fits well is chosen often: 0.9 beside 0.5 about twenty times to one."""
    return choose_by_affinity(position, seat, rng, 0.125)
