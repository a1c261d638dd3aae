"""What the pieces of Contract look like: cards, Mafiosi, pawns, tiles, and the legend of them.

Pieces have the same colours on all papers, chosen so that the text on them can always be read.

`Pieces` has all of them for a palette and a language, drawn before the first picture. Nothing else
is kept from one picture to the next: what was drawn before must not make a picture faster, because
the time of an answer would then tell which cards others hold.
"""

from __future__ import annotations

from functools import lru_cache

from tablier_core.drawing import Palette, box, disc, escape, text
from tablier_core.games.contract.observe import ALL_CARDS, KINDS, Mafioso
from tablier_core.games.contract.options import COLOURS, HIGHEST
from tablier_core.games.contract.words import MOST_SEATS, PLACES, halves, name_place
from tablier_core.languages import Language
from tablier_core.telling import seat_label

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


# Stands for a number that only the picture knows.
NUMBER = "\0"


def split(drawn: str) -> tuple[str, str]:
    """A drawing, before and behind its number."""
    before, behind = drawn.split(NUMBER)
    return before, behind


def _middle(x: float, y: float, words: object, size: int, fill: str, weight: str = "") -> str:
    return text(x, y, words, size, fill, weight, text_anchor="middle")


def seat_disc(seat: int) -> str:
    """A disc in a seat's colour, with its number, around the origin."""
    return disc(0, 0, 10, SEAT[seat], WHITE) + _middle(0, 4.5, seat, 13, WHITE, "bold")


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


def pawn(name: str) -> str:
    """A head on a cone, with the initial of the pawn's name; 24 wide and 34 high."""
    fill = COPPER if name == "copper" else VICELARD
    style = f'fill="{fill}" stroke="{WHITE}" stroke-width="1.5"'
    return (
        f'<path d="M1 33 L12 8 L23 33 Z" {style}/><circle cx="12" cy="9" r="8" {style}/>'
        + _middle(12, 29, name[0].upper(), 13, WHITE, "bold")
    )


def mini(kind: str, palette: Palette) -> str:
    """A small card: a contract, a dollar, the back of a card, or a special card."""
    letter = {"dollar": "$", "down": "½", "vicelard": "V", "copper": "C"}.get(kind, "")
    fill = {"down": BACK, "vicelard": VICELARD, "copper": COPPER}.get(kind) or FILL[kind]
    drawn = box(0, 0, MINI_WIDTH, MINI_HEIGHT, fill, 3, palette.quiet)
    return drawn + _middle(MINI_WIDTH / 2, 13.5, letter, 13, LETTERING.get(kind, WHITE))


def chip(family: str, value: int, palette: Palette) -> str:
    """A Mafioso that a seat owns, or that is out of the game."""
    drawn = box(0, 0, CHIP_WIDTH, CHIP_HEIGHT, FILL[family], 4, palette.quiet)
    return drawn + _middle(CHIP_WIDTH / 2, 18, value, 14, LETTERING[family], "bold")


def hand_card(kind: str, palette: Palette, language: Language) -> tuple[str, str]:
    """Cards of one kind in a hand, before and behind their number."""
    name = language.gettext("dollar") if kind == "dollar" else kind.capitalize()
    card = box(0, 0, HAND_WIDTH, HAND_HEIGHT, FILL[kind], 4, palette.quiet)
    number = _middle(HAND_WIDTH / 2, 18, NUMBER, 15, LETTERING[kind], "bold")
    return split(card + number + _middle(HAND_WIDTH / 2, 33, name, 12, LETTERING[kind]))


def token(x: float, y: float, seat: int) -> str:
    """A token of a seat."""
    return f'<circle cx="{x}" cy="{y}" r="6.5" fill="{SEAT[seat]}" stroke="{WHITE}"/>'


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


def hand_back(palette: Palette) -> str:
    """The back of cards in a hand."""
    return box(0, 0, HAND_WIDTH, BACK_HEIGHT, BACK, 4, palette.quiet) + _middle(
        HAND_WIDTH / 2, 15, "½", 14, WHITE
    )


def special_card(name: str, palette: Palette) -> str:
    """The Vicelard or the Copper card outside the row."""
    fill = COPPER if name == "copper" else VICELARD
    drawn = box(0, 0, CHIP_WIDTH, CHIP_HEIGHT, fill, 4, palette.quiet)
    return drawn + _middle(CHIP_WIDTH / 2, 18, name[0].upper(), 14, WHITE, "bold")


