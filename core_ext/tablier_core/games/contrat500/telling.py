"""How Contrat 500 tells what happens: moves in words, reasons, and paths to click."""

from __future__ import annotations

from collections.abc import Sequence

from tablier_core.games.contrat500.observe import View
from tablier_core.games.contrat500.settlement import contract_values
from tablier_core.languages import Language
from tablier_core.telling import BUTTON, Path, Telling, listed, seat_name, turn_of

VALUES = contract_values()
LOWEST_CONTRACT = 3
# Actions (reference: Moves and notation). Bids begin at 0.
POT, TAKE, FIRST_DISCARD, ANNOUNCE, DECLINE, VOID = 28, 29, 30, 40, 41, 42


def contract_of(bid: int) -> int:
    """The contract of a bid."""
    return bid + LOWEST_CONTRACT


def tile_of(discard: int) -> int:
    """The tile of a discard."""
    return discard - FIRST_DISCARD + 1


def a_tile(tile: int, language: Language) -> str:
    """A tile of a number in a sentence: "a 5", "an 8"."""
    return (language.gettext("an {tile}") if tile == 8 else language.gettext("a {tile}")).format(
        tile=tile
    )


def tiles_listed(tiles: Sequence[int], language: Language) -> str:
    """Tiles in a sentence: "1, 4 and 4"."""
    return listed([str(tile) for tile in tiles], language)


# ---- Words ---------------------------------------------------------------------------------------


def sentence(view: View, seat: int, move: int, language: Language) -> str:
    """What a seat does with a legal move."""
    player = seat_name(seat, language)
    if move < POT:
        contract = contract_of(move)
        text = language.gettext("{player} bids {contract}, worth {points} points")
        return text.format(player=player, contract=contract, points=VALUES[contract])
    if move == POT:
        return language.gettext("{player} draws a tile from the pot").format(player=player)
    if move == TAKE:
        text = language.gettext("{player} takes the {tile} that seat {other} discarded")
        other = (seat - 1) % view.seats
        return text.format(player=player, tile=view.discard, other=other)
    if move < ANNOUNCE:
        text = language.gettext("{player} discards {tile}")
        return text.format(player=player, tile=a_tile(tile_of(move), language))
    if move == ANNOUNCE:
        first, second = view.contracts[seat]
        text = language.gettext("{player} announces contracts {first} and {second}")
        return text.format(player=player, first=first, second=second)
    if move == DECLINE:
        text = language.gettext("{player} declines to announce and plays on")
    else:
        text = language.gettext("{player} ends the deal without points because the pot is empty")
    return text.format(player=player)


def words(view: View, seat: int, moves: Sequence[int], language: Language) -> list[str]:
    """One sentence for each legal move."""
    return [sentence(view, seat, move, language) for move in moves]


# ---- Stories -------------------------------------------------------------------------------------


def deal_ended(before: View, after: View) -> bool:
    """Whether a move ended the deal."""
    return after.phase == "over" or after.deal != before.deal


def was_announced(before: View, after: View) -> bool:
    """Whether a move settled the deal."""
    return after.last is not None and after.last.deal == before.deal


def seen_move(before: View, after: View, seat: int) -> int | None:
    """The move that a viewer saw. None: the last discard of a deal, which the next deal cleared."""
    if before.phase == "bid":
        return after.contracts[seat][-1] - LOWEST_CONTRACT
    if was_announced(before, after):
        return ANNOUNCE
    if before.phase == "announce":
        return DECLINE
    if deal_ended(before, after):
        return VOID if before.phase == "turn" else None
    turn = after.turns[-1]
    if turn.discarded is None:
        return TAKE if turn.took else POT
    return FIRST_DISCARD + turn.discarded - 1


def move_sentence(
    before: View, after: View, seat: int, move: int | None, language: Language
) -> str:
    """The move itself, with the tile from the pot if the viewer sees it."""
    player = seat_name(seat, language)
    if move is None:
        return language.gettext("{player} discards a tile").format(player=player)
    if move == POT and (tile := after.turns[-1].received) is not None:
        text = language.gettext("{player} draws {tile} from the pot")
        return text.format(player=player, tile=a_tile(tile, language))
    return sentence(before, seat, move, language)


def consequences(before: View, after: View, move: int | None, language: Language) -> list[str]:
    """What everybody saw follow from a move, in sentences."""
    if not deal_ended(before, after):
        if after.phase == "announce":
            return [language.gettext("It now makes both its contracts")]
        return []
    followed = []
    if was_announced(before, after):
        assert after.last is not None
        text = language.gettext("seat {seat} {change}")
        changes = [
            text.format(seat=seat, change=f"{row.after - row.before:+d}")
            for seat, row in enumerate(after.last.seats)
        ]
        points = language.gettext("Points: {changes}")
        followed.append(points.format(changes=", ".join(changes)))
    elif move != VOID:
        followed.append(language.gettext("After 20 turns each, the deal ends without points"))
    if after.winners:
        text = language.ngettext(
            "Seat {seats} wins the match",
            "Seats {seats} share the win of the match",
            len(after.winners),
        )
        followed.append(text.format(seats=tiles_listed(after.winners, language)))
    return followed


def story(before: View, after: View, seat: int, move: int | None, language: Language) -> str:
    """What a viewer saw of a move."""
    if move is None:
        move = seen_move(before, after, seat)
    first = move_sentence(before, after, seat, move, language)
    followed = consequences(before, after, move, language)
    return ". ".join((first, *followed)) + "." if followed else first


# ---- Reasons -------------------------------------------------------------------------------------


