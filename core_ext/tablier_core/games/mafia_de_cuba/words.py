"""What things, seats and events are called, in sentences and drawings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from tablier_core.games.mafia_de_cuba.observe import GODFATHER, Event, Tokens, View
from tablier_core.languages import Language
from tablier_core.telling import listed, name_seats, seat_name

# ---- Diamonds and tokens -------------------------------------------------------------------------

ROLES = {
    "loyal": "loyal",
    "fbi": "FBI agent",
    "cia": "CIA agent",
    "driver": "driver",
    "cleaner": "cleaner",
}
COUNTS = {
    "loyal": ("{count} loyal", "{count} loyals"),
    "fbi": ("{count} FBI agent", "{count} FBI agents"),
    "cia": ("{count} CIA agent", "{count} CIA agents"),
    "driver": ("{count} driver", "{count} drivers"),
    "cleaner": ("{count} cleaner", "{count} cleaners"),
}
ITEMS = {
    "loyal": "a loyal token",
    "fbi": "the FBI token",
    "cia": "the CIA token",
    "driver": "a driver token",
    "cleaner": "the cleaner token",
    "nothing": "nothing",
}


def name_diamonds(count: int, language: Language) -> str:
    """A number of diamonds: "1 diamond", "4 diamonds"."""
    return language.ngettext("{count} diamond", "{count} diamonds", count).format(count=count)


def name_tokens(tokens: Tokens, language: Language) -> str:
    """Tokens by kind: "3 loyals and 1 driver", "no tokens"."""
    return _name_tokens(tuple(tokens.items()), language)


@lru_cache(maxsize=512)
def _name_tokens(tokens: tuple[tuple[str, int], ...], language: Language) -> str:
    named = [name_count(kind, count, language) for kind, count in tokens if count]
    return listed(named, language) if named else language.gettext("no tokens")


def name_count(kind: str, count: int, language: Language) -> str:
    """A number of tokens of a kind: "3 loyals"."""
    return language.ngettext(*COUNTS[kind], count).format(count=count)


def name_role(kind: str, language: Language) -> str:
    """A kind of token: "FBI agent"."""
    return language.gettext(ROLES[kind])


def name_take(take: str, language: Language) -> str:
    """What a seat took: "4 diamonds", "a loyal token", "nothing"."""
    if take.isdigit():
        return name_diamonds(int(take), language)
    return language.gettext(ITEMS[take])


def name_prize(take: str, language: Language) -> str:
    """What a seat took, in as few words as possible: "4 diamonds", "loyal", "nothing"."""
    if take == "nothing":
        return language.gettext("nothing")
    return name_diamonds(int(take), language) if take.isdigit() else name_role(take, language)


# ---- Seats ---------------------------------------------------------------------------------------


def name_player(seat: int, language: Language) -> str:
    """A seat at the start of a sentence."""
    if seat == GODFATHER:
        return language.gettext("The Godfather")
    return seat_name(seat, language)


# ---- Sentences -----------------------------------------------------------------------------------

ASKS = {
    "received-diamonds": "The Godfather asks seat {seat} how many diamonds it received",
    "received-tokens": "The Godfather asks seat {seat} which tokens it received",
    "passed-diamonds": "The Godfather asks seat {seat} how many diamonds it passed on",
    "passed-tokens": "The Godfather asks seat {seat} which tokens it passed on",
    "took": "The Godfather asks seat {seat} what it took",
}
CLAIMS = {
    "received-diamonds": "{player} says it received {things}",
    "received-tokens": "{player} says it received {things}",
    "passed-diamonds": "{player} says it passed on {things}",
    "passed-tokens": "{player} says it passed on {things}",
    "took": "{player} says it took {things}",
}
# Many languages deny with other words, so these are sentences of their own.
DENIALS = {
    "received-diamonds": "{player} says it received no diamonds",
    "received-tokens": "{player} says it received no tokens",
    "passed-diamonds": "{player} says it passed on no diamonds",
    "passed-tokens": "{player} says it passed on no tokens",
    "took": "{player} says it took nothing",
}
OUTCOMES = {
    "godfather": "The Godfather has all his diamonds back",
    "agent": "The Godfather accused an agent",
    "cleaner": "The cleaner shot an agent",
    "thieves": "The Godfather is out",
}
Claim = int | Tokens | str


def paragraph(sentences: Sequence[str]) -> str:
    """Sentences in a row; only several end with full stops."""
    return sentences[0] if len(sentences) == 1 else ". ".join(sentences) + "."


def tell_question(seat: int, question: str, language: Language) -> str:
    """The Godfather's question to a seat."""
    return language.gettext(ASKS[question]).format(seat=seat)


