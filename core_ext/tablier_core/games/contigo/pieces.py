"""The names of colours and pieces in words, for both Contigo games."""

from __future__ import annotations

from tablier_core.languages import Language

# By colour, which is also the seat.
COLOURS = ("Red", "Blue", "Yellow", "Green")
# By letter, as in the layout of the capture game: capitals are Kings.
PIECES = {
    "R": "the red King",
    "B": "the blue King",
    "Y": "the yellow King",
    "G": "the green King",
    "r": "a red pawn",
    "b": "a blue pawn",
    "y": "a yellow pawn",
    "g": "a green pawn",
}


def colour_name(colour: int, language: Language) -> str:
    """A colour, or the player that has it."""
    return language.gettext(COLOURS[colour])


def piece_name(letter: str, language: Language) -> str:
    """A piece inside a sentence."""
    return language.gettext(PIECES[letter])
