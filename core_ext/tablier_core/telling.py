"""How a game tells people what happens: moves in words, reasons, and paths to click.

A game fills one `Telling`. Its functions get views, never positions, so they cannot reveal what the
viewer does not know. All texts are English in the code; `language` translates them (see
tablier_core.languages).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from tablier_core.languages import Language

# The parts of a picture that a person clicks, one after the other, to make a move.
Path = tuple[str, ...]


def no_colours(language: Language) -> Mapping[str, str]:
    """The coloured words of a game that has none."""
    return {}


def no_synonyms(language: Language) -> tuple[str, ...]:
    """The synonyms of a game that has none."""
    return ()


def seat_name(seat: int, language: Language) -> str:
    """A seat at the start of a sentence, for games whose seats have no colours."""
    return language.gettext("Seat {seat}").format(seat=seat)


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
    # 2 beads, so a6 reaches a4, not a5". The seat may be one that is not to move, or the table,
    # whose view is the referee's: what is said to it must be public.
    reason: Callable[[Any, int, int, Language], str]
    # (view, seat, moves): one path per legal move, in the same order. A path names parts of the
    # picture of `view`: a pawn and its square, a pit and each pit that receives a bead. What has no
    # place on the board is a button: a part `button-…` that the picture need not show.
    paths: Callable[[Any, int, Sequence[int]], list[Path]]
    # (language): words of the drawing as text, and the colour of the palette that a terminal shows
    # each of them in: "R" in "red".
    colours: Callable[[Language], Mapping[str, str]] = no_colours
    # (seat, language): what `words` calls the seat that moves, at the start of a sentence. People
    # leave it out when they write a move.
    player: Callable[[int, Language], str] = seat_name
    # (language): what people write instead of the words of `words`. Each text is a list of words or
    # phrases with one meaning: "moves, slides, shifts". A list that begins with a comma has words
    # that people can leave out: ", token, card". A list that begins with "…" has words from which
    # on they can leave out the rest of a sentence: "…, from the box". Neither may hide what
    # distinguishes a move from others, legal or not. Give lists the context "synonyms"; a
    # translation is a list in its own language.
    synonyms: Callable[[Language], tuple[str, ...]] = no_synonyms


# What a part that is not in the picture begins with.
BUTTON = "button-"


def seat_label(seat: int, language: Language) -> str:
    """A seat outside of sentences, such as the title of its place in a drawing."""
    return language.pgettext("label", "Seat {seat}").format(seat=seat)


def turn_of(seat: int, language: Language) -> str:
    """Why nobody else may move now."""
    return language.gettext("It is the turn of seat {seat}").format(seat=seat)


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


def name_seats(seats: Sequence[int], language: Language) -> str:
    """One or more seats within a sentence: "seat 2", "seats 0, 1 and 4"."""
    text = language.ngettext("seat {seats}", "seats {seats}", len(seats))
    return text.format(seats=listed([str(seat) for seat in seats], language))
