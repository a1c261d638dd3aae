"""Hidden information in Contrat 500: what each viewer sees, and the worlds drawn for it."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement
from math import comb, prod, sqrt
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tablier_core.position import REFEREE, Position
from tablier_core.registry import GAMES

from tests.core.games.contrat500_positions import ASKED, TOOK, Deal, Settled, ready

GAME = GAMES["contrat500"]


def play(position: Position, *moves: str) -> Position:
    for move in moves:
        position = position.apply(position.actors[0], GAME.read_move(move))
    return position


def lively_game(options: Mapping[str, object], chance: random.Random) -> list[Position]:
    """A game in which seats bid what they hold, often take and mostly decline.

    So there are many known tiles and many seats that were asked.
    """
    position = GAME.start(options, chance.getrandbits(60))
    positions = [position]
    while not position.over:
        seat = position.actors[0]
        legal = {GAME.write_move(move): move for move in position.moves(seat)}
        hand = list(position.observe().hands[seat])
        chance.shuffle(hand)
        wish = "take" if chance.random() < 0.5 else chance.choice(list(legal))
        if position.phase == "bid" and hand:
            wish = f"bid {sum(hand[:3])}"
        elif wish == "announce" and chance.random() < 0.9:
            wish = "decline"
        position = position.apply(seat, legal.get(wish, legal[chance.choice(list(legal))]))
        positions.append(position)
    return positions


# ---- Views ---------------------------------------------------------------------------------------


def test_a_seat_sees_its_own_tiles_and_those_taken_and_discarded():
    hands = ((1, 1, 2, 2, 3, 3), (4, 4, 5, 5, 6, 6), (7, 7, 8, 8, 9, 9))
    deal = Deal(seats=3, bids=[30, 30, 30, 29, 29, 29], hands=hands, pot=(10, 9, 8))
    position = play(deal.position(), "pot", "discard 1", "take", "discard 4", "pot")
    own, other = position.observe(0), position.observe(1)
    assert own.hands == ((1, 2, 2, 3, 3, 10), None, None)
    assert own.hand_sizes == other.hand_sizes == (6, 6, 7)
    assert [turn.received for turn in own.turns] == [10, 1, None]
    assert [turn.received for turn in other.turns] == [None, 1, None]
    assert [turn.discarded for turn in other.turns] == [1, 4, None]
    assert [turn.took for turn in other.turns] == [False, True, False]
    # Seat 1 took the 1 in public and has not discarded it.
    assert own.known == ((), (1,), ())
    assert (own.pot_size, own.pot, own.rng) == (40, None, None)
    assert position.observe(2).hands[2] == (7, 7, 8, 8, 9, 9, 9)


def test_a_taken_tile_is_known_until_one_of_its_number_is_discarded():
    hands = ((1, 1, 2, 2, 3, 3), (1, 4, 5, 5, 6, 6))
    deal = Deal(bids=[30, 30, 29, 29], hands=hands, pot=(10, 9, 8))
    position = play(deal.position(), "pot", "discard 1", "take")
    assert position.observe(0).known == ((), (1,))
    assert play(position, "discard 4").observe(0).known == ((), (1,))
    assert play(position, "discard 1").observe(0).known == ((), ())


def test_a_settlement_shows_all_hands_to_everybody():
    hands = ((2, 2, 3, 9, 9, 10), (5, 5, 6, 6, 7, 7))
    position = play(Deal(bids=[28, 3, 7, 4], hands=hands).position(), "announce")
    for viewer in (REFEREE, 0, 1):
        last = position.observe(viewer).last
        assert tuple(row.hand for row in last.seats) == hands
        assert tuple(row.contracts for row in last.seats) == ((28, 7), (3, 4))
        assert (last.deal, last.winner) == (1, 0)


def rebuilt(view: Any) -> Position:
    """Rebuild a state from the referee's view, undoing the turns to find the dealt hands."""
    hands = [list(hand) for hand in view.hands]
    drawn = [turn.received for turn in view.turns if not turn.took]
    for turn in reversed(view.turns):
        if turn.discarded is not None:
            hands[turn.seat].append(turn.discarded)
        hands[turn.seat].remove(turn.received)
    last = view.last and Settled(
        winner=view.last.winner,
        before=[row.before for row in view.last.seats],
        contracts=[row.contracts for row in view.last.seats],
        hands=[row.hand for row in view.last.seats],
        deal=view.last.deal,
    )
    starter = view.starter or 0
    placed = [
        view.contracts[(starter + i) % view.seats][i // view.seats]
        for i in range(sum(map(len, view.contracts)))
    ]
    return Deal(
        seats=view.seats,
        starter=starter,
        bids=placed,
        hands=[] if view.blind_bids and view.phase == "bid" else hands,
        pot=[*drawn, *view.pot],
        log=tuple(
            (turn.discarded or 0) | TOOK * turn.took | ASKED * turn.asked for turn in view.turns
        ),
        deal=view.deal,
        target=view.target,
        max_deals=view.max_deals,
        blind_bids=view.blind_bids,
        last=last,
        phase=view.phase,
        rng=view.rng,
    ).position()


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("blind_bids", [False, True])
def test_the_state_can_be_rebuilt_from_the_referees_view(seats: int, blind_bids: bool):
    options = {"seats": seats, "blind_bids": blind_bids, "max_deals": 3}
    for position in lively_game(options, random.Random(seats)):
        assert rebuilt(position.observe(REFEREE)).pack() == position.pack()


# ---- Worlds --------------------------------------------------------------------------------------


@settings(max_examples=12)
@given(seed=st.integers(0, 2**32))
def test_worlds_fit_everything_the_viewer_has_seen(seed: int):
    chance = random.Random(seed)
    options = {
        "seats": chance.choice((2, 3, 4)), "blind_bids": chance.random() < 0.3, "max_deals": 3,
    }  # fmt: skip
    for position in chance.sample(lively_game(options, chance), 25):
        for viewer in range(position.seats):
            world = position.determinize(viewer, seed)
            # `unpack` replays the log and checks every discard and every public answer.
            assert GAME.unpack(world.pack()).pack() == world.pack()
            assert world.observe(viewer) == position.observe(viewer)
            assert world.infoset(viewer) == position.infoset(viewer)
            assert world.moves(viewer) == position.moves(viewer)
            again = world.determinize(viewer, seed + 1)
            assert again.pack() == position.determinize(viewer, seed + 1).pack()
            for seat, known in enumerate(world.observe(viewer).known):
                assert not Counter(known) - Counter(world.observe().hands[seat])


def test_future_chance_is_redrawn_for_everybody():
    position = GAME.start({"seats": 3}, 9)
    for viewer in (REFEREE, 0, 1, 2):
        assert position.determinize(viewer, 1).observe().rng != position.observe().rng
    referees = position.determinize(REFEREE, 1)
    assert referees.infoset(REFEREE) == position.infoset(REFEREE)
    assert referees.observe().hands == position.observe().hands
    assert referees.observe().pot == position.observe().pot


def test_infosets_differ_exactly_by_what_the_viewer_has_seen():
    hands = ((1, 1, 2, 2, 3, 3), (4, 4, 5, 5, 6, 6))
    bids = [30, 30, 29, 29]
    here = Deal(bids=bids, hands=hands, pot=(7, 8)).position()
    elsewhere = Deal(bids=bids, hands=(hands[0], (7, 7, 8, 8, 9, 9)), pot=(10,)).position()
    assert here.infoset(0) == elsewhere.infoset(0)
    assert here.infoset(1) != elsewhere.infoset(1)
    assert here.infoset(REFEREE) != elsewhere.infoset(REFEREE)
    assert here.infoset(0) != Deal(bids=[30, 29, 29, 30], hands=hands).position().infoset(0)
    drawn = [play(position, "pot") for position in (here, elsewhere)]
    assert drawn[0].infoset(1) != drawn[1].infoset(1)
    assert drawn[0].infoset(0) != drawn[1].infoset(0)


def test_there_is_one_world_if_every_tile_has_been_seen():
    hands = ((1, 1, 2, 2, 3, 3), (8, 8, 9, 9, 10, 10))
    deal = Deal(bids=[30, 3, 29, 4], hands=hands).discard_drawn(28)
    for seed in range(20):
        assert deal.position().determinize(0, seed).observe().hands == hands


def test_a_seat_that_was_asked_makes_its_contracts_in_every_world():
    # Only 1 1 1 and 10 10 10 make 3 and 30: a blind draw would not find them.
    hands = ((1, 1, 1, 10, 10, 9), (4, 4, 5, 5, 6, 6))
    deal = Deal(bids=[30, 29, 3, 4], hands=hands, pot=(10,))
    asked = play(deal.position(), "pot", "discard 9")
    declined = play(asked, "decline", "pot", "discard 4")
    for position in (asked, declined):
        for seed in range(20):
            assert position.determinize(1, seed).observe().hands[0] == (1, 1, 1, 10, 10, 10)


def test_worlds_fit_an_earlier_question_after_the_hand_has_changed():
    hands = ((1, 1, 1, 10, 10, 9), (4, 4, 5, 5, 6, 6))
    deal = Deal(bids=[30, 29, 3, 4], hands=hands, pot=(10, 2, 3, 7, 8))
    moves = ("pot", "discard 9", "decline", "pot", "discard 2", "pot", "discard 10", "pot",
             "discard 7", "pot", "discard 1")  # fmt: skip
    position = play(deal.position(), *moves)
    seen = set()
    for seed in range(60):
        world = GAME.unpack(position.determinize(1, seed).pack()).observe()
        # One 10 and one 1 of those that made 30 and 3 were discarded; the others must remain.
        assert not Counter((1, 1, 10, 10)) - Counter(world.hands[0])
        assert world.turns[0].asked
        assert not world.turns[2].asked
        seen.add(world.hands[0])
    assert len(seen) > 10


def test_two_rivals_that_were_asked_share_scarce_tiles():
    # Both hold 10 10 10 and low tiles; with three seats there are only six 10s.
    hands = ((3, 3, 4, 4, 5, 5), (1, 1, 1, 10, 10, 10), (1, 1, 2, 10, 10, 10))
    deal = Deal(seats=3, bids=[20, 30, 30, 21, 3, 4], hands=hands, pot=(6, 7, 8))
    position = play(deal.position(), "pot", "discard 6", "pot", "discard 7", "decline", "pot",
                    "discard 8")  # fmt: skip
    assert position.phase == "announce"
    for seed in range(10):
        assert position.determinize(0, seed).observe().hands[1:] == hands[1:]


def test_rivals_that_declined_leave_each_other_the_tiles_they_must_hold():
    # Seat 0 and the viewer have all the 1s, so seat 2 can only have made 6 and 6 with 2s. Each tile
    # of a hand that was asked has been discarded since or must still be held.
    hands = ((1,) * 6, (1, 1, 2, 4, 10, 10), (2,) * 6, (3, 3, 3, 3, 2, 3))
    pot = (8, 4, 5, 6, 5, 10, 5, 9, 6, 9, 6, 7, 8, 7, 8, 10, 9, 7, 4, 7, 8, 10, 9, 8, 4, 10, 4, 5)
    bids = [3, 4, 6, 8, 3, 30, 6, 9]
    position = Deal(seats=4, bids=bids, hands=hands, pot=pot).position()
    discarded = (8, 4, 5, 6, 5, 10, 2, 9, 1, 9, 5, 3)
    for tile in discarded:
        position = play(position, "pot", f"discard {tile}")
        if position.phase == "announce":
            position = play(position, "decline")
    asked = [[turn.asked for turn in position.observe().turns[seat::4]] for seat in (0, 2, 3)]
    assert asked == [[True, True, False], [True, False, False], [True, True, False]]
    for seed in range(20):
        world = GAME.unpack(position.determinize(1, seed).pack()).observe()
        assert world.hands[0].count(1) == 5
        assert world.hands[2].count(2) == 5
        assert not Counter((3, 3, 3)) - Counter(world.hands[3])


def past_ways(position: Position, seat: int) -> Callable[[tuple[int, ...]], int]:
    """Count the pasts that lead a seat to a hand of sorted tiles, by undoing its turns one by one.

    A past says which tile the seat received in each turn; tiles of the same number differ.
    """
    view = position.observe(REFEREE)
    contracts = view.contracts[seat]
    turns = [turn for turn in view.turns if turn.seat == seat and turn.discarded is not None]
    known = [Counter[int]()]
    for turn in turns:
        after = known[-1] + Counter([turn.received] if turn.took else [])
        known.append(after - Counter([turn.discarded]))

    @cache
    def ways(hand: tuple[int, ...], count: int) -> int:
        if Counter(known[count]) - Counter(hand):
            return 0
        if count == 0:
            return 1
        turn = turns[count - 1]
        if ready(hand, contracts) != turn.asked:
            return 0
        seven = Counter((*hand, turn.discarded))
        left = Counter([turn.received]) if turn.took else seven - known[count - 1]
        return sum(
            (1 if turn.took else copies)
            * ways(tuple(sorted((seven - Counter([tile])).elements())), count - 1)
            for tile, copies in left.items()
        )

    return lambda hand: ways(hand, len(turns))


def exact_hands(position: Position, viewer: int) -> Counter[tuple[tuple[int, ...], ...]]:
    """The exact weights of the hands that the rivals of a viewer can hold, by enumeration."""
    view = position.observe(REFEREE)
    rivals = [seat for seat in range(view.seats) if seat != viewer]
    # Tiles that a rival is known to hold have been seen.
    known = {seat: Counter(position.observe(viewer).known[seat]) for seat in rivals}
    unseen = Counter(view.pot)
    for seat in rivals:
        unseen.update(Counter(view.hands[seat]) - known[seat])
    found: list[tuple[Counter[int], tuple[tuple[int, ...], ...], int]] = [(unseen, (), 1)]
    for seat in rivals:
        ways = past_ways(position, seat)
        possible = [
            (hand, Counter(hand) - known[seat], ways(hand))
            for hand in combinations_with_replacement(range(1, 11), 6)
            if ways(hand)
        ]
        found = [
            (
                left - drawn,
                (*hands, hand),
                weight * pasts * prod(comb(left[tile], n) for tile, n in drawn.items()),
            )
            for left, hands, weight in found
            for hand, drawn, pasts in possible
            if not drawn - left
        ]
    return Counter({hands: weight for _, hands, weight in found})


@dataclass
class Asked:
    """A deal in which rivals of seat 1 were asked and declined."""

    deal: Deal
    moves: str

    def position(self) -> Position:
        return play(self.deal.position(), *self.moves.split(", "))


OWN = (4, 4, 5, 5, 6, 6)
LOW_HIGH = (1, 1, 3, 9, 9, 10)
ASKED_DEALS = {
    # Each of these deals is beyond 256 blind draws most of the time.
    "once": Asked(
        Deal(bids=[28, 3, 5, 4], hands=((1, 1, 3, 9, 9, 7), OWN), pot=(10, 6, 7)),
        "pot, discard 7, decline, pot, discard 6, pot, discard 9",
    ),
    "twice running": Asked(
        Deal(bids=[28, 3, 5, 4], hands=((1, 1, 3, 9, 9, 7), OWN), pot=(10, 6, 9, 7, 8)),
        "pot, discard 7, decline, pot, discard 6, pot, discard 9, decline, pot, discard 7, "
        "pot, discard 1",
    ),
    "twice with a pause": Asked(
        Deal(bids=[28, 3, 5, 4], hands=(LOW_HIGH, OWN), pot=(7, 6, 2, 7, 1, 8, 8)),
        "pot, discard 7, decline, pot, discard 6, pot, discard 1, pot, discard 7, "
        "pot, discard 2, decline, pot, discard 8, pot, discard 9",
    ),
    "after taking": Asked(
        Deal(bids=[28, 3, 5, 4], hands=((1, 1, 3, 9, 9, 7), OWN), pot=(10, 8, 6, 10, 7, 5)),
        "pot, discard 7, decline, pot, discard 8, take, discard 9, pot, discard 6, "
        "pot, discard 9, decline, pot, discard 7, pot, discard 1",
    ),
    "two rivals": Asked(
        Deal(
            seats=3,
            bids=[28, 3, 29, 5, 4, 4],
            hands=(LOW_HIGH, OWN, (1, 1, 2, 9, 10, 10)),
            pot=(7, 6, 8, 9, 5, 7),
        ),
        "pot, discard 7, decline, pot, discard 6, pot, discard 8, decline, "
        "pot, discard 9, decline, pot, discard 5, pot, discard 10",
    ),
}


@pytest.mark.parametrize("name", ASKED_DEALS)
def test_hands_after_questions_have_their_exact_probabilities(name: str):
    """A hand is weighted by the number of ways to hold it and to reach it."""
    position = ASKED_DEALS[name].position()
    weights = exact_hands(position, 1)
    total, wanted = weights.total(), 4000
    seen = Counter(
        tuple(hand for seat, hand in enumerate(world.observe().hands) if seat != 1)
        for world in (position.determinize(1, seed) for seed in range(wanted))
    )
    assert set(seen) <= set(weights)
    # Pearson's statistic; hands that are too rare for it are counted together.
    expected, observed = defaultdict[object, float](float), Counter[object]()
    for hands, weight in weights.items():
        often = wanted * weight / total
        kind = hands if often >= 5 else "rare"
        expected[kind] += often
        observed[kind] += seen[hands]
    statistic = sum((observed[kind] - often) ** 2 / often for kind, often in expected.items())
    freedom = len(expected) - 1
    assert freedom > 3
    assert statistic < freedom + 4 * sqrt(2 * freedom)


def test_hands_are_as_likely_as_in_random_play():
    """Compares worlds with simulated shuffles in which seats discard at random."""
    own, discarded, contracts = (1, 1, 2, 2, 3, 3), 7, (16, 17)
    deal = Deal(starter=1, bids=[16, 3, 17, 4], hands=(own, (4, 5, 6, 7, 8, 9)), pot=(10,))
    position = play(deal.position(), "pot", f"discard {discarded}")
    assert position.phase == "turn"
    chance = random.Random(1)
    unseen = [*range(1, 11)] * 4
    for tile in own:
        unseen.remove(tile)
    expected, wanted = Counter[int](), 4000
    found = 0
    while found < wanted:
        seven = chance.sample(unseen, 7)
        if seven.pop(chance.randrange(7)) == discarded and not ready(seven, contracts):
            expected.update(seven)
            found += 1
    drawn = Counter[int]()
    for seed in range(wanted):
        drawn.update(position.determinize(0, seed).observe().hands[1])
    for tile in range(1, 11):
        assert drawn[tile] / wanted == pytest.approx(expected[tile] / wanted, abs=0.06)
