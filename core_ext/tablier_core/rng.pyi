from enum import IntFlag

class Stream(IntFlag):
    GAME_STREAM = 1
    PLAYOUT_STREAM = 2
    VIEW_STREAM = 3
    SEARCH_STREAM = 4
    ENGINE_STREAM = 5
    WORLD_STREAM = 6
    LEVEL_STREAM = 7
    SIMULATION_STREAM = 8

class Random:
    def __init__(self, seed: int, stream: int) -> None: ...
    def next(self) -> int: ...
    def below(self, bound: int) -> int: ...
    def unit(self) -> float: ...
