"""Drawings of a Contrat 500 view: text for a terminal and an SVG picture."""

from __future__ import annotations

from collections.abc import Iterable

from tablier_core.drawing import (
    BLUE,
    CARD,
    FELT,
    GREEN,
    INK,
    PAPER,
    QUIET,
    RED,
    WOOD,
    Look,
    box,
    counted,
    disc,
    document,
    name_seats,
    placed,
    text,
)
from tablier_core.games.contrat500.observe import Settlement, View
from tablier_core.games.contrat500.settlement import contract_values
from tablier_core.languages import Language

VALUES = contract_values()
WIDTH, MARGIN = 760, 24
# The board: the y coordinate of its top, and the width of its columns.
BOARD, COLUMN = 64, (WIDTH - 2 * MARGIN) / 14
# The token colours of the original game, by seat.
TOKENS = (BLUE, "#ffffff", RED, INK)
ABSENT = "#c9bda6"
TASKS = {
    "bid": "bids",
    "turn": "draws or takes a tile",
    "discard": "discards a tile",
    "announce": "may announce",
}


def caption(view: View) -> str:
    """The state of the match in one line."""
    if view.phase == "over":
        return f"After deal {view.deal}: {name_seats(view.winners)} won"
    assert view.to_move is not None
    return f"Deal {view.deal}: seat {view.to_move} {TASKS[view.phase]}"


def has_declined(view: View, seat: int) -> bool:
    """Whether the seat made both contracts in its last turn and played on."""
    own = [turn for turn in view.turns if turn.seat == seat and turn.discarded is not None]
    return bool(own) and own[-1].declined


# ---- Text ----------------------------------------------------------------------------------------


def tiles_text(view: View, seat: int) -> str:
    """The hand of a seat; a dot stands for each tile that the viewer does not know."""
    hand = view.hands[seat]
    if hand is not None:
        return " ".join(map(str, hand))
    known = view.known[seat]
    return " ".join([*map(str, known), *["."] * (view.hand_sizes[seat] - len(known))])


def contracts_text(contracts: Iterable[int]) -> str:
    """Contracts with their values."""
    return ", ".join(f"{contract} ({VALUES[contract]})" for contract in contracts) or "-"


def settlement_text(last: Settlement) -> list[str]:
    """The payments after the last announcement."""
    lines = [f"Deal {last.deal}: seat {last.winner} announced"]
    for seat, row in enumerate(last.seats):
        hand, bid = " ".join(map(str, row.hand)), contracts_text(row.contracts)
        made, change = contracts_text(row.realised), row.after - row.before
        lines.append(f"  seat {seat}  {hand:<18}  bid {bid}; made {made}; {change:+d}")
    return lines


def draw_text(view: View, language: Language) -> str:
    """The table for a terminal."""
    lines = [caption(view), ""]
    for seat in range(view.seats):
        mark = ">" if seat == view.to_move else " "
        you = " (you)" if seat == view.viewer else ""
        contracts, tiles = contracts_text(view.contracts[seat]), tiles_text(view, seat)
        lines.append(
            f"{mark} seat {seat}{you:<6}  {counted(view.scores[seat], 'point', '5'):12}"
            f"  contracts {contracts:<19}  tiles {tiles}"
            f"{'  (declined)' if has_declined(view, seat) else ''}"
        )
    if view.phase != "over":
        discard = "-" if view.discard is None else str(view.discard)
        dead = " ".join(map(str, view.dead)) or "-"
        lines += ["", f"pot {view.pot_size}   discard {discard}   dead {dead}"]
        if view.pot is not None:
            lines.append(f"pot, next first: {' '.join(map(str, view.pot)) or '-'}")
    if view.last is not None:
        lines += ["", *settlement_text(view.last)]
    return "\n".join(line.rstrip() for line in lines)


# ---- Picture -------------------------------------------------------------------------------------


