"""Types of lawless.pyx."""

from tablier_core.position import Game

def spoil(game: Game, fault: str) -> Game: ...
