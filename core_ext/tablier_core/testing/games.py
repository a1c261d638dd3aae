"""The tiny games as Game objects, for tests and benchmarks. The service does not offer them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from tablier_core.drawing import LIGHT, Look, Picture, box, disc, text
from tablier_core.languages import Language
from tablier_core.options import OptionSchema
from tablier_core.position import Game, Position
from tablier_core.testing import (
    connect_four,
    kuhn_poker,
    pig,
    rock_paper_scissors,
    telling,
    tic_tac_toe,
)

FILLS = {"X": LIGHT.red, "O": LIGHT.blue, ".": LIGHT.felt}


def captioned(picture: Picture, width: int, height: int, parts: Sequence[str], caption: str) -> str:
    """Draw a picture with a caption below."""
    line = text(width / 2, height + 10, caption)
    return picture.document(width, height + 24, caption, [*parts, line], anchor="middle")


# ---- Boards: tic-tac-toe and connect four --------------------------------------------------------


@dataclass(frozen=True)
class BoardView:
    """A board that every seat sees."""

    rows: tuple[str, ...]  # the highest first, with X for seat 0, O for seat 1 and .
    to_move: int | None  # None once the game is over
    winner: int | None  # None during the game and in a draw


def board_view(position: Position, rows: Sequence[str], winner: int | None) -> BoardView:
    """Build the view, which is the same for every seat."""
    to_move = None if position.over else position.actors[0]
    return BoardView(rows=tuple(rows), to_move=to_move, winner=winner)


def mark(sets: tuple[int, int], cell: int) -> str:
    """Return the mark on a cell; each set of cells is a number with one bit per cell."""
    return "X" if sets[0] >> cell & 1 else "O" if sets[1] >> cell & 1 else "."


def observe_tic_tac_toe(position: Position, viewer: int) -> BoardView:
    """Read the cells, which are numbered along the rows."""
    known = tic_tac_toe.facts(position.pack())
    rows = ["".join(mark(known["marks"], 3 * row + file) for file in range(3)) for row in (2, 1, 0)]
    return board_view(position, rows, known["winner"])


def observe_connect_four(position: Position, viewer: int) -> BoardView:
    """Read the discs, which are numbered up the columns, seven per column."""
    known = connect_four.facts(position.pack())
    rows = [
        "".join(mark(known["discs"], 7 * column + row) for column in range(7))
        for row in (5, 4, 3, 2, 1, 0)
    ]
    return board_view(position, rows, known["winner"])


def board_caption(view: BoardView) -> str:
    """Describe the situation in one line."""
    if view.to_move is not None:
        return f"{'XO'[view.to_move]} to move"
    return "A draw" if view.winner is None else f"{'XO'[view.winner]} wins"


def draw_board_text(view: BoardView, language: Language) -> str:
    """Draw the board for a terminal."""
    lines = [f"{len(view.rows) - row} {' '.join(cells)}" for row, cells in enumerate(view.rows)]
    files = " ".join("abcdefg"[: len(view.rows[0])])
    return "\n".join([*lines, f"  {files}", board_caption(view)])


def draw_board_svg(view: BoardView, look: Look) -> str:
    """Draw the board with a red or blue disc in every taken cell."""
    picture = Picture(look)
    last_row = len(view.rows) - 1
    discs = {
        f"{'abcdefg'[column]}{len(view.rows) - row}": (40 * column + 30, 40 * row + 30, letter)
        for row, letters in enumerate(view.rows)
        for column, letter in enumerate(letters)
    }
    cells = [
        picture.part(name, x - 18, y - 18, 36, 36, disc(x, y, 16, FILLS[letter]))
        for name, (x, y, letter) in discs.items()
    ]
    # Where pieces fall, a column is what a person clicks.
    for column, letter in enumerate("abcdefg"[: len(view.rows[0])]):
        label = text(40 * column + 30, 40 * last_row + 62, letter)
        at = (40 * column + 12, 40 * last_row + 50, 36, 16)
        cells.append(picture.part(f"column-{letter}", *at, label))
    width, height = 40 * len(view.rows[0]) + 20, 40 * len(view.rows) + 30
    return captioned(picture, width, height, cells, board_caption(view))


# ---- Pig -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PigView:
    """Everything except the future dice, which not even the referee sees."""

    target: int
    bank: tuple[int, int]
    turn: int  # points of this turn, not banked yet
    to_move: int
    winner: int | None


def observe_pig(position: Position, viewer: int) -> PigView:
    """Build the view, which is the same for every seat."""
    return PigView(**pig.facts(position.pack()))


def pig_caption(view: PigView) -> str:
    """Describe the situation in one line."""
    if view.winner is not None:
        return f"Seat {view.winner} wins"
    return f"Seat {view.to_move} has {view.turn} this turn"


def draw_pig_text(view: PigView, language: Language) -> str:
    """Draw the banks for a terminal."""
    banks = [f"seat {seat}: {bank} of {view.target}" for seat, bank in enumerate(view.bank)]
    return "\n".join([*banks, pig_caption(view)])


def draw_pig_svg(view: PigView, look: Look) -> str:
    """Draw each bank as a bar on its way to the target."""
    parts = [
        box(20, 30 * seat + 14, width, 18, fill)
        for seat, bank in enumerate(view.bank)
        for width, fill in (
            (200, LIGHT.felt),
            (min(200, 200 * bank / view.target), FILLS["XO"[seat]]),
        )
    ]
    return captioned(Picture(look), 240, 70, parts, pig_caption(view))


# ---- Kuhn poker ----------------------------------------------------------------------------------

CARDS = "JQK"
WORDS = ("pass", "bet")


@dataclass(frozen=True)
class KuhnView:
    """The cards that a viewer sees, and the moves so far."""

    cards: tuple[str | None, ...]  # by seat; None: hidden
    said: tuple[str, ...]
    chips: tuple[float, ...]  # won or lost by seat; empty until the game is over


def observe_kuhn(position: Position, viewer: int) -> KuhnView:
    """Show a seat its own card, and both cards to the referee or once they were compared."""
    known = kuhn_poker.facts(position.pack())
    cards = tuple(
        CARDS[card] if viewer in (-1, seat) or known["compared"] else None
        for seat, card in enumerate(known["cards"])
    )
    chips = tuple(position.scores) if position.over else ()
    return KuhnView(cards=cards, said=tuple(WORDS[word] for word in known["talk"]), chips=chips)


def kuhn_caption(view: KuhnView) -> str:
    """Describe the moves and the result in one line."""
    said = ", ".join(view.said) or "nothing said yet"
    if not view.chips:
        return said
    winner = 0 if view.chips[0] > 0 else 1
    return f"{said}: seat {winner} wins {view.chips[winner]:g}"


def draw_kuhn_text(view: KuhnView, language: Language) -> str:
    """Draw the table for a terminal."""
    cards = " ".join(card or "?" for card in view.cards)
    return f"{cards}\n{kuhn_caption(view)}"


def draw_kuhn_svg(view: KuhnView, look: Look) -> str:
    """Draw the two cards."""
    parts = [
        box(70 * seat + 30, 16, 50, 70, LIGHT.felt, radius=6)
        + text(70 * seat + 55, 60, card or "?", 26)
        for seat, card in enumerate(view.cards)
    ]
    return captioned(Picture(look), 180, 96, parts, kuhn_caption(view))


# ---- Rock, paper, scissors -----------------------------------------------------------------------

SIGNS = ("rock", "paper", "scissors")


@dataclass(frozen=True)
class SignsView:
    """The choices of the seats, as far as a viewer may know them."""

    # By seat. None: no choice yet; "?": a hidden choice.
    chosen: tuple[str | None, ...]


def observe_signs(position: Position, viewer: int) -> SignsView:
    """Show a seat its own sign, and both signs once both seats have chosen."""
    known = rock_paper_scissors.facts(position.pack())
    return SignsView(
        tuple(
            None if sign is None else SIGNS[sign] if viewer in (-1, seat) or known["shown"] else "?"
            for seat, sign in enumerate(known["chosen"])
        )
    )


def draw_signs_text(view: SignsView, language: Language) -> str:
    """Draw the signs for a terminal."""
    return " - ".join(sign or "(not yet)" for sign in view.chosen)


def draw_signs_svg(view: SignsView, look: Look) -> str:
    """Draw the signs."""
    return captioned(Picture(look), 240, 40, [], draw_signs_text(view, look.language))


# ---- The games -----------------------------------------------------------------------------------

NO_OPTIONS = OptionSchema({})

TIC_TAC_TOE = Game(
    tic_tac_toe.ops,
    title="Tic-tac-toe",
    french_title="Morpion",
    summary="Mark three cells in a line.",
    options=NO_OPTIONS,
    notation=(("b2", "mark the cell of file b and row 2"),),
    pack_options=tic_tac_toe.pack_options,
    observe=observe_tic_tac_toe,
    draw_text=draw_board_text,
    draw_svg=draw_board_svg,
    telling=telling.TIC_TAC_TOE,
)

CONNECT_FOUR = Game(
    connect_four.ops,
    title="Connect four",
    french_title="Puissance quatre",
    summary="Drop discs until four are in a line.",
    options=NO_OPTIONS,
    notation=(("d", "drop a disc into column d"),),
    pack_options=connect_four.pack_options,
    observe=observe_connect_four,
    draw_text=draw_board_text,
    draw_svg=draw_board_svg,
    telling=telling.CONNECT_FOUR,
)

PIG = Game(
    pig.ops,
    title="Pig",
    french_title="Cochon",
    summary="Keep rolling, or hold your points before a 1 loses them.",
    options=OptionSchema(
        {
            "target": {
                "type": "integer",
                "minimum": 2,
                "maximum": 1000,
                "default": 20,
                "description": "points that win",
            }
        }
    ),
    notation=(("roll", "roll the die"), ("hold", "bank the points of the turn")),
    pack_options=pig.pack_options,
    observe=observe_pig,
    draw_text=draw_pig_text,
    draw_svg=draw_pig_svg,
    telling=telling.PIG,
    public_moves=("roll", "hold"),
)

KUHN_POKER = Game(
    kuhn_poker.ops,
    title="Kuhn poker",
    french_title="Poker de Kuhn",
    summary="Each seat has one of three cards and one chip to bet.",
    options=NO_OPTIONS,
    notation=(("pass", "check, or fold after a bet"), ("bet", "bet, or call a bet")),
    pack_options=kuhn_poker.pack_options,
    observe=observe_kuhn,
    draw_text=draw_kuhn_text,
    draw_svg=draw_kuhn_svg,
    telling=telling.KUHN_POKER,
    public_moves=("pass", "bet"),
)

ROCK_PAPER_SCISSORS = Game(
    rock_paper_scissors.ops,
    title="Rock, paper, scissors",
    french_title="Pierre-feuille-ciseaux",
    summary="Choose a sign secretly, at the same time as your rival.",
    options=NO_OPTIONS,
    notation=(("rock", "choose rock; likewise `paper` and `scissors`"),),
    pack_options=rock_paper_scissors.pack_options,
    observe=observe_signs,
    draw_text=draw_signs_text,
    draw_svg=draw_signs_svg,
    telling=telling.ROCK_PAPER_SCISSORS,
)

TESTING_GAMES: Mapping[str, Game] = MappingProxyType(
    {game.name: game for game in (TIC_TAC_TOE, CONNECT_FOUR, PIG, KUHN_POKER, ROCK_PAPER_SCISSORS)}
)
