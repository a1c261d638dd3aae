"""How Contrast tells what happens: choices in words, reveals, reasons, and symbols to click."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from tablier_core.games.contrast.notation import SYMBOL_NAMES
from tablier_core.games.contrast.observe import Round, View
from tablier_core.languages import Language
from tablier_core.position import REFEREE
from tablier_core.telling import Path, Telling, listed, name_seats, seat_name

# The move of the table; the others are symbols. The table has the number of the referee.
EXCLUDE = len(SYMBOL_NAMES)
TABLE = REFEREE
# A game with this many seats is co-operative.
TEAM = 2


# ---- Names ---------------------------------------------------------------------------------------


@lru_cache(maxsize=8)
def symbol_names(language: Language) -> dict[str, str]:
    """What people call each symbol of the notation, in the middle of a sentence."""
    # A context: "round" is a shape here, not a part of a game.
    return {symbol: language.pgettext("symbol", symbol) for symbol in SYMBOL_NAMES}


def card_name(card: str, language: Language) -> str:
    """The two symbols of a card: "red/yellow"."""
    names = symbol_names(language)
    return "/".join([names[symbol] for symbol in card.split("/")])


def waiting(view: View) -> list[int]:
    """The seats that have not chosen in this round."""
    return [number for number, seat in enumerate(view.seats) if not seat.has_chosen]


# ---- Words ---------------------------------------------------------------------------------------


def words(view: View, seat: int, moves: Sequence[int], language: Language) -> list[str]:
    """One sentence per move."""
    if seat == TABLE:
        return [_tell_exclusion(view, language) for _ in moves]
    return [_tell_choice(seat, SYMBOL_NAMES[move], language) for move in moves]


def _tell_choice(seat: int, symbol: str, language: Language) -> str:
    text = language.gettext("{player} chooses {symbol}")
    return text.format(player=seat_name(seat, language), symbol=symbol_names(language)[symbol])


def _tell_exclusion(view: View, language: Language) -> str:
    text = language.gettext("The table excludes seat {seat} from the round")
    return text.format(seat=waiting(view)[0])


# ---- Stories -------------------------------------------------------------------------------------


def story(before: View, after: View, seat: int, move: int | None, language: Language) -> str:
    """What a viewer saw: that a seat has chosen, and all choices when they are revealed."""
    ended = len(after.rounds) > len(before.rounds)
    if seat == TABLE:
        first = _tell_exclusion(before, language)
    else:
        symbol = after.rounds[-1].choices[seat] if ended else after.seats[seat].choice
        if symbol is None:
            text = language.gettext("{player} chooses a symbol")
            first = text.format(player=seat_name(seat, language))
        else:
            first = _tell_choice(seat, symbol, language)
    if not ended:
        return first
    last = after.rounds[-1]
    return f"{first}. {_tell_reveal(last, language)}. {tell_result(last, language)}."


def _tell_reveal(last: Round, language: Language) -> str:
    """Who chose what, the symbol with the most votes first."""
    names, text = symbol_names(language), language.gettext("{symbol} by {seats}")
    voters = sorted(_voters(last).items(), key=lambda vote: len(vote[1]), reverse=True)
    votes = [
        text.format(symbol=names[symbol], seats=name_seats(seats, language))
        for symbol, seats in voters
    ]
    return language.gettext("Revealed: {votes}").format(votes=language.gettext("; ").join(votes))


def _voters(last: Round) -> dict[str, list[int]]:
    """The seats that chose each symbol."""
    voters: dict[str, list[int]] = {}
    for seat, symbol in enumerate(last.choices):
        if symbol is not None:
            voters.setdefault(symbol, []).append(seat)
    return voters


def tell_result(last: Round, language: Language) -> str:
    """Which symbols won a round, or why none did."""
    names = symbol_names(language)
    if len(last.choices) == TEAM:
        if last.winning:
            return language.gettext("The team scores 1 point")
        return language.gettext("No point for the team")
    if last.winning:
        text = language.ngettext(
            "Winning symbol: {symbols}", "Winning symbols: {symbols}", len(last.winning)
        )
        return text.format(symbols=listed([names[symbol] for symbol in last.winning], language))
    voters = _voters(last)
    if len(voters) == 1:
        return language.gettext("No symbol wins: all votes agree")
    if max(map(len, voters.values())) == 1:
        return language.gettext("No symbol wins: no two votes agree")
    return language.gettext("No symbol wins: it is a tie")


# ---- Reasons -------------------------------------------------------------------------------------


def reason(view: View, seat: int, move: int, language: Language) -> str:
    """Why a seat or the table may not make a move (reference: A turn, steps 1, 2 and 6)."""
    if view.phase == "over":
        return language.gettext("The game is over")
    if seat == TABLE:
        return _reason_of_table(view, move, language)
    own, player = view.seats[seat], seat_name(seat, language)
    if own.choice is not None:
        text = language.gettext(
            "{player} has already chosen {symbol} in this round, and a choice is final"
        )
        return text.format(player=player, symbol=symbol_names(language)[own.choice])
    if move == EXCLUDE:
        text = language.gettext(
            "Only the table can exclude a seat. {player} has to choose a symbol in its hand."
        )
        return text.format(player=player)
    card = next(card for card in own.row if SYMBOL_NAMES[move] in card.split("/"))
    missing = own.row.index(card) + 1
    text = language.ngettext(
        "{player} has the card {card} in its row and takes it back after playing {count} card",
        "{player} has the card {card} in its row and takes it back after playing {count} cards",
        missing,
    )
    return text.format(player=player, card=card_name(card, language), count=missing)


def _reason_of_table(view: View, move: int, language: Language) -> str:
    if move != EXCLUDE:
        return language.gettext("The table has no symbols: it can only exclude the last seat")
    text = language.gettext(
        "Only the last seat without a choice can be excluded, and {seats} have not chosen yet"
    )
    return text.format(seats=name_seats(waiting(view), language))


# ---- Paths ---------------------------------------------------------------------------------------


def symbol_part(seat: int, symbol: str) -> str:
    """The part of the picture that shows a symbol on a seat's card."""
    return f"seat-{seat}-{symbol}"


def seat_part(seat: int) -> str:
    """The part of the picture that shows a seat's name."""
    return f"seat-{seat}"


def paths(view: View, seat: int, moves: Sequence[int]) -> list[Path]:
    """A symbol on a card in hand; for the table, the seat that it excludes."""
    if seat == TABLE:
        return [(seat_part(waiting(view)[0]),) for _ in moves]
    return [(symbol_part(seat, SYMBOL_NAMES[move]),) for move in moves]


def colours(language: Language) -> dict[str, str]:
    """The symbols that are colours."""
    names = symbol_names(language)
    return {names[colour]: colour for colour in ("red", "yellow", "blue", "green")}


# ---- Synonyms ------------------------------------------------------------------------------------


def synonyms(language: Language) -> tuple[str, ...]:
    """What people write instead of the words above."""
    return (language.pgettext("synonyms", "chooses, picks, selects, takes, votes for, names"),)


TELLING = Telling(words, story, reason, paths, colours, synonyms=synonyms)
