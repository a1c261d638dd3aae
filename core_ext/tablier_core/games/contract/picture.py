"""The picture of a Contract table: the row of Mafiosi, what is at stake, and the seats below."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tablier_core.games.contract.observe import KINDS, Cards, Mafioso, Place, SeatView, Stake, View

INK, PAPER, CARD, QUIET, BACK = "#2b2622", "#f4ede1", "#fffaf0", "#8a7f70", "#8d7b68"
FAMILY = {
    "brakova": "#b5402f",
    "yakaz": "#c9951a",
    "rodrigos": "#3d7f4f",
    "costa": "#2f6fb3",
    "blackmat": "#1d1b1a",
    "dollar": "#7d8f69",
}
SEAT = ("#7b4fa3", "#dd7230", "#1f8f84", "#c0508a", "#5c6670")
COPPER, VICELARD = "#4a6fa5", "#a33b6b"
MARGIN = 24
PLACE = 158
WIDTH = 2 * MARGIN + 6 * PLACE
ROW_TOP = 66
CARD_HEIGHT = 74
LINE = 24


def text(x: float, y: float, words: object, size: int = 13, fill: str = INK, more: str = "") -> str:
    """A word or a few, centred unless `more` says otherwise."""
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{fill}"{more}>{words}</text>'


def box(x: float, y: float, width: float, height: float, fill: str, more: str = "") -> str:
    """A rounded rectangle."""
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="4" fill="{fill}"'
        f"{more}/>"
    )


def disc(x: float, y: float, radius: float, fill: str, words: object = "") -> str:
    """A seat's token or mark, with its number."""
    mark = f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{fill}"/>'
    if words == "":
        return mark
    return mark + text(x, y + radius * 0.4, words, round(radius * 1.2), CARD)


def chip(x: float, y: float, mafioso: Mafioso) -> str:
    """A Mafioso in a column."""
    return box(x, y, 22, 26, FAMILY[mafioso.family]) + text(
        x + 11, y + 18, mafioso.value, 14, CARD, ' font-weight="bold"'
    )


def halves(points: float) -> str:
    """Points as people write them."""
    whole = int(points)
    return str(whole) if points == whole else f"{whole or ''}½"


def name_kinds(kinds: Sequence[int]) -> str:
    """Cards by kind in words."""
    named = [f"{count} {kind}" for kind, count in zip(KINDS, kinds, strict=True) if count]
    return ", ".join(named) or "none"


def _minis(stake: Stake, family: str) -> Iterator[tuple[str, str, int, str]]:
    """The kinds of card in a stake: colour, letter, how many, and words that a pointer shows."""
    if stake.contracts:
        yield FAMILY[family], "", stake.contracts, f"{stake.contracts} contracts"
    if stake.dollars:
        yield FAMILY["dollar"], "$", stake.dollars, f"{stake.dollars} dollars"
    if stake.vicelard:
        yield VICELARD, "V", 1, "the Vicelard card"
    if stake.copper:
        yield COPPER, "C", 1, "the Copper card"
    if stake.down.count:
        kinds = stake.down.kinds
        words = f"{stake.down.count} cards" if kinds is None else name_kinds(kinds)
        yield BACK, "½", stake.down.count, f"{words} face down"


def _stake_line(x: float, y: float, seat: int, stake: Stake, family: str, leads: bool) -> str:
    """A seat's stake on one line: tokens, cards, and the points at the right."""
    parts = [disc(x + 9 + 13 * i, y, 8, SEAT[seat], seat) for i in range(stake.tokens)]
    at = x + 9 + 13 * stake.tokens
    for fill, letter, count, words in _minis(stake, family):
        number = "" if count == 1 else text(at + 15, y + 5, count, 11, more=' text-anchor="start"')
        parts.append(f"<g><title>{words}</title>{box(at, y - 8, 12, 16, fill)}")
        parts.append(text(at + 6, y + 4, letter, 10, CARD) + number + "</g>")
        at += 17 if count == 1 else 25
    weight = ' text-anchor="end" font-weight="bold"' if leads else ' text-anchor="end"'
    parts.append(
        text(x + PLACE - 14, y + 5, halves(stake.points), 14, INK if leads else QUIET, weight)
    )
    return "".join(parts)


