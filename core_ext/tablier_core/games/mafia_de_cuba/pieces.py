"""What the table in a picture of Mafia de Cuba consists of, drawn before the first picture."""

from __future__ import annotations

from functools import lru_cache
from itertools import compress, product
from math import cos, pi, sin

from tablier_core.drawing import Palette, escape
from tablier_core.games.mafia_de_cuba.captions import name_reaction
from tablier_core.games.mafia_de_cuba.observe import (
    ALL_DIAMONDS,
)
from tablier_core.games.mafia_de_cuba.options import MOST_TOKENS
from tablier_core.games.mafia_de_cuba.shapes import (
    BOLD,
    COLUMN,
    CREAM,
    DARK_TEXT,
    MARGIN,
    PIECES,
    pill,
    role_colour,
    write,
)
from tablier_core.games.mafia_de_cuba.words import (
    name_count,
    name_diamonds,
    name_prize,
    name_take,
)
from tablier_core.languages import Language
from tablier_core.telling import seat_label

MOST_SEATS = 12
# The ring of seats, around the middle of the first column.
CENTRE_X = MARGIN + COLUMN // 2
RADIUS_X, RADIUS_Y = 166, 204
ABOVE, BELOW = 52, 72  # the highest and the lowest seat, from the edges of the table
TABLE_HEIGHT = ABOVE + 2 * RADIUS_Y + BELOW
SEAT = 24  # from the middle of a seat to its edges
BOX_WIDTH, CLOSED_HEIGHT = 190, 110
GEM_WIDTH, GEM_HEIGHT, TOKEN_HEIGHT = 34, 25, 20
REST, MAY, MUST = 2, 3, 6  # the width of the ring of a seat that need not, may or must move
TAKES = (*map(str, range(1, ALL_DIAMONDS + 1)), *MOST_TOKENS, "nothing")