def centred(
    x: float, y: float, words: object, size: int, fill: str = "", font_weight: str = ""
) -> str:
    """A line of text around x."""
    return text(x, y, words, size, fill, font_weight, text_anchor="middle")


def tile_face(tile: int | None, size: float, known: bool = False) -> str:
    """A tile, face down if None; a dashed edge marks one that is known in a hidden hand."""
    fill = WOOD if tile is None else CARD
    face = box(0, 0, size, size, fill, round(size / 7, 1), INK, 1.5, "4 3" if known else "")
    if tile is None:
        inner = size - 12
        return face + box(6, 6, inner, inner, "none", 3, stroke=PAPER, stroke_width=1.5)
    return face + centred(size / 2, size * 0.68, tile, int(size * 0.52))


# A picture shows dozens of tiles. Their faces are drawn once and then only moved into place.
LARGE = {tile: tile_face(tile, 44) for tile in (None, *range(1, 11))}
NORMAL = {tile: tile_face(tile, 38) for tile in (None, *range(1, 11))}
SMALL = {tile: tile_face(tile, 26) for tile in range(1, 11)}
KNOWN = {tile: tile_face(tile, 38, known=True) for tile in range(1, 11)}


def draw_token(x: float, y: float, seat: int, radius: float) -> str:
    """A contract token of a seat."""
    return disc(x, y, radius, TOKENS[seat], stroke=INK, stroke_width=1.5)


def contract_place(contract: int) -> tuple[float, float]:
    """The middle of the top edge of a contract on the board; 3 to 16 are above 30 to 17."""
    column, y = (contract - 3, BOARD) if contract <= 16 else (30 - contract, BOARD + 72)
    return MARGIN + (column + 0.5) * COLUMN, y


def empty_board() -> tuple[str, ...]:
    """The board: contracts of equal value share a column, with the value between them."""
    parts = []
    for contract, value in VALUES.items():
        x, y = contract_place(contract)
        parts.append(box(x - COLUMN / 2 + 1, y, COLUMN - 2, 46, FELT, 5))
        parts.append(centred(x, y + 18, contract, 15, font_weight="bold"))
        if contract <= 16:
            parts.append(centred(x, y + 63, value, 12, fill=QUIET))
    return tuple(parts)


EMPTY_BOARD = empty_board()


def token_parts(view: View) -> list[str]:
    """The tokens on the board."""
    parts = []
    bids = [(contract, seat) for seat in range(view.seats) for contract in view.contracts[seat]]
    for contract in sorted({contract for contract, _ in bids}):
        x, y = contract_place(contract)
        holders = [seat for bid, seat in bids if bid == contract]
        for i, seat in enumerate(holders):
            offset = 14.5 * (i - (len(holders) - 1) / 2)
            parts.append(draw_token(x + offset, y + 34, seat, 6.5))
    return parts


def table_parts(view: View, top: float) -> list[str]:
    """The pot, the discard that can be taken, and the dead discards by number."""
    stack = range(min(3, view.pot_size))
    parts = [placed(MARGIN + 3 * i, top + 6 - 3 * i, LARGE[None]) for i in stack]
    parts.append(text(MARGIN + 62, top + 24, f"pot: {view.pot_size}", 15))
    if view.pot:
        following = "next " + " ".join(map(str, view.pot[:8])) + (" ..." if view.pot[8:] else "")
        parts.append(text(MARGIN + 62, top + 44, following, 12, fill=QUIET))
    if view.discard is not None:
        parts.append(placed(MARGIN + 236, top + 3, LARGE[view.discard]))
        parts.append(text(MARGIN + 288, top + 24, "discard,"))
        parts.append(text(MARGIN + 288, top + 42, "can be taken"))
    parts.append(text(MARGIN + 392, top + 24, "dead", fill=QUIET))
    for tile in range(1, 11):
        x = MARGIN + 412 + 27 * tile
        count = view.dead.count(tile)
        parts.append(centred(x, top + 24, tile, 15, fill=INK if count else ABSENT))
        if count:
            parts.append(centred(x, top + 44, f"×{count}", 12, fill=QUIET))
    return parts


