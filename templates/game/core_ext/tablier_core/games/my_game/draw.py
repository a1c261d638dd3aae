"""The drawings of My Game.

They are made from a view, so they cannot show more than the viewer may know.
"""

from __future__ import annotations

from collections.abc import Iterator

from tablier_core.drawing import (
    Look,
    BLUE,
    CARD,
    FELT,
    INK,
    QUIET,
    WOOD,
    YELLOW,
    box,
    counted,
    document,
    name_seats,
    text,
)
from tablier_core.languages import Language
from tablier_core.games.my_game.observe import Seat, View

# Sizes in the SVG. A seat is a band: its name and points, its hand, its last card.
MARGIN, BAND, WIDTH = 20, 84, 520
CARD_WIDTH, CARD_HEIGHT, CARD_STEP = 44, 60, 52
HAND_LEFT, LAST_LEFT = 170, 420


def caption(view: View) -> str:
    """Describe the situation in one line."""
    if view.phase == "over":
        best = max(seat.points for seat in view.seats)
        winners = [number for number, seat in enumerate(view.seats) if seat.points == best]
        verb = "wins" if len(winners) == 1 else "share the win"
        return f"{name_seats(winners).capitalize()} {verb} with {counted(best, 'point')}"
    waiting = [number for number, seat in enumerate(view.seats) if not seat.has_chosen]
    return f"Round {len(view.rounds) + 1}: {name_seats(waiting)} to choose"


# ---- Text ----------------------------------------------------------------------------------------


def draw_text(view: View, language: Language) -> str:
    """Draw the table for a terminal."""
    lines = [f"pile: {counted(view.pile_size, 'card')}"]
    if view.rounds:
        lines.append(f"last round: {' '.join(map(str, view.rounds[-1].cards))}")
    for number, seat in enumerate(view.seats):
        mark = "*" if number == view.viewer else " "
        hand = " ".join(map(str, seat.hand) if seat.hand is not None else "?" * seat.hand_size)
        lines.append(
            f"{mark}seat {number}: {counted(seat.points, 'point')}, hand {hand or '-'}"
            f"{text_choice(seat)}"
        )
    return "\n".join([*lines, caption(view)])


def text_choice(seat: Seat) -> str:
    """Describe the choice of a seat in this round."""
    if not seat.has_chosen:
        return ""
    return f", chose {seat.choice}" if seat.choice else ", has chosen"


# ---- SVG -----------------------------------------------------------------------------------------


def draw_svg(view: View, look: Look) -> str:
    """Draw the table as a picture."""
    height = MARGIN + 24 + BAND * len(view.seats) + 40
    title = caption(view)
    parts = [
        text(MARGIN, MARGIN + 10, f"pile: {counted(view.pile_size, 'card')}", fill=QUIET),
        text(HAND_LEFT, MARGIN + 10, "hand", fill=QUIET),
    ]
    if view.rounds:
        parts.append(text(LAST_LEFT, MARGIN + 10, "last round", fill=QUIET))
    for number, seat in enumerate(view.seats):
        parts += svg_seat(view, number, seat, MARGIN + 24 + BAND * number)
    middle = {"text_anchor": "middle", "font_weight": "bold"}
    parts.append(text(WIDTH / 2, height - MARGIN, title, 17, **middle))
    return document(WIDTH, height, title, parts)


def svg_seat(view: View, number: int, seat: Seat, y: float) -> Iterator[str]:
    """Draw the band of a seat."""
    if number == view.viewer:
        yield box(MARGIN - 8, y, WIDTH - 2 * MARGIN + 16, BAND - 6, FELT, radius=8)
    yield text(MARGIN, y + 28, f"Seat {number}", 16, font_weight="bold")
    yield text(MARGIN, y + 48, counted(seat.points, "point"))
    if view.phase != "over":
        status = "has chosen" if seat.has_chosen else "to choose"
        yield text(MARGIN, y + 66, status, 11, fill=QUIET)
    cards: tuple[int | None, ...] = seat.hand or (None,) * seat.hand_size
    for place, card in enumerate(cards):
        chosen = card is not None and card == seat.choice
        yield svg_card(HAND_LEFT + CARD_STEP * place, y + 9, card, chosen)
    if view.rounds:
        last = view.rounds[-1].cards
        yield svg_card(LAST_LEFT, y + 9, last[number], marked=last[number] == max(last))


def svg_card(x: float, y: float, card: int | None, marked: bool) -> str:
    """Draw a card face up, or its back if it is hidden; marked cards are yellow."""
    fill = WOOD if card is None else YELLOW if marked else CARD
    number = "" if card is None else text_on(x, y, card)
    return box(x, y, CARD_WIDTH, CARD_HEIGHT, fill, radius=6, stroke=INK) + number


def text_on(x: float, y: float, card: int) -> str:
    """Draw the number in the middle of a card."""
    style = {"text_anchor": "middle", "font_weight": "bold", "fill": BLUE}
    return text(x + CARD_WIDTH / 2, y + CARD_HEIGHT / 2 + 8, card, 22, **style)
