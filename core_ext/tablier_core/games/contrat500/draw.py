"""Drawings of a Contrat 500 view: text, and a picture on its own paper."""

from __future__ import annotations

from collections.abc import Iterable

from tablier_core.games.contrat500.observe import Settlement, View
from tablier_core.games.contrat500.settlement import contract_values

VALUES = contract_values()
WIDTH, MARGIN = 760, 24
INK, FAINT, PAPER, FELT, IVORY, BACK = (
    "#2b2622", "#7a6f61", "#f4ede1", "#e6dac2", "#fffdf6", "#b99f74",
)  # fmt: skip
GAIN, LOSS = "#2e7d4f", "#b5382a"
# The token colours of the box: blue, white, red and black.
COLOURS = ("#2f6fb3", "#ffffff", "#c8452f", "#2b2622")
TASKS = {
    "bid": "bids",
    "turn": "draws or takes a tile",
    "discard": "throws a tile",
    "announce": "may announce",
}


def caption(view: View) -> str:
    """One line on how things stand."""
    if view.phase == "over":
        names = " and ".join(f"seat {seat}" for seat in view.winners)
        return f"After deal {view.deal}: {names} won"
    assert view.to_move is not None
    return f"Deal {view.deal}: seat {view.to_move} {TASKS[view.phase]}"


def has_declined(view: View, seat: int) -> bool:
    """Whether the seat held both contracts after its last turn and played on."""
    own = [turn for turn in view.turns if turn.seat == seat and turn.discarded is not None]
    return bool(own) and own[-1].declined


# ---- Text ----------------------------------------------------------------------------------------


def tiles_text(view: View, seat: int) -> str:
    """A hand; in a hidden one the known tiles and a dot for each of the others."""
    hand = view.hands[seat]
    if hand is not None:
        return " ".join(map(str, hand))
    known = view.known[seat]
    return " ".join([*map(str, known), *["."] * (view.hand_sizes[seat] - len(known))])


def contracts_text(contracts: Iterable[int]) -> str:
    """Contracts with their values."""
    return ", ".join(f"{contract} ({VALUES[contract]})" for contract in contracts) or "-"


def settlement_text(last: Settlement) -> list[str]:
    """What was paid for the last announcement."""
    lines = [f"Deal {last.deal}: seat {last.winner} announced"]
    for seat, row in enumerate(last.seats):
        hand, bid = " ".join(map(str, row.hand)), contracts_text(row.contracts)
        made, change = contracts_text(row.realised), row.after - row.before
        lines.append(f"  seat {seat}  {hand:<18}  bid {bid}; made {made}; {change:+d}")
    return lines


def draw_text(view: View) -> str:
    """The table for a terminal."""
    lines = [caption(view), ""]
    for seat in range(view.seats):
        mark = ">" if seat == view.to_move else " "
        you = " (you)" if seat == view.viewer else ""
        contracts, tiles = contracts_text(view.contracts[seat]), tiles_text(view, seat)
        lines.append(
            f"{mark} seat {seat}{you:<6}  {view.scores[seat]:>5} points"
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


def text_at(
    x: float, y: float, words: object, size: int = 14, fill: str = INK, anchor: str = "start",
    bold: bool = False,
) -> str:  # fmt: skip
    """Words at a place."""
    weight = ' font-weight="700"' if bold else ""
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{fill}"'
        f' text-anchor="{anchor}"{weight}>{words}</text>'
    )


def tile_at(x: float, y: float, tile: int | None, size: int = 38, known: bool = False) -> str:
    """A tile, face up or, as None, face down; one known to lie in a hidden hand is dashed."""
    fill = BACK if tile is None else IVORY
    dashes = ' stroke-dasharray="4 3"' if known else ""
    square = (
        f'<rect x="{x:g}" y="{y:g}" width="{size}" height="{size}" rx="{size / 7:.1f}"'
        f' fill="{fill}" stroke="{INK}" stroke-width="1.5"{dashes}/>'
    )
    if tile is None:
        inner = size - 12
        return square + (
            f'<rect x="{x + 6:g}" y="{y + 6:g}" width="{inner}" height="{inner}" rx="3"'
            f' fill="none" stroke="{PAPER}" stroke-width="1.5"/>'
        )
    words = text_at(x + size / 2, y + size * 0.68, tile, int(size * 0.52), anchor="middle")
    return square + words


def token_at(x: float, y: float, seat: int, radius: float = 7) -> str:
    """A contract token of a seat."""
    return (
        f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{COLOURS[seat]}" stroke="{INK}"'
        ' stroke-width="1.5"/>'
    )


def board_parts(view: View, top: float) -> list[str]:
    """The board: contracts that are worth the same stand in one column, their value between."""
    parts = []
    step = (WIDTH - 2 * MARGIN) / 14
    for column in range(14):
        x = MARGIN + column * step
        for contract, y in ((3 + column, top), (30 - column, top + 72)):
            parts.append(
                f'<rect x="{x + 1:g}" y="{y}" width="{step - 2:g}" height="46" rx="5"'
                f' fill="{FELT}"/>'
            )
            parts.append(text_at(x + step / 2, y + 18, contract, 15, anchor="middle", bold=True))
            holders = [
                seat for seat in range(view.seats) for c in view.contracts[seat] if c == contract
            ]
            for i, seat in enumerate(holders):
                parts.append(
                    token_at(x + step / 2 + 15 * (i - (len(holders) - 1) / 2), y + 34, seat)
                )
        value = VALUES[3 + column]
        parts.append(text_at(x + step / 2, top + 63, value, 12, FAINT, anchor="middle"))
    return parts


