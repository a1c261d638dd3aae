"""Drawings of a view of Contract: text for a terminal and SVG for a page.

The SVG is one column of blocks, so that it can be read on a phone, or two columns if the caller
says that there is room.
"""

from __future__ import annotations

from collections.abc import Iterator

from tablier_core.drawing import Look, Picture, escape
from tablier_core.games.contract.bands import Bands
from tablier_core.games.contract.observe import Cards, SeatView, Special, Stake, View
from tablier_core.games.contract.pieces import INNER, pieces_of
from tablier_core.games.contract.words import (
    SIDES,
    caption,
    count_points,
    halves,
    headline,
    name_kinds,
    scores,
)
from tablier_core.languages import Language

# ---- Text ----------------------------------------------------------------------------------------


def _cards(cards: Cards, language: Language) -> str:
    if cards.kinds is None or not cards.count:
        return str(cards.count)
    return f"{cards.count} ({name_kinds(cards.kinds, language)})"


def _stake(seat: int, stake: Stake, language: Language) -> str:
    count, say = language.ngettext, language.gettext
    pieces = [
        words.format(count=number)
        for number, words in (
            (stake.tokens, count("{count} token", "{count} tokens", stake.tokens)),
            (stake.contracts, count("{count} contract", "{count} contracts", stake.contracts)),
            (stake.dollars, count("{count} dollar", "{count} dollars", stake.dollars)),
        )
        if number
    ]
    pieces += [name for name in ("vicelard", "copper") if getattr(stake, name)]
    if stake.down.count:
        pieces.append(say("{cards} face down").format(cards=_cards(stake.down, language)))
    words = say("seat {seat}: {pieces} = {points}")
    return words.format(seat=seat, pieces=", ".join(pieces), points=halves(stake.points))


def _row(view: View, language: Language) -> Iterator[str]:
    for number, place in enumerate(view.row, start=1):
        value = "?" if place.mafioso.value is None else place.mafioso.value
        marks = " <copper>" * (number == view.copper_pawn)
        marks += " <vicelard>" * (number == view.vicelard_pawn)
        marks += (" " + language.gettext("counted")) * place.counted
        yield f" {number}. {place.mafioso.family} {value}{marks}"
        for seat, stake in enumerate(place.stakes):
            if stake.points:
                yield f"      {_stake(seat, stake, language)}"


def _columns(seat: SeatView, language: Language) -> str:
    say = language.gettext
    columns = []
    for column in seat.columns:
        values = [*map(str, column.values), *(f"+{value}" for value in column.blackmats)]
        columns.append(f"{column.family} {' '.join(values)}")
    for blackmats, words in (
        (seat.waiting, say("waiting: Blackmat {values}")),
        (seat.joining, say("joining: Blackmat {values}")),
    ):
        if blackmats:
            columns.append(words.format(values=" ".join(map(str, blackmats))))
    return say("; ").join(columns) or say("none yet")


def _special(name: str, card: Special, language: Language) -> str:
    if card.holder is None:
        words = language.gettext("{name} card aside")
    elif card.played_on is None:
        words = language.gettext("{name} card: seat {seat}")
    else:
        words = language.gettext("{name} card: seat {seat} on {place}")
    return words.format(name=name, seat=card.holder, place=card.played_on)


def _piles_text(view: View, language: Language) -> Iterator[str]:
    say = language.gettext
    up = [sum(kinds) for kinds in zip(*(seat.discarded_up for seat in view.seats), strict=True)]
    up[-1] += sum(seat.paid_up for seat in view.seats)
    down = sum(seat.discarded_down.count + seat.paid_down.count for seat in view.seats)
    words = say(
        "Discards: {up}; {down} face down" if any(up) else "Discards: none; {down} face down"
    )
    yield words.format(up=name_kinds(up, language), down=down)
    words = say("Draw pile {pile}; Mafia deck {deck}")
    yield words.format(pile=view.pile_count, deck=view.deck_count)


def _seat_text(view: View, seat: int, score: int, language: Language) -> Iterator[str]:
    say = language.gettext
    shown = view.seats[seat]
    first = seat == view.first and view.phase != "over"
    words = say("Seat {seat}, first player: {points}") if first else say("Seat {seat}: {points}")
    name = f"{seat} {say('(you)')}" if seat == view.viewer else seat
    yield words.format(seat=name, points=count_points(score, language))
    words = say("hand {cards}; tokens {tokens}")
    yield "  " + words.format(cards=_cards(shown.hand, language), tokens=shown.tokens)
    yield "  " + say("Mafiosi: {columns}").format(columns=_columns(shown, language))


def _traffic(points: int, seat: int | None, language: Language) -> str:
    """The points of a traffic, and the seat that has won it in the end."""
    if seat is None:
        return str(points)
    return language.gettext("{points} (seat {seat})").format(points=points, seat=seat)