def tell_accusation(seat: int, language: Language) -> str:
    """The Godfather's accusation of a seat."""
    return language.gettext("The Godfather accuses seat {seat}").format(seat=seat)


def tell_silence(seat: int, language: Language) -> str:
    """A seat refuses to answer."""
    return language.gettext("{player} stays silent").format(player=name_player(seat, language))


def tell_claim(seat: int, question: str, claim: Claim, language: Language) -> str:
    """What a seat says about itself."""
    player = name_player(seat, language)
    if claim in (0, "nothing") or (isinstance(claim, Mapping) and not any(claim.values())):
        return language.gettext(DENIALS[question]).format(player=player)
    if isinstance(claim, int):
        things = name_diamonds(claim, language)
    elif isinstance(claim, str):
        things = name_take(claim, language)
    else:
        things = name_tokens(claim, language)
    return language.gettext(CLAIMS[question]).format(player=player, things=things)


def tell_resolution(view: View, event: Event, language: Language) -> tuple[str, ...]:
    """What an accusation led to."""
    accused = view.seats[event.seat]
    assert accused.take is not None
    return _resolution(event.seat, accused.take, accused.joker, event.shooter, language)


@lru_cache(maxsize=512)
def _resolution(
    seat: int, take: str, joker: bool, shooter: int | None, language: Language
) -> tuple[str, ...]:
    player, things = name_player(seat, language), name_take(take, language)
    if shooter is not None:
        cleaner = name_player(shooter, language)
        shot = language.gettext("{player} fires at seat {seat}").format(player=cleaner, seat=seat)
        if take in ("fbi", "cia"):
            end = language.gettext("{player} was an agent, so the cleaner wins")
        elif take.isdigit():
            end = language.gettext("{player} returns {things}, and both are out")
        elif take == "nothing":
            end = language.gettext("{player} has empty pockets, and both are out")
        else:
            end = language.gettext("{player} shows {things}, and both are out")
        return shot, end.format(player=player, things=things)
    if take.isdigit():
        text = language.gettext("{player} returns {things} and is out")
    elif take in ("fbi", "cia"):
        text = language.gettext("{player} shows {things} and wins")
    elif joker and take == "nothing":
        text = language.gettext("{player} has empty pockets and gets a joker")
    elif joker:
        text = language.gettext("{player} shows {things} and gets a joker")
    elif take == "nothing":
        text = language.gettext("{player} has empty pockets, so the Godfather is out")
    else:
        text = language.gettext("{player} shows {things}, so the Godfather is out")
    return (text.format(player=player, things=things),)


def tell_end(view: View, language: Language) -> str:
    """Who won."""
    if not view.winners:
        return language.gettext("Nobody wins")
    return language.gettext("Winners: {seats}").format(seats=name_seats(view.winners, language))


PLAIN_CLAIM = (int, str)


def tell_event(view: View, event: Event, language: Language) -> str:
    """An event of the inquiry, and what it led to."""
    kind, seat, is_open, question, claim, _ = event
    if kind != "accused":
        # Not `Mapping`: abstract classes take long to recognise.
        if claim is not None and not isinstance(claim, PLAIN_CLAIM):
            return _event(kind, seat, is_open, question, tuple(claim.items()), language)
        return _event(kind, seat, is_open, question, claim, language)
    accusation = tell_accusation(seat, language)
    if is_open:
        return accusation
    return paragraph([accusation, *tell_resolution(view, event, language)])


# A picture shows dozens of events, and the next picture nearly the same ones.
@lru_cache(maxsize=4096)
def _event(
    kind: str,
    seat: int,
    is_open: bool,
    question: str,
    claim: int | str | tuple[tuple[str, int], ...] | None,
    language: Language,
) -> str:
    if claim is None:
        asked = tell_question(seat, question, language)
        return asked if is_open else paragraph([asked, tell_silence(seat, language)])
    said = tell_claim(seat, question, dict(claim) if isinstance(claim, tuple) else claim, language)
    if kind == "asked":
        return said
    return language.gettext("{sentence}, unasked").format(sentence=said)
