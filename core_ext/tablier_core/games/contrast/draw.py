"""Drawings of a Contrast view as text and as SVG."""

from __future__ import annotations

from tablier_core.drawing import (
    CARD,
    INK,
    QUIET,
    Look,
    box,
    counted,
    disc,
    document,
    name_seats,
    text,
)
from tablier_core.games.contrast.notation import SYMBOL_NAMES
from tablier_core.games.contrast.observe import Round, Seat, View
from tablier_core.games.contrast.painting import COLOURS, paint
from tablier_core.languages import Language

TEAM, TEAM_GOAL = 2, 22


def caption(view: View) -> str:
    """Return one line on how the game stands."""
    if view.phase != "over":
        waiting = [number for number, seat in enumerate(view.seats) if not seat.has_chosen]
        if len(waiting) == len(view.seats):
            return f"Round {len(view.rounds) + 1}: everybody chooses a symbol"
        return f"Round {len(view.rounds) + 1}: waiting for {name_seats(waiting)}"
    best = max(seat.score for seat in view.seats)
    if len(view.seats) == TEAM:
        verb = "wins" if best >= TEAM_GOAL else "loses"
        return f"The team {verb} with {counted(best, 'point')}; {TEAM_GOAL} are needed"
    winners = [number for number, seat in enumerate(view.seats) if seat.score == best]
    verb = "wins" if len(winners) == 1 else "share the win"
    return f"{name_seats(winners).capitalize()} {verb} with {counted(best, 'image')}"


# ---- Text ----------------------------------------------------------------------------------------


def draw_text(view: View, language: Language) -> str:
    """Return the table for a terminal."""
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
            f"{mark}seat {number}  {counted(seat.score, 'image', '3'):10}  "
            f"row {row:{row_width}} hand {hand}{text_choice(seat)}"
        )
    return "\n".join([*lines, caption(view)])


def text_round(last: Round) -> str:
    """Return what the last reveal showed."""
    choices = ", ".join(choice or "excluded" for choice in last.choices)
    return f"last round: {choices}; {' and '.join(last.winning) or 'nothing'} won"


def text_choice(seat: Seat) -> str:
    """Return what the viewer knows about a seat's choice in this round."""
    if not seat.has_chosen:
        return ""
    return f"  chose {seat.choice}" if seat.choice else "  has chosen"


# ---- SVG -----------------------------------------------------------------------------------------

CHOSEN, OWN = "#ffdf94", "#e9dcc3"

# Measures. Each seat has a band with six cards: its row, a gap, its hand.
MARGIN, SIDE = 20, 300
BAND, CARD_WIDTH, CARD_HEIGHT, CARD_STEP = 96, 48, 80, 52
BANDS_LEFT = MARGIN + SIDE + 20
CARDS_LEFT, LAST_LEFT, HAND_GAP = 104, 478, 16
WIDTH = BANDS_LEFT + LAST_LEFT + 80 + MARGIN

# The symbols around the origin, 20 units wide and high.
LINE = f'fill="none" stroke="{INK}" stroke-width="2"'
ICONS = {
    **{name: disc(0, 0, 9, colour, stroke=INK) for name, colour in COLOURS.items()},
    "large": f'<path d="M-9 -9h18v18h-18z" fill="{INK}"/>',
    "small": f'<path d="M-9 -9h18v18h-18z" {LINE} stroke-dasharray="2 3"/>'
    f'<path d="M-3 -3h6v6h-6z" fill="{INK}"/>',
    "heavy": f'<path d="M-5 -4h10l4 13h-18z" fill="{INK}"/><circle cy="-6" r="3" {LINE}/>',
    "light": f'<path d="M-8 9C-6 0 -1 -7 9 -9C8 1 2 6 -5 5M-8 9L4 -4" {LINE}/>',
    "thick": f'<path d="M-10 0h20" stroke="{INK}" stroke-width="9"/>',
    "thin": f'<path d="M-10 0h20" stroke="{INK}" stroke-width="1.2"/>',
    "round": f'<circle r="8.5" {LINE}/>',
    "square": f'<path d="M-8 -8h16v16h-16z" {LINE}/>',
}
# The parts of a card: its paper, a mark on either half, and each symbol with its name.
PAPER = box(0, 0, CARD_WIDTH, CARD_HEIGHT, CARD, 6, stroke=INK)
HALF = CARD_HEIGHT // 2
MARKS = [
    box(2, top + 2, CARD_WIDTH - 4, HALF - 4, CHOSEN, stroke=INK, stroke_width=2)
    for top in (0, HALF)
]
SYMBOLS = {
    symbol: f'<g transform="translate({CARD_WIDTH // 2} {15 + i % 2 * HALF})">'
    f"{ICONS[symbol]}{text(0, 20, symbol, 9, text_anchor='middle')}</g>"
    for i, symbol in enumerate(SYMBOL_NAMES)
}


