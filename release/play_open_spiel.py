"""Plays every game to its end in OpenSpiel; needs only `tablier-adapters[open-spiel]`."""

from __future__ import annotations

import random

from tablier_adapters.open_spiel import load
from tablier_core.registry import GAMES

chance = random.Random(1)
for name in GAMES:
    state = load(name, {}, seed=1).new_initial_state()
    moves = 0
    while not state.is_terminal():
        state.apply_action(chance.choice(state.legal_actions()))
        moves += 1
    print(f"  {name} in OpenSpiel: {moves} moves, returns {state.returns()}", flush=True)
