"""Types of gathering.pyx."""

from tablier_core.drawing import Picture
from tablier_core.games.mafia_de_cuba.observe import View

def draw_table(view: View, picture: Picture, top: int) -> list[str]: ...