def seat_parts(view: View, seat: int, top: float) -> list[str]:
    """A seat: token, score, contracts, and its tiles as far as the viewer knows them."""
    edge = GREEN if seat == view.to_move else ""
    name = f"Seat {seat}" + (" (you)" if seat == view.viewer else "")
    mark = " ★" if seat in view.winners else ", declined" if has_declined(view, seat) else ""
    parts = [
        box(MARGIN, top, WIDTH - 2 * MARGIN, 62, FELT, 8, edge, 3),
        draw_token(MARGIN + 24, top + 31, seat, 11),
        text(MARGIN + 46, top + 27, name, 15, font_weight="bold"),
        text(MARGIN + 46, top + 47, f"{counted(view.scores[seat], 'point')}{mark}", 14),
    ]
    for i, contract in enumerate(view.contracts[seat]):
        x = MARGIN + 190 + 78 * i
        parts += [
            box(x, top + 10, 68, 42, CARD, 21, stroke=QUIET),
            centred(x + 34, top + 30, contract, 17, font_weight="bold"),
            centred(x + 34, top + 45, f"for {VALUES[contract]}", 11, fill=QUIET),
        ]
    hand, known = view.hands[seat], view.known[seat]
    for i in range(view.hand_sizes[seat]):
        x, y = MARGIN + 368 + 48 * i, top + 12
        if hand is not None:
            face = NORMAL[hand[i]]
        else:
            face = KNOWN[known[i]] if i < len(known) else NORMAL[None]
        parts.append(placed(x, y, face))
    return parts


def settlement_parts(last: Settlement, top: float) -> list[str]:
    """The last announcement, one line per seat: tiles, contracts (realised ones bold), points."""
    title = f"Deal {last.deal}: seat {last.winner} announced"
    parts = [text(MARGIN, top + 16, title, 15, font_weight="bold")]
    for seat, row in enumerate(last.seats):
        y = top + 28 + 34 * seat
        parts.append(draw_token(MARGIN + 12, y + 13, seat, 7))
        parts += [placed(MARGIN + 34 + 30 * i, y, SMALL[tile]) for i, tile in enumerate(row.hand)]
        left = list(row.realised)
        for i, contract in enumerate(row.contracts):
            fill, weight = QUIET, ""
            if contract in left:
                left.remove(contract)
                fill, weight = "", "bold"
            words = f"{contract} for {VALUES[contract]}"
            parts.append(text(MARGIN + 240 + 110 * i, y + 18, words, 14, fill, weight))
        change = row.after - row.before
        parts.append(
            text(
                WIDTH - MARGIN - 120,
                y + 18,
                f"{change:+d}",
                15,
                fill=RED if change < 0 else GREEN,
                text_anchor="end",
                font_weight="bold",
            )
        )
        total = f"{row.before} → {row.after}"
        parts.append(text(WIDTH - MARGIN, y + 18, total, fill=QUIET, text_anchor="end"))
    return parts


def draw_svg(view: View, look: Look) -> str:
    """The table as a picture."""
    goal = f"to {view.target} points"
    top = BOARD
    parts = [
        text(MARGIN, 40, caption(view), 20, font_weight="bold"),
        text(WIDTH - MARGIN, 40, goal, 14, fill=QUIET, text_anchor="end"),
    ]
    if view.phase != "over":
        parts += [*EMPTY_BOARD, *token_parts(view)]
        parts += table_parts(view, BOARD + 142)
        top = BOARD + 212
    for seat in range(view.seats):
        parts += seat_parts(view, seat, top)
        top += 70
    if view.last is not None:
        parts += settlement_parts(view.last, top + 10)
        top += 48 + 34 * view.seats
    return document(WIDTH, top + 12, caption(view), parts)
