"""The bands of a picture of Contract: a Mafioso of the row, a seat, the prizes, the piles.

A band is drawn once and kept, because from one move to the next most of them stay the same.
"""

from __future__ import annotations

from functools import lru_cache
from html import escape
from typing import NamedTuple

from tablier_core.drawing import PLAIN, Block, Palette, Picture, placed, text
from tablier_core.games.contract import pieces
from tablier_core.games.contract.observe import (
    KINDS,
    Briefcase,
    Cards,
    Column,
    Mafioso,
    Traffic,
)
from tablier_core.games.contract.pieces import (
    BACK_HEIGHT,
    CARD_HEIGHT,
    CHIP_HEIGHT,
    CHIP_WIDTH,
    HAND_HEIGHT,
    HAND_WIDTH,
    INNER,
    MINI_HEIGHT,
    MINI_WIDTH,
    TILE_HEIGHT,
    TILE_WIDTH,
    TRAFFIC_HEIGHT,
    TRAFFIC_WIDTH,
)
from tablier_core.games.contract.words import count_points, halves, name_place
from tablier_core.languages import Language
from tablier_core.telling import seat_name

GAP = Block("", {}, 10)
HEADING = 24
BIDS_X, LINE = 150, 24
SLOT = 75  # the width of a column of Mafiosi
COLUMN_HEIGHT = 46
CARDS = {"copper": "Copper card", "vicelard": "Vicelard card"}
PAWNS = {"copper": "Copper pawn", "vicelard": "Vicelard pawn"}


class Style:
    """What a band looks like, apart from its content."""

    def __init__(self, palette: Palette, language: Language) -> None:
        self.palette = palette
        self.language = language


@lru_cache(16)
def style_of(palette: Palette, language: Language) -> Style:
    """The style of these: one object, so that kept bands are found without comparing colours."""
    return Style(palette, language)


class Owned(NamedTuple):
    """The Mafiosi of a seat."""

    columns: tuple[Column, ...]
    waiting: tuple[int, ...]
    joining: tuple[int, ...]


class Role(NamedTuple):
    """What a seat is and has at the moment."""

    viewer: bool
    first: bool
    moves: bool
    vicelard: bool  # has the special card in hand
    copper: bool


class _Band:
    """A band in the making."""

    def __init__(self) -> None:
        self.picture = Picture(PLAIN)
        self.drawn: list[str] = []

    def put(self, x: float, y: float, drawn: str) -> None:
        """Put a drawing that has its origin at the top left in its place."""
        self.drawn.append(f'<g transform="translate({x} {y})">{drawn}</g>')

    def part(
        self,
        name: str,
        x: float,
        y: float,
        width: float,
        height: float,
        drawn: str,
        label: str = "",
    ) -> None:
        """Put a part in its place, in the same way."""
        drawn = f'<g transform="translate({x} {y})">{drawn}</g>'
        self.drawn.append(self.picture.part(name, x, y, width, height, drawn, label))

    def special(self, name: str, x: float, y: float, small: bool, style: Style) -> None:
        """The Vicelard or the Copper card."""
        label = style.language.gettext(CARDS[name])
        if small:
            drawn = pieces.mini(name, style.palette)
            self.part(f"{name}-card", x, y, MINI_WIDTH, MINI_HEIGHT, drawn, label)
        else:
            drawn = pieces.special_card(name, style.palette)
            self.part(f"{name}-card", x, y, CHIP_WIDTH, CHIP_HEIGHT, drawn, label)

    def pawn(self, name: str, x: float, style: Style) -> None:
        """A pawn on a Mafioso of the row."""
        label = style.language.gettext(PAWNS[name])
        self.part(f"{name}-pawn", x, 10, 24, 34, pieces.pawn(name), label)

    def chip(self, family: str, value: int, x: float, y: float, palette: Palette) -> None:
        """A Mafioso outside the row."""
        drawn = pieces.chip(family, value, palette)
        self.part(f"{family}-{value}", x, y, CHIP_WIDTH, CHIP_HEIGHT, drawn)

    def keep(self, height: float) -> Block:
        return self.picture.keep(self.drawn, height)


