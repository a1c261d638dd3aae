"""Drawings of a view of Contract: text for a terminal and SVG for a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tablier_core.drawing import (
    BLUE,
    CARD,
    GREEN,
    INK,
    PAPER,
    QUIET,
    RED,
    Look,
    box,
    counted,
    disc,
    document,
    name_seats,
    placed,
    text,
)
from tablier_core.games.contract.observe import (
    FAMILIES,
    KINDS,
    Cards,
    Place,
    SeatView,
    Special,
    Stake,
    View,
)
from tablier_core.games.contract.options import COLOURS, HIGHEST
from tablier_core.languages import Language

SIDES = {
    "families-3": "3 families",
    "families-4": "4 families",
    "same-2": "2 of a family",
    "same-3": "3 of a family",
    "blackmats-2": "2 Blackmats",
    "twos-3": "three 2s",
    "most-mafiosi": "most Mafiosi",
    "largest-family": "largest family",
    "most-threes": "most 3s",
    "most-twos": "most 2s",
}
TASKS = {
    "action": "chooses an action",
    "pieces": "places tokens and cards",
    "pay": "pays",
    "chase": "chooses where Copper flees",
    "join": "chooses a column for a Blackmat",
    "copper": "drops a rival's Mafioso or takes the Copper card",
}
ACTIONS = {"copper": "to move Copper", "vicelard": "to move Vicelard"}

# ---- Wording -------------------------------------------------------------------------------------


def score(view: View, seat: int) -> int:
    """Add up the briefcases taken so far and, at the end, the traffics."""
    points = sum(tile.worth for tile in view.briefcases if tile.holder == seat)
    for traffic in view.traffics:
        points += traffic.first if traffic.first_to == seat else 0
        points += traffic.second if traffic.second_to == seat else 0
    return points


def caption(view: View) -> str:
    """Describe the situation in one line."""
    if view.phase == "over":
        scores = [score(view, seat) for seat in range(len(view.seats))]
        best = max(scores)
        winners = [seat for seat, points in enumerate(scores) if points == best]
        verb = "wins" if len(winners) == 1 else "share the win"
        return f"The game is over: {name_seats(winners)} {verb} with {counted(best, 'point')}"
    task = TASKS[view.phase]
    if view.action is not None:
        kind = ACTIONS.get(view.action.kind, view.action.kind)
        task += f" ({kind}, place {view.action.target})"
    return f"Round {view.round} of {view.rounds}: seat {view.to_move} {task}"


def halves(points: float) -> str:
    """Write points with a half as ½."""
    whole = int(points)
    return str(whole) if points == whole else f"{whole or ''}½"


def name_kinds(kinds: Sequence[int]) -> str:
    """Write cards by kind in words."""
    named = [
        counted(count, kind) if kind == "dollar" else f"{count} {kind}"
        for kind, count in zip(KINDS, kinds, strict=True)
        if count
    ]
    return ", ".join(named) or "none"


# ---- Text ----------------------------------------------------------------------------------------


def _cards(cards: Cards) -> str:
    if cards.kinds is None or not cards.count:
        return str(cards.count)
    return f"{cards.count} ({name_kinds(cards.kinds)})"


def _stake(seat: int, stake: Stake) -> str:
    pieces = (
        (stake.tokens, "token"),
        (stake.contracts, "contract"),
        (stake.dollars, "dollar"),
    )
    parts = [counted(count, name) for count, name in pieces if count]
    parts += [name for name in ("vicelard", "copper") if getattr(stake, name)]
    parts += [f"{_cards(stake.down)} face down"] if stake.down.count else []
    return f"seat {seat}: {', '.join(parts)} = {halves(stake.points)}"


def _row(view: View) -> Iterator[str]:
    for number, place in enumerate(view.row, start=1):
        value = "?" if place.mafioso.value is None else place.mafioso.value
        marks = " <copper>" * (number == view.copper_pawn)
        marks += " <vicelard>" * (number == view.vicelard_pawn)
        marks += " counted" * place.counted
        yield f" {number}. {place.mafioso.family} {value}{marks}"
        for seat, stake in enumerate(place.stakes):
            if stake.points:
                yield f"      {_stake(seat, stake)}"


def _columns(seat: SeatView) -> str:
    columns = []
    for column in seat.columns:
        values = [*map(str, column.values), *(f"+{value}" for value in column.blackmats)]
        columns.append(f"{column.family} {' '.join(values)}")
    if seat.waiting:
        columns.append(f"waiting: Blackmat {' '.join(map(str, seat.waiting))}")
    if seat.joining:
        columns.append(f"joining: Blackmat {' '.join(map(str, seat.joining))}")
    return "; ".join(columns) or "none yet"


def _special(name: str, card: Special) -> str:
    if card.holder is None:
        return f"{name} card aside"
    place = "" if card.played_on is None else f" on {card.played_on}"
    return f"{name} card: seat {card.holder}{place}"


def draw_text(view: View, language: Language) -> str:
    """Draw the table for a terminal."""
    lines = [caption(view), *_row(view)]
    lines.append(
        f"{_special('Vicelard', view.vicelard_card)}; {_special('Copper', view.copper_card)}"
    )
    for seat, shown in enumerate(view.seats):
        first = ", first player" * (seat == view.first and view.phase != "over")
        lines.append(f"Seat {seat}{first}: {counted(score(view, seat), 'point')}")
        lines.append(f"  hand {_cards(shown.hand)}; tokens {shown.tokens}")
        lines.append(f"  Mafiosi: {_columns(shown)}")
    traffics = [f"{t.family} {t.first} and {t.second}" for t in view.traffics]
    lines.append(f"Traffics: {'; '.join(traffics)}")
    for tile in view.briefcases:
        holder = "" if tile.holder is None else f", seat {tile.holder}"
        lines.append(f"Briefcase: {SIDES[tile.side]}, {tile.worth}{holder}")
    up = [sum(kinds) for kinds in zip(*(seat.discarded_up for seat in view.seats), strict=True)]
    up[-1] += sum(seat.paid_up for seat in view.seats)
    down = sum(seat.discarded_down.count + seat.paid_down.count for seat in view.seats)
    lines.append(f"Discards: {name_kinds(up)}; {down} face down")
    lines.append(f"Draw pile {view.pile_count}; Mafia deck {view.deck_count}")
    return "\n".join(lines)


# ---- SVG -----------------------------------------------------------------------------------------

BACK = "#8d7b68"
FAMILY = {
    "brakova": RED,
    "yakaz": "#c9951a",
    "rodrigos": GREEN,
    "costa": BLUE,
    "blackmat": "#1d1b1a",
    "dollar": "#7d8f69",
}
SEAT = ("#7b4fa3", "#dd7230", "#1f8f84", "#c0508a", "#5c6670")
COPPER, VICELARD = "#8a4b1f", "#a33b6b"
MARGIN = 24
PLACE = 158
WIDTH = 2 * MARGIN + 6 * PLACE
ROW_TOP = 66
CARD_HEIGHT = 74
LINE = 24
BAND = 58


def _label(x: float, y: float, words: object, size: int, fill: str = QUIET) -> str:
    return text(x, y, words, size, fill=fill, text_anchor="start")


def _frame(x: float, y: float, width: float, height: float, colour: str) -> str:
    return box(x, y, width, height, "none", stroke=colour, stroke_width=3)


def _seat_disc(x: float, y: float, radius: float, seat: int) -> str:
    """Draw a disc in a seat's colour, with its number."""
    number = text(x, y + radius * 0.4, seat, round(radius * 1.2), fill=CARD)
    return disc(x, y, radius, SEAT[seat]) + number


