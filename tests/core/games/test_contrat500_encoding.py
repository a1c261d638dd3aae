"""The bytes of Contrat 500: `unpack` checks every invariant and names the one that fails."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from tablier_core.errors import TokenInvalid
from tablier_core.registry import GAMES

from tests.core.games.contrat500_positions import ASKED, TOOK, Deal, Settled

GAME = GAMES["contrat500"]
HANDS = ((1, 1, 2, 2, 3, 3), (4, 4, 5, 5, 6, 6))
PLAYED = Deal(bids=[30, 30, 29, 29], hands=HANDS, pot=(7, 8, 9, 10), log=(7, 7 | TOOK))
LAST = Settled(
    winner=0,
    before=(50, 50),
    contracts=((28, 7), (3, 4)),
    hands=((2, 2, 3, 9, 9, 10), (5, 5, 6, 6, 7, 7)),
)
SETTLED = Deal(deal=2, last=LAST)
READY = Deal(bids=[6, 30, 6, 29], hands=((1, 1, 2, 2, 3, 3), (8, 8, 9, 9, 10, 10)))


def fault_of(data: bytes) -> str:
    with pytest.raises(TokenInvalid) as error:
        GAME.unpack(data)
    assert error.value.field == "state"
    return error.value.message.partition(":")[0]


def test_valid_bytes_are_unpacked_and_packed_unchanged():
    over = replace(SETTLED, deal=1, phase="over", target=199)
    pending = replace(PLAYED, log=(7, 7 | TOOK, 0), phase="discard")
    asked = replace(READY, phase="announce").discard_drawn(1)
    for deal in (PLAYED, SETTLED, READY, over, pending, asked):
        assert GAME.unpack(deal.bytes()).pack() == deal.bytes()


def test_a_wrong_length_is_rejected():
    for deal in (PLAYED, SETTLED):
        data = deal.bytes()
        for cut in range(len(data)):
            with pytest.raises(TokenInvalid):
                GAME.unpack(data[:cut])
        assert fault_of(data + b"\0") == fault_of(data[:-1]) == fault_of(b"") == "length"


@pytest.mark.parametrize(
    "deal",
    [
        replace(PLAYED, target=99), replace(PLAYED, target=10001), replace(PLAYED, max_deals=0),
        replace(PLAYED, max_deals=1001), replace(PLAYED, deal=0), replace(PLAYED, starter=2),
        replace(PLAYED, deal=4, max_deals=3), replace(PLAYED, rng=(1, 2)),
    ],
)  # fmt: skip
def test_values_out_of_range_are_rejected(deal: Deal):
    assert fault_of(deal.bytes()).startswith("phase, options")


@pytest.mark.parametrize(("at", "value"), [(0, 5), (1, 1), (1, 5), (2, 2)])
def test_unknown_phases_seats_and_flags_are_rejected(at: int, value: int):
    data = bytearray(PLAYED.bytes())
    data[at] = value
    assert fault_of(bytes(data)).startswith("phase, options")


@pytest.mark.parametrize(
    "last",
    [
        replace(LAST, winner=1),
        replace(LAST, winner=2),
        replace(LAST, deal=2),
        replace(LAST, deal=7),
        replace(LAST, before=(50, 500)),
        replace(LAST, before=(50, 70)),
    ],
    ids=["not made", "no such seat", "current deal", "future deal", "already over", "early gain"],
)
def test_an_impossible_settlement_is_rejected(last: Settled):
    assert fault_of(replace(SETTLED, last=last).bytes()) == "settlement"


def test_scores_that_no_match_can_reach_are_rejected():
    def with_scores(*before: int) -> Deal:
        return Deal(deal=3, last=replace(LAST, deal=2, before=before), target=10000)

    assert with_scores(60, 60).position().scores == [60 + 75 + 38 + 36, 60 - 36]
    for before in ((50, 51), (0, 0), (50, 501)):
        assert fault_of(with_scores(*before).bytes()) == "settlement"


def test_scores_that_contradict_the_phase_are_rejected():
    assert fault_of(replace(SETTLED, target=199).bytes()) == "scores"
    assert fault_of(Deal(phase="over").bytes()) == "scores"
    late = Deal(phase="over", deal=2, max_deals=2, last=LAST, target=199)
    assert fault_of(late.bytes()) == "scores"
    assert Deal(phase="over", deal=2, max_deals=2, last=LAST).position().over


def test_a_wrong_set_of_tiles_is_rejected():
    data = PLAYED.bytes()
    first = len(data) - 40
    for at, value in ((0, 0), (0, 11), (39, 9), (6, 5)):
        changed = bytearray(data)
        changed[first + at] = value
        assert fault_of(bytes(changed)) == "tiles"
    unsorted = bytearray(data)
    unsorted[first], unsorted[first + 5] = data[first + 5], data[first]
    assert fault_of(bytes(unsorted)) == "tiles"
    for hand in ((7, 7, 6, 6, 5, 5), (5, 5, 6, 6, 7, 11), (0, 5, 6, 6, 7, 7), (9, 9, 9, 9, 9, 10)):
        last = replace(LAST, hands=(LAST.hands[0], hand))
        assert fault_of(replace(SETTLED, last=last).bytes()) == "tiles"


def test_tiles_need_not_be_sorted_before_blind_bids_are_complete():
    deal = Deal(blind_bids=True, hands=((3, 3, 2, 2, 1, 1), HANDS[1]))
    data = bytearray(deal.bytes())
    data[-40:-34] = bytes((3, 3, 2, 2, 1, 1))
    assert GAME.unpack(bytes(data)).pack() == bytes(data)


@pytest.mark.parametrize(
    "deal",
    [
        replace(PLAYED, bids=[2, 30, 29, 29]),
        replace(PLAYED, bids=[31, 30, 29, 29]),
        replace(PLAYED, bids=[0, 30, 29, 29]),
        replace(PLAYED, bids=[30, 30, 30, 30]),
        replace(SETTLED, last=replace(LAST, contracts=((28, 7), (3, 0)))),
        replace(SETTLED, last=replace(LAST, contracts=((28, 7), (3, 31)))),
        replace(SETTLED, last=replace(LAST, contracts=((7, 28), (28, 28))), bids=[28] * 4),
    ],
)
def test_impossible_bids_are_rejected(deal: Deal):
    assert fault_of(deal.bytes()) == "bids"


def test_too_many_bids_are_rejected():
    data = bytearray(PLAYED.bytes())
    data[10] = 5
    assert fault_of(bytes(data)) == "bids"


@pytest.mark.parametrize(
    "log",
    [
        (7 | TOOK,),
        (8,),
        (7, 7),
        (7 | ASKED,),
        (7, 0),
        (0, 7),
        (7 | 64,),
        (11,),
        (0 | ASKED,),
    ],
    ids=[
        "take in the first turn", "not held", "not drawn", "wrongly asked", "pending in turn",
        "pending before the last", "unknown mark", "no such tile", "asked while pending",
    ],
)  # fmt: skip
def test_illegal_turns_are_rejected(log: tuple[int, ...]):
    assert fault_of(replace(PLAYED, log=log).bytes()) == "turns"


def test_turns_without_their_mark_or_tile_are_rejected():
    assert fault_of(replace(READY, log=(4,)).bytes()) == "turns"
    empty = Deal(bids=[30, 30, 29, 29], hands=HANDS).discard_drawn(28)
    assert fault_of(replace(empty, log=(*empty.log, 0), phase="discard").bytes()) == "turns"
    data = bytearray(PLAYED.bytes())
    data[11] = 41
    assert fault_of(bytes(data)) == "turns"


@pytest.mark.parametrize(
    "deal",
    [
        replace(PLAYED, phase="bid"),
        replace(PLAYED, phase="turn", bids=[30, 30, 29], log=()),
        replace(PLAYED, bids=[30, 30, 29]),
        replace(PLAYED, phase="discard"),
        replace(PLAYED, phase="discard", log=()),
        replace(PLAYED, phase="announce"),
        replace(PLAYED, phase="announce", log=()),
        replace(PLAYED, phase="over", max_deals=1),
        replace(PLAYED, phase="over", max_deals=1, bids=(), log=(), starter=1),
        Deal(bids=[30, 30, 29, 29], hands=HANDS).discard_drawn(28).discard_taken(12),
    ],
)
def test_a_phase_that_does_not_follow_is_rejected(deal: Deal):
    assert fault_of(deal.bytes()) == "phase"


def test_changed_bytes_are_rejected_or_packed_unchanged():
    chance = random.Random(7)
    for deal in (PLAYED, SETTLED, READY):
        data = deal.bytes()
        for at in range(len(data)):
            changed = bytearray(data)
            changed[at] ^= 1 << chance.randrange(8)
            try:
                position = GAME.unpack(bytes(changed))
            except TokenInvalid:
                continue
            assert position.pack() == bytes(changed)
