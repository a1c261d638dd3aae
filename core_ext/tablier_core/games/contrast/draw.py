"""Drawings of a Contrast view."""

from __future__ import annotations

from collections.abc import Sequence

from tablier_core.games.contrast.notation import SYMBOL_NAMES
from tablier_core.games.contrast.observe import Round, Seat, View
from tablier_core.games.contrast.picture import INK, icon, paint

TEAM, TEAM_GOAL = 2, 22
PAPER, CARD, CHOSEN, QUIET, OWN = "#f4ede1", "#fffdf8", "#ffdf94", "#857a6d", "#e9dcc3"

# Measures of the SVG. A seat is a band of six cards: its row, a gap, its hand.
MARGIN, SIDE = 20, 300
BAND, CARD_WIDTH, CARD_HEIGHT, CARD_STEP = 96, 48, 80, 52
BANDS_LEFT = MARGIN + SIDE + 20
CARDS_LEFT, LAST_LEFT = 104, 478
WIDTH = BANDS_LEFT + LAST_LEFT + 80 + MARGIN


def caption(view: View) -> str:
    """One line on how things stand."""
    if view.phase != "over":
        waited = [number for number, seat in enumerate(view.seats) if not seat.has_chosen]
        if len(waited) == len(view.seats):
            return f"Round {len(view.rounds) + 1}: everybody chooses a symbol"
        return f"Round {len(view.rounds) + 1}: waiting for {name_seats(waited)}"
    best = max(seat.score for seat in view.seats)
    if len(view.seats) == TEAM:
        verb = "wins" if best >= TEAM_GOAL else "loses"
        return f"The team {verb} with {counted(best, 'point')}; {TEAM_GOAL} are needed"
    winners = [number for number, seat in enumerate(view.seats) if seat.score == best]
    verb = "wins" if len(winners) == 1 else "share the win"
    return f"{name_seats(winners).capitalize()} {verb} with {counted(best, 'image')}"


def counted(number: int, noun: str) -> str:
    """A number of things in words."""
    return f"{number} {noun if number == 1 else noun + 's'}"


def name_seats(numbers: Sequence[int]) -> str:
    """One seat or several in words."""
    *others, last = (str(number) for number in numbers)
    return f"seats {', '.join(others)} and {last}" if others else f"seat {last}"


# ---- Text ----------------------------------------------------------------------------------------


def draw_text(view: View) -> str:
    """The table for a terminal."""
    lines = []
    if view.image is not None:
        fits = sorted(
            zip(view.affinities, SYMBOL_NAMES, strict=True), key=lambda fit: fit[0], reverse=True
        )
        lines.append(f"image {view.image}: " + ", ".join(f"{name} {fit:g}" for fit, name in fits))
    lines.append(f"pile {view.pile}, box {view.box}")
    if view.rounds:
        lines.append(text_round(view.rounds[-1]))
    row_width = 13 * len(view.seats[0].row)
    for number, seat in enumerate(view.seats):
        mark = "*" if number == view.viewer else " "
        row, hand = " ".join(seat.row), " ".join(seat.hand)
        lines.append(
            f"{mark}seat {number}  {seat.score:3} images  row {row:{row_width}} hand {hand}"
            f"{text_choice(seat)}"
        )
    return "\n".join([*lines, caption(view)])


def text_round(last: Round) -> str:
    """What the last reveal showed."""
    choices = ", ".join(choice or "excluded" for choice in last.choices)
    return f"last round: {choices}; {' and '.join(last.winning) or 'nothing'} won"


def text_choice(seat: Seat) -> str:
    """What the viewer knows of a seat's choice in this round."""
    if not seat.has_chosen:
        return ""
    return f"  chose {seat.choice}" if seat.choice else "  has chosen"


# ---- SVG -----------------------------------------------------------------------------------------


def draw_svg(view: View) -> str:
    """The table for a page, on its own paper so that it reads alike on light and dark pages."""
    height = max(SIDE + 30, 24 + BAND * len(view.seats)) + 36 + 2 * MARGIN
    title = caption(view)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
        f"<title>{title}</title>",
        f'<rect width="{WIDTH}" height="{height}" rx="14" fill="{PAPER}"/>',
        f'<g font-family="system-ui, sans-serif" font-size="13" fill="{INK}">',
        *svg_image(view),
        *svg_headings(view),
    ]
    last = view.rounds[-1] if view.rounds else None
    for number, seat in enumerate(view.seats):
        parts.append(f'<g transform="translate({BANDS_LEFT} {MARGIN + 24 + BAND * number})">')
        parts.extend(svg_seat(view, number, seat))
        if last is not None:
            parts.extend(svg_last(last, number))
        parts.append("</g>")
    place = f'x="{WIDTH // 2}" y="{height - MARGIN}" font-size="17" font-weight="bold"'
    parts.append(f'<text {place} text-anchor="middle">{title}</text></g></svg>')
    return "\n".join(parts)


