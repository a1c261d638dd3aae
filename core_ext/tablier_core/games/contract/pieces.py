"""What the pieces of Contract look like: cards, Mafiosi, pawns, tiles, and the legend of them.

Every piece is drawn once per look, at the origin; draw.py puts it in its place. Pieces have the
same colours on all papers, chosen so that the text on them can always be read.
"""

from __future__ import annotations

from functools import lru_cache

from tablier_core.drawing import Palette, box, disc, text
from tablier_core.games.contract.words import halves
from tablier_core.languages import Language

WHITE, BLACK = "#ffffff", "#2b2622"
FILL = {
    "brakova": "#a5301f",
    "yakaz": "#e5b52f",
    "rodrigos": "#23683a",
    "costa": "#1f5596",
    "blackmat": "#1d1b1a",
    "dollar": "#dfe8d0",
}
LETTERING = dict.fromkeys(FILL, WHITE) | {"yakaz": BLACK, "dollar": BLACK}
SEAT = ("#6d3fa0", "#b4500f", "#0f746b", "#a8326e", "#5a6673")
BACK, COPPER, VICELARD = "#6f6153", "#7a3f14", "#8e2c5c"

TOKENS = 3
INNER = 384  # the width of a block
CARD_WIDTH, CARD_HEIGHT = 124, 48
HAND_WIDTH, HAND_HEIGHT, BACK_HEIGHT = 72, 40, 20
CHIP_WIDTH, CHIP_HEIGHT = 24, 26
MINI_WIDTH, MINI_HEIGHT = 15, 18
TRAFFIC_WIDTH, TRAFFIC_HEIGHT = 93, 50
TILE_WIDTH, TILE_HEIGHT = 124, 42

# What a briefcase asks for, in two lines.
ASKED = {
    "families-3": "First to have\n3 families",
    "families-4": "First to have\n4 families",
    "same-2": "First to have\n2 of a family",
    "same-3": "First to have\n3 of a family",
    "blackmats-2": "First to have\n2 Blackmats",
    "twos-3": "First to have\nthree 2s",
    "most-mafiosi": "At the end, most\nMafiosi",
    "largest-family": "At the end, most\nof one family",
    "most-threes": "At the end, most\n3s",
    "most-twos": "At the end, most\n2s",
}


def _middle(x: float, y: float, words: object, size: int, fill: str, weight: str = "") -> str:
    return text(x, y, words, size, fill, weight, text_anchor="middle")


@lru_cache(64)
def seat_disc(seat: int) -> str:
    """A disc in a seat's colour, with its number, around the origin."""
    return disc(0, 0, 10, SEAT[seat], WHITE) + _middle(0, 4.5, seat, 13, WHITE, "bold")


@lru_cache(256)
def row_card(family: str, value: int | None, counted: bool, palette: Palette) -> str:
    """A Mafioso of the row: its value and family, or its back with the family alone."""
    colour, lettering = FILL[family], LETTERING[family]
    if counted:
        # The card has left the row: only its outline is there.
        lettering = palette.ink
        drawn = box(1, 1, CARD_WIDTH - 2, CARD_HEIGHT - 2, palette.card, 6, colour, 2)
    else:
        drawn = box(0, 0, CARD_WIDTH, CARD_HEIGHT, colour, 6, palette.quiet)
    if value is None:
        drawn += box(3, 3, CARD_WIDTH - 6, CARD_HEIGHT - 6, "none", 4, lettering, 1.5, "4 3")
    drawn += _middle(22, 28, "?" if value is None else value, 24, lettering, "bold")
    return drawn + text(9, 42, family.capitalize(), 12, lettering)


@lru_cache(16)
def pawn(name: str) -> str:
    """A head on a cone, with the initial of the pawn's name; 24 wide and 34 high."""
    fill = COPPER if name == "copper" else VICELARD
    style = f'fill="{fill}" stroke="{WHITE}" stroke-width="1.5"'
    return (
        f'<path d="M1 33 L12 8 L23 33 Z" {style}/><circle cx="12" cy="9" r="8" {style}/>'
        + _middle(12, 29, name[0].upper(), 13, WHITE, "bold")
    )


@lru_cache(64)
def mini(kind: str, palette: Palette) -> str:
    """A small card: a contract, a dollar, the back of a card, or a special card."""
    letter = {"dollar": "$", "down": "½", "vicelard": "V", "copper": "C"}.get(kind, "")
    fill = {"down": BACK, "vicelard": VICELARD, "copper": COPPER}.get(kind) or FILL[kind]
    drawn = box(0, 0, MINI_WIDTH, MINI_HEIGHT, fill, 3, palette.quiet)
    return drawn + _middle(MINI_WIDTH / 2, 13.5, letter, 13, LETTERING.get(kind, WHITE))


@lru_cache(256)
def chip(family: str, value: int, palette: Palette) -> str:
    """A Mafioso that a seat owns, or that is out of the game."""
    drawn = box(0, 0, CHIP_WIDTH, CHIP_HEIGHT, FILL[family], 4, palette.quiet)
    return drawn + _middle(CHIP_WIDTH / 2, 18, value, 14, LETTERING[family], "bold")


