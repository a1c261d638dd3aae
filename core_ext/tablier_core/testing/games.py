"""The tiny games as Game objects, for tests and benchmarks; the service does not offer them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from tablier_core.options import Whole
from tablier_core.position import Game, Position
from tablier_core.testing import connect_four, kuhn_poker, pig, rock_paper_scissors, tic_tac_toe

INK, PAPER, EMPTY = "#2b2622", "#f4ede1", "#d6c29d"
FILLS = {"X": "#c8452f", "O": "#2f6fb3", ".": EMPTY}


# ---- Boards: tic-tac-toe and connect four --------------------------------------------------------


@dataclass(frozen=True)
class BoardView:
    """A board that everybody sees."""

    rows: tuple[str, ...]  # the highest first, with X for seat 0, O for seat 1 and .
    to_move: int | None  # None when the game is over
    winner: int | None  # None while playing and in a draw


def board_view(position: Position, rows: Sequence[str], winner: int | None) -> BoardView:
    """The view of any seat: the same for all."""
    to_move = None if position.over else position.actors[0]
    return BoardView(rows=tuple(rows), to_move=to_move, winner=winner)


def mark(sets: tuple[int, int], cell: int) -> str:
    """Whose set of cells, as a number with a bit for each, has this one."""
    return "X" if sets[0] >> cell & 1 else "O" if sets[1] >> cell & 1 else "."


def observe_tic_tac_toe(position: Position, viewer: int) -> BoardView:
    """The cells, which are numbered along the rows."""
    known = tic_tac_toe.facts(position.pack())
    rows = ["".join(mark(known["marks"], 3 * row + file) for file in range(3)) for row in (2, 1, 0)]
    return board_view(position, rows, known["winner"])


def observe_connect_four(position: Position, viewer: int) -> BoardView:
    """The discs, which are numbered up the columns, seven to each."""
    known = connect_four.facts(position.pack())
    rows = [
        "".join(mark(known["discs"], 7 * column + row) for column in range(7))
        for row in (5, 4, 3, 2, 1, 0)
    ]
    return board_view(position, rows, known["winner"])


def board_caption(view: BoardView) -> str:
    """One line on how things stand."""
    if view.to_move is not None:
        return f"{'XO'[view.to_move]} to move"
    return "A draw" if view.winner is None else f"{'XO'[view.winner]} wins"


def draw_board_text(view: BoardView) -> str:
    """The board for a terminal."""
    lines = [f"{len(view.rows) - row} {' '.join(cells)}" for row, cells in enumerate(view.rows)]
    files = " ".join("abcdefg"[: len(view.rows[0])])
    return "\n".join([*lines, f"  {files}", board_caption(view)])


def draw_board_svg(view: BoardView) -> str:
    """The board for a page: a red or blue disc in every cell that is taken."""
    cells = [
        f'<circle cx="{40 * column + 30}" cy="{40 * row + 30}" r="16" fill="{FILLS[letter]}"/>'
        for row, letters in enumerate(view.rows)
        for column, letter in enumerate(letters)
    ]
    return svg(40 * len(view.rows[0]) + 20, 40 * len(view.rows) + 20, cells, board_caption(view))


def svg(width: int, height: int, parts: Sequence[str], caption: str) -> str:
    """A picture on its own paper, with a caption below."""
    parts = [
        f"<title>{caption}</title>",
        f'<rect width="{width}" height="{height + 24}" rx="10" fill="{PAPER}"/>',
        f'<g font-family="system-ui, sans-serif" text-anchor="middle" fill="{INK}">',
        *parts,
        f'<text x="{width / 2:g}" y="{height + 10}" font-size="13">{caption}</text></g></svg>',
    ]
    box = f'viewBox="0 0 {width} {height + 24}"'
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" {box} role="img">', *parts])


# ---- Pig -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PigView:
    """All but the dice to come, which nobody sees: not even the referee's view tells them."""

    target: int
    bank: tuple[int, int]
    turn: int  # points of this turn, not banked yet
    to_move: int
    winner: int | None


def observe_pig(position: Position, viewer: int) -> PigView:
    """The view of any seat: the same for all."""
    return PigView(**pig.facts(position.pack()))


def pig_caption(view: PigView) -> str:
    """One line on how things stand."""
    if view.winner is not None:
        return f"Seat {view.winner} wins"
    return f"Seat {view.to_move} has {view.turn} this turn"


def draw_pig_text(view: PigView) -> str:
    """The banks for a terminal."""
    banks = [f"seat {seat}: {bank} of {view.target}" for seat, bank in enumerate(view.bank)]
    return "\n".join([*banks, pig_caption(view)])


def draw_pig_svg(view: PigView) -> str:
    """The banks for a page, each as a bar on its way to the target."""
    parts = [
        f'<rect x="20" y="{30 * seat + 14}" width="{width:g}" height="18" fill="{fill}"/>'
        for seat, bank in enumerate(view.bank)
        for width, fill in (
            (200, EMPTY),
            (min(200, 200 * bank / view.target), FILLS["XO"[seat]]),
        )
    ]
    return svg(240, 70, parts, pig_caption(view))


# ---- Kuhn poker ----------------------------------------------------------------------------------

CARDS = "JQK"
WORDS = ("pass", "bet")


