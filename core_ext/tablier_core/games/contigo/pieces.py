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


def text_colours(language: Language) -> dict[str, str]:
    """The letters of pieces and the names of players, each in its colour."""
    # The names of the files are not pieces.
    coloured = {"a  b  c  d  e  f": "quiet"}
    for colour, name in enumerate(COLOURS):
        shown = name.lower()
        words = (name[0], name[0].lower(), colour_name(colour, language))
        coloured.update(dict.fromkeys(words, shown))
    return coloured


def synonyms(language: Language) -> tuple[str, ...]:
    """What people write instead of the words of both games."""
    return (
        language.pgettext("synonyms", "sows, spreads, distributes, drops, puts"),
        language.pgettext("synonyms", "captures, takes, beats, eats"),
        language.pgettext("synonyms", "moves, slides, shifts, brings, advances"),
        language.pgettext("synonyms", "bead, marble, stone, seed"),
        language.pgettext("synonyms", "pit, hole, cup"),
        language.pgettext("synonyms", "pawn, piece, man"),
        language.pgettext("synonyms", "stops, ends, finishes"),
    )