def pile(words: str, palette: Palette) -> tuple[str, str]:
    """Hidden cards: a back with their number, and what they are; before and behind the number."""
    drawn = box(0, 0, CHIP_WIDTH, CHIP_HEIGHT, BACK, 4, palette.quiet)
    number = _middle(CHIP_WIDTH / 2, 18, NUMBER, 14, WHITE, "bold")
    return split(drawn + number + text(CHIP_WIDTH + 6, 18, words))


def traffic(family: str, palette: Palette) -> str:
    """The card of a family's traffics, without its tiles."""
    return (
        box(0, 0, TRAFFIC_WIDTH, TRAFFIC_HEIGHT, palette.card, 4, palette.quiet)
        + box(0, 0, TRAFFIC_WIDTH, 18, FILL[family])
        + _middle(TRAFFIC_WIDTH / 2, 13.5, family.capitalize(), 12, LETTERING[family])
    )


def briefcase(side: str, palette: Palette, language: Language) -> tuple[str, str]:
    """A briefcase, what it asks for, and its points; before and behind them."""
    when, what = language.gettext(ASKED[side]).split("\n")
    return split(
        box(0, 0, TILE_WIDTH, TILE_HEIGHT, palette.card, 4, palette.quiet)
        + text(7, 16, when, 12, palette.quiet)
        + text(7, 34, what, 12)
        + text(TILE_WIDTH - 7, 35, NUMBER, 15, font_weight="bold", text_anchor="end")
    )


LEGEND_LINE, LEGEND_MIDDLE = 24, 112
LEGEND_HEIGHT = 8 * LEGEND_LINE


def legend(palette: Palette, language: Language) -> tuple[str, str]:
    """What every piece is, how much influence it has, and what the pawns do.

    Before and behind the points of the Copper card.
    """
    say = language.gettext
    copper = say("Copper card: {points}, anywhere").format(points=NUMBER)
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
    entries = [
        f'<g transform="translate({x} {LEGEND_LINE * line})">{icon}{text(21, 14, words, 12)}</g>'
        for x, column in ((0, left), (LEGEND_MIDDLE, right))
        for line, (icon, words) in enumerate(column)
    ]
    return split("".join(entries))


# ---- All pieces ----------------------------------------------------------------------------------

HEADING = 24
MOST_HALVES = 2 * 2 * ALL_CARDS  # more than all cards have influence
BIDS_X, LINE = 150, 24
# A seat: its name, tokens and number of cards; its cards; its columns of Mafiosi.
SEAT_HEIGHT, COLUMN_HEIGHT = 64, 46
SEAT_HEIGHTS = tuple(
    SEAT_HEIGHT + cards + mafiosi
    for cards in (0, HAND_HEIGHT + BACK_HEIGHT + 8)
    for mafiosi in (0, COLUMN_HEIGHT + 6)
)
CARDS = {"copper": "Copper card", "vicelard": "Vicelard card"}
PAWNS = {"copper": "Copper pawn", "vicelard": "Vicelard pawn"}
MAFIOSI = tuple(
    Mafioso(family, value) for family in COLOURS for value in (None, *range(HIGHEST + 1))
)