def draw_svg(view: View, look: Look) -> str:
    """Return the table as a picture: the current image on the left, the seats on the right."""
    height = max(SIDE + 30, 24 + BAND * len(view.seats)) + 36 + 2 * MARGIN
    title = caption(view)
    parts = [*svg_image(view), *svg_headings(view)]
    last = view.rounds[-1] if view.rounds else None
    for number, seat in enumerate(view.seats):
        parts.append(f'<g transform="translate({BANDS_LEFT} {MARGIN + 24 + BAND * number})">')
        parts.extend(svg_seat(view, number, seat))
        if last is not None:
            parts.append(svg_last_choice(last, number))
        parts.append("</g>")
    parts.append(
        text(WIDTH / 2, height - MARGIN, title, 17, font_weight="bold", text_anchor="middle")
    )
    return document(WIDTH, height, title, parts)


def svg_image(view: View) -> list[str]:
    """Draw the current image in its frame, with a caption below."""
    below = MARGIN + SIDE
    parts = [f'<svg x="{MARGIN}" y="{MARGIN}" width="{SIDE}" height="{SIDE}">']
    if view.image is None:
        middle = SIDE / 2
        parts.append(box(0, 0, SIDE, SIDE, OWN))
        parts.append(
            text(middle, middle, "the pile is empty", 18, text_anchor="middle", fill=QUIET)
        )
    else:
        parts.append(paint(view.affinities, view.image, SIDE))
    parts.append("</svg>")
    parts.append(box(MARGIN, MARGIN, SIDE, SIDE, "none", stroke=INK, stroke_width=3))
    if view.image is not None:
        parts.append(text(MARGIN, below + 24, f"Image {view.image}"))
    left = f"{view.pile} in the pile, {view.box} in the box"
    return [*parts, text(below, below + 24, left, text_anchor="end")]


def svg_headings(view: View) -> list[str]:
    """Draw the headings of the columns."""
    row_length = len(view.seats[0].row)
    columns = [(CARDS_LEFT, "row"), (CARDS_LEFT + CARD_STEP * row_length + HAND_GAP, "hand")]
    if view.rounds:
        columns.append((LAST_LEFT, "last round"))
    return [text(BANDS_LEFT + x, MARGIN + 12, name, fill=QUIET) for x, name in columns]


def svg_seat(view: View, number: int, seat: Seat) -> list[str]:
    """Draw the band of a seat: its number, score, row and hand."""
    own = number == view.viewer
    status = "you" if own else ""
    if view.phase != "over":
        state = "has chosen" if seat.has_chosen else "chooses..."
        status = f"{status}, {state}" if own else state
    score, unit = counted(seat.score, "image").split()
    parts = [
        box(-8, 0, LAST_LEFT + 82, BAND - 4, OWN if own else "none", 8),
        text(0, 22, f"Seat {number}", 15, font_weight="bold"),
        text(0, 46, score, 20),
        text(13 * len(score) + 4, 46, unit, 11),
        text(0, 68, status, 11, fill=QUIET),
    ]
    for i, card in enumerate((*seat.row, *seat.hand)):
        in_hand = i >= len(seat.row)
        x = CARDS_LEFT + CARD_STEP * i + (HAND_GAP if in_hand else 0)
        parts.append(svg_card(card, x, in_hand, seat.choice))
    return parts


def svg_card(card: str, x: int, in_hand: bool, choice: str | None) -> str:
    """Draw a card with its two symbols; a card in the row is out of play and pale."""
    symbols = card.split("/")
    mark = MARKS[symbols.index(choice)] if in_hand and choice in symbols else ""
    return (
        f'<g transform="translate({x} 6)" opacity="{1 if in_hand else 0.5}">'
        f"{PAPER}{mark}{''.join(SYMBOLS[symbol] for symbol in symbols)}</g>"
    )


def svg_last_choice(last: Round, number: int) -> str:
    """Draw what a seat chose in the last round, on a disc if it won."""
    choice = last.choices[number]
    if choice is None:
        return text(LAST_LEFT, 46, "excluded", fill=QUIET)
    mark = disc(0, 0, 20, CHOSEN) if choice in last.winning else ""
    name = text(0, 36, choice, 10, text_anchor="middle")
    return f'<g transform="translate({LAST_LEFT + 32} 32)">{mark}{ICONS[choice]}{name}</g>'