def _pawn(x: float, y: float, fill: str, letter: str, name: str) -> str:
    """A pawn: a head on a cone, with its letter."""
    return (
        f'<g><title>{name} pawn</title><path d="M{x - 10:g} {y + 16:g} L{x:g} {y - 6:g} '
        f'L{x + 10:g} {y + 16:g} Z" fill="{fill}" stroke="{PAPER}"/>'
        f'<circle cx="{x:g}" cy="{y - 6:g}" r="8" fill="{fill}" stroke="{PAPER}"/>'
        + text(x, y + 13, letter, 11, CARD, ' font-weight="bold"')
        + "</g>"
    )


def _place(view: View, index: int, place: Place) -> Iterator[str]:
    """A Mafioso of the row, the pawns on it, and the stakes below."""
    x = MARGIN + index * PLACE
    width = PLACE - 12
    mafioso = place.mafioso
    target = view.action is not None and view.action.target == index + 1
    faded = ' opacity="0.35"' if place.counted else ""
    if target:
        yield box(
            x - 4,
            ROW_TOP - 4,
            width + 8,
            CARD_HEIGHT + 8,
            "none",
            f' stroke="{INK}" stroke-width="3"',
        )
    yield f"<g{faded}>" + box(x, ROW_TOP, width, CARD_HEIGHT, FAMILY[mafioso.family])
    value = "?" if mafioso.value is None else mafioso.value
    yield text(x + 28, ROW_TOP + 47, value, 36, CARD, ' font-weight="bold"')
    yield text(x + 8, ROW_TOP + 67, mafioso.family.capitalize(), 12, CARD, ' text-anchor="start"')
    yield text(x + 8, ROW_TOP + 14, index + 1, 11, CARD, ' text-anchor="start"')
    yield "</g>"
    if view.copper_pawn == index + 1:
        yield _pawn(x + width - 52, ROW_TOP + 32, COPPER, "C", "Copper")
    if view.vicelard_pawn == index + 1:
        yield _pawn(x + width - 22, ROW_TOP + 32, VICELARD, "V", "Vicelard")
    best = max(stake.points for stake in place.stakes)
    leaders = sum(stake.points == best for stake in place.stakes)
    y = ROW_TOP + CARD_HEIGHT + 18
    for seat, stake in enumerate(place.stakes):
        if stake.points:
            leads = stake.points == best and leaders == 1
            yield _stake_line(x, y, seat, stake, mafioso.family, leads)
            y += LINE


def _prizes(view: View, y: float, sides: Mapping[str, str]) -> Iterator[str]:
    """The traffics of the families and the briefcases."""
    x = float(MARGIN)
    for traffic in view.traffics:
        yield box(x, y, 74, 52, CARD, f' stroke="{FAMILY[traffic.family]}" stroke-width="2"')
        yield box(x, y, 74, 16, FAMILY[traffic.family])
        yield text(x + 37, y + 12, traffic.family.capitalize(), 11, CARD)
        given = ((traffic.first, traffic.first_to), (traffic.second, traffic.second_to))
        for order, (value, seat) in enumerate(given):
            at = x + 20 + 34 * order
            yield text(at, y + 41, value, 20 if order == 0 else 15, more=' font-weight="bold"')
            if seat is not None:
                yield disc(at + 11, y + 25, 7, SEAT[seat], seat)
        x += 82
    for tile in view.briefcases:
        yield box(x, y, 96, 52, CARD, f' stroke="{QUIET}"')
        yield text(x + 48, y + 18, sides[tile.side], 12)
        yield text(x + 48, y + 41, tile.worth, 17, more=' font-weight="bold"')
        if tile.holder is not None:
            yield disc(x + 82, y + 36, 9, SEAT[tile.holder], tile.holder)
        x += 103


def _hand(x: float, y: float, cards: Cards) -> Iterator[str]:
    """A hand by kind if it is seen, or as one back; both with numbers."""
    if cards.kinds is None:
        yield box(x, y, 24, 32, BACK) + text(x + 12, y + 21, cards.count, 15, CARD)
        return
    for kind, count in zip(KINDS, cards.kinds, strict=True):
        if count:
            yield f"<g><title>{count} {kind}</title>{box(x, y, 24, 32, FAMILY[kind])}"
            if kind == "dollar":
                yield text(x + 12, y + 12, "$", 11, CARD)
            yield text(x + 12, y + 26, count, 15, CARD, ' font-weight="bold"') + "</g>"
            x += 28


