"""Opponents for the Contrast engine; each sees only its seat's view."""

from __future__ import annotations

import math
from random import Random

from tablier_core.games.contrast.observe import View
from tablier_core.position import Position


def choose_by_affinity(position: Position, seat: int, rng: Random, temperature: float) -> int:
    """Choose a symbol from the hand at random, weighted by the softmax of its affinities."""
    view: View = position.observe(seat)
    symbols = position.moves(seat)
    weights = [math.exp(view.affinities[symbol] / temperature) for symbol in symbols]
    return rng.choices(symbols, weights)[0]


def people(position: Position, seat: int, rng: Random) -> int:
    """Choose like people do: a symbol with affinity 0.9 about twenty times as often as with 0.5."""
    return choose_by_affinity(position, seat, rng, 0.125)