def _traffic(family: str) -> str:
    """Draw the card of a family's traffic, without its tiles."""
    return (
        box(0, 0, 74, 52, CARD, stroke=FAMILY[family], stroke_width=2)
        + box(0, 0, 74, 16, FAMILY[family])
        + text(37, 12, family.capitalize(), 11, fill=CARD)
    )


def _chip(family: str, value: int) -> str:
    """Draw a Mafioso that a seat owns."""
    return box(0, 0, 22, 26, FAMILY[family]) + text(11, 18, value, 14, CARD, "bold")


# Parts that look the same in every picture are drawn once.
HEADINGS = "".join(
    _label(x, 0, words, 11)
    for x, words in ((183, "tokens"), (240, "special"), (304, "hand"), (460, "Mafiosi"))
)
BANDS = [
    box(0, 0, WIDTH - 2 * MARGIN, BAND - 8, CARD) + _seat_disc(26, 25, 16, seat)
    for seat in range(len(SEAT))
]
BRIEFCASES = {
    side: box(0, 0, 96, 52, CARD, stroke=QUIET) + text(48, 18, words, 12)
    for side, words in SIDES.items()
}
CARDS = {kind: box(0, 0, 24, 32, FAMILY[kind]) for kind in KINDS}
CARDS["dollar"] += text(12, 12, "$", 11, fill=CARD)
TRAFFICS = {family: _traffic(family) for family in FAMILIES}
CHIPS = {
    (colour, value): _chip(colour, value) for colour in COLOURS for value in range(HIGHEST + 1)
}