def svg_image(view: View) -> list[str]:
    """The current image in its frame, with what is said under it."""
    left = f"{view.pile} in the pile, {view.box} in the box"
    parts = [f'<svg x="{MARGIN}" y="{MARGIN}" width="{SIDE}" height="{SIDE}">']
    if view.image is None:
        parts.append(f'<rect width="{SIDE}" height="{SIDE}" fill="{OWN}"/>')
        middle = f'x="{SIDE // 2}" y="{SIDE // 2}" text-anchor="middle" fill="{QUIET}"'
        parts.append(f'<text {middle} font-size="18">the pile is empty</text>')
    else:
        parts.append(paint(view.affinities, view.image, SIDE))
    frame = f'width="{SIDE}" height="{SIDE}" rx="4" fill="none" stroke="{INK}" stroke-width="3"'
    name = "" if view.image is None else f"Image {view.image}"
    below = MARGIN + SIDE
    return [
        *parts,
        "</svg>",
        f'<rect x="{MARGIN}" y="{MARGIN}" {frame}/>',
        f'<text x="{MARGIN}" y="{below + 24}">{name}</text>',
        f'<text x="{below}" y="{below + 24}" text-anchor="end">{left}</text>',
    ]


def svg_headings(view: View) -> list[str]:
    """What the columns are."""
    row_length = len(view.seats[0].row)
    columns = [(CARDS_LEFT, "row"), (CARDS_LEFT + CARD_STEP * row_length + 16, "hand")]
    if view.rounds:
        columns.append((LAST_LEFT, "last round"))
    return [
        f'<text x="{BANDS_LEFT + x}" y="{MARGIN + 12}" fill="{QUIET}">{name}</text>'
        for x, name in columns
    ]


def svg_seat(view: View, number: int, seat: Seat) -> list[str]:
    """A seat's band: who it is, its score, its row and its hand."""
    own = number == view.viewer
    status = "you" if own else ""
    if view.phase != "over":
        state = "has chosen" if seat.has_chosen else "chooses..."
        status = f"{status}, {state}" if own else state
    ground = f'width="{LAST_LEFT + 82}" height="{BAND - 4}" rx="8" fill="{OWN if own else "none"}"'
    score, unit = counted(seat.score, "image").split()
    images = f'{score}<tspan dx="4" font-size="11">{unit}</tspan>'
    parts = [
        f'<rect x="-8" {ground}/>',
        f'<text x="0" y="22" font-size="15" font-weight="bold">Seat {number}</text>',
        f'<text x="0" y="46" font-size="20">{images}</text>',
        f'<text x="0" y="68" font-size="11" fill="{QUIET}">{status}</text>',
    ]
    for i, card in enumerate((*seat.row, *seat.hand)):
        in_hand = i >= len(seat.row)
        x = CARDS_LEFT + CARD_STEP * i + (16 if in_hand else 0)
        parts.append(svg_card(card, x, in_hand, seat.choice))
    return parts


def svg_card(card: str, x: int, in_hand: bool, choice: str | None) -> str:
    """A card with its two symbols; a card in the row is out of play and pale."""
    middle, half = CARD_WIDTH / 2, CARD_HEIGHT / 2
    box = f'width="{CARD_WIDTH}" height="{CARD_HEIGHT}" rx="6"'
    parts = [
        f'<g transform="translate({x} 6)" opacity="{1 if in_hand else 0.5}">',
        f'<rect {box} fill="{CARD}" stroke="{INK}"/>',
    ]
    for i, symbol in enumerate(card.split("/")):
        top = half * i
        if in_hand and symbol == choice:
            parts.append(
                f'<rect x="2" y="{top + 2:g}" width="{CARD_WIDTH - 4}" height="{half - 4:g}"'
                f' rx="4" fill="{CHOSEN}" stroke="{INK}" stroke-width="2"/>'
            )
        label = f'<text y="20" font-size="9" text-anchor="middle">{symbol}</text>'
        parts.append(f'<g transform="translate({middle:g} {top + 15:g})">{icon(symbol)}{label}</g>')
    return "".join([*parts, "</g>"])


def svg_last(last: Round, number: int) -> list[str]:
    """What a seat chose in the last round, ringed if it won."""
    choice = last.choices[number]
    if choice is None:
        return [f'<text x="{LAST_LEFT}" y="46" fill="{QUIET}">excluded</text>']
    ring = f'<circle r="20" fill="{CHOSEN}"/>' if choice in last.winning else ""
    note = f'<text y="36" font-size="10" text-anchor="middle">{choice}</text>'
    return [f'<g transform="translate({LAST_LEFT + 32} 32)">{ring}{icon(choice)}{note}</g>']
