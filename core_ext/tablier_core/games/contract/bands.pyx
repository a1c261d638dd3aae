"""The bands of a picture of Contract: a Mafioso of the row, a seat, the prizes, the piles.

A picture has hundreds of pieces, so they are put together by compiled code.
"""

from tablier_core.games.contract.observe import KINDS
from tablier_core.games.contract.pieces import (
    BACK_HEIGHT, BIDS_X, CARDS, CHIP_HEIGHT, CHIP_WIDTH, COLUMN_HEIGHT, HAND_HEIGHT, HAND_WIDTH,
    HEADING, INNER, LEGEND_HEIGHT, LINE, MINI_HEIGHT, MINI_WIDTH, PAWNS, SEAT_HEIGHT, TILE_HEIGHT,
    TILE_WIDTH, TRAFFIC_HEIGHT, TRAFFIC_WIDTH,
)
from tablier_core.games.contract.words import count_points

cdef enum:
    GAP = 10
    SLOT = 75  # the width of a column of Mafiosi

cdef int BID_LEFT = BIDS_X, BID_LINE = LINE, WIDTH = INNER, HEADING_HEIGHT = HEADING
cdef int CHIP_ACROSS = CHIP_WIDTH, CHIP_DOWN = CHIP_HEIGHT, TILE_ACROSS = TILE_WIDTH
cdef int FRONT_DOWN = HAND_HEIGHT, BACK_DOWN = BACK_HEIGHT, HAND_ACROSS = HAND_WIDTH
cdef int SEAT_DOWN = SEAT_HEIGHT, COLUMN_DOWN = COLUMN_HEIGHT
cdef str END = "</g>"  # of a part


cdef str decimal(double number):
    """A number that is not negative, with at most one digit after the point."""
    cdef int tenths = <int>(number * 10 + 0.5)
    cdef int whole = tenths // 10, rest = tenths % 10
    return f"{whole}.{rest}" if rest else f"{whole}"


