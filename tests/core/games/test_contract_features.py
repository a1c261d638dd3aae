"""The features of Contract contain the whole view (reference: Features)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tablier_core.games.contract.observe import (
    FAMILIES,
    STAGES,
    Action,
    Briefcase,
    Cards,
    Column,
    Kinds,
    Mafioso,
    Place,
    SeatView,
    Shuffled,
    Special,
    Stake,
    Traffic,
    View,
)
from tablier_core.games.contract.options import COLOURS, SIDES
from tablier_core.registry import GAMES

from tests.core import laws
from tests.core.games.numbers import Numbers, chosen
from tests.core.variants import VARIANTS, Options, label

GAME = GAMES["contract"]
MOST_SEATS = 5


def decode(numbers: Numbers) -> View:
    """Rebuild the view of a seat from its features alone."""
    seats = numbers.one("seats")
    first, to_move = (numbers.seat_at(chosen(numbers.whole(n)), seats) for n in ("first", "turn"))
    assert first is not None
    assert to_move is not None
    return View(
        viewer=numbers.seat,
        phase=numbers.phase(),
        round=numbers.one("round"),
        rounds=5 if seats == 2 else 4,
        first=first,
        to_move=to_move,
        passes=numbers.one("passes"),
        row=tuple(decode_place(numbers, place) for place in range(row_length(numbers))),
        copper_pawn=1 + numbers.whole("copper_pawn").index(1),
        vicelard_pawn=1 + numbers.whole("vicelard_pawn").index(1),
        copper_card=decode_special(numbers, "copper_card"),
        vicelard_card=decode_special(numbers, "vicelard_card"),
        copper_card_points=numbers.flat("copper_points")[0],
        action=decode_action(numbers, to_move),
        seats=tuple(decode_seat(numbers, seat) for seat in range(seats)),
        traffics=decode_traffics(numbers),
        briefcases=decode_briefcases(numbers),
        removed=tuple(
            Mafioso(COLOURS[(code - 1) // 21], (code - 1) % 21)
            for code in numbers.whole("removed")
            if code
        ),
        unseen=with_fate(numbers, 7),
        deck_count=numbers.one("deck"),
        pile_count=numbers.one("pile"),
        shuffles=numbers.one("shuffles"),
        deck=None,
        pile=None,
        chance=None,
    )


def row_length(numbers: Numbers) -> int:
    return sum(sum(row) for row in numbers.rows("row_family"))


def seat_from(numbers: Numbers, place: int) -> int | None:
    """Return the seat at a place that counts from 1; None for 0."""
    return numbers.seat_at(place - 1 if place else None, numbers.one("seats"))


def kinds_of(counts: list[int]) -> Kinds:
    brakova, yakaz, rodrigos, costa, dollar = counts
    return brakova, yakaz, rodrigos, costa, dollar


def cards(numbers: Numbers, count: int, own: list[int], seat: int) -> Cards:
    """Return cards of a seat, whose kinds only it knows."""
    if seat != numbers.seat:
        return Cards(count, None)
    assert sum(own) == count
    return Cards(count, kinds_of(own))


def of_seat(numbers: Numbers, name: str, seat: int, size: int = 1, start: int = 0) -> list[int]:
    """Return what a slice says about a seat: `size` numbers per seat, from index `start` on."""
    at = start + size * ((seat - numbers.seat) % numbers.one("seats"))
    return numbers.whole(name)[at : at + size]


def decode_place(numbers: Numbers, place: int) -> Place:
    family = chosen(numbers.rows("row_family")[place])
    value = numbers.whole("row_value")[place]
    assert family is not None
    return Place(
        mafioso=Mafioso(COLOURS[family], None if value < 0 else value),
        counted=place < numbers.one("counted"),
        stakes=tuple(decode_stake(numbers, place, seat) for seat in range(numbers.one("seats"))),
    )


def decode_stake(numbers: Numbers, place: int, seat: int) -> Stake:
    tokens, contracts, dollars, down = (
        of_seat(numbers, f"stake_{name}", seat, start=MOST_SEATS * place)[0]
        for name in ("tokens", "contracts", "dollars", "down")
    )
    at = MOST_SEATS * place + (seat - numbers.seat) % numbers.one("seats")
    special = [decode_special(numbers, name) for name in ("vicelard_card", "copper_card")]
    vicelard, copper = (
        tokens > 0 and (card.holder, card.played_on) == (seat, place + 1) for card in special
    )
    own = numbers.rows("own_down")[place]
    points = numbers.flat("stake_points")[at]
    return Stake(
        tokens, contracts, dollars, cards(numbers, down, own, seat), vicelard, copper, points
    )


def decode_special(numbers: Numbers, name: str) -> Special:
    marks, seats = numbers.whole(name), numbers.one("seats")
    place = chosen(marks[5:11])
    return Special(
        holder=numbers.seat_at(chosen(marks[:5]), seats),
        played_on=None if place is None else place + 1,
        won_by=numbers.seat_at(chosen(marks[11:]), seats),
    )


def decode_action(numbers: Numbers, to_move: int) -> Action | None:
    target = chosen(numbers.whole("target"))
    if target is None:
        return None
    count, *own = numbers.whole("down_now")
    half = chosen(numbers.whole("half_kind"))
    return Action(
        kind=("influence", "reinforce", "copper", "vicelard")[numbers.whole("action").index(1)],
        target=target + 1,
        last_piece=STAGES[numbers.whole("last_piece").index(1)],
        down=cards(numbers, count, own, to_move),
        half_paid=bool(numbers.one("half_paid")),
        half_kind=None if half is None else (*FAMILIES, "dollar")[half],
    )


def decode_seat(numbers: Numbers, seat: int) -> SeatView:
    hand, tokens, paid_up, paid_down, discarded = (
        of_seat(numbers, name, seat)[0]
        for name in ("hand", "tokens", "paid_up", "paid_down", "discarded_down")
    )
    place = (seat - numbers.seat) % numbers.one("seats") + 1
    columns = numbers.whole("blackmat_column")
    owned = [with_fate(numbers, place, family) for family in range(5)]
    blackmats: list[tuple[int, ...]] = [
        tuple(value for value in owned_values(owned[4]) if columns[value] == column)
        for column in range(1, 7)
    ]
    return SeatView(
        hand=cards(numbers, hand, numbers.whole("own_hand"), seat),
        tokens=tokens,
        paid_up=paid_up,
        paid_down=cards(numbers, paid_down, numbers.whole("own_paid_down"), seat),
        discarded_up=kinds_of(of_seat(numbers, "discarded_up", seat, 5)),
        discarded_down=cards(numbers, discarded, numbers.whole("own_discarded_down"), seat),
        shuffled=tuple(
            decode_shuffled(numbers, pile, seat) for pile in range(numbers.one("shuffles"))
        ),
        columns=tuple(
            Column(COLOURS[family], owned_values(owned[family]), blackmats[family])
            for family in range(4)
            if owned[family]
        ),
        waiting=blackmats[4],
        joining=blackmats[5],
    )


def owned_values(mafiosi: tuple[Mafioso, ...]) -> tuple[int, ...]:
    return tuple(mafioso.value for mafioso in mafiosi if mafioso.value is not None)


def with_fate(numbers: Numbers, fate: int, family: int | None = None) -> tuple[Mafioso, ...]:
    """Return the Mafiosi that something has become of: of a family, or all."""
    return tuple(
        Mafioso(COLOURS[each], value)
        for each, fates in enumerate(numbers.rows("mafiosi"))
        for value, found in enumerate(fates)
        if found == fate and family in (None, each)
    )


def decode_shuffled(numbers: Numbers, pile: int, seat: int) -> Shuffled:
    down, drawn, before = (
        of_seat(numbers, f"shuffled_{name}", seat, start=MOST_SEATS * pile)[0]
        for name in ("down", "drawn", "before")
    )
    return Shuffled(
        up=kinds_of(of_seat(numbers, "shuffled_up", seat, 5, start=25 * pile)),
        down=cards(numbers, down, numbers.rows("own_shuffled_down")[pile], seat),
        drawn=cards(numbers, drawn, numbers.rows("own_shuffled_drawn")[pile], seat),
        drawn_before=before,
    )


def decode_traffics(numbers: Numbers) -> tuple[Traffic, ...]:
    first, second = numbers.rows("traffic")
    winners = [[seat_from(numbers, place) for place in row] for row in numbers.rows("traffic_to")]
    return tuple(map(Traffic, FAMILIES, first, second, *winners))


def decode_briefcases(numbers: Numbers) -> tuple[Briefcase, ...]:
    names = ("briefcase_side", "briefcase_worth", "briefcase_holder")
    return tuple(
        Briefcase(SIDES[side - 1], worth, seat_from(numbers, holder))
        for side, worth, holder in zip(*map(numbers.whole, names), strict=True)
        if side
    )


@pytest.mark.parametrize("options", VARIANTS[GAME.name], ids=label)
@settings(max_examples=2)
@given(seed=st.integers(0, 2**32))
def test_the_view_can_be_rebuilt_from_the_features(options: Options, seed: int):
    for position in laws.sample(GAME, options, seed, count=20):
        for seat in range(position.seats):
            numbers = Numbers(GAME, seat, position.features(seat))
            assert decode(numbers) == position.observe(seat)
