"""The words of drawings of Mafia de Cuba: title, caption, tallies, and what is known of seats."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from tablier_core.games.mafia_de_cuba.observe import GODFATHER, Box, Seat, Tokens, View
from tablier_core.games.mafia_de_cuba.words import (
    OUTCOMES,
    name_count,
    name_diamonds,
    name_player,
    name_prize,
    name_take,
    name_tokens,
    paragraph,
    tell_end,
)
from tablier_core.languages import Language
from tablier_core.telling import listed, name_seats


def title(viewer: int, language: Language) -> str:
    """Name the game and the point of view."""
    if viewer < 0:
        return language.gettext("Mafia de Cuba, the referee's view")
    if viewer == GODFATHER:
        return language.gettext("Mafia de Cuba, the Godfather's view")
    return language.gettext("Mafia de Cuba, the view of seat {seat}").format(seat=viewer)


def caption(view: View, language: Language) -> str:
    """Describe the situation."""
    if view.outcome is not None:
        return paragraph([language.gettext(OUTCOMES[view.outcome]), tell_end(view, language)])
    if view.phase == "react":
        text = language.gettext("{player} is accused; waiting for {seats} to react")
        accused = name_player(view.events[-1].seat, language)
        return text.format(player=accused, seats=name_seats(view.actors, language))
    return _caption(view.phase, view.actors, len(view.seats), language)


# Everybody knows who has to move.
@lru_cache(maxsize=256)
def _caption(phase: str, actors: tuple[int, ...], seats: int, language: Language) -> str:
    if phase == "hide":
        return language.gettext("The Godfather may keep some diamonds")
    player, speakers = name_player(actors[0], language), actors[1:]
    if phase == "pouch":
        return language.gettext("{player} may put a token in the pouch").format(player=player)
    if phase == "take":
        return language.gettext("{player} takes something from the box").format(player=player)
    if phase == "answer":
        return language.gettext("{player} answers").format(player=player)
    if not speakers:
        return language.gettext("The Godfather asks or accuses")
    if len(speakers) == seats - 1:
        return language.gettext("The Godfather asks or accuses; everyone else may speak")
    text = language.ngettext(
        "The Godfather asks or accuses; {seats} may speak",
        "The Godfather asks or accuses; {seats} may speak",
        len(speakers),
    )
    return text.format(seats=name_seats(speakers, language))


def tell_tokens(tokens: Tokens, language: Language) -> str:
    """The tokens of the setup."""
    text = language.gettext("Tokens at the start: {tokens}")
    return text.format(tokens=name_tokens(tokens, language))


class Counters(NamedTuple):
    """What everybody counts, and the statements of the viewer, if it can make any."""

    jokers_left: int
    jokers: int
    questions_left: int
    questions: int
    recovered: int
    statements_left: int | None
    statements: int


def counters(view: View) -> Counters:
    """The public counters of a view."""
    left = view.seats[view.viewer].statements_left if view.viewer > GODFATHER else None
    return Counters(
        view.jokers_left, view.jokers, view.questions_left, view.questions, view.recovered,
        left, view.statements,
    )  # fmt: skip


COUNTERS = 3  # that everybody has


def tell_counters(public: Counters, language: Language) -> list[str]:
    """The counters that everybody has."""
    say = language.gettext
    jokers, questions = say("Jokers left: {left} of {all}"), say("Questions left: {left} of {all}")
    return [
        jokers.format(left=public.jokers_left, all=public.jokers),
        questions.format(left=public.questions_left, all=public.questions),
        say("Diamonds recovered: {count}").format(count=public.recovered),
    ]


def secrets(view: View, language: Language) -> list[str]:
    """What only the Godfather and seat 1 know."""
    known = []
    if view.hidden is not None:
        known.append(language.gettext("Kept by the Godfather: {count}").format(count=view.hidden))
    if view.pouch is not None:
        item = name_prize("nothing" if view.pouch == "none" else view.pouch, language)
        known.append(language.gettext("In the pouch: {item}").format(item=item))
    return known


def tell_statements(public: Counters, language: Language) -> list[str]:
    """How often the viewer may still speak unasked."""
    if public.statements_left is None:
        return []
    text = language.gettext("Your statements left: {left} of {all}")
    return [text.format(left=public.statements_left, all=public.statements)]


def name_box(box: Box, language: Language) -> str:
    """What is in a box: "9 diamonds, 1 FBI agent and 1 driver"."""
    things = [name_diamonds(box.diamonds, language)] if box.diamonds else []
    things += [name_count(kind, count, language) for kind, count in box.tokens.items() if count]
    return listed(things, language) if things else language.gettext("an empty box")


def known_of(
    seat: Seat, received: Box | None, *, is_viewer: bool, wins: bool, language: Language
) -> list[str]:
    """What the viewer knows of a seat."""
    known = []
    if is_viewer:
        known.append(language.gettext("you"))
    if not seat.in_play:
        known.append(language.gettext("out"))
    if seat.joker:
        known.append(language.gettext("has a joker"))
    if seat.take == "nothing":
        known.append(language.gettext("took nothing"))
    elif seat.take is not None:
        text = language.gettext("took {things}")
        known.append(text.format(things=name_take(seat.take, language)))
    if received is not None:
        text = language.gettext("received {things}")
        known.append(text.format(things=name_box(received, language)))
    if seat.reacted:
        known.append(name_reaction(seat.reaction, language))
    if wins:
        known.append(language.gettext("wins"))
    return known


def name_reaction(reaction: str | None, language: Language) -> str:
    """A reaction to an accusation; None if the viewer does not know it."""
    if reaction is None:
        return language.gettext("has reacted")
    return language.gettext("fires") if reaction == "bang" else language.gettext("holds")