def _minis(stake: Stake, family: str) -> Iterator[tuple[str, str, int, str]]:
    """Yield colour, letter, number and tooltip of each sort of card in a stake."""
    if stake.contracts:
        yield FAMILY[family], "", stake.contracts, counted(stake.contracts, "contract")
    if stake.dollars:
        yield FAMILY["dollar"], "$", stake.dollars, counted(stake.dollars, "dollar")
    if stake.vicelard:
        yield VICELARD, "V", 1, "the Vicelard card"
    if stake.copper:
        yield COPPER, "C", 1, "the Copper card"
    if stake.down.count:
        kinds = stake.down.kinds
        words = counted(stake.down.count, "card") if kinds is None else name_kinds(kinds)
        yield BACK, "½", stake.down.count, f"{words} face down"


def _stake_line(x: float, y: float, seat: int, stake: Stake, family: str, leads: bool) -> str:
    """Draw a seat's tokens and cards on one line, with the points at the right."""
    parts = [_seat_disc(x + 9 + 13 * i, y, 8, seat) for i in range(stake.tokens)]
    at = x + 9 + 13 * stake.tokens
    for fill, letter, count, words in _minis(stake, family):
        number = "" if count == 1 else _label(at + 15, y + 5, count, 11, INK)
        parts.append(f"<g><title>{words}</title>{box(at, y - 8, 12, 16, fill)}")
        parts.append(text(at + 6, y + 4, letter, 10, fill=CARD) + number + "</g>")
        at += 17 if count == 1 else 25
    fill, weight = (INK, "bold") if leads else (QUIET, "")
    points = halves(stake.points)
    parts.append(text(x + PLACE - 14, y + 5, points, 14, fill, weight, text_anchor="end"))
    return "".join(parts)


def _pawn(x: float, y: float, fill: str, name: str) -> str:
    """Draw a head on a cone, with the initial of the pawn's name."""
    return (
        f'<g><title>{name} pawn</title><path d="M{x - 10:g} {y + 16:g} L{x:g} {y - 6:g} '
        f'L{x + 10:g} {y + 16:g} Z" fill="{fill}" stroke="{PAPER}" stroke-width="1.5"/>'
        + disc(x, y - 6, 8, fill, stroke=PAPER, stroke_width=1.5)
        + text(x, y + 13, name[0], 11, fill=CARD, font_weight="bold")
        + "</g>"
    )


def _place(view: View, index: int, place: Place) -> Iterator[str]:
    """Draw a Mafioso of the row, the pawns on it, and the stakes below."""
    x, width = MARGIN + index * PLACE, PLACE - 12
    mafioso = place.mafioso
    if view.action is not None and view.action.target == index + 1:
        yield _frame(x - 4, ROW_TOP - 4, width + 8, CARD_HEIGHT + 8, INK)
    faded = ' opacity="0.35"' if place.counted else ""
    yield f"<g{faded}>" + box(x, ROW_TOP, width, CARD_HEIGHT, FAMILY[mafioso.family])
    value = "?" if mafioso.value is None else mafioso.value
    yield text(x + 28, ROW_TOP + 47, value, 36, fill=CARD, font_weight="bold")
    yield _label(x + 8, ROW_TOP + 67, mafioso.family.capitalize(), 12, CARD)
    yield _label(x + 8, ROW_TOP + 14, index + 1, 11, CARD) + "</g>"
    if view.copper_pawn == index + 1:
        yield _pawn(x + width - 52, ROW_TOP + 32, COPPER, "Copper")
    if view.vicelard_pawn == index + 1:
        yield _pawn(x + width - 22, ROW_TOP + 32, VICELARD, "Vicelard")
    best = max(stake.points for stake in place.stakes)
    leaders = sum(stake.points == best for stake in place.stakes)
    y = ROW_TOP + CARD_HEIGHT + 18
    for seat, stake in enumerate(place.stakes):
        if stake.points:
            leads = stake.points == best and leaders == 1
            yield _stake_line(x, y, seat, stake, mafioso.family, leads)
            y += LINE


def _prizes(view: View, y: float) -> Iterator[str]:
    """Draw the traffics of the families and the briefcases."""
    x = float(MARGIN)
    for traffic in view.traffics:
        yield placed(x, y, TRAFFICS[traffic.family])
        tiles = ((traffic.first, traffic.first_to, 20), (traffic.second, traffic.second_to, 15))
        for order, (value, seat, size) in enumerate(tiles):
            at = x + 20 + 34 * order
            # With a winner, the number makes room for a disc.
            shift = 0 if seat is None else 9
            yield text(at - shift, y + 41, value, size, font_weight="bold")
            if seat is not None:
                yield _seat_disc(at + 7, y + 36, 8, seat)
        x += 82
    for tile in view.briefcases:
        yield placed(x, y, BRIEFCASES[tile.side])
        yield text(x + 48, y + 41, tile.worth, 17, font_weight="bold")
        if tile.holder is not None:
            yield _seat_disc(x + 82, y + 36, 9, tile.holder)
        x += 103