@lru_cache(64)
def heading(title: str, note: str, style: Style) -> Block:
    """The heading of some bands, and what a newcomer has to know about them."""
    bold, quiet = (escape(style.language.gettext(words), quote=False) for words in (title, note))
    drawn = (
        f'<text y="15" font-size="14"><tspan font-weight="bold">{bold}</tspan>'
        f'<tspan font-size="12" fill="{style.palette.quiet}" dx="8">{quiet}</tspan></text>'
    )
    return Block(drawn, {}, HEADING)


def _background(height: float, now: bool, palette: Palette) -> str:
    """The paper of a band, with a strong outline where something happens now."""
    outline = f'"{palette.ink}" stroke-width="2.5"' if now else f'"{palette.wood}"'
    return (
        f'<rect width="{INNER}" height="{height}" rx="6" fill="{palette.card}" stroke={outline}/>'
    )


# ---- The row -------------------------------------------------------------------------------------


class Bid(NamedTuple):
    """What a seat has on a Mafioso, as everybody sees it."""

    seat: int
    tokens: int
    contracts: int
    dollars: int
    down: int
    vicelard: bool
    copper: bool
    points: float


@lru_cache(512)
def mafioso(
    number: int,
    card: Mafioso,
    counted: bool,
    bids: tuple[Bid, ...],
    now: bool,
    copper: bool,
    vicelard: bool,
    style: Style,
) -> Block:
    """A Mafioso of the row, the pawns on it, and the bids at its right."""
    palette = style.palette
    height = max(CARD_HEIGHT, LINE * len(bids)) + 6
    drawn = (
        f'{_background(height, now, palette)}<text x="10" y="32" font-size="14" font-weight="bold"'
        f' fill="{palette.quiet}" text-anchor="middle">{number}</text>'
        f'<g transform="translate(20 3)">'
        f"{pieces.row_card(card.family, card.value, counted, palette)}</g>"
    )
    points = sorted([bid.points for bid in bids])
    best = points[-1] if points and points[-1:] != points[-2:-1] else 0
    ends = []
    for line, bid in enumerate(bids):
        shown, end = _pieces(bid, card.family, bid.points == best, palette)
        drawn += f'<g transform="translate({BIDS_X} {3 + LINE * line})">{shown}</g>'
        ends.append(BIDS_X + end)
    band = _Band()
    band.part(
        f"mafioso-{number}", 0, 0, INNER, height, drawn, name_place(number, card, style.language)
    )
    for line, bid in enumerate(bids):
        if bid.vicelard:
            band.special("vicelard", ends[line], 5 + LINE * line, True, style)
        if bid.copper:
            band.special("copper", ends[line] + 19 * bid.vicelard, 5 + LINE * line, True, style)
    if copper:
        band.pawn("copper", 90, style)
    if vicelard:
        band.pawn("vicelard", 115, style)
    return band.keep(height + 5)


def _pieces(bid: Bid, family: str, leads: bool, palette: Palette) -> tuple[str, int]:
    """A seat's pieces on a Mafioso and their points, and where special cards go."""
    drawn = f'<g transform="translate(10 11)">{pieces.seat_disc(bid.seat)}</g>'
    for i in range(bid.tokens):
        drawn += pieces.token(32 + 14 * i, 11, bid.seat)
    at = 28 + 14 * bid.tokens
    for kind, count in ((family, bid.contracts), ("dollar", bid.dollars), ("down", bid.down)):
        if count:
            number = f'<text x="18" y="14">{count}</text>' if count > 1 else ""
            drawn += f'<g transform="translate({at} 2)">{pieces.mini(kind, palette)}{number}</g>'
            at += 19 if count == 1 else 28 if count < 10 else 36
    style = 'font-weight="bold"' if leads else f'fill="{palette.quiet}"'
    points = (
        f'<text x="{INNER - BIDS_X - 6}" y="16" font-size="15" text-anchor="end" {style}>'
        f"{halves(bid.points)}</text>"
    )
    return drawn + points, at


# ---- Prizes --------------------------------------------------------------------------------------


