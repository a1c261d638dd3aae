"""Why a move of Contract is illegal now, by phase (reference: Moves and notation)."""

from __future__ import annotations

from tablier_core.games.contract.observe import FAMILIES, KINDS, STAGES, Action, Special, View
from tablier_core.games.contract.words import MOVES, Move, name_card, name_mafioso, name_place
from tablier_core.languages import Language
from tablier_core.telling import seat_name, turn_of

TOKENS = 3
# The moves of each phase, and what to do instead of others.
VERBS = {
    "action": ("on", "copper-to", "vicelard-to", "pass"),
    "pieces": ("token", "contract", "dollar", "vicelard", "copper", "down", "done"),
    "pay": ("pay dollar", "pay down"),
    "chase": ("chase",),
    "join": ("join",),
    "copper": ("drop", "take-copper"),
}
DUTIES = {
    "action": "First choose an action: influence or reinforce a Mafioso, move Copper or Vicelard,"
    " or pass",
    "pieces": "Now place tokens and cards on {mafioso}, or end the turn",
    "chase": "Now move Copper away from {mafioso}, where Vicelard has arrived",
    "join": "Now choose a column for the Blackmat {value}",
    "copper": "Now make another seat discard a {family}, or take the Copper card",
}
PAY_COPPER = "Now pay half a dollar for Copper: one card face down"
PAY_VICELARD = "Now pay one dollar for Vicelard: a dollar card, or two cards face down"
PAY_SECOND = "Now pay the second half dollar for Vicelard: one more card face down"
ORDER = (
    "Pieces are placed in this order: tokens, contracts, dollars, Vicelard card, Copper card, cards"
    " face down"
)
KINDS_ORDER = "Cards go face down in this order: Brakova, Yakaz, Rodrigos, Costa, dollar"


def reason(view: View, seat: int, move: int, language: Language) -> str:
    """Why the seat may not make the move, from what it knows."""
    if seat != view.to_move:
        return turn_of(view.to_move, language)
    wanted = MOVES[move]
    if wanted.verb not in VERBS[view.phase]:
        return _duty(view, seat, language)
    if wanted.place > len(view.row):
        text = language.gettext("The row has only {count} Mafiosi, so there is no Mafioso {place}")
        return text.format(count=len(view.row), place=wanted.place)
    if view.phase == "action":
        return _action(view, seat, wanted, language)
    if view.phase == "pieces":
        return _piece(view, seat, wanted, language)
    if view.phase == "pay":
        return _payment(view, seat, wanted, language)
    if view.phase == "chase":
        return _duty(view, seat, language)
    if view.phase == "join":
        text = language.gettext("{player} has no {family} column")
        family = wanted.kind.capitalize()
        return text.format(player=seat_name(seat, language), family=family)
    return _drop(view, seat, wanted, language)


def _duty(view: View, seat: int, language: Language) -> str:
    """What the seat has to do now."""
    text = DUTIES.get(view.phase)
    action = view.action
    if text is None:
        assert action is not None
        text = PAY_COPPER
        if action.kind == "vicelard":
            text = PAY_SECOND if action.half_paid else PAY_VICELARD
    place = action.target if action else view.copper_pawn
    mafioso = view.row[place - 1].mafioso
    return language.gettext(text).format(
        mafioso=name_place(place, mafioso, language),
        family=mafioso.family.capitalize(),
        value=min(view.seats[seat].joining, default=0),
    )


# ---- Choosing an action (reference: Actions) -----------------------------------------------------


def _action(view: View, seat: int, move: Move, language: Language) -> str:
    if move.verb == "on":
        return _target(view, seat, move.place, language)
    say = language.gettext
    if seat == view.first and view.seats[seat].tokens == TOKENS:
        return say("The first player must begin the round with an influence")
    if move.verb == "copper-to":
        if move.place == view.copper_pawn:
            return say("Copper stands on Mafioso {place} already").format(place=move.place)
        if move.place == view.vicelard_pawn:
            text = say("Copper may not move to Mafioso {place}, because Vicelard stands there")
            return text.format(place=move.place)
        text = say("Moving Copper costs half a dollar, that is any card, and {seat} has no cards")
        return text.format(seat=_seat(seat, language))
    if move.place == view.vicelard_pawn:
        return say("Vicelard stands on Mafioso {place} already").format(place=move.place)
    return _too_poor(view, seat, language)


def _target(view: View, seat: int, place: int, language: Language) -> str:
    """Why a seat can neither influence nor reinforce a Mafioso of the row."""
    say = language.gettext
    if view.row[place - 1].stakes[seat].tokens:
        text = say("{player} has neither a token nor a card left to reinforce Mafioso {place}")
    elif view.seats[seat].tokens:
        text = say("An influence needs a card, and {seat} has none for Mafioso {place}")
    else:
        text = say(
            "An influence needs a token, and all tokens of {seat} are on the row: only"
            " reinforcing is possible"
        )
    player = seat_name(seat, language)
    return text.format(player=player, seat=_seat(seat, language), place=place)