def _hand(x: float, y: float, cards: Cards) -> Iterator[str]:
    """Draw a hand by kind, or as one card back if the kinds are hidden; both with numbers."""
    if cards.kinds is None:
        yield box(x, y, 24, 32, BACK) + text(x + 12, y + 21, cards.count, 15, fill=CARD)
        return
    for kind, count in zip(KINDS, cards.kinds, strict=True):
        if count:
            number = text(12, 26, count, 15, CARD, "bold")
            yield placed(x, y, f"<title>{count} {kind}</title>{CARDS[kind]}{number}")
            x += 28


def _mafiosi(x: float, y: float, seat: SeatView) -> Iterator[str]:
    """Draw columns side by side, each with its Blackmats; Blackmats without a column come last."""
    groups = [
        [CHIPS[column.family, value] for value in column.values]
        + [CHIPS["blackmat", value] for value in column.blackmats]
        for column in seat.columns
    ]
    # The cards of a seat that wins nearly everything overlap.
    step = min(23, 400 / max(1, sum(map(len, groups)) + len(seat.waiting) + len(seat.joining)))
    for group in groups:
        for chip in group:
            yield placed(x, y, chip)
            x += step
        x += 10
    for values, words in ((seat.waiting, "waits"), (seat.joining, "joins")):
        for value in values:
            label = text(x + 11, y + 37, words, 9, fill=QUIET)
            yield placed(x, y, CHIPS["blackmat", value]) + label
            x += step + 4


def _seat(view: View, number: int, y: float) -> Iterator[str]:
    """Draw everything that belongs to a seat on a band of its own."""
    seat = view.seats[number]
    yield placed(MARGIN, y, BANDS[number])
    if view.phase != "over" and view.to_move == number:
        yield _frame(MARGIN, y, WIDTH - 2 * MARGIN, BAND - 8, SEAT[number])
    yield _label(MARGIN + 52, y + 21, counted(score(view, number), "point"), 13, INK)
    notes = ["first player"] if number == view.first and view.phase != "over" else []
    notes += ["your seat"] if number == view.viewer else []
    if notes:
        yield _label(MARGIN + 52, y + 38, ", ".join(notes), 11)
    for i in range(seat.tokens):
        yield disc(MARGIN + 190 + 17 * i, y + 25, 7, SEAT[number])
    x = MARGIN + 240
    special = ((view.vicelard_card, VICELARD, "V"), (view.copper_card, COPPER, "C"))
    for card, fill, letter in special:
        if card.holder == number and card.played_on is None:
            yield box(x, y + 9, 24, 32, fill) + text(x + 12, y + 30, letter, 15, fill=CARD)
            x += 28
    yield from _hand(MARGIN + 304, y + 9, seat.hand)
    yield from _mafiosi(MARGIN + 460, y + 9, seat)


def _piles(view: View, y: float) -> Iterator[str]:
    """Write the numbers of cards in the piles, and draw the Mafiosi that nobody owns."""
    discards = sum(
        sum(seat.discarded_up) + seat.discarded_down.count + seat.paid_up + seat.paid_down.count
        for seat in view.seats
    )
    words = f"Draw pile {view.pile_count} · discards {discards} · Mafia deck {view.deck_count}"
    yield _label(MARGIN, y, words, 12)
    if view.removed:
        yield text(MARGIN + 424, y, "Removed:", 12, fill=QUIET, text_anchor="end")
    for index, mafioso in enumerate(view.removed):
        x = MARGIN + 432 + 21 * index
        yield box(x, y - 13, 18, 18, FAMILY[mafioso.family])
        yield text(x + 9, y + 1, mafioso.value, 11, fill=CARD)


def draw_svg(view: View, look: Look) -> str:
    """Draw the row of Mafiosi, the prizes below it, and a band for each seat."""
    title = caption(view)
    lines = max((sum(stake.points > 0 for stake in place.stakes) for place in view.row), default=0)
    prizes = ROW_TOP + CARD_HEIGHT + 22 + LINE * max(lines, 1) if view.row else ROW_TOP
    seats = prizes + 84
    height = seats + BAND * len(view.seats) + 34
    parts = [text(WIDTH / 2, 32, title, 18, font_weight="bold")]
    for index, place in enumerate(view.row):
        parts.extend(_place(view, index, place))
    parts.extend(_prizes(view, prizes))
    parts.append(placed(MARGIN, seats - 8, HEADINGS))
    for number in range(len(view.seats)):
        parts.extend(_seat(view, number, seats + BAND * number))
    parts.extend(_piles(view, height - 18))
    return document(WIDTH, height, title, parts, anchor="middle")
