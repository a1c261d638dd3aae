"""How a game tells people what happens: moves in words, reasons, and paths to click.

A game fills one `Telling`. Its functions get views, never positions, so they cannot reveal what the
viewer does not know. All texts are English in the code; `language` translates them (see
tablier_core.languages).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tablier_core.languages import Language

# The parts of a picture that a person clicks, one after the other, to make a move.
Path = tuple[str, ...]


class Telling(NamedTuple):
    """The functions of one game. `view` is the view of the seat that moves, unless stated."""

    # (view, seat, moves, language): one sentence per legal move, in the same order, that says what
    # the seat does with it: "Red moves from a6 to a4". No two moves of a position share a sentence.
    words: Callable[[Any, int, Sequence[int], Language], list[str]]
    # (before, after, seat, move, language): what a viewer saw of a move, from its views before and
    # after: "Seat 2 takes something from the box". `move` is None unless the viewer surely knows
    # it: it made the move itself, is the referee, or the game has no hidden information.
    story: Callable[[Any, Any, int, int | None, Language], str]
    # (view, seat, move, language): why the seat may not make a move of the game now: "Pit 20 holds
    # 2 beads, so a6 reaches a4, not a5".
    reason: Callable[[Any, int, int, Language], str]
    # (view, seat, moves): one path per legal move, in the same order. A path names parts of the
    # picture of `view`: a pawn and its square, a pit and each pit that receives a bead. What has no
    # place on the board is a button: a part `button-…` that the picture need not show.
    paths: Callable[[Any, int, Sequence[int]], list[Path]]


# What a part that is not in the picture begins with.
BUTTON = "button-"


def seat_name(seat: int, language: Language) -> str:
    """A seat at the start of a sentence, for games whose seats have no colours."""
    return language.gettext("Seat {seat}").format(seat=seat)


def listed(items: Sequence[str], language: Language) -> str:
    """Items in a sentence: "a", "a and b", "a, b and c"."""
    *others, last = items
    if not others:
        return last
    return language.gettext("{others} and {last}").format(others=", ".join(others), last=last)


def seat_names(seats: Sequence[int], language: Language) -> str:
    """One or more seats at the start of a sentence: "Seat 2", "Seats 0, 1 and 4"."""
    sentence = language.ngettext("Seat {seats}", "Seats {seats}", len(seats))
    return sentence.format(seats=listed(list(map(str, seats)), language))
