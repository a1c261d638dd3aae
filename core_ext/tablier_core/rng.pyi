"""Random numbers: what need not be inline, and the generator for Python."""

from enum import IntFlag

class Stream(IntFlag):
    """What numbers are drawn for: each purpose has its own stream of a seed."""

    GAME_STREAM = 1
    PLAYOUT_STREAM = 2
    VIEW_STREAM = 3
    SEARCH_STREAM = 4
    ENGINE_STREAM = 5
    WORLD_STREAM = 6
    LEVEL_STREAM = 7
    SIMULATION_STREAM = 8
    EPISODE_STREAM = 9

class Random:
    """One stream of a seed: the same numbers as the compiled core draws."""

    def __init__(self, seed: int, stream: int) -> None: ...
    def next(self) -> int:
        """Return 32 uniform bits."""

    def below(self, bound: int) -> int:
        """Return a uniform integer in [0, bound)."""

    def unit(self) -> float:
        """Return a uniform double in [0, 1)."""
