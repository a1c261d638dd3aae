"""How the tiny games tell what happens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tablier_core.languages import Language
from tablier_core.telling import BUTTON, Path, Telling, seat_name

if TYPE_CHECKING:
    from tablier_core.testing.games import BoardView, KuhnView, PigView, SignsView

SIGNS = ("rock", "paper", "scissors")


def one_by_one(
    sentence: Callable[[Any, int, int, Language], str],
) -> Callable[[Any, int, Sequence[int], Language], list[str]]:
    """The words of many moves, from a function for one."""
    return lambda view, seat, moves, language: [
        sentence(view, seat, move, language) for move in moves
    ]


def openly(
    sentence: Callable[[Any, int, int, Language], str],
) -> Callable[[Any, Any, int, int | None, Language], str]:
    """The story of a move that every viewer knows."""

    def story(before: Any, after: Any, seat: int, move: int | None, language: Language) -> str:
        assert move is not None
        return sentence(before, seat, move, language)

    return story


# ---- Boards --------------------------------------------------------------------------------------


def cell_name(move: int) -> str:
    """The name of a cell of tic-tac-toe."""
    return f"{'abc'[move % 3]}{move // 3 + 1}"


def mark_name(seat: int, language: Language) -> str:
    """The player of a mark or a disc."""
    return "XO"[seat]


def _mark_words(view: BoardView, seat: int, move: int, language: Language) -> str:
    text = language.gettext("{player} marks {cell}")
    return text.format(player=mark_name(seat, language), cell=cell_name(move))


def _turn_reason(view: BoardView, language: Language) -> str:
    assert view.to_move is not None
    text = language.gettext("It is the turn of {player}")
    return text.format(player=mark_name(view.to_move, language))


def _mark_reason(view: BoardView, seat: int, move: int, language: Language) -> str:
    if seat != view.to_move:
        return _turn_reason(view, language)
    return language.gettext("{cell} is taken").format(cell=cell_name(move)).capitalize()


def _drop_words(view: BoardView, seat: int, move: int, language: Language) -> str:
    text = language.gettext("{player} drops a disc into column {column}")
    return text.format(player=mark_name(seat, language), column="abcdefg"[move])


def _drop_reason(view: BoardView, seat: int, move: int, language: Language) -> str:
    if seat != view.to_move:
        return _turn_reason(view, language)
    return language.gettext("Column {column} is full").format(column="abcdefg"[move])


TIC_TAC_TOE = Telling(
    words=one_by_one(_mark_words),
    story=openly(_mark_words),
    reason=_mark_reason,
    paths=lambda _view, _seat, moves: [(cell_name(move),) for move in moves],
    player=mark_name,
)
CONNECT_FOUR = Telling(
    words=one_by_one(_drop_words),
    story=openly(_drop_words),
    reason=_drop_reason,
    paths=lambda _view, _seat, moves: [(f"column-{'abcdefg'[move]}",) for move in moves],
    player=mark_name,
)


# ---- Games without a board -----------------------------------------------------------------------


def buttons(names: Sequence[str]) -> Callable[[Any, int, Sequence[int]], list[Path]]:
    """A button for each move."""
    return lambda _view, _seat, moves: [(BUTTON + names[move],) for move in moves]


def never(view: object, seat: int, move: int, language: Language) -> str:
    """The reason in a game whose moves are all legal until its end."""
    return language.gettext("The move is not legal now")


def _pig_words(view: PigView, seat: int, move: int, language: Language) -> str:
    text = (
        language.gettext("{player} holds") if move else language.gettext("{player} rolls the die")
    )
    return text.format(player=seat_name(seat, language))


def _pig_story(
    before: PigView, after: PigView, seat: int, move: int | None, language: Language
) -> str:
    # The dice are hidden from everyone until they fall, and holding empties the turn.
    if move is None:
        move = int(after.bank[seat] > before.bank[seat])
    return _pig_words(before, seat, move, language)


def _kuhn_words(view: KuhnView, seat: int, move: int, language: Language) -> str:
    text = (
        language.gettext("{player} bets") if move else language.gettext("{player} checks or folds")
    )
    return text.format(player=seat_name(seat, language))


def _kuhn_story(
    before: KuhnView, after: KuhnView, seat: int, move: int | None, language: Language
) -> str:
    return _kuhn_words(before, seat, int(after.said[-1] == "bet"), language)


def _sign(move: int, language: Language) -> str:
    return (language.gettext("rock"), language.gettext("paper"), language.gettext("scissors"))[move]


def _sign_words(view: SignsView, seat: int, move: int, language: Language) -> str:
    text = language.gettext("{player} chooses {sign}")
    return text.format(player=seat_name(seat, language), sign=_sign(move, language))


def _sign_story(
    before: SignsView, after: SignsView, seat: int, move: int | None, language: Language
) -> str:
    chosen = after.chosen[seat]
    if chosen == "?" or chosen is None:
        return language.gettext("{player} chooses a sign").format(player=seat_name(seat, language))
    return _sign_words(before, seat, SIGNS.index(chosen), language)


PIG = Telling(one_by_one(_pig_words), _pig_story, never, buttons(("roll", "hold")))
KUHN_POKER = Telling(one_by_one(_kuhn_words), _kuhn_story, never, buttons(("pass", "bet")))
ROCK_PAPER_SCISSORS = Telling(one_by_one(_sign_words), _sign_story, never, buttons(SIGNS))