def reason(view: View, seat: int, move: int, language: Language) -> str:
    """Why a move is illegal now, by the phase of the deal."""
    if seat != view.to_move:
        assert view.to_move is not None
        return turn_of(view.to_move, language)
    if view.phase == "bid":
        return bid_reason(seat, move, language)
    if view.phase == "turn":
        return turn_reason(view, seat, move, language)
    if view.phase == "discard":
        return discard_reason(view, seat, move, language)
    first, second = view.contracts[seat]
    text = language.gettext(
        "{player} makes contracts {first} and {second}, and has to announce or decline now"
    )
    return text.format(player=seat_name(seat, language), first=first, second=second)


def bid_reason(seat: int, move: int, language: Language) -> str:
    """Reasons while tokens are placed (reference: A turn, step 2)."""
    if move < POT:
        text = language.gettext("Contract {contract} has no room: three tokens are on it")
        return text.format(contract=contract_of(move))
    text = language.gettext("Not all tokens are placed yet: seat {seat} has to bid a contract")
    return text.format(seat=seat)


def turn_reason(view: View, seat: int, move: int, language: Language) -> str:
    """Reasons at the start of a turn (reference: A turn, step 3)."""
    player = seat_name(seat, language)
    if move < POT:
        text = language.gettext("All tokens are placed: seat {seat} has to draw or take a tile")
        return text.format(seat=seat)
    if move == POT:
        text = language.gettext(
            "The pot is empty: seat {seat} can take the discarded {tile} or end the deal"
        )
        return text.format(seat=seat, tile=view.discard)
    if move == TAKE:
        return language.gettext("No tile has been discarded in this deal yet")
    if move < ANNOUNCE:
        text = language.gettext("{player} has to draw or take a tile before it discards one")
        return text.format(player=player)
    if move == ANNOUNCE:
        return unmade_reason(view, seat, language)
    if move == DECLINE:
        text = language.gettext("{player} can decline only when asked, after its discard")
        return text.format(player=player)
    text = language.ngettext(
        "The pot still holds {count} tile: a deal ends without points only if the pot is empty",
        "The pot still holds {count} tiles: a deal ends without points only if the pot is empty",
        view.pot_size,
    )
    return text.format(count=view.pot_size)


def unmade_reason(view: View, seat: int, language: Language) -> str:
    """Why six tiles do not make both contracts (reference: A turn, step 3)."""
    hand = view.hands[seat]
    assert hand is not None
    first, second = view.contracts[seat]
    if sum(hand) != first + second:
        text = language.gettext(
            "The six tiles add up to {sum}, but contracts {first} and {second} need {total}"
        )
        return text.format(sum=sum(hand), first=first, second=second, total=first + second)
    # If three tiles made one contract, the other three would make the other.
    if first == second:
        text = language.gettext("No three tiles of {tiles} add up to {contract}")
        return text.format(tiles=tiles_listed(hand, language), contract=first)
    text = language.gettext("No three tiles of {tiles} add up to {first} or to {second}")
    return text.format(tiles=tiles_listed(hand, language), first=first, second=second)


def discard_reason(view: View, seat: int, move: int, language: Language) -> str:
    """Reasons while a seat holds seven tiles (reference: A turn, step 4)."""
    hand = view.hands[seat]
    assert hand is not None
    player = seat_name(seat, language)
    if FIRST_DISCARD <= move < ANNOUNCE:
        text = language.gettext("{player} has no {tile}: its tiles are {tiles}")
        return text.format(player=player, tile=tile_of(move), tiles=tiles_listed(hand, language))
    if move in (POT, TAKE):
        text = language.gettext("{player} already has seven tiles and has to discard one")
    elif move == ANNOUNCE:
        text = language.gettext(
            "{player} has to discard one of its seven tiles before it announces"
        )
    else:
        text = language.gettext("{player} has to discard one of its seven tiles now")
    return text.format(player=player)


# ---- Paths ---------------------------------------------------------------------------------------

BUTTONS: dict[int, Path] = {
    ANNOUNCE: (f"{BUTTON}announce",),
    DECLINE: (f"{BUTTON}decline",),
    VOID: (f"{BUTTON}void",),
}


def path_of(seat: int, move: int) -> Path:
    """The part to click: a contract, the pot, the discard, or a tile of the hand."""
    if move < POT:
        return (f"contract-{contract_of(move)}",)
    if move == POT:
        return ("pot",)
    if move == TAKE:
        return ("discard",)
    if move < ANNOUNCE:
        # Equal tiles are one part. The seat is in its name because the same number in another
        # seat's picture is another tile.
        return (f"hand-{seat}-{tile_of(move)}",)
    return BUTTONS[move]


def paths(view: View, seat: int, moves: Sequence[int]) -> list[Path]:
    """The path of each legal move."""
    return [path_of(seat, move) for move in moves]


# ---- Synonyms ------------------------------------------------------------------------------------


def synonyms(language: Language) -> tuple[str, ...]:
    """What people write instead of the words above."""
    return (
        language.pgettext("synonyms", "takes, draws, picks, picks up, grabs, collects"),
        language.pgettext("synonyms", "discards, throws away, gets rid of, drops, throws out"),
        language.pgettext("synonyms", "bids, offers, bets, stakes"),
        language.pgettext("synonyms", "announces, declares, calls"),
        language.pgettext("synonyms", "declines, refuses"),
        language.pgettext("synonyms", "plays, uses, lays, goes"),
        language.pgettext("synonyms", "ends, finishes, closes"),
        language.pgettext("synonyms", ", contract, contracts"),
        language.pgettext("synonyms", "…, worth, from the pot, that seat, because the pot"),
    )


TELLING = Telling(words, story, reason, paths, synonyms=synonyms)
