"""What pictures of Contrast consist of: symbols, and cards and bands without their content."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from tablier_core.drawing import Palette, box, disc, escape, placed, text
from tablier_core.games.contrast.notation import SYMBOL_NAMES
from tablier_core.games.contrast.telling import seat_part, symbol_names, symbol_part
from tablier_core.languages import Language
from tablier_core.telling import seat_label

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
# Where the middle of the symbol is in a half.
MIDDLE, SYMBOL_TOP = HALF_WIDTH // 2, 13
# What applies to all cards of a band.
CARD_STYLE = 'font-size="12" text-anchor="middle"'
CARDS_LEFT, CARDS_TOP = 8, 34
CARDS, MOST_SEATS = 6, 6
CARD_NAMES = tuple("/".join(pair) for pair in zip(*[iter(SYMBOL_NAMES)] * 2, strict=True))
SCORE_LEFT, STATE_LEFT, LAST_LEFT, LAST_WIDTH, LAST_HEIGHT = 124, 194, 280, 88, 26
# In the place of a symbol.
EXCLUDED = "excluded"


# By place in a band and card, or chosen symbol.
Places = tuple[dict[str, str], ...]


class Cards(NamedTuple):
    """The cards of a seat, in every place of its band."""

    in_row: Places
    in_hand: Places
    chosen: Places  # by symbol


class Kit(NamedTuple):
    """What all pictures in a language and a palette consist of.

    It is drawn as a whole before the first of them. So what has been drawn before never makes a
    picture faster, and nobody learns from the time of an answer which cards others chose.
    """

    pile: str  # the number is missing
    box: str
    no_image: str
    frame: str  # around an image
    last_frame: str
    row_heading: str
    hand_headings: tuple[str, ...]  # by cards in the row
    last_heading: str
    own: tuple[str, ...]  # by seat: the outline and the name of the viewer's band
    others: tuple[str, ...]
    chooses: str
    has_chosen: str
    cards: tuple[Cards, ...]  # by seat
    lost: dict[str, str]  # choices of the last round, or EXCLUDED
    won: dict[str, str]


def card_left(place: int, in_hand: bool) -> int:
    """The left edge of a card in a band: places count from the first card of the row."""
    return CARDS_LEFT + STEP * place + HAND_GAP * in_hand


@lru_cache(maxsize=8)
def make_kit(colours: Palette, language: Language) -> Kit:
    """Draw everything that pictures consist of."""
    say, names, drawn = language.gettext, symbol_names(language), icons(colours)
    nothing = box(0, 0, FRAME, FRAME, colours.felt, stroke=colours.ink) + text(
        FRAME / 2, FRAME / 2, say("the pile is empty"), 18, text_anchor="middle"
    )
    halves = draw_halves(colours, names, drawn)
    lost, won = draw_choices(colours, language, names, drawn)
    return Kit(
        pile=escape(say("pile: {count}"), quote=False),
        box=escape(say("box: {count}"), quote=False),
        no_image=nothing,
        frame=box(0, 0, FRAME, FRAME, "none", stroke=colours.ink, stroke_width=2),
        last_frame=box(
            PANEL,
            FRAME - LAST_FRAME,
            LAST_FRAME,
            LAST_FRAME,
            "none",
            stroke=colours.ink,
            stroke_width=2,
        ),
        row_heading=text(CARDS_LEFT, 14, say("row")),
        hand_headings=tuple(
            [text(card_left(place, in_hand=True), 14, say("hand")) for place in range(CARDS)]
        ),
        last_heading=text(LAST_LEFT, 14, say("last round")),
        own=tuple([draw_name(seat, True, colours, language) for seat in range(MOST_SEATS)]),
        others=tuple([draw_name(seat, False, colours, language) for seat in range(MOST_SEATS)]),
        chooses=escape(say("chooses..."), quote=False),
        has_chosen=escape(say("has chosen"), quote=False),
        cards=tuple([place_cards(seat, *halves, names) for seat in range(MOST_SEATS)]),
        lost=lost,
        won=won,
    )


def draw_name(seat: int, own: bool, colours: Palette, language: Language) -> str:
    """Draw the outline of a band and the name of its seat."""
    name = seat_label(seat, language)
    if own:
        name = f"{name} ({language.gettext('you')})"
        outline = box(0, 0, BLOCK, BAND, colours.felt, 8, stroke=colours.ink, stroke_width=2)
    else:
        outline = box(0, 0, BLOCK, BAND, "none", 8, stroke=colours.wood)
    shown = text(8, 22, name, 14, font_weight="bold")
    return f'{outline}<g data-part="{seat_part(seat)}">{shown}</g>'


def draw_halves(
    colours: Palette, names: dict[str, str], drawn: dict[str, str]
) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """Draw the halves of cards around their symbols: in a row, in a hand, and chosen."""
    size = (-MIDDLE, -SYMBOL_TOP, HALF_WIDTH, HALF_HEIGHT)
    paper = box(*size, colours.card, stroke=colours.ink)
    dashes = box(*size, "none", stroke=colours.ink, stroke_dasharray="3 3")
    inside = (1 - MIDDLE, 1 - SYMBOL_TOP, HALF_WIDTH - 2, HALF_HEIGHT - 2)
    mark = (
        box(*inside, "none", stroke=colours.green, stroke_width=4)
        + f'<path d="M12 -2l4 4l7 -9" fill="none" stroke="{colours.green}" stroke-width="3"/>'
    )
    halves = {symbol: drawn[symbol] + text(0, 21, name) for symbol, name in names.items()}
    return (
        {symbol: dashes + half for symbol, half in halves.items()},
        {symbol: paper + half for symbol, half in halves.items()},
        {symbol: paper + half + mark for symbol, half in halves.items()},
    )


def place_cards(
    seat: int,
    in_row: dict[str, str],
    in_hand: dict[str, str],
    chosen: dict[str, str],
    names: dict[str, str],
) -> Cards:
    """Put all cards in every place of a seat's band."""

    def place(
        halves: tuple[dict[str, str], dict[str, str]], card: str, x: int, style: str = ""
    ) -> str:
        drawn = ""
        for half, symbol in enumerate(card.split("/")):
            opening = f'<g data-part="{symbol_part(seat, symbol)}" aria-label="'
            y = CARDS_TOP + HALF_HEIGHT * half + SYMBOL_TOP
            shift = f'transform="translate({x + MIDDLE} {y})"{style}'
            drawn += f'{opening}{escape(names[symbol])}" {shift}>{halves[half][symbol]}</g>'
        return drawn

    row = [card_left(at, in_hand=False) for at in range(CARDS)]
    hand = [card_left(at, in_hand=True) for at in range(CARDS)]
    return Cards(
        tuple(
            [
                {card: place((in_row, in_row), card, x, ' opacity="0.65"') for card in CARD_NAMES}
                for x in row
            ]
        ),
        tuple([{card: place((in_hand, in_hand), card, x) for card in CARD_NAMES} for x in hand]),
        tuple(
            [
                {
                    symbol: place(halves, card, x)
                    for card in CARD_NAMES
                    for symbol, halves in zip(
                        card.split("/"), ((chosen, in_hand), (in_hand, chosen)), strict=True
                    )
                }
                for x in hand
            ]
        ),
    )


def draw_choices(
    colours: Palette, language: Language, names: dict[str, str], drawn: dict[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Draw the choices of the last round in their place: those that lost, and those that won."""
    size = (0, 0, LAST_WIDTH, LAST_HEIGHT)
    lost = box(*size, colours.card, 13, stroke=colours.ink)
    won = box(*size, colours.card, 13, stroke=colours.green, stroke_width=4)
    excluded = box(*size, "none", 13, stroke=colours.ink, stroke_dasharray="3 3")
    words = language.gettext(EXCLUDED)
    last = {symbol: placed(17, 13, drawn[symbol]) for symbol in names}
    losing = {symbol: lost + last[symbol] + text(32, 17, name) for symbol, name in names.items()}
    losing[EXCLUDED] = excluded + text(LAST_WIDTH / 2, 17, words, 12, text_anchor="middle")
    winning = {
        symbol: won + last[symbol] + text(32, 17, name, font_weight="bold")
        for symbol, name in names.items()
    }
    return (
        {symbol: placed(LAST_LEFT, 4, choice) for symbol, choice in losing.items()},
        {symbol: placed(LAST_LEFT, 4, choice) for symbol, choice in winning.items()},
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