def draw_text(view: View, language: Language) -> str:
    """Draw the table for a terminal."""
    say = language.gettext
    lines = [caption(view, language), *_row(view, language)]
    vicelard = _special("Vicelard", view.vicelard_card, language)
    copper = _special("Copper", view.copper_card, language)
    lines.append(vicelard + say("; ") + copper)
    for seat, score in enumerate(scores(view)):
        lines.extend(_seat_text(view, seat, score, language))
    tiles = [
        say("{family} {first} and {second}").format(
            family=tile.family,
            first=_traffic(tile.first, tile.first_to, language),
            second=_traffic(tile.second, tile.second_to, language),
        )
        for tile in view.traffics
    ]
    lines.append(say("Traffics: {tiles}").format(tiles=say("; ").join(tiles)))
    for tile in view.briefcases:
        words = (
            say("Briefcase: {side}, {worth}")
            if tile.holder is None
            else say("Briefcase: {side}, {worth}, seat {seat}")
        )
        side = say(SIDES[tile.side])
        lines.append(words.format(side=side, worth=tile.worth, seat=tile.holder))
    lines.extend(_piles_text(view, language))
    return "\n".join(lines)


# ---- SVG -----------------------------------------------------------------------------------------

MARGIN = 8
WIDTH = INNER + 2 * MARGIN
# Pictures at least this wide have two columns of bands.
WIDE = 720
TOP = 52


def _add_row(view: View, bands: Bands) -> None:
    """Add a band for each Mafioso of the row. A finished game has none."""
    if not view.row:
        return
    bands.add_heading("The row")
    target = view.action.target if view.action else 0
    for number, place in enumerate(view.row, start=1):
        bands.add_mafioso(
            number,
            place,
            now=number == target,
            copper=number == view.copper_pawn,
            vicelard=number == view.vicelard_pawn,
        )
    bands.add_gap()


def _add_seats(view: View, first: int, bands: Bands) -> None:
    """Add a band for each seat in turn order, beginning with one of them."""
    playing = view.phase != "over"
    points = scores(view)
    for step in range(len(view.seats)):
        number = (first + step) % len(view.seats)
        bands.add_seat(
            number,
            points[number],
            view.seats[number],
            viewer=number == view.viewer,
            first=number == view.first and playing,
            moves=number == view.to_move and playing,
            vicelard=_holds(view.vicelard_card, number) and playing,
            copper=_holds(view.copper_card, number) and playing,
        )
    bands.add_gap()


def _holds(card: Special, seat: int | None) -> bool:
    return card.holder == seat and card.played_on is None


def _add_table(view: View, bands: Bands) -> None:
    """Add the piles, and what the pieces mean."""
    discards = 0
    for seat in view.seats:
        discards += sum(seat.discarded_up) + seat.discarded_down.count
        discards += seat.paid_up + seat.paid_down.count
    bands.add_piles(view.pile_count, discards, view.deck_count)
    vicelard, copper = _holds(view.vicelard_card, None), _holds(view.copper_card, None)
    if (vicelard or copper) and view.row:
        bands.add_aside(vicelard, copper)
    if view.removed:
        bands.add_removed(view.removed)
    bands.add_gap()
    bands.add_legend(view.copper_card_points)


def draw_svg(view: View, look: Look) -> str:
    """Draw the row of Mafiosi, the seats, the prizes, the piles and a legend."""
    language = look.language
    pieces = pieces_of(look.palette, language)
    picture = Picture(look)
    part, rest = headline(view, language)
    task = escape(rest[0].upper() + rest[1:], quote=False)
    first = max(0, view.viewer) if look.bottom is None else look.bottom
    left = right = Bands(picture, pieces, MARGIN, TOP)
    width = WIDTH
    if look.width < WIDE:
        _add_row(view, left)
        _add_seats(view, first, left)
        left.add_prizes(view.traffics, view.briefcases)
    else:
        width += INNER + 2 * MARGIN
        right = Bands(picture, pieces, WIDTH + MARGIN, TOP)
        _add_row(view, left)
        # At the end there is no row, and the prizes take its place.
        (right if view.row else left).add_prizes(view.traffics, view.briefcases)
        _add_seats(view, first, right)
    _add_table(view, left)
    heading = (
        f'<text x="{MARGIN}" y="24" font-size="17" font-weight="bold">{part}</text>\n'
        f'<text x="{MARGIN}" y="43">{task}</text>'
    )
    drawn = "".join([heading, *left.drawn, *(() if left is right else right.drawn)])
    title = language.gettext("{part}: {rest}").format(part=part, rest=rest)
    return picture.document(width, max(left.y, right.y) + 4, title, [drawn])