class TablePieces:
    """What the table consists of in a palette and a language.

    All of it is drawn before the first picture, and nothing about a seat or the box is kept from
    one picture to the next. Otherwise the time of an answer would tell what others took.
    """

    def __init__(self, palette: Palette, language: Language) -> None:
        self.palette, self.language = palette, language
        say = language.gettext
        self.felt = (
            f'rx="{RADIUS_X}" ry="{RADIUS_Y}" fill="{palette.felt}"'
            f' stroke="{PIECES[palette].cedar}" stroke-width="6"/>'
        )
        names = [say("Godfather"), *[seat_label(seat, language) for seat in range(1, MOST_SEATS)]]
        self.names = [escape(name) for name in names]
        self.openings = [f'<g data-part="seat-{seat}" aria-label="' for seat in range(MOST_SEATS)]
        # By seat, width of the ring, and whether it wins, is in play and is accused.
        self.discs = [
            {
                width: [
                    self._draw_disc(seat, wins, in_play, accused, width)
                    for wins, in_play, accused in product((False, True), repeat=3)
                ]
                for width in (REST, MAY, MUST)
            }
            for seat in range(MOST_SEATS)
        ]
        self.you, self.out, self.has_joker, self.wins = (
            escape(say(words)) for words in ("you", "out", "has a joker", "wins")
        )
        # Whether a seat is the Godfather, the viewer and a winner, and has a joker. The outline
        # keeps the edge of the table from crossing the words.
        clear = f'{BOLD} stroke="{palette.paper}" stroke-width="5" paint-order="stroke"'
        self.titles = [
            write(0, -36 if joker else -28, ", ".join(shown), 14, clear) if shown else ""
            for *which, joker in product((False, True), repeat=4)
            for shown in [list(compress((say("Godfather"), say("you"), say("wins")), which))]
        ]
        self.joker = pill(30, -22, say("joker"), palette.yellow, DARK_TEXT)
        self.takes = {
            take: pill(0, 34, name_prize(take, language), role_colour(palette, take), palette.paper)
            for take in TAKES
        }
        self.took = {take: escape(self._tell_take(take)) for take in TAKES}
        outline = f' stroke="{palette.quiet}" stroke-dasharray="3 2"'
        self.claims = {
            take: pill(
                0,
                34,
                say("“{claim}”").format(claim=name_prize(take, language)),
                palette.card,
                palette.ink,
                ' font-style="italic"',
                outline,
            )
            for take in TAKES
        }
        self.reactions = {
            reaction: (
                escape(words),
                pill(0, 34, words, palette.ink, palette.paper),
                pill(0, 56, words, palette.ink, palette.paper),
            )
            for reaction in (None, "bang", "hold")
            for words in [name_reaction(reaction, language)]
        }
        self.known = escape(say("{part}: {rest}"))
        # Before and behind what a seat received.
        self.received = tuple(escape(say("received {things}")).split("{things}"))
        self.several = escape(say("{others} and {last}"))
        self.nothing = escape(say("an empty box"))
        self.diamonds = [escape(name_diamonds(n, language)) for n in range(ALL_DIAMONDS + 1)]
        self.counts = {
            (kind, count): escape(name_count(kind, count, language))
            for kind, most in MOST_TOKENS.items()
            for count in range(1, most + 1)
        }
        self._draw_box()

    def _tell_take(self, take: str) -> str:
        if take == "nothing":
            return self.language.gettext("took nothing")
        text = self.language.gettext("took {things}")
        return text.format(things=name_take(take, self.language))

    def _draw_disc(self, seat: int, wins: bool, in_play: bool, accused: bool, width: int) -> str:
        """A seat's disc and number, around the origin."""
        palette = self.palette
        fill = palette.green if wins else palette.card if in_play else palette.felt
        ink = palette.paper if wins else palette.ink
        ring = palette.red if accused else palette.ink if width == REST else palette.yellow
        drawn = (
            f'<circle r="22" fill="{fill}" stroke="{ring}"'
            f' stroke-width="{MUST if accused else width}"/>'
        )
        if not in_play:
            drawn += (
                f'<path d="M-16 -16 l32 32 m0 -32 l-32 32" stroke="{palette.red}"'
                ' stroke-width="4" stroke-linecap="round"/>'
            )
        return drawn + write(0, 8, str(seat), 22, f'{BOLD} fill="{ink}"')

    def _draw_box(self) -> None:
        """The parts of the box, from its top left corner."""
        palette, pieces = self.palette, PIECES[self.palette]
        self.cedar, self.lid = f' rx="8" fill="{pieces.cedar}"/>', f' rx="8" fill="{pieces.lid}"/>'
        style = f' fill="{CREAM}"'
        say = self.language.gettext
        self.at_first, self.came_back, self.closed = (
            escape(say(when), quote=False)
            for when in ("before it goes round", "as it came back", "cigar box")
        )
        when = say("as seat {seat} received it")
        self.arrived = [escape(when.format(seat=seat), quote=False) for seat in range(MOST_SEATS)]
        self.empty = write(BOX_WIDTH / 2, 70, say("empty"), 18, style)
        corners = ((0, 8), (8, 0), (26, 0), (34, 8), (17, 25))
        self.gems = []
        for number in range(1, ALL_DIAMONDS + 1):
            x, y = gem_place(number)
            points = " ".join([f"{x + right},{y + down}" for right, down in corners])
            shape = f'<polygon points="{points}" fill="{pieces.gem}" stroke="{pieces.number}"/>'
            count = write(x + 17, y + 14, str(number), 12, f' fill="{pieces.number}"{BOLD}')
            self.gems.append(f'\n<g data-part="diamond-{number}">{shape}{count}</g>')
        width = BOX_WIDTH - 8
        self.tokens = {
            (kind, count): f'<rect width="{width}" height="{TOKEN_HEIGHT}" rx="10"'
            f' fill="{role_colour(palette, kind)}" stroke="{CREAM}"/>'
            + write(
                width / 2,
                14.5,
                name_count(kind, count, self.language),
                13,
                f'{BOLD} fill="{palette.paper}"',
            )
            + "</g></g>"
            for kind, most in MOST_TOKENS.items()
            for count in range(1, most + 1)
        }


@lru_cache(maxsize=16)
def pieces_of(palette: Palette, language: Language) -> TablePieces:
    """The pieces of all pictures in a palette and a language."""
    return TablePieces(palette, language)


def gem_place(number: int) -> tuple[int, int]:
    """The top left corner of a diamond in the box."""
    row, column = divmod(number - 1, 5)
    return 6 + 36 * column, 29 + 27 * row


def ring(count: int, turn: int) -> tuple[tuple[int, int], ...]:
    """The middle of every seat, clockwise, turned by half seats: across, and from the centre down.

    Unturned, the Godfather is at the top.
    """
    angles = [2 * pi * (seat + turn / 2) / count - pi / 2 for seat in range(count)]
    return tuple(
        [
            (round(CENTRE_X + RADIUS_X * cos(angle)), round(RADIUS_Y * sin(angle)))
            for angle in angles
        ]
    )


RINGS = {
    (count, turn): ring(count, turn)
    for count in range(1, MOST_SEATS + 1)
    for turn in range(2 * count)
}