@lru_cache(64)
def prizes(traffics: tuple[Traffic, ...], briefcases: tuple[Briefcase, ...], style: Style) -> Block:
    """The traffics and the briefcases, with those who have them."""
    band = _Band()
    title = heading("Traffics", "at the end, for the best and second-best column", style)
    band.put(0, 0, title.drawn)
    for index, traffic in enumerate(traffics):
        drawn = pieces.traffic(traffic.family, style.palette)
        for middle, size, value, seat in (
            (25, 20, traffic.first, traffic.first_to),
            (70, 15, traffic.second, traffic.second_to),
        ):
            at = middle
            if seat is not None:
                # With a winner, the number makes room for a disc.
                at -= 11
                drawn += placed(middle + 10, 34, pieces.seat_disc(seat))
            drawn += text(at, 41, value, size, font_weight="bold", text_anchor="middle")
        name = f"traffic-{traffic.family}"
        band.part(name, 97 * index, HEADING, TRAFFIC_WIDTH, TRAFFIC_HEIGHT, drawn)
    y = HEADING + TRAFFIC_HEIGHT + 12
    if briefcases:
        band.put(0, y, heading("Briefcases", "bonus points", style).drawn)
        y += HEADING
    for index, tile in enumerate(briefcases):
        drawn = pieces.briefcase(tile.side, tile.worth, style.palette, style.language)
        if tile.holder is not None:
            drawn += placed(TILE_WIDTH - 3, 3, pieces.seat_disc(tile.holder))
        left, top = 130 * (index % 3), y + (TILE_HEIGHT + 6) * (index // 3)
        band.part(f"briefcase-{index + 1}", left, top, TILE_WIDTH, TILE_HEIGHT, drawn)
    return band.keep(y + (TILE_HEIGHT + 6) * -(-len(briefcases) // 3) + 8)


# ---- Seats ---------------------------------------------------------------------------------------


@lru_cache(256)
def seat(
    number: int, points: int, hand: Cards, tokens: int, owned: Owned, role: Role, style: Style
) -> Block:
    """Everything that belongs to a seat: tokens, cards and Mafiosi."""
    palette, language = style.palette, style.language
    kinds = hand.kinds if hand.count else None
    mafiosi_y = 64 if kinds is None else 64 + HAND_HEIGHT + BACK_HEIGHT + 8
    height = mafiosi_y + (COLUMN_HEIGHT + 6 if any(owned) else 0)
    band = _Band()
    drawn = _background(height, role.moves, palette) + _name(number, points, role, style)
    band.part(f"seat-{number}", 0, 0, INNER, height, drawn)
    band.part(f"tokens-{number}", 6, 32, 58, 26, pieces.tokens(number, tokens))
    if role.vicelard:
        band.special("vicelard", 76, 32, False, style)
    if role.copper:
        band.special("copper", 76 + 30 * role.vicelard, 32, False, style)
    words = language.ngettext("card in hand", "cards in hand", hand.count)
    band.part(f"hand-{number}", 150, 32, 130, 26, pieces.pile(hand.count, words, palette))
    if kinds is not None:
        _add_hand(band, number, kinds, style)
    _add_mafiosi(band, number, owned, mafiosi_y, role.viewer, style)
    return band.keep(height + 6)


def _name(number: int, points: int, role: Role, style: Style) -> str:
    """The first line of a seat: who it is, and its points."""
    say = style.language.gettext
    notes = [say("you")] * role.viewer + [say("first player")] * role.first
    return (
        f'<g transform="translate(17 17)">{pieces.seat_disc(number)}</g>'
        f'<text x="34" y="22" font-size="15"><tspan font-weight="bold">'
        f"{seat_name(number, style.language)}</tspan>"
        f'<tspan dx="8" font-size="13" fill="{style.palette.quiet}">{", ".join(notes)}</tspan>'
        f'</text><text x="{INNER - 8}" y="22" font-size="15" font-weight="bold"'
        f' text-anchor="end">{count_points(points, style.language)}</text>'
    )


def _add_hand(band: _Band, number: int, kinds: tuple[int, ...], style: Style) -> None:
    """Known cards by kind, to play face up, and below them their backs, to play face down."""
    x, y, below = 6, 64, 64 + HAND_HEIGHT + 2
    back = pieces.hand_back(style.palette)
    for kind, count in zip(KINDS, kinds, strict=True):
        if count:
            front = pieces.hand_card(kind, count, style.palette, style.language)
            band.part(f"hand-{number}-{kind}", x, y, HAND_WIDTH, HAND_HEIGHT, front)
            band.part(f"back-{number}-{kind}", x, below, HAND_WIDTH, BACK_HEIGHT, back)
            x += SLOT


def _add_mafiosi(band: _Band, number: int, owned: Owned, y: float, own: bool, style: Style) -> None:
    """Columns side by side, then the Blackmats that have none."""
    say = style.language.gettext
    groups = [
        (
            f"column-{number}-{column.family}",
            f"{column.family.capitalize()} {sum(column.values) + sum(column.blackmats)}",
            [(column.family, value) for value in column.values]
            + [("blackmat", value) for value in column.blackmats],
        )
        for column in owned.columns
    ]
    for name, words, values in (
        ("waiting", say("waiting"), owned.waiting),
        ("joining", say("joining"), owned.joining),
    ):
        if values:
            groups.append((f"{name}-{number}", words, [("blackmat", value) for value in values]))
    # Three cards fit into a slot. What is left of the band is for the others, which may overlap.
    others = sum([max(0, len(chips) - 3) for _, _, chips in groups])
    more = min(CHIP_WIDTH + 1, (INNER - 12 - SLOT * len(groups)) / max(1, others))
    x = 6.0
    for name, words, chips in groups:
        width = SLOT - 3 + more * max(0, len(chips) - 3)
        _add_column(band, name, words, chips, x, y, width, own, style.palette)
        x = round(x + width + 3, 1)


def _add_column(
    band: _Band,
    name: str,
    words: str,
    chips: list[tuple[str, int]],
    x: float,
    y: float,
    width: float,
    own: bool,
    palette: Palette,
) -> None:
    """Some Mafiosi of a seat. Only those of other seats are parts: the viewer may drop these."""
    step = min(CHIP_WIDTH + 1, (width - CHIP_WIDTH) / max(1, len(chips) - 1))
    drawn = (
        f'<rect width="{width:g}" height="{COLUMN_HEIGHT}" fill="{palette.card}"/>'
        f'<text y="13" font-size="12">{words}</text>'
    )
    places = [(*chip, round(step * index, 1)) for index, chip in enumerate(chips)]
    if own:
        for family, value, at in places:
            drawn += f'<g transform="translate({at} 18)">{pieces.chip(family, value, palette)}</g>'
    band.part(name, x, y, width, COLUMN_HEIGHT, drawn)
    if not own:
        for family, value, at in places:
            band.chip(family, value, round(x + at, 1), y + 18, palette)


# ---- Piles and legend ----------------------------------------------------------------------------


@lru_cache(64)
def piles(draw_pile: int, discards: int, deck: int, style: Style) -> Block:
    """The piles and their numbers of cards."""
    say = style.language.gettext
    band = _Band()
    for index, (name, words, count) in enumerate(
        (
            ("draw-pile", say("draw pile"), draw_pile),
            ("discards", say("discards"), discards),
            ("deck", say("Mafia deck"), deck),
        )
    ):
        drawn = pieces.pile(count, words, style.palette)
        band.part(name, 122 * index, 0, 118, CHIP_HEIGHT, drawn)
    return band.keep(CHIP_HEIGHT + 8)


@lru_cache(64)
def aside(vicelard: bool, copper: bool, style: Style) -> Block:
    """The special cards that nobody has."""
    band = _Band()
    if vicelard:
        band.special("vicelard", 0, 0, False, style)
    if copper:
        band.special("copper", 30 * vicelard, 0, False, style)
    words = style.language.gettext("set aside in this round")
    band.put(30 * (vicelard + copper), 0, text(0, 18, words))
    return band.keep(CHIP_HEIGHT + 8)


@lru_cache(64)
def removed(mafiosi: tuple[Mafioso, ...], style: Style) -> Block:
    """The Mafiosi that are out of the game."""
    band = _Band()
    band.put(0, 0, text(0, 18, style.language.gettext("Out of the game")))
    step = min(CHIP_WIDTH + 2, (INNER - 130 - CHIP_WIDTH) / max(1, len(mafiosi) - 1))
    for index, out in enumerate(mafiosi):
        assert out.value is not None
        band.chip(out.family, out.value, 130 + round(step * index, 1), 0, style.palette)
    return band.keep(CHIP_HEIGHT + 8)


@lru_cache(32)
def legend(copper_points: float, style: Style) -> Block:
    """What the pieces are, under a heading."""
    band = _Band()
    band.put(0, 0, heading("Legend", "influence points of pieces, and pawns", style).drawn)
    band.put(0, HEADING, pieces.legend(copper_points, style.palette, style.language))
    return band.keep(HEADING + pieces.LEGEND_HEIGHT)