def _mafiosi(x: float, y: float, seat: SeatView) -> Iterator[str]:
    """Columns side by side, Blackmats behind their family; those without one at the end."""
    groups = [
        [Mafioso(column.family, value) for value in column.values]
        + [Mafioso("blackmat", value) for value in column.blackmats]
        for column in seat.columns
    ]
    # A seat that wins nearly everything has its cards overlap.
    step = min(23, 400 / max(1, sum(map(len, groups)) + len(seat.waiting) + len(seat.joining)))
    for group in groups:
        for mafioso in group:
            yield chip(x, y, mafioso)
            x += step
        x += 10
    for values, words in ((seat.waiting, "waits"), (seat.joining, "joins")):
        for value in values:
            yield chip(x, y, Mafioso("blackmat", value)) + text(x + 11, y + 37, words, 9, QUIET)
            x += step + 4


def _piles(view: View, y: float) -> Iterator[str]:
    """Numbers of cards in the piles, and the Mafiosi that nobody has."""
    gone = sum(
        sum(seat.discarded_up) + seat.discarded_down.count + seat.paid_up + seat.paid_down.count
        for seat in view.seats
    )
    words = f"Draw pile {view.pile_count} · discards {gone} · Mafia deck {view.deck_count}"
    yield text(MARGIN, y, words, 12, QUIET, ' text-anchor="start"')
    yield text(MARGIN + 400, y, "Removed:" if view.removed else "", 12, QUIET)
    for index, mafioso in enumerate(view.removed):
        x = MARGIN + 432 + 21 * index
        yield box(x, y - 13, 18, 18, FAMILY[mafioso.family])
        yield text(x + 9, y + 1, mafioso.value, 11, CARD)


def _headings(y: float) -> Iterator[str]:
    for x, words in ((183, "tokens"), (240, "special"), (304, "hand"), (460, "Mafiosi")):
        yield text(MARGIN + x, y, words, 11, QUIET, ' text-anchor="start"')


def _seat(view: View, number: int, y: float, points: int) -> Iterator[str]:
    """Everything before one seat, on a band of its own."""
    seat = view.seats[number]
    active = view.phase != "over" and view.to_move == number
    frame = f' stroke="{SEAT[number]}" stroke-width="3"' if active else ""
    yield box(MARGIN, y, WIDTH - 2 * MARGIN, 50, CARD, frame)
    yield disc(MARGIN + 26, y + 25, 16, SEAT[number], number)
    yield text(MARGIN + 52, y + 21, f"{points} points", 13, more=' text-anchor="start"')
    notes = [
        name
        for name, shown in (
            ("first player", number == view.first and view.phase != "over"),
            ("your seat", number == view.viewer),
        )
        if shown
    ]
    yield text(MARGIN + 52, y + 38, ", ".join(notes), 11, QUIET, ' text-anchor="start"')
    for i in range(seat.tokens):
        yield disc(MARGIN + 190 + 17 * i, y + 25, 7, SEAT[number])
    x = MARGIN + 240
    for card, fill, letter in (
        (view.vicelard_card, VICELARD, "V"),
        (view.copper_card, COPPER, "C"),
    ):
        if card.holder == number and card.played_on is None:
            yield box(x, y + 9, 24, 32, fill) + text(x + 12, y + 30, letter, 15, CARD)
            x += 28
    x = MARGIN + 304
    yield from _hand(x, y + 9, seat.hand)
    yield from _mafiosi(MARGIN + 460, y + 9, seat)


def svg_table(view: View, caption: str, points: Sequence[int], sides: Mapping[str, str]) -> str:
    """The table as a picture on its own paper, so that it reads alike on light and dark pages.

    `points` are the scores by seat, `sides` the words for what briefcases ask for.
    """
    lines = max((sum(stake.points > 0 for stake in place.stakes) for place in view.row), default=-5)
    prizes = ROW_TOP + CARD_HEIGHT + 22 + LINE * max(lines, 1) if view.row else ROW_TOP
    seats = prizes + 84
    height = seats + 58 * len(view.seats) + 34
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
        f"<title>{caption}</title>",
        f'<rect width="{WIDTH}" height="{height}" rx="14" fill="{PAPER}"/>',
        '<g font-family="system-ui, sans-serif" text-anchor="middle">',
        text(WIDTH / 2, 32, caption, 18, more=' font-weight="bold"'),
    ]
    for index, place in enumerate(view.row):
        parts.extend(_place(view, index, place))
    parts.extend(_prizes(view, prizes, sides))
    parts.extend(_headings(seats - 8))
    for number in range(len(view.seats)):
        parts.extend(_seat(view, number, seats + 58 * number, points[number]))
    parts.extend(_piles(view, height - 18))
    parts.append("</g></svg>")
    return "\n".join(parts)
