"""My Game in words, and what to click.

Functions see views alone, so they cannot tell more than the viewer knows.
"""

from __future__ import annotations

from collections.abc import Sequence

from tablier_core.games.my_game.observe import View
from tablier_core.languages import Language
from tablier_core.position import REFEREE
from tablier_core.telling import Path, Telling, listed, seat_name


def words(view: View, seat: int, moves: Sequence[int], language: Language) -> list[str]:
    """Say what each move does."""
    sentence = language.gettext("{player} plays card {card}")
    player = seat_name(seat, language)
    return [sentence.format(player=player, card=move + 1) for move in moves]


def story(before: View, after: View, seat: int, move: int | None, language: Language) -> str:
    """Say what a viewer saw of a choice: nothing but that it was made, until all have chosen."""
    if len(after.rounds) > len(before.rounds):
        move = after.rounds[-1].cards[seat] - 1
    if move is None:
        return language.gettext("{player} chooses a card").format(player=seat_name(seat, language))
    return words(before, seat, [move], language)[0]


def reason(view: View, seat: int, move: int, language: Language) -> str:
    """Say why a card cannot be played: by this seat, now, or because it does not have it."""
    if seat == REFEREE:
        return language.gettext("Only seats make moves")
    if view.seats[seat].has_chosen:
        text = language.gettext("{player} has already chosen a card in this round")
        return text.format(player=seat_name(seat, language))
    hand = view.seats[seat].hand
    assert hand
    sentence = language.gettext("Card {card} is not in your hand, which has {hand}")
    return sentence.format(card=move + 1, hand=listed(list(map(str, hand)), language))


def paths(view: View, seat: int, moves: Sequence[int]) -> list[Path]:
    """A card is played by a click on it."""
    return [(f"hand-{move + 1}",) for move in moves]


def synonyms(language: Language) -> tuple[str, ...]:
    """What people write instead of the words above."""
    return (language.pgettext("synonyms", "plays, uses, lays, puts down, drops"),)


TELLING = Telling(words, story, reason, paths, synonyms=synonyms)