@dataclass(frozen=True)
class KuhnView:
    """The cards that a seat sees and what has been said."""

    cards: tuple[str | None, ...]  # by seat; None: not seen
    said: tuple[str, ...]
    chips: tuple[float, ...]  # won or lost by seat, once the game is over


def observe_kuhn(position: Position, viewer: int) -> KuhnView:
    """The referee sees both cards; a seat its own, and the other if they were compared."""
    known = kuhn_poker.facts(position.pack())
    cards = tuple(
        CARDS[card] if viewer in (-1, seat) or known["compared"] else None
        for seat, card in enumerate(known["cards"])
    )
    chips = tuple(position.scores) if position.over else ()
    return KuhnView(cards=cards, said=tuple(WORDS[word] for word in known["talk"]), chips=chips)


def kuhn_caption(view: KuhnView) -> str:
    """What was said, and who won."""
    said = ", ".join(view.said) or "nothing said yet"
    if not view.chips:
        return said
    winner = 0 if view.chips[0] > 0 else 1
    return f"{said}: seat {winner} wins {view.chips[winner]:g}"


def draw_kuhn_text(view: KuhnView) -> str:
    """The table for a terminal."""
    cards = " ".join(card or "?" for card in view.cards)
    return f"{cards}\n{kuhn_caption(view)}"


def draw_kuhn_svg(view: KuhnView) -> str:
    """The two cards for a page."""
    parts = [
        f'<rect x="{70 * seat + 30}" y="16" width="50" height="70" rx="6" fill="{EMPTY}"/>'
        f'<text x="{70 * seat + 55}" y="60" font-size="26">{card or "?"}</text>'
        for seat, card in enumerate(view.cards)
    ]
    return svg(180, 96, parts, kuhn_caption(view))


# ---- Rock, paper, scissors -----------------------------------------------------------------------

SIGNS = ("rock", "paper", "scissors")


@dataclass(frozen=True)
class SignsView:
    """What each seat has chosen, as far as a viewer may know."""

    # By seat; None: nothing yet; "?": something.
    chosen: tuple[str | None, ...]


def observe_signs(position: Position, viewer: int) -> SignsView:
    """A seat sees its own sign; all see both when both have chosen."""
    known = rock_paper_scissors.facts(position.pack())
    return SignsView(
        tuple(
            None if sign is None else SIGNS[sign] if viewer in (-1, seat) or known["shown"] else "?"
            for seat, sign in enumerate(known["chosen"])
        )
    )


def draw_signs_text(view: SignsView) -> str:
    """The signs for a terminal."""
    return " - ".join(sign or "(not yet)" for sign in view.chosen)


def draw_signs_svg(view: SignsView) -> str:
    """The signs for a page."""
    return svg(240, 40, [], draw_signs_text(view))


# ---- The games -----------------------------------------------------------------------------------

TIC_TAC_TOE = Game(
    tic_tac_toe.ops,
    title="Tic-tac-toe",
    french_title="Morpion",
    summary="Mark three cells in a line.",
    options=(),
    notation=(("b2", "mark the cell of file b and row 2"),),
    pack_options=tic_tac_toe.pack_options,
    observe=observe_tic_tac_toe,
    draw_text=draw_board_text,
    draw_svg=draw_board_svg,
)

CONNECT_FOUR = Game(
    connect_four.ops,
    title="Connect four",
    french_title="Puissance quatre",
    summary="Drop discs until four stand in a line.",
    options=(),
    notation=(("d", "drop a disc into column d"),),
    pack_options=connect_four.pack_options,
    observe=observe_connect_four,
    draw_text=draw_board_text,
    draw_svg=draw_board_svg,
)

PIG = Game(
    pig.ops,
    title="Pig",
    french_title="Cochon",
    summary="Roll on, or hold what the turn has brought before a 1 loses it.",
    options=(Whole("target", "points that win", default=20, low=2, high=1000),),
    notation=(("roll", "roll the die"), ("hold", "bank the turn's points")),
    pack_options=pig.pack_options,
    observe=observe_pig,
    draw_text=draw_pig_text,
    draw_svg=draw_pig_svg,
)

KUHN_POKER = Game(
    kuhn_poker.ops,
    title="Kuhn poker",
    french_title="Poker de Kuhn",
    summary="One card each of three, one chip to bet.",
    options=(),
    notation=(("pass", "check, or give up after a bet"), ("bet", "bet, or answer a bet")),
    pack_options=kuhn_poker.pack_options,
    observe=observe_kuhn,
    draw_text=draw_kuhn_text,
    draw_svg=draw_kuhn_svg,
)

ROCK_PAPER_SCISSORS = Game(
    rock_paper_scissors.ops,
    title="Rock, paper, scissors",
    french_title="Pierre-feuille-ciseaux",
    summary="Choose a sign in secret, at the same time as the other.",
    options=(),
    notation=(("rock", "show the rock; `paper` and `scissors` the others"),),
    pack_options=rock_paper_scissors.pack_options,
    observe=observe_signs,
    draw_text=draw_signs_text,
    draw_svg=draw_signs_svg,
)

TESTING_GAMES: Mapping[str, Game] = MappingProxyType(
    {game.name: game for game in (TIC_TAC_TOE, CONNECT_FOUR, PIG, KUHN_POKER, ROCK_PAPER_SCISSORS)}
)
