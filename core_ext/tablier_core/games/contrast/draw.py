"""Drawings of a Contrast view as text and as SVG."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from tablier_core.drawing import Block, Look, Palette, Picture, box, disc, placed, text
from tablier_core.games.contrast.observe import SYMBOLS, Round, Seat, View
from tablier_core.games.contrast.painting import SIDE, paint
from tablier_core.games.contrast.telling import (
    TEAM,
    card_name,
    name_seats,
    seat_part,
    symbol_names,
    symbol_part,
    tell_result,
    waiting,
)
from tablier_core.languages import Language
from tablier_core.telling import listed, seat_name

TEAM_GOAL = 22


def caption(view: View, language: Language) -> str:
    """Return one line on how the game stands."""
    if view.phase != "over":
        number, missing = len(view.rounds) + 1, waiting(view)
        if len(missing) == len(view.seats):
            words = language.gettext("Round {round}: everybody chooses a symbol")
            return words.format(round=number)
        words = language.gettext("Round {round}: waiting for {seats}")
        return words.format(round=number, seats=name_seats(missing, language))
    best = max(seat.score for seat in view.seats)
    if len(view.seats) == TEAM:
        words = (
            language.gettext("The team wins with {points}; {goal} are needed")
            if best >= TEAM_GOAL
            else language.gettext("The team loses with {points}; {goal} are needed")
        )
        return words.format(points=count_points(best, language), goal=TEAM_GOAL)
    winners = [number for number, seat in enumerate(view.seats) if seat.score == best]
    words = language.ngettext(
        "{seats} wins with {images}", "{seats} share the win with {images}", len(winners)
    )
    told = words.format(seats=name_seats(winners, language), images=count_images(best, language))
    return told[0].upper() + told[1:]


def count_images(count: int, language: Language, form: str = "") -> str:
    """Return a number of images in words; `form` formats the number."""
    words = language.ngettext("{count} image", "{count} images", count)
    return words.format(count=f"{count:{form}}")


def count_points(count: int, language: Language) -> str:
    """Return a number of points in words."""
    return language.ngettext("{count} point", "{count} points", count).format(count=count)


# ---- Text ----------------------------------------------------------------------------------------


def draw_text(view: View, language: Language) -> str:
    """Return the table for a terminal."""
    lines = []
    if view.image is not None:
        names = symbol_names(language).values()
        fits = sorted(
            zip(view.affinities, names, strict=True), key=lambda fit: fit[0], reverse=True
        )
        listing = ", ".join(f"{name} {fit:g}" for fit, name in fits)
        words = language.gettext("image {image}: {fits}")
        lines.append(words.format(image=view.image, fits=listing))
    lines.append(language.gettext("pile {pile}, box {box}").format(pile=view.pile, box=view.box))
    if view.rounds:
        lines.append(text_round(view.rounds[-1], language))
    row_width = 13 * len(view.seats[0].row)
    words = language.gettext("seat {seat}  {images}  row {row} hand {hand}")
    for number, seat in enumerate(view.seats):
        row, hand = (
            " ".join([card_name(card, language) for card in cards])
            for cards in (seat.row, seat.hand)
        )
        line = words.format(
            seat=number,
            images=f"{count_images(seat.score, language, '3'):10}",
            row=f"{row:{row_width}}",
            hand=hand,
        )
        mark = "*" if number == view.viewer else " "
        lines.append(f"{mark}{line}{text_choice(seat, language)}")
    return "\n".join([*lines, caption(view, language)])


def text_round(last: Round, language: Language) -> str:
    """Return what the last reveal showed."""
    names = symbol_names(language)
    choices = ", ".join(
        [names[choice] if choice else language.gettext("excluded") for choice in last.choices]
    )
    if not last.winning:
        return language.gettext("last round: {choices}; nothing won").format(choices=choices)
    words = language.gettext("last round: {choices}; {symbols} won")
    symbols = listed([names[symbol] for symbol in last.winning], language)
    return words.format(choices=choices, symbols=symbols)


def text_choice(seat: Seat, language: Language) -> str:
    """Return what the viewer knows about a seat's choice in this round."""
    if not seat.has_chosen:
        return ""
    if seat.choice is None:
        return "  " + language.gettext("has chosen")
    symbol = symbol_names(language)[seat.choice]
    return "  " + language.gettext("chose {symbol}").format(symbol=symbol)