@lru_cache(256)
def hand_card(kind: str, count: int, palette: Palette, language: Language) -> str:
    """Cards of one kind in a hand, with their number."""
    name = language.gettext("dollar") if kind == "dollar" else kind.capitalize()
    return (
        box(0, 0, HAND_WIDTH, HAND_HEIGHT, FILL[kind], 4, palette.quiet)
        + _middle(HAND_WIDTH / 2, 18, count, 15, LETTERING[kind], "bold")
        + _middle(HAND_WIDTH / 2, 33, name, 12, LETTERING[kind])
    )


def token(x: float, y: float, seat: int) -> str:
    """A token of a seat."""
    return f'<circle cx="{x}" cy="{y}" r="6.5" fill="{SEAT[seat]}" stroke="{WHITE}"/>'


@lru_cache(32)
def tokens(seat: int, count: int) -> str:
    """The tokens that a seat has left, and rings for those on the row."""
    return "".join(
        [
            token(10 + 19 * i, 13, seat)
            if i < count
            else disc(10 + 19 * i, 13, 6, "none", SEAT[seat], 1.5)
            for i in range(TOKENS)
        ]
    )


@lru_cache(8)
def hand_back(palette: Palette) -> str:
    """The back of cards in a hand."""
    return box(0, 0, HAND_WIDTH, BACK_HEIGHT, BACK, 4, palette.quiet) + _middle(
        HAND_WIDTH / 2, 15, "½", 14, WHITE
    )


@lru_cache(16)
def special_card(name: str, palette: Palette) -> str:
    """The Vicelard or the Copper card outside the row."""
    fill = COPPER if name == "copper" else VICELARD
    drawn = box(0, 0, CHIP_WIDTH, CHIP_HEIGHT, fill, 4, palette.quiet)
    return drawn + _middle(CHIP_WIDTH / 2, 18, name[0].upper(), 14, WHITE, "bold")


@lru_cache(256)
def pile(count: int, words: str, palette: Palette) -> str:
    """Hidden cards: a back with their number, and what they are."""
    drawn = box(0, 0, CHIP_WIDTH, CHIP_HEIGHT, BACK, 4, palette.quiet)
    number = _middle(CHIP_WIDTH / 2, 18, count, 14, WHITE, "bold")
    return drawn + number + text(CHIP_WIDTH + 6, 18, words)


@lru_cache(64)
def traffic(family: str, palette: Palette) -> str:
    """The card of a family's traffics, without its tiles."""
    return (
        box(0, 0, TRAFFIC_WIDTH, TRAFFIC_HEIGHT, palette.card, 4, palette.quiet)
        + box(0, 0, TRAFFIC_WIDTH, 18, FILL[family])
        + _middle(TRAFFIC_WIDTH / 2, 13.5, family.capitalize(), 12, LETTERING[family])
    )


@lru_cache(64)
def briefcase(side: str, worth: int, palette: Palette, language: Language) -> str:
    """A briefcase: what it asks for and its points."""
    when, what = language.gettext(ASKED[side]).split("\n")
    return (
        box(0, 0, TILE_WIDTH, TILE_HEIGHT, palette.card, 4, palette.quiet)
        + text(7, 16, when, 12, palette.quiet)
        + text(7, 34, what, 12)
        + text(TILE_WIDTH - 7, 35, worth, 15, font_weight="bold", text_anchor="end")
    )


LEGEND_LINE, LEGEND_MIDDLE = 24, 112
LEGEND_HEIGHT = 8 * LEGEND_LINE


@lru_cache(32)
def legend(copper_points: float, palette: Palette, language: Language) -> str:
    """What every piece is, how much influence it has, and what the pawns do."""
    say = language.gettext
    copper = say("Copper card: {points}, anywhere").format(points=halves(copper_points))
    small = '<g transform="scale(0.6)">{}</g>'
    unknown, best = (_middle(8, 14, sign, 15, palette.ink, "bold") for sign in "?3")
    left = (
        (token(7.5, 9, 0), say("Token: 1")),
        (mini("dollar", palette), say("Dollar: 1")),
        (mini("copper", palette), copper),
        (mini("vicelard", palette), say("Vicelard card: 2, or 1 on a Blackmat, only at his pawn")),
        (unknown, say("Face down: everybody sees the family, nobody the value")),
        (best, say("Bold: the most influence, which takes the Mafioso")),
        (
            small.format(pawn("copper")),
            say("Copper: the winner drops a rival's Mafioso, or gets his card"),
        ),
        (
            small.format(pawn("vicelard")),
            say("Vicelard: the winner gets his card, and Copper keeps away"),
        ),
    )
    right = (
        (mini("costa", palette), say("Contract: 2, only on its own family")),
        (mini("down", palette), say("Any card face down: ½, or half a dollar")),
    )
    return "".join(
        f'<g transform="translate({x} {LEGEND_LINE * line})">{icon}{text(21, 14, words, 12)}</g>'
        for x, entries in ((0, left), (LEGEND_MIDDLE, right))
        for line, (icon, words) in enumerate(entries)
    )