def _too_poor(view: View, seat: int, language: Language) -> str:
    if view.seats[seat].hand.count:
        text = language.gettext(
            "Moving Vicelard costs a dollar card or two cards face down, and {seat} has only one"
            " card, which is not a dollar"
        )
    else:
        text = language.gettext(
            "Moving Vicelard costs a dollar card or two cards face down, and {seat} has no cards"
        )
    return text.format(seat=_seat(seat, language))


def _seat(seat: int, language: Language) -> str:
    """A seat within a sentence."""
    return language.gettext("seat {seat}").format(seat=seat)


# ---- Placing pieces (reference: Influence points) ------------------------------------------------


def _piece(view: View, seat: int, move: Move, language: Language) -> str:
    say = language.gettext
    action = view.action
    assert action is not None
    influencing = action.kind == "influence"
    if move.verb == "done":
        if influencing:
            return say("An influence needs at least one token and one card")
        return say("A reinforcement needs at least one token or card")
    lacking = _lacking(view, seat, action, move, language)
    if lacking:
        return lacking
    if influencing and not action.last_piece:
        return say("An influence begins with a token")
    if action.last_piece == "down" == move.verb:
        return say(KINDS_ORDER)
    assert STAGES.index(move.verb) < STAGES.index(action.last_piece)
    return say(ORDER)


def _lacking(view: View, seat: int, action: Action, move: Move, language: Language) -> str:
    """Why a seat does not have a piece, or cannot place it on the target; empty if it can."""
    say = language.gettext
    player = seat_name(seat, language)
    family = view.row[action.target - 1].mafioso.family
    if move.verb == "token":
        if view.seats[seat].tokens:
            return ""
        return say("{player} has no token left: all are on the row").format(player=player)
    if move.verb == "vicelard":
        if view.vicelard_card.holder != seat or view.vicelard_card.played_on is not None:
            return _elsewhere("Vicelard", view.vicelard_card, language)
        if view.vicelard_pawn == action.target:
            return ""
        text = say("The Vicelard card goes only where his pawn stands, on Mafioso {place}")
        return text.format(place=view.vicelard_pawn)
    if move.verb == "copper":
        if view.copper_card.holder == seat and view.copper_card.played_on is None:
            return ""
        return _elsewhere("Copper", view.copper_card, language)
    if move.verb == "contract" and family not in FAMILIES:
        text = say("Mafioso {place} is a Blackmat, and Blackmats accept no contracts")
        return text.format(place=action.target)
    kind = family if move.verb == "contract" else move.kind or "dollar"
    return _without(view, seat, kind, language)


def _without(view: View, seat: int, kind: str, language: Language) -> str:
    """That a seat does not have a kind of card; empty if it does."""
    kinds = view.seats[seat].hand.kinds
    assert kinds is not None
    if kinds[KINDS.index(kind)]:
        return ""
    if kind == "dollar":
        text = language.gettext("{player} has no dollar card")
    else:
        text = language.gettext("{player} has no {family} contract")
    return text.format(player=seat_name(seat, language), family=kind.capitalize())


def _elsewhere(name: str, card: Special, language: Language) -> str:
    """Where a special card is that a seat cannot play."""
    if card.played_on is not None:
        text = language.gettext("The {name} card lies on Mafioso {place} already")
    elif card.holder is not None:
        text = language.gettext("Seat {seat} has the {name} card")
    else:
        text = language.gettext("Nobody has the {name} card in this round")
    return text.format(name=name, place=card.played_on, seat=card.holder)


# ---- Paying (reference: Actions) -----------------------------------------------------------------


def _payment(view: View, seat: int, move: Move, language: Language) -> str:
    say = language.gettext
    action = view.action
    assert action is not None
    if move.verb == "pay dollar":
        if action.kind == "vicelard" and not action.half_paid:
            return _without(view, seat, "dollar", language)
        return _duty(view, seat, language)
    lacking = _without(view, seat, move.kind, language)
    if lacking:
        return lacking
    if action.half_kind is not None:
        text = say("The first card was {card}. {order}.")
        card = name_card(action.half_kind, language)
        return text.format(card=card, order=say(KINDS_ORDER))
    if view.seats[seat].hand.count == 1:
        text = say("One dollar takes two cards face down, and {seat} has only this one")
        return text.format(seat=_seat(seat, language))
    text = say("No card could follow {card}. {order}.")
    return text.format(card=name_card(move.kind, language), order=say(KINDS_ORDER))


# ---- Counting (reference: Counting) --------------------------------------------------------------


def _drop(view: View, seat: int, move: Move, language: Language) -> str:
    say = language.gettext
    under = view.row[view.copper_pawn - 1].mafioso
    if move.seat >= len(view.seats):
        return say("There is no seat {seat}").format(seat=move.seat)
    if move.seat == seat:
        return say("Another seat has to discard, not {seat}").format(seat=_seat(seat, language))
    if move.kind != under.family:
        text = say("Copper stands on the {mafioso}, so only a {family} can be discarded")
        return text.format(mafioso=name_mafioso(under), family=under.family.capitalize())
    text = say("{player} does not have the {family} {value}")
    return text.format(
        player=seat_name(move.seat, language), family=move.kind.capitalize(), value=move.value
    )