# ---- SVG -----------------------------------------------------------------------------------------

# The picture consists of blocks of equal width: the image, and a band for each seat. They stand in
# columns, or below each other in a picture for a phone.
BLOCK, GAP = 376, 12
PHONE = 700
# The block of the image: a frame, a panel on its right, and below two lines: how the
# last round ended, and how the game stands.
FRAME, LAST_FRAME, PANEL = 240, 112, 252
LINES, IMAGE_BLOCK = 262, 298
# A band has a line with the seat's name, score, state and last choice, and below it six cards: its
# row, a gap, its hand. Every card has two halves with a symbol each.
HEADINGS, BAND = 20, 122
HALF_WIDTH, HALF_HEIGHT, STEP, HAND_GAP = 56, 40, 58, 12
CARDS_LEFT, CARDS_TOP = 8, 34
SCORE_LEFT, STATE_LEFT, LAST_LEFT, LAST_WIDTH, LAST_HEIGHT = 124, 194, 280, 88, 26


def draw_svg(view: View, look: Look) -> str:
    """Return the table as a picture: the current image first, then the seats from the viewer on."""
    picture, seats, title = Picture(look), len(view.seats), caption(view, look.language)
    if 0 < look.width < PHONE:
        columns, left, top = 1, GAP, GAP + IMAGE_BLOCK
    else:
        columns, left, top = 1 if seats <= 3 else 2, GAP + BLOCK + GAP, GAP
    rows = -(-seats // columns)
    width = left + (BLOCK + GAP) * columns
    height = max(GAP + IMAGE_BLOCK, top + HEADINGS + (BAND + GAP) * rows)
    # Blocks look the same whatever the picture marks.
    style = Look(look.language, look.palette)
    last = view.rounds[-1] if view.rounds else None
    parts = [
        picture.block(GAP, GAP, svg_image(view, last, style)),
        text(GAP, GAP + LINES + 22, title, 15, font_weight="bold"),
    ]
    if last is not None:
        parts.append(text(GAP, GAP + LINES, tell_result(last, look.language)))
    headings = draw_headings(style, len(view.seats[0].row), last is not None)
    parts += [
        picture.block(left + (BLOCK + GAP) * column, top, headings) for column in range(columns)
    ]
    first = max(view.viewer, 0) if look.bottom is None else look.bottom
    for i in range(seats):
        x = left + (BLOCK + GAP) * (i // rows)
        y = top + HEADINGS + (BAND + GAP) * (i % rows)
        parts.append(picture.block(x, y, svg_seat(view, (first + i) % seats, last, style)))
    return picture.document(width, height, title, parts)


# ---- The block of the image ----------------------------------------------------------------------


def svg_image(view: View, last: Round | None, style: Look) -> Block:
    """Draw the current image, and beside it pile, box and the image of the last round."""
    images = [
        None if image is None else (image, view.deck[SYMBOLS * image : SYMBOLS * (image + 1)])
        for image in (view.image, last and last.image)
    ]
    return draw_image(style, images[0], images[1], view.pile, view.box)


# An image stays while all seats choose, and all viewers see the same.
@lru_cache(maxsize=32)
def draw_image(
    style: Look,
    image: tuple[int, bytes] | None,
    last: tuple[int, bytes] | None,
    pile: int,
    stack: int,
) -> Block:
    """Draw the block for images with these numbers and affinities."""
    picture, colours, language = Picture(style), style.palette, style.language
    pile_text = language.gettext("pile: {count}").format(count=pile)
    box_text = language.gettext("box: {count}").format(count=stack)
    width = BLOCK - PANEL
    parts = [
        picture.part("pile", PANEL, 24, width, 20, text(PANEL, 38, pile_text, 14)),
        picture.part("box", PANEL, 48, width, 20, text(PANEL, 62, box_text, 14)),
    ]
    if image is None:
        words = language.gettext("the pile is empty")
        parts.append(box(0, 0, FRAME, FRAME, colours.felt, stroke=colours.ink))
        parts.append(text(FRAME / 2, FRAME / 2, words, 18, text_anchor="middle"))
    else:
        words = language.gettext("Image {image}").format(image=image[0])
        parts.append(draw_frame(picture, image, 0, 0, FRAME))
        parts.append(text(PANEL, 14, words, 14, font_weight="bold"))
    if last is not None:
        top = FRAME - LAST_FRAME
        words = language.gettext("last image: {image}").format(image=last[0])
        parts.append(draw_frame(picture, last, PANEL, top, LAST_FRAME))
        parts.append(text(PANEL, top - 8, words))
    return picture.keep(parts, IMAGE_BLOCK)


def draw_frame(picture: Picture, image: tuple[int, bytes], x: float, y: float, side: float) -> str:
    """Draw an image in a frame."""
    number, fits = image
    drawn = (
        f'<svg x="{x}" y="{y}" width="{side}" height="{side}" viewBox="0 0 {SIDE} {SIDE}">'
        f"{paint(fits, number)}</svg>"
        + box(x, y, side, side, "none", stroke=picture.look.palette.ink, stroke_width=2)
    )
    label = picture.look.language.gettext("Image {image}").format(image=number)
    return picture.part(f"image-{number}", x, y, side, side, drawn, label)


# ---- The bands of seats --------------------------------------------------------------------------


@lru_cache(maxsize=32)
def draw_headings(style: Look, row_length: int, has_last: bool) -> Block:
    """Draw the headings of a column of bands."""
    columns = [(CARDS_LEFT, "row"), (CARDS_LEFT + STEP * row_length + HAND_GAP, "hand")]
    if has_last:
        columns.append((LAST_LEFT, "last round"))
    headings = [text(x, 14, style.language.gettext(name)) for x, name in columns]
    return Picture(style).keep(headings, HEADINGS)


class Band(NamedTuple):
    """What the band of a seat shows."""

    number: int
    own: bool
    score: str
    state: str
    row: tuple[str, ...]
    hand: tuple[str, ...]
    choice: str | None
    last: str | None  # the choice of the last round, "excluded", or None before the first
    won: bool


def svg_seat(view: View, number: int, last: Round | None, style: Look) -> Block:
    """Draw the band of a seat: its name, score, state, last choice, row and hand."""
    seat, language = view.seats[number], style.language
    count = count_points if len(view.seats) == TEAM else count_images
    state = "has chosen" if seat.has_chosen else "chooses..."
    symbol = last and (last.choices[number] or EXCLUDED)
    return draw_band(
        style,
        Band(
            number=number,
            own=number == view.viewer,
            score=count(seat.score, language),
            state="" if view.phase == "over" else language.gettext(state),
            row=seat.row,
            hand=seat.hand,
            choice=seat.choice,
            last=symbol,
            won=last is not None and symbol in last.winning,
        ),
    )


# A move changes one band, and a reveal all of them. The others stay, for all viewers.
@lru_cache(maxsize=256)
def draw_band(style: Look, band: Band) -> Block:
    """Draw a band."""
    picture, colours, language = Picture(style), style.palette, style.language
    kit, names = make_kit(style), symbol_names(language)
    name = seat_name(band.number, language)
    if band.own:
        name = f"{name} ({language.gettext('you')})"
        outline = box(0, 0, BLOCK, BAND, colours.felt, 8, stroke=colours.ink, stroke_width=2)
    else:
        outline = box(0, 0, BLOCK, BAND, "none", 8, stroke=colours.wood)
    shown = text(8, 22, name, 14, font_weight="bold")
    parts = [
        outline,
        picture.part(seat_part(band.number), 3, 3, SCORE_LEFT - 8, CARDS_TOP - 8, shown),
        text(SCORE_LEFT, 22, band.score),
        text(STATE_LEFT, 22, band.state),
    ]
    if band.last is not None:
        drawn = placed(LAST_LEFT, 4, (kit.won if band.won else kit.lost)[band.last])
        parts.append(
            picture.part(f"last-{band.number}", LAST_LEFT, 4, LAST_WIDTH, LAST_HEIGHT, drawn)
        )
    x = CARDS_LEFT
    for cards, halves in ((band.row, kit.in_row), (band.hand, kit.in_hand)):
        for card in cards:
            y = CARDS_TOP
            for symbol in card.split("/"):
                drawn = (kit.chosen if symbol == band.choice else halves)[symbol]
                part, spoken = symbol_part(band.number, symbol), names[symbol]
                parts.append(
                    picture.part(part, x, y, HALF_WIDTH, HALF_HEIGHT, placed(x, y, drawn), spoken)
                )
                y += HALF_HEIGHT
            x += STEP
        x += HAND_GAP
    return picture.keep(parts, BAND)


# ---- Symbols -------------------------------------------------------------------------------------

# In the place of a symbol.
EXCLUDED = "excluded"


class Kit(NamedTuple):
    """The symbols, drawn at the origin."""

    in_row: dict[str, str]  # halves of cards
    in_hand: dict[str, str]
    chosen: dict[str, str]
    lost: dict[str, str]  # choices of the last round, or EXCLUDED
    won: dict[str, str]


@lru_cache(maxsize=8)
def make_kit(style: Look) -> Kit:
    """Draw every symbol with its name."""
    colours, names, drawn = style.palette, symbol_names(style.language), icons(style.palette)
    size = (0, 0, HALF_WIDTH, HALF_HEIGHT)
    paper = box(*size, colours.card, stroke=colours.ink)
    dashes = box(*size, "none", stroke=colours.ink, stroke_dasharray="3 3")
    mark = (
        box(1, 1, HALF_WIDTH - 2, HALF_HEIGHT - 2, "none", stroke=colours.green, stroke_width=4)
        + f'<path d="M40 11l4 4l7 -9" fill="none" stroke="{colours.green}" stroke-width="3"/>'
    )
    halves = {
        symbol: placed(HALF_WIDTH / 2, 13, drawn[symbol])
        + text(HALF_WIDTH / 2, 34, name, 12, text_anchor="middle")
        for symbol, name in names.items()
    }
    size = (0, 0, LAST_WIDTH, LAST_HEIGHT)
    lost = box(*size, colours.card, 13, stroke=colours.ink)
    won = box(*size, colours.card, 13, stroke=colours.green, stroke_width=4)
    excluded = box(*size, "none", 13, stroke=colours.ink, stroke_dasharray="3 3")
    words = style.language.gettext(EXCLUDED)
    last = {symbol: placed(17, 13, drawn[symbol]) for symbol in names}
    return Kit(
        in_row={symbol: f'<g opacity="0.65">{dashes}{half}</g>' for symbol, half in halves.items()},
        in_hand={symbol: paper + half for symbol, half in halves.items()},
        chosen={symbol: paper + half + mark for symbol, half in halves.items()},
        lost={symbol: lost + last[symbol] + text(32, 17, name) for symbol, name in names.items()}
        | {EXCLUDED: excluded + text(LAST_WIDTH / 2, 17, words, 12, text_anchor="middle")},
        won={
            symbol: won + last[symbol] + text(32, 17, name, font_weight="bold")
            for symbol, name in names.items()
        },
    )


def icons(colours: Palette) -> dict[str, str]:
    """Return the symbols around the origin, 20 units wide and high."""
    ink = colours.ink
    line = f'fill="none" stroke="{ink}" stroke-width="2"'
    return {
        "red": disc(0, 0, 9, colours.red, stroke=ink),
        "yellow": disc(0, 0, 9, colours.yellow, stroke=ink),
        "blue": disc(0, 0, 9, colours.blue, stroke=ink),
        "green": disc(0, 0, 9, colours.green, stroke=ink),
        "large": f'<path d="M-9 -9h18v18h-18z" fill="{ink}"/>',
        "small": f'<path d="M-9 -9h18v18h-18z" {line} stroke-dasharray="2 3"/>'
        f'<path d="M-3 -3h6v6h-6z" fill="{ink}"/>',
        "heavy": f'<path d="M-5 -4h10l4 13h-18z" fill="{ink}"/><circle cy="-6" r="3" {line}/>',
        "light": f'<path d="M-8 9C-6 0 -1 -7 9 -9C8 1 2 6 -5 5M-8 9L4 -4" {line}/>',
        "thick": f'<path d="M-10 0h20" stroke="{ink}" stroke-width="9"/>',
        "thin": f'<path d="M-10 0h20" stroke="{ink}" stroke-width="1.2"/>',
        "round": f'<circle r="8.5" {line}/>',
        "square": f'<path d="M-8 -8h16v16h-16z" {line}/>',
    }
