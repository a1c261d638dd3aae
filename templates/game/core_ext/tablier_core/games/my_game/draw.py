"""The drawings of My Game.

They are made from a view, so they cannot show more than the viewer may know.
"""

from __future__ import annotations

from collections.abc import Iterator

from tablier_core.drawing import Look, Picture, box, text
from tablier_core.games.my_game.observe import Seat, View
from tablier_core.languages import Language
from tablier_core.telling import seat_label, seat_names

# Sizes in the SVG. A seat is a band: its name and points, its hand, its last card.
MARGIN, BAND, WIDTH = 20, 84, 520
CARD_WIDTH, CARD_HEIGHT, CARD_STEP = 44, 60, 52
HAND_LEFT, LAST_LEFT = 170, 420


def points(number: int, language: Language) -> str:
    """A number of points in words."""
    return language.ngettext("{number} point", "{number} points", number).format(number=number)


def caption(view: View, language: Language) -> str:
    """Describe the situation in one line."""
    if view.phase == "over":
        best = max(seat.points for seat in view.seats)
        winners = [number for number, seat in enumerate(view.seats) if seat.points == best]
        sentence = language.ngettext(
            "{seats} wins with {points}", "{seats} share the win with {points}", len(winners)
        )
        return sentence.format(seats=seat_names(winners, language), points=points(best, language))
    waiting = [number for number, seat in enumerate(view.seats) if not seat.has_chosen]
    sentence = language.ngettext(
        "{seats} chooses in round {number}", "{seats} choose in round {number}", len(waiting)
    )
    return sentence.format(number=len(view.rounds) + 1, seats=seat_names(waiting, language))


# ---- Text ----------------------------------------------------------------------------------------


def pile(view: View, language: Language) -> str:
    """The size of the pile in words."""
    sentence = language.ngettext("Pile: {number} card", "Pile: {number} cards", view.pile_size)
    return sentence.format(number=view.pile_size)


def draw_text(view: View, language: Language) -> str:
    """Draw the table for a terminal."""
    lines = [pile(view, language)]
    if view.rounds:
        cards = " ".join(map(str, view.rounds[-1].cards))
        lines.append(language.gettext("Last round: {cards}").format(cards=cards))
    for number, seat in enumerate(view.seats):
        mark = "*" if number == view.viewer else " "
        hand = " ".join(map(str, seat.hand) if seat.hand is not None else "?" * seat.hand_size)
        line = language.gettext("{seat}: {points}, hand {hand}{choice}")
        lines.append(
            mark
            + line.format(
                seat=seat_label(number, language),
                points=points(seat.points, language),
                hand=hand or "-",
                choice=text_choice(seat, language),
            )
        )
    return "\n".join([*lines, caption(view, language)])


def text_choice(seat: Seat, language: Language) -> str:
    """Describe the choice of a seat in this round."""
    if not seat.has_chosen:
        return ""
    if seat.choice:
        return language.gettext(", chose {card}").format(card=seat.choice)
    return language.gettext(", has chosen")


# ---- SVG -----------------------------------------------------------------------------------------


def draw_svg(view: View, look: Look) -> str:
    """Draw the table as a picture."""
    picture, language, quiet = Picture(look), look.language, look.palette.quiet
    height = MARGIN + 24 + BAND * len(view.seats) + 40
    title = caption(view, language)
    parts = [
        text(MARGIN, MARGIN + 10, pile(view, language), fill=quiet),
        text(HAND_LEFT, MARGIN + 10, language.gettext("hand"), fill=quiet),
    ]
    if view.rounds:
        parts.append(text(LAST_LEFT, MARGIN + 10, language.gettext("last round"), fill=quiet))
    for number, seat in enumerate(view.seats):
        parts += svg_seat(picture, view, number, seat, MARGIN + 24 + BAND * number)
    middle = {"text_anchor": "middle", "font_weight": "bold"}
    parts.append(text(WIDTH / 2, height - MARGIN, title, 17, **middle))
    return picture.document(WIDTH, height, title, parts)


def svg_seat(picture: Picture, view: View, number: int, seat: Seat, y: float) -> Iterator[str]:
    """Draw the band of a seat."""
    language, colours = picture.look.language, picture.look.palette
    if number == view.viewer:
        yield box(MARGIN - 8, y, WIDTH - 2 * MARGIN + 16, BAND - 6, colours.felt, radius=8)
    yield text(MARGIN, y + 28, seat_label(number, language), 16, font_weight="bold")
    yield text(MARGIN, y + 48, points(seat.points, language))
    if view.phase != "over":
        status = (
            language.gettext("has chosen") if seat.has_chosen else language.gettext("to choose")
        )
        yield text(MARGIN, y + 66, status, 12, fill=colours.quiet)
    cards: tuple[int | None, ...] = seat.hand or (None,) * seat.hand_size
    for place, card in enumerate(cards):
        chosen = card is not None and card == seat.choice
        x = HAND_LEFT + CARD_STEP * place
        drawn = svg_card(picture, x, y + 9, card, chosen)
        if number == view.viewer and card is not None:
            drawn = picture.part(f"hand-{card}", x, y + 9, CARD_WIDTH, CARD_HEIGHT, drawn)
        yield drawn
    if view.rounds:
        last = view.rounds[-1].cards
        yield svg_card(picture, LAST_LEFT, y + 9, last[number], marked=last[number] == max(last))


def svg_card(picture: Picture, x: float, y: float, card: int | None, marked: bool) -> str:
    """Draw a card face up, or its back if it is hidden; marked cards are yellow."""
    colours = picture.look.palette
    fill = colours.wood if card is None else colours.yellow if marked else colours.card
    drawn = box(x, y, CARD_WIDTH, CARD_HEIGHT, fill, radius=6, stroke=colours.ink)
    if card is None:
        return drawn
    style = {"text_anchor": "middle", "font_weight": "bold", "fill": colours.blue}
    return drawn + text(x + CARD_WIDTH / 2, y + CARD_HEIGHT / 2 + 8, card, 22, **style)
