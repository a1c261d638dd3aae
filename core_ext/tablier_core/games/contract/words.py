"""What texts and drawings of Contract call its moves, cards, Mafiosi and results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tablier_core.games.contract.observe import FAMILIES, KINDS, Mafioso, View
from tablier_core.games.contract.options import HIGHEST
from tablier_core.languages import Language
from tablier_core.telling import listed

# ---- Moves (reference: Moves and notation) -------------------------------------------------------

MOST_SEATS = 5
PLACES = range(1, 7)


class Move(NamedTuple):
    """A move: the words of its notation, and what follows them."""

    verb: str
    place: int = 0  # of the row, from 1
    kind: str = ""  # of an influence card or a column; empty if the viewer does not see it
    seat: int = -1
    value: int = -1


# By number.
MOVES = (
    *(Move("on", place) for place in PLACES),
    *(Move(piece) for piece in ("token", "contract", "dollar", "vicelard", "copper")),
    *(Move("down", kind=kind) for kind in KINDS),
    Move("done"),
    *(Move("copper-to", place) for place in PLACES),
    *(Move("vicelard-to", place) for place in PLACES),
    Move("pay dollar"),
    *(Move("pay down", kind=kind) for kind in KINDS),
    *(Move("chase", place) for place in PLACES),
    Move("pass"),
    *(Move("join", kind=family) for family in FAMILIES),
    *(
        Move("drop", kind=family, seat=seat, value=value)
        for seat in range(MOST_SEATS)
        for family in FAMILIES
        for value in range(HIGHEST + 1)
    ),
    Move("take-copper"),
)

# ---- Names and captions --------------------------------------------------------------------------

SIDES = {
    "families-3": "3 families",
    "families-4": "4 families",
    "same-2": "2 of a family",
    "same-3": "3 of a family",
    "blackmats-2": "2 Blackmats",
    "twos-3": "three 2s",
    "most-mafiosi": "most Mafiosi",
    "largest-family": "largest family",
    "most-threes": "most 3s",
    "most-twos": "most 2s",
}
TASKS = {
    "action": "seat {seat} chooses an action",
    "pieces": "seat {seat} places tokens and cards",
    "pay": "seat {seat} pays",
    "chase": "seat {seat} chooses where Copper flees",
    "join": "seat {seat} chooses a column for a Blackmat",
    "copper": "seat {seat} drops a rival's Mafioso or takes the Copper card",
}
ACTIONS = {
    "influence": "{task} (influence, place {place})",
    "reinforce": "{task} (reinforce, place {place})",
    "copper": "{task} (to move Copper, place {place})",
    "vicelard": "{task} (to move Vicelard, place {place})",
}


def halves(points: float) -> str:
    """Write points with a half as ½."""
    whole = int(points)
    return str(whole) if points == whole else f"{whole or ''}½"


def count_points(points: int, language: Language) -> str:
    """A number of victory points."""
    return language.ngettext("{count} point", "{count} points", points).format(count=points)


def name_kinds(kinds: Sequence[int], language: Language) -> str:
    """Write cards by kind: "1 costa, 2 dollars"; empty for no cards."""
    named = [f"{count} {kind}" for kind, count in zip(KINDS[:-1], kinds, strict=False) if count]
    dollars = kinds[-1]
    if dollars:
        text = language.ngettext("{count} dollar", "{count} dollars", dollars)
        named.append(text.format(count=dollars))
    return ", ".join(named)


def name_card(kind: str, language: Language) -> str:
    """An influence card in a sentence; its kind is empty if the viewer does not see it."""
    if not kind:
        return language.gettext("a card")
    if kind == "dollar":
        return language.gettext("a dollar card")
    return language.gettext("a {family} contract").format(family=kind.capitalize())


def name_mafioso(mafioso: Mafioso) -> str:
    """A Mafioso whose value is known: "Costa 4"."""
    return f"{mafioso.family.capitalize()} {mafioso.value}"


def name_place(place: int, mafioso: Mafioso, language: Language) -> str:
    """A Mafioso of the row in a sentence: "Mafioso 2 (Costa 4)", "Mafioso 1 (Costa, face down)"."""
    family = mafioso.family.capitalize()
    if mafioso.value is None:
        text = language.gettext("Mafioso {place} ({family}, face down)")
        return text.format(place=place, family=family)
    text = language.gettext("Mafioso {place} ({family} {value})")
    return text.format(place=place, family=family, value=mafioso.value)


def scores(view: View) -> list[int]:
    """The briefcases that each seat has taken so far and, at the end, its traffics."""
    points = [0] * len(view.seats)
    for tile in view.briefcases:
        if tile.holder is not None:
            points[tile.holder] += tile.worth
    for traffic in view.traffics:
        if traffic.first_to is not None:
            points[traffic.first_to] += traffic.first
        if traffic.second_to is not None:
            points[traffic.second_to] += traffic.second
    return points


def headline(view: View, language: Language) -> tuple[str, str]:
    """The situation in two parts: how far the game is, and who has to do what."""
    say = language.gettext
    if view.phase == "over":
        return say("The game is over"), _result(view, language)
    task = say(TASKS[view.phase]).format(seat=view.to_move)
    if view.action is not None:
        task = say(ACTIONS[view.action.kind]).format(task=task, place=view.action.target)
    number = say("Round {round} of {rounds}").format(round=view.round, rounds=view.rounds)
    return number, task


def caption(view: View, language: Language) -> str:
    """The situation in one line."""
    part, rest = headline(view, language)
    return language.gettext("{part}: {rest}").format(part=part, rest=rest)


def _result(view: View, language: Language) -> str:
    best = max(scores(view))
    winners = [str(seat) for seat, points in enumerate(scores(view)) if points == best]
    text = (
        language.gettext("seat {seats} wins with {points}")
        if len(winners) == 1
        else language.gettext("seats {seats} share the win with {points}")
    )
    return text.format(seats=listed(winners, language), points=count_points(best, language))