class Pieces:
    """Everything that pictures in a palette and a language consist of."""

    def __init__(self, palette: Palette, language: Language) -> None:
        self.palette, self.language = palette, language
        say, seats = language.gettext, range(MOST_SEATS)
        self.discs = [seat_disc(seat) for seat in seats]
        self.minis = {kind: mini(kind, palette) for kind in (*KINDS, "down", *CARDS)}
        # A family without contracts: they cannot be on its Mafiosi.
        self.minis["blackmat"] = ""
        self.chips = {
            (family, value): chip(family, value, palette)
            for family, value in MAFIOSI
            if value is not None
        }
        self.influence = {
            points: escape(halves(points)) for points in [half / 2 for half in range(MOST_HALVES)]
        }
        self.headings = {title: self._heading(title, note) for title, note in HEADINGS.items()}
        self.specials = {name: special_card(name, palette) for name in CARDS}
        self.pawns = {name: pawn(name) for name in PAWNS}
        self.labels = {
            words: f' aria-label="{escape(say(words))}"'
            for words in (*CARDS.values(), *PAWNS.values())
        }
        self.traffics = {family: traffic(family, palette) for family in KINDS[:-1]}
        self.briefcases = {side: briefcase(side, palette, language) for side in ASKED}
        self.legend = legend(palette, language)
        self.aside = text(0, 18, say("set aside in this round"))
        self.removed = text(0, 18, say("Out of the game"))
        self.piles = {
            name: pile(say(words), palette)
            for name, words in (
                ("draw-pile", "draw pile"),
                ("discards", "discards"),
                ("deck", "Mafia deck"),
            )
        }
        self._draw_row()
        self._draw_seats()

    def _heading(self, title: str, note: str) -> str:
        """The heading of some bands, and what a newcomer has to know about them."""
        bold, quiet = (escape(self.language.gettext(words), quote=False) for words in (title, note))
        return (
            f'<text y="15" font-size="14"><tspan font-weight="bold">{bold}</tspan>'
            f'<tspan font-size="12" fill="{self.palette.quiet}" dx="8">{quiet}</tspan></text>'
        )

    def background(self, height: float, now: bool) -> str:
        """The paper of a band, with a strong outline where something happens now."""
        palette = self.palette
        outline = f'"{palette.ink}" stroke-width="2.5"' if now else f'"{palette.wood}"'
        size = f'width="{INNER}" height="{height}"'
        return f'<rect {size} rx="6" fill="{palette.card}" stroke={outline}/>'

    def _draw_row(self) -> None:
        """The Mafiosi of the row, and the bids on them."""
        palette = self.palette
        number = f'font-size="14" font-weight="bold" fill="{palette.quiet}" text-anchor="middle"'
        # By place and card: how the part of a Mafioso begins.
        self.row_openings = {
            (place, card): f'<g data-part="mafioso-{place}" aria-label="'
            f'{escape(name_place(place, card, self.language))}">'
            for place in PLACES
            for card in MAFIOSI
        }
        # By number of bids, and whether something happens there: the height and the paper.
        self.row_backgrounds = [
            [(height, self.background(height, now)) for now in (False, True)]
            for height in [max(CARD_HEIGHT, LINE * bids) + 6 for bids in range(MOST_SEATS + 1)]
        ]
        self.row_numbers = [
            f'<text x="10" y="32" {number}>{place}</text>' for place in range(max(PLACES) + 1)
        ]
        self.row_cards = {
            (card, counted): '<g transform="translate(20 3)">'
            f"{row_card(card.family, card.value, counted, palette)}</g>"
            for card in MAFIOSI
            for counted in (False, True)
        }
        # By line, seat and tokens: how a bid begins.
        self.bids = [
            [
                [
                    f'<g transform="translate({BIDS_X} {3 + LINE * line})">'
                    f'<g transform="translate(10 11)">{self.discs[seat]}</g>'
                    + "".join([token(32 + 14 * i, 11, seat) for i in range(count)])
                    for count in range(TOKENS + 1)
                ]
                for seat in range(MOST_SEATS)
            ]
            for line in range(MOST_SEATS)
        ]
        end = f'<text x="{INNER - BIDS_X - 6}" y="16" font-size="15" text-anchor="end"'
        self.points = f'{end} fill="{palette.quiet}">', f'{end} font-weight="bold">'

    def _draw_seats(self) -> None:
        """The names, tokens and cards of seats."""
        palette, language = self.palette, self.language
        say, seats = language.gettext, range(MOST_SEATS)
        you, first = say("you"), say("first player")
        notes = {(False, False): "", (True, False): you, (False, True): first}
        notes[True, True] = f"{you}, {first}"
        # By seat, whether it is the viewer and whether it is first: its name, up to its points.
        self.names = {
            (seat, *which): f'<g transform="translate(17 17)">{self.discs[seat]}</g>'
            '<text x="34" y="22" font-size="15"><tspan font-weight="bold">'
            f"{seat_label(seat, language)}</tspan>"
            f'<tspan dx="8" font-size="13" fill="{palette.quiet}">{shown}</tspan>'
            f'</text><text x="{INNER - 8}" y="22" font-size="15" font-weight="bold"'
            ' text-anchor="end">'
            for seat in seats
            for which, shown in notes.items()
        }
        # With and without cards that the viewer knows and Mafiosi.
        self.seat_backgrounds = {
            (height, moves): self.background(height, moves)
            for height in SEAT_HEIGHTS
            for moves in (False, True)
        }
        self.tokens = [[tokens(seat, count) for count in range(TOKENS + 1)] for seat in seats]
        # By number of cards.
        self.hands = [
            f"{before}{count}{behind}"
            for count in range(ALL_CARDS + 1)
            for before, behind in [
                pile(language.ngettext("card in hand", "cards in hand", count), palette)
            ]
        ]
        self.hand_cards = {kind: hand_card(kind, palette, language) for kind in KINDS}
        self.hand_back = hand_back(palette)


HEADINGS = {
    "The row": "the most influence takes a Mafioso",
    "Traffics": "at the end, for the best and second-best column",
    "Briefcases": "bonus points",
    "Legend": "influence points of pieces, and pawns",
}


@lru_cache(16)
def pieces_of(palette: Palette, language: Language) -> Pieces:
    """The pieces of all pictures in a palette and a language."""
    return Pieces(palette, language)
