"""The desk in a picture of Mafia de Cuba: what the viewer can ask, state or answer now."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from tablier_core.drawing import Palette
from tablier_core.games.mafia_de_cuba.observe import ALL_DIAMONDS, GODFATHER, View
from tablier_core.games.mafia_de_cuba.shapes import (
    BOLD,
    COLUMN,
    role_colour,
    write,
)
from tablier_core.games.mafia_de_cuba.words import name_prize
from tablier_core.languages import Language

ROW, CHIP = 32, 26  # the height of rows and of what can be clicked in them
QUESTIONS = {
    "received-diamonds": "How many diamonds did you receive?",
    "received-tokens": "Which tokens did you receive?",
    "passed-diamonds": "How many diamonds did you pass on?",
    "passed-tokens": "Which tokens did you pass on?",
    "took": "What did you take?",
}
HEADINGS = {"questions": "Your questions", "statements": "Your statements"}
STATEMENTS = {
    "received-diamonds": "I received diamonds:",
    "received-tokens": "I received tokens:",
    "passed-diamonds": "I passed on diamonds:",
    "passed-tokens": "I passed on tokens:",
    "took": "I took:",
}


def topic_of(view: View) -> str | None:
    """What the viewer can talk about: questions, statements, the question it was asked, or None."""
    if view.viewer not in view.actors:
        return None
    if view.phase == "answer":
        return view.events[-1].question
    if view.phase != "inquiry":
        return None
    return "questions" if view.viewer == GODFATHER else "statements"


class Desk(NamedTuple):
    """A desk, and the names, places and sizes of its parts."""

    drawn: str
    places: tuple[tuple[str, float, float, float, float], ...]


# Everybody knows what a seat can talk about, so desks are kept.
@lru_cache(maxsize=64)
def desk_height(tokens: tuple[tuple[str, int], ...], topic: str | None) -> int:
    """How much room the desk needs, with its heading."""
    kinds = sum([1 for _, count in tokens if count])
    rows = {
        None: 0,
        "questions": len(QUESTIONS) + 2,
        "statements": 6 + kinds,
        "took": 3 + (kinds + 3) // 3,
        "received-diamonds": 3,
        "passed-diamonds": 3,
    }.get(topic, 1 + kinds)
    return ROW * rows


@lru_cache(maxsize=64)
def draw_desk(
    topic: str,
    tokens: tuple[tuple[str, int], ...],
    language: Language,
    palette: Palette,
) -> Desk:
    """A heading, and chips to ask or to claim with, from the top left corner of the desk."""
    places: list[tuple[str, float, float, float, float]] = []
    parts: list[str] = []
    kinds = [(kind, count) for kind, count in tokens if count]
    chip_style = f' rx="6" fill="{palette.card}" stroke="{palette.quiet}"'

    def chip(
        name: str, column: float, row: float, width: float, words: str, style: str = ""
    ) -> None:
        left, above = column, row * ROW
        shape = f'<rect x="{left:g}" y="{above:g}" width="{width:g}" height="{CHIP}"'
        drawn = f"{shape}{chip_style}/>" + write(left + width / 2, above + 18, words, 13, style)
        places.append((name, left, above, width, CHIP))
        parts.append(f'<g data-part="{name}">{drawn}</g>')

    def numbers(first: int, row: int) -> None:
        for place, number in enumerate(range(first, ALL_DIAMONDS + 1)):
            chip(f"number-{number}", place % 8 * 50, row + place // 8, 46, str(number), BOLD)

    def take(column: int, row: int, kind: str, width: int = 130) -> None:
        style = f'{BOLD} fill="{role_colour(palette, kind)}"'
        chip(f"claim-{kind}", column, row, width, name_prize(kind, language), style)

    def counts(first_row: int) -> None:
        for row, (kind, count) in enumerate(kinds, start=first_row):
            take(0, row, kind)
            for number in range(count + 1):
                chip(f"{kind}-{number}", 138 + number * 44, row, 40, str(number), BOLD)

    if topic == "questions":
        for row, (question, words) in enumerate(QUESTIONS.items(), start=1):
            chip(f"question-{question}", 0, row, COLUMN, language.gettext(words))
        pockets, red = language.gettext("Empty your pockets!"), f'{BOLD} fill="{palette.red}"'
        chip("accuse", 0, len(QUESTIONS) + 1, COLUMN, pockets, red)
    elif topic == "statements":
        for place, (question, words) in enumerate(STATEMENTS.items()):
            column, row = place % 2 * 202, 1 + place // 2
            chip(f"statement-{question}", column, row, 198, language.gettext(words))
        take(202, 3, "nothing", 198)
        numbers(0, 4)
        counts(6)
    elif topic == "took":
        numbers(1, 1)
        for place, kind in enumerate([*[kind for kind, _ in kinds], "nothing"]):
            take(place % 3 * 134, 3 + place // 3, kind)
    elif topic in ("received-diamonds", "passed-diamonds"):
        numbers(0, 1)
    else:
        counts(1)
    words = language.gettext(HEADINGS.get(topic, "Your answer"))
    heading = write(0, 20, words, 15, f'{BOLD} text-anchor="start"')
    places.append(("desk", 0, 0, COLUMN, CHIP))
    parts.insert(0, f'<g data-part="desk">{heading}</g>')
    return Desk("\n".join(parts), tuple(places))