def table_parts(view: View, top: float) -> list[str]:
    """The pot, the discard that can be taken, and how many of each tile are dead."""
    stack = range(min(3, view.pot_size))
    parts = [tile_at(MARGIN + 3 * i, top + 6 - 3 * i, None, 44) for i in stack]
    parts.append(text_at(MARGIN + 62, top + 24, f"pot: {view.pot_size}", 15))
    if view.pot:
        following = "next " + " ".join(map(str, view.pot[:8])) + (" ..." if view.pot[8:] else "")
        parts.append(text_at(MARGIN + 62, top + 44, following, 12, FAINT))
    if view.discard is not None:
        parts.append(tile_at(MARGIN + 236, top + 3, view.discard, 44))
        parts.append(text_at(MARGIN + 288, top + 24, "discard,", 13))
        parts.append(text_at(MARGIN + 288, top + 42, "can be taken", 13))
    parts.append(text_at(MARGIN + 392, top + 24, "dead", 13, FAINT))
    for tile in range(1, 11):
        x = MARGIN + 400 + 27 * tile
        count = view.dead.count(tile)
        fill = INK if count else "#c9bda6"
        parts.append(text_at(x + 12, top + 24, tile, 15, fill, "middle"))
        if count:
            parts.append(text_at(x + 12, top + 44, f"×{count}", 12, FAINT, "middle"))
    return parts


def seat_parts(view: View, seat: int, top: float) -> list[str]:
    """A seat: token, score, contracts, and its tiles as the viewer knows them."""
    active = seat == view.to_move
    edge = f' stroke="{GAIN}" stroke-width="3"' if active else ""
    panel = f'rx="8" fill="{FELT}"{edge}'
    name = f"Seat {seat}" + (" (you)" if seat == view.viewer else "")
    mark = " ★" if seat in view.winners else ", declined" if has_declined(view, seat) else ""
    parts = [
        f'<rect x="{MARGIN}" y="{top}" width="{WIDTH - 2 * MARGIN}" height="62" {panel}/>',
        token_at(MARGIN + 24, top + 31, seat, 11),
        text_at(MARGIN + 46, top + 27, name, 15, bold=True),
        text_at(MARGIN + 46, top + 47, f"{view.scores[seat]} points{mark}", 14),
    ]
    for i, contract in enumerate(view.contracts[seat]):
        x = MARGIN + 190 + 78 * i
        parts.append(
            f'<rect x="{x}" y="{top + 10}" width="68" height="42" rx="21" fill="{IVORY}"'
            f' stroke="{FAINT}"/>'
        )
        parts.append(text_at(x + 34, top + 30, contract, 17, anchor="middle", bold=True))
        parts.append(text_at(x + 34, top + 45, f"for {VALUES[contract]}", 11, FAINT, "middle"))
    hand, known = view.hands[seat], view.known[seat]
    for i in range(view.hand_sizes[seat]):
        x, y = MARGIN + 368 + 48 * i, top + 12
        if hand is not None:
            parts.append(tile_at(x, y, hand[i]))
        elif i < len(known):
            parts.append(tile_at(x, y, known[i], known=True))
        else:
            parts.append(tile_at(x, y, None))
    return parts


def settlement_parts(last: Settlement, top: float) -> list[str]:
    """The last announcement, a line a seat: tiles, contracts (made ones in bold) and points."""
    title = f"Deal {last.deal}: seat {last.winner} announced"
    parts = [text_at(MARGIN, top + 16, title, 15, bold=True)]
    for seat, row in enumerate(last.seats):
        y = top + 28 + 34 * seat
        parts.append(token_at(MARGIN + 12, y + 13, seat))
        parts += [tile_at(MARGIN + 34 + 30 * i, y, tile, 26) for i, tile in enumerate(row.hand)]
        left = list(row.realised)
        for i, contract in enumerate(row.contracts):
            made = contract in left
            if made:
                left.remove(contract)
            words = f"{contract} for {VALUES[contract]}"
            x = MARGIN + 240 + 110 * i
            parts.append(text_at(x, y + 18, words, 14, INK if made else FAINT, bold=made))
        change = row.after - row.before
        fill = LOSS if change < 0 else GAIN
        parts.append(text_at(WIDTH - MARGIN - 120, y + 18, f"{change:+d}", 15, fill, "end", True))
        total = f"{row.before} → {row.after}"
        parts.append(text_at(WIDTH - MARGIN, y + 18, total, 13, FAINT, "end"))
    return parts


def draw_svg(view: View) -> str:
    """The table for a page."""
    goal = f"to {view.target} points"
    top = 64
    parts = [
        text_at(MARGIN, 40, caption(view), 20, bold=True),
        text_at(WIDTH - MARGIN, 40, goal, 14, FAINT, "end"),
    ]
    if view.phase != "over":
        parts += board_parts(view, top)
        parts += table_parts(view, top + 142)
        top += 212
    for seat in range(view.seats):
        parts += seat_parts(view, seat, top)
        top += 70
    if view.last is not None:
        parts += settlement_parts(view.last, top + 10)
        top += 48 + 34 * view.seats
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top + 12}" role="img">',
            f"<title>{caption(view)}</title>",
            f'<rect width="{WIDTH}" height="{top + 12}" rx="14" fill="{PAPER}"/>',
            '<g font-family="system-ui, sans-serif">',
            *parts,
            "</g></svg>",
        ]
    )