cdef class Bands:
    """Bands below each other. Those that are added go below all others."""

    cdef readonly list drawn
    cdef readonly int y
    cdef object picture, pieces
    cdef int x
    cdef bint marked

    def __init__(self, picture not None, pieces not None, int x, int y):
        self.picture = picture
        self.pieces = pieces
        self.x = x
        self.y = y
        self.marked = picture.marked
        self.drawn = []

    cdef void begin(self):
        """Begin a band; what follows is drawn from its top left corner."""
        self.drawn.append(f'\n<g transform="translate({self.x} {self.y})">')

    cdef void end(self, int height):
        """End the band, and make room below it."""
        self.drawn.append("</g>")
        self.y += height

    cdef void open_part(
        self, str name, double x, int y, double width, int height, str label=""
    ):
        """Begin a part of the band; what follows is drawn from its own top left corner."""
        if self.marked:
            self.picture.place(name, self.x + x, self.y + y, width, height)
        self.drawn.append(
            f'<g data-part="{name}"{label} transform="translate({decimal(x)} {y})">'
        )

    cdef void part(
        self, str name, double x, int y, double width, int height, str drawn, str label=""
    ):
        """Put a part that is drawn at the origin in its place."""
        self.open_part(name, x, y, width, height, label)
        self.drawn.append(drawn)
        self.drawn.append(END)

    cdef void counted(self, tuple around, int count):
        """Draw what stands before and behind a number, and the number."""
        self.drawn.append(around[0])
        self.drawn.append(f"{count}")
        self.drawn.append(around[1])

    cdef void special(self, str name, int x, int y, bint small):
        """The Vicelard or the Copper card."""
        cdef str label = self.pieces.labels[CARDS[name]]
        if small:
            drawn, width, height = self.pieces.minis[name], MINI_WIDTH, MINI_HEIGHT
        else:
            drawn, width, height = self.pieces.specials[name], CHIP_WIDTH, CHIP_HEIGHT
        self.part(f"{name}-card", x, y, width, height, drawn, label)

    cdef void pawn(self, str name, int x):
        """A pawn on a Mafioso of the row."""
        self.part(
            f"{name}-pawn", x, 10, 24, 34, self.pieces.pawns[name], self.pieces.labels[PAWNS[name]]
        )

    def add_gap(self):
        """Leave some room above the next band."""
        self.y += GAP

    def add_heading(self, str title not None):
        """Add the heading of some bands."""
        self.begin()
        self.drawn.append(self.pieces.headings[title])
        self.end(HEADING_HEIGHT)

    # ---- The row ---------------------------------------------------------------------------------

    def add_mafioso(
        self, int number, place not None, *, bint now, bint copper, bint vicelard
    ):
        """Add a Mafioso of the row, the pawns on it, and the bids at its right."""
        cdef list drawn = self.drawn, specials = []
        cdef int line = 0, seat, at, height
        cdef int bids = 0, leaders = 0
        cdef double best = 0, points
        card, counted, stakes = place
        pieces, (family, _) = self.pieces, card
        for tokens, _, _, _, _, _, influence in stakes:
            if tokens:
                bids += 1
                points = influence
                if points > best:
                    best, leaders = points, 0
                leaders += points == best
        height, background = pieces.row_backgrounds[bids][now]
        if self.marked:
            self.picture.place(f"mafioso-{number}", self.x, self.y, WIDTH, height)
        self.begin()
        drawn.append(pieces.row_openings[number, card])
        drawn.append(background)
        drawn.append(pieces.row_numbers[number])
        drawn.append(pieces.row_cards[card, counted])
        for seat, stake in enumerate(stakes):
            tokens, contracts, dollars, down, has_vicelard, has_copper, influence = stake
            if not tokens:
                continue
            points = influence
            drawn.append(pieces.bids[line][seat][tokens])
            at = 28 + 14 * <int>tokens
            for kind, count in ((family, contracts), ("dollar", dollars), ("down", down.count)):
                if count:
                    at += self.add_cards(pieces.minis[kind], count, at)
            drawn.append(pieces.points[points == best and leaders == 1])
            drawn.append(pieces.influence[influence])
            drawn.append("</text></g>")
            for name, there in (("vicelard", has_vicelard), ("copper", has_copper)):
                if there:
                    specials.append((name, BID_LEFT + at, 5 + BID_LINE * line))
                    at += 19
            line += 1
        drawn.append(END)
        for name, left, top in specials:
            self.special(name, left, top, True)
        if copper:
            self.pawn("copper", 90)
        if vicelard:
            self.pawn("vicelard", 115)
        self.end(height + 5)

    cdef int add_cards(self, str mini, int count, int at) except -1:
        """Add a seat's cards of a kind on a Mafioso; return their width."""
        if count == 1:
            self.drawn.append(f'<g transform="translate({at} 2)">{mini}</g>')
            return 19
        self.drawn.append(
            f'<g transform="translate({at} 2)">{mini}<text x="18" y="14">{count}</text></g>'
        )
        return 28 if count < 10 else 36

    # ---- Prizes ----------------------------------------------------------------------------------

    def add_prizes(self, tuple traffics not None, tuple briefcases not None):
        """Add the traffics and the briefcases, with those who have them."""
        cdef int index, y, left, top, right = TILE_ACROSS - 3
        pieces, drawn = self.pieces, self.drawn
        self.begin()
        drawn.append(pieces.headings["Traffics"])
        for index, (family, first, second, first_to, second_to) in enumerate(traffics):
            self.open_part(
                f"traffic-{family}", 97 * index, HEADING_HEIGHT, TRAFFIC_WIDTH, TRAFFIC_HEIGHT
            )
            drawn.append(pieces.traffics[family])
            self.add_value(25, 20, first, first_to)
            self.add_value(70, 15, second, second_to)
            drawn.append(END)
        y = HEADING_HEIGHT + TRAFFIC_HEIGHT + 12
        if briefcases:
            drawn.append(f'<g transform="translate(0 {y})">{pieces.headings["Briefcases"]}</g>')
            y += HEADING_HEIGHT
        for index, (side, worth, holder) in enumerate(briefcases):
            left, top = 130 * (index % 3), y + (TILE_HEIGHT + 6) * (index // 3)
            self.open_part(f"briefcase-{index + 1}", left, top, TILE_WIDTH, TILE_HEIGHT)
            self.counted(pieces.briefcases[side], worth)
            if holder is not None:
                drawn.append(f'<g transform="translate({right} 3)">{pieces.discs[holder]}</g>')
            drawn.append(END)
        self.end(y + (TILE_HEIGHT + 6) * ((len(briefcases) + 2) // 3) + 8)

    cdef void add_value(self, int middle, int size, value, seat):
        """The value of a traffic tile, and the disc of the seat that has it."""
        cdef int right = middle + 10
        if seat is not None:
            # With a winner, the number makes room for a disc.
            disc = self.pieces.discs[seat]
            self.drawn.append(f'<g transform="translate({right} 34)">{disc}</g>')
            middle -= 11
        self.drawn.append(
            f'<text x="{middle}" y="41" font-size="{size}" font-weight="bold"'
            f' text-anchor="middle">{value}</text>'
        )

    # ---- Seats -----------------------------------------------------------------------------------

    def add_seat(
        self, int number, int points, seat not None, *, bint viewer, bint first, bint moves,
        bint vicelard, bint copper,
    ):
        """Add everything that belongs to a seat: tokens, cards and Mafiosi.

        A seat can be the viewer, the first player and the one that moves, and have special cards.
        """
        cdef int mafiosi_y = SEAT_DOWN, height
        cdef list drawn = self.drawn
        cdef bint has_mafiosi = seat.columns or seat.waiting or seat.joining
        pieces, (count, kinds) = self.pieces, seat.hand
        if kinds is not None and count:
            mafiosi_y += FRONT_DOWN + BACK_DOWN + 8
        height = mafiosi_y + (COLUMN_DOWN + 6 if has_mafiosi else 0)
        self.begin()
        self.open_part(f"seat-{number}", 0, 0, WIDTH, height)
        drawn.append(pieces.seat_backgrounds[height, moves])
        drawn.append(pieces.names[number, viewer, first])
        drawn.append(count_points(points, pieces.language))
        drawn.append("</text></g>")
        self.part(f"tokens-{number}", 6, 32, 58, 26, pieces.tokens[number][seat.tokens])
        if vicelard:
            self.special("vicelard", 76, 32, False)
        if copper:
            self.special("copper", 76 + 30 * vicelard, 32, False)
        self.part(f"hand-{number}", 150, 32, 130, 26, pieces.hands[count])
        if kinds is not None and count:
            self.add_hand(number, kinds)
        if has_mafiosi:
            self.add_mafiosi(number, seat, mafiosi_y, viewer)
        self.end(height + 6)

    cdef void add_hand(self, int number, tuple kinds):
        """Known cards by kind, to play face up, and below them their backs, to play face down."""
        cdef int x = 6, y = SEAT_DOWN, below = SEAT_DOWN + FRONT_DOWN + 2
        cdef str kind
        fronts, back = self.pieces.hand_cards, self.pieces.hand_back
        for kind, count in zip(KINDS, kinds):
            if count:
                self.open_part(f"hand-{number}-{kind}", x, y, HAND_ACROSS, FRONT_DOWN)
                self.counted(fronts[kind], count)
                self.drawn.append(END)
                self.part(f"back-{number}-{kind}", x, below, HAND_ACROSS, BACK_DOWN, back)
                x += SLOT

    cdef void add_mafiosi(self, int number, seat, int y, bint own):
        """Columns side by side, then the Blackmats that have none."""
        cdef list groups = [], chips
        cdef int others = 0
        cdef double x = 6, more, width
        for family, values, blackmats in seat.columns:
            chips = [(family, value) for value in values]
            chips += [("blackmat", value) for value in blackmats]
            words = f"{family.capitalize()} {sum(values) + sum(blackmats)}"
            groups.append((f"column-{number}-{family}", words, chips))
        for name, values in (("waiting", seat.waiting), ("joining", seat.joining)):
            if values:
                chips = [("blackmat", value) for value in values]
                groups.append((f"{name}-{number}", self.pieces.language.gettext(name), chips))
        # Three cards fit into a slot. What is left of the band is for others, which may overlap.
        for _, _, chips in groups:
            others += max(0, <int>len(chips) - 3)
        more = min(CHIP_ACROSS + 1, (WIDTH - 12 - SLOT * <int>len(groups)) / <double>max(1, others))
        for name, words, chips in groups:
            width = SLOT - 3 + more * max(0, <int>len(chips) - 3)
            self.add_column(name, words, chips, x, y, width, own)
            x += width + 3

    cdef void add_column(
        self, str name, str words, list chips, double x, int y, double width, bint own
    ):
        """Some Mafiosi of a seat. Only those of others are parts: the viewer may drop these."""
        cdef list drawn = self.drawn
        cdef int index
        cdef double step = (width - CHIP_ACROSS) / max(1, <int>len(chips) - 1)
        step = min(CHIP_ACROSS + 1, step)
        pieces, paper = self.pieces.chips, self.pieces.palette.card
        self.open_part(name, x, y, width, COLUMN_DOWN)
        drawn.append(
            f'<rect width="{decimal(width)}" height="{COLUMN_DOWN}" fill="{paper}"/>'
            f'<text y="13" font-size="12">{words}</text>'
        )
        if own:
            for index, chip in enumerate(chips):
                at = decimal(step * index)
                drawn.append(f'<g transform="translate({at} 18)">{pieces[chip]}</g>')
        drawn.append(END)
        if not own:
            for index, chip in enumerate(chips):
                family, value = chip
                self.part(
                    f"{family}-{value}", x + step * index, y + 18, CHIP_ACROSS, CHIP_DOWN,
                    pieces[chip],
                )

    # ---- Piles and legend ------------------------------------------------------------------------

    def add_piles(self, int draw_pile, int discards, int deck):
        """Add the piles and their numbers of cards."""
        cdef int x = 0, count
        self.begin()
        for name, count in (("draw-pile", draw_pile), ("discards", discards), ("deck", deck)):
            self.open_part(name, x, 0, 118, CHIP_DOWN)
            self.counted(self.pieces.piles[name], count)
            self.drawn.append(END)
            x += 122
        self.end(CHIP_DOWN + 8)

    def add_aside(self, bint vicelard, bint copper):
        """Add the special cards that nobody has."""
        cdef int x = 0
        self.begin()
        for name, there in (("vicelard", vicelard), ("copper", copper)):
            if there:
                self.special(name, x, 0, False)
                x += 30
        self.drawn.append(f'<g transform="translate({x} 0)">{self.pieces.aside}</g>')
        self.end(CHIP_DOWN + 8)

    def add_removed(self, tuple mafiosi not None):
        """Add the Mafiosi that are out of the game."""
        cdef int index
        cdef double step = (WIDTH - 130 - CHIP_ACROSS) / <double>max(1, <int>len(mafiosi) - 1)
        step = min(CHIP_ACROSS + 2, step)
        chips = self.pieces.chips
        self.begin()
        self.drawn.append(self.pieces.removed)
        for index, mafioso in enumerate(mafiosi):
            family, value = mafioso
            self.part(
                f"{family}-{value}", 130 + step * index, 0, CHIP_ACROSS, CHIP_DOWN, chips[mafioso]
            )
        self.end(CHIP_DOWN + 8)

    def add_legend(self, copper_points):
        """Add what the pieces are, under a heading."""
        cdef tuple legend = self.pieces.legend
        self.begin()
        self.drawn.append(self.pieces.headings["Legend"])
        self.drawn.append(f'<g transform="translate(0 {HEADING_HEIGHT})">')
        self.drawn.append(legend[0])
        self.drawn.append(self.pieces.influence[copper_points])
        self.drawn.append(legend[1])
        self.drawn.append("</g>")
        self.end(HEADING_HEIGHT + LEGEND_HEIGHT)
