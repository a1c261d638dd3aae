"""The engine of Contrat 500: obvious moves, no peeking, bounds and strength."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from tablier_core.advice import Report, advise
from tablier_core.position import Position
from tablier_core.registry import GAMES

from campaigns.players.contrat500 import pursuer, splitter
from tests.core.games.contrat500_positions import ASKED, TOOK, Deal, Settled

GAME = GAMES["contrat500"]
Player = Callable[[Position, int, random.Random], int]


def think(position: Position, seed: int = 1, iterations: int = 2000) -> Report:
    return advise(position, position.actors[0], iterations=iterations, seed=seed)


def best(position: Position) -> str:
    return GAME.write_move(think(position).suggestions[0].action)


def shares(position: Position) -> dict[str, float]:
    """The value of each move for the seat to move."""
    seat = position.actors[0]
    return {
        GAME.write_move(found.action): found.values[seat] for found in think(position).suggestions
    }


def scored(mine: int, theirs: int) -> Settled:
    """A settlement that results in these scores: seat 1 announced 16 and 17, seat 0 paid 21."""
    hands = ((1, 2, 3, 4, 5, 6), (4, 5, 7, 5, 6, 6))
    before, contracts = (mine + 21, theirs - 41), ((30, 30), (16, 17))
    return Settled(1, before, contracts, [sorted(hand) for hand in hands], deal=9)


# ---- Bids ----------------------------------------------------------------------------------------


def test_a_starter_bids_its_most_valuable_split():
    # 10 + 10 + 9 and 1 + 1 + 2 are worth 150 each.
    position = Deal(hands=((1, 1, 2, 9, 10, 10),)).position()
    first = best(position)
    assert first in {"bid 4", "bid 29"}
    position = position.apply(0, GAME.read_move(first))
    position = position.apply(1, GAME.read_move("bid 16"))
    assert {first, best(position)} == {"bid 4", "bid 29"}


@pytest.mark.parametrize("hand", [(1, 3, 4, 6, 8, 10), (2, 2, 5, 7, 7, 9), (3, 4, 5, 5, 6, 8)])
def test_a_starter_bids_a_split_that_it_can_announce_at_once(hand: tuple[int, ...]):
    position = Deal(hands=(hand,)).position()
    for _ in range(2):
        position = position.apply(0, think(position).suggestions[0].action)
        position = position.apply(1, GAME.read_move("bid 30"))
    assert best(position) == "announce"


def test_the_second_seat_bids_for_the_one_contract_it_will_realise():
    # 7 is more valuable than 25. A seat with both would realise 7 and pay 25, so it avoids 7.
    hands = ((4, 5, 6, 6, 7, 8), (2, 2, 3, 8, 8, 9))
    position = Deal(hands=hands, bids=[16]).position()
    bids = []
    for _ in range(2):
        bids.append(best(position))
        position = position.apply(1, GAME.read_move(bids[-1]))
        if position.phase == "bid":
            position = position.apply(0, GAME.read_move("bid 20"))
    assert "bid 25" in bids
    assert "bid 7" not in bids


def test_hopeless_bids_have_low_values():
    # One draw cannot bring these tiles near 3 or 30.
    worth = shares(Deal(hands=((4, 5, 5, 6, 6, 7),)).position())
    for bid in ("bid 3", "bid 30", "bid 29", "bid 4"):
        assert worth[bid] < max(worth.values()) - 0.05


def test_blind_bids_are_quick_pairs_unless_the_seat_is_far_behind():
    def first_pair(last: Settled | None) -> list[int]:
        deal = Deal(blind_bids=True, last=last, deal=10 if last else 1)
        position = deal.position()
        pair = []
        for _ in range(2):
            move = think(position, iterations=100_000).suggestions[0].action
            pair.append(int(GAME.write_move(move).split()[1]))
            position = position.apply(0, move).apply(1, GAME.read_move("bid 16"))
        return sorted(pair)

    low, high = first_pair(None)
    assert 10 <= low <= 17 <= high <= 23
    # If the rival is about to reach 500 points, quick pairs pay too little to overtake it.
    low, high = first_pair(scored(60, 485))
    assert low < 10 or high > 23


# ---- Turns ---------------------------------------------------------------------------------------


def test_made_contracts_are_announced():
    hands = ((1, 1, 2, 9, 10, 10), (4, 5, 6, 6, 7, 8))
    position = Deal(hands=hands, bids=[4, 16, 29, 17]).position()
    assert best(position) == "announce"
    position = position.apply(0, GAME.read_move("pot"))
    drawn = next(turn.received for turn in position.observe(0).turns)
    position = position.apply(0, GAME.read_move(f"discard {drawn}"))
    assert (position.phase, best(position)) == ("announce", "announce")


def test_an_announcement_that_loses_the_match_is_declined():
    # Everybody knows that seat 1 took three 10s for its 30: those 150 points would take it past
    # 500. It cannot announce itself, since 29 needs two more 10s than there are.
    hands = ((4, 5, 6, 10, 10, 10), (1, 1, 2, 2, 7, 7))
    log = (10, 1 | TOOK, 10, 1 | TOOK, 10 | ASKED, 2 | TOOK)
    deal = Deal(
        hands=hands, bids=[16, 30, 17, 29], pot=(5, 6, 7), log=log, last=scored(350, 400), deal=10
    )
    worth = shares(deal.position())
    assert worth["announce"] == -1.0
    assert best(deal.position()) != "announce"


def test_a_useless_tile_is_discarded():
    # 4 is made, and 29 lacks a 9: the 5 is useless.
    hands = ((1, 1, 2, 5, 10, 10), (4, 5, 6, 6, 7, 8))
    deal = Deal(hands=hands, bids=[4, 30, 29, 30], pot=(6,))
    position = deal.position().apply(0, GAME.read_move("pot"))
    assert best(position) in {"discard 5", "discard 6"}
    worth = shares(position)
    assert min(worth["discard 5"], worth["discard 6"]) > max(
        worth[move] for move in ("discard 1", "discard 2", "discard 10")
    )


def test_the_missing_tile_is_taken():
    hands = ((1, 1, 2, 5, 10, 10), (4, 5, 6, 6, 7, 9))
    deal = Deal(starter=1, hands=hands, bids=[30, 4, 30, 29], pot=(8,), log=(9,))
    assert best(deal.position()) == "take"
    # A discard of another number is useless, and the pot may hold the missing tile.
    deal = Deal(starter=1, hands=hands, bids=[30, 4, 30, 29], pot=(8,), log=(6,))
    assert best(deal.position()) == "pot"


def test_a_tile_that_the_next_seat_needs_is_kept():
    # Seat 1 took 10, 10 and 9 in public and bid 29 twice. Of two useless tiles, the 10 is the one
    # to keep.
    hands = ((3, 3, 6, 6, 10, 10), (1, 1, 2, 2, 7, 7))
    log = (10, 1 | TOOK, 10, 1 | TOOK, 9, 2 | TOOK, 9, 2 | TOOK, 10, 7 | TOOK, 8)
    pot = (10, 9, 9, 10, 8, 8)
    deal = Deal(hands=hands, bids=[12, 29, 15, 29], pot=pot, log=log[:10])
    position = deal.position().apply(0, GAME.read_move("pot"))
    worth = shares(position)
    assert worth["discard 10"] < worth["discard 8"]


# ---- No peeking and bounds -----------------------------------------------------------------------


def walk(options: dict[str, object], seed: int) -> list[Position]:
    """Positions of a game in which seats mostly bid what they hold and pursue their contracts."""
    chance = random.Random(seed)
    position = GAME.start(options, seed)
    found: list[Position] = []
    while not position.over and len(found) < 60:
        found.append(position)
        seat = position.actors[0]
        player = chance.choice((splitter, pursuer))
        move = player(position, seat, chance)
        if GAME.write_move(move) == "announce" and chance.random() < 0.5:
            move = chance.choice(position.moves(seat))
        position = position.apply(seat, move)
    return found


@pytest.mark.parametrize("blind", [False, True])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_advice_depends_only_on_what_the_seat_knows_and_on_the_seed(seats: int, blind: bool):
    for position in walk({"seats": seats, "blind_bids": blind}, seats)[1::9]:
        seat = position.actors[0]
        advice = think(position, iterations=40).suggestions
        assert think(position.determinize(seat, 3), iterations=40).suggestions == advice
        for found in advice:
            assert all(-1.0 <= value <= 1.0 for value in found.values)
            assert sum(found.values) == pytest.approx(2 - seats)
        assert {found.action for found in advice} == set(position.moves(seat))


def test_moves_with_an_empty_pot_are_valued():
    deal = Deal(hands=((1, 2, 3, 4, 5, 6), (1, 2, 3, 4, 5, 6)), bids=[30, 30, 29, 29])
    position = deal.discard_drawn(28).position()
    assert set(shares(position)) == {"take", "void"}


def test_more_iterations_value_more_bids():
    # A single iteration is enough for an answer, if a crude one.
    position = GAME.start({"blind_bids": True}, 1)
    little, much = think(position, iterations=1), think(position, iterations=100_000)
    assert len({found.values for found in little.suggestions}) < 5
    assert len({found.values for found in much.suggestions}) > 5


# ---- Strength ------------------------------------------------------------------------------------


def engine(position: Position, seat: int, rng: random.Random) -> int:
    return advise(position, seat, iterations=10, seed=rng.getrandbits(32)).suggestions[0].action


def random_player(position: Position, seat: int, rng: random.Random) -> int:
    return rng.choice(position.moves(seat))


@pytest.mark.parametrize("blind", [False, True])
def test_every_move_is_valued_even_without_any_time(blind: bool):
    """The engine then guesses how soon rivals announce."""
    chance = random.Random(7)
    position = GAME.start({"seats": 4, "blind_bids": blind, "max_deals": 1}, 7)
    distinguished = 0
    while not position.over:
        seat = position.actors[0]
        report = advise(position, seat, seconds=1e-9)
        assert {found.action for found in report.suggestions} == set(position.moves(seat))
        for found in report.suggestions:
            assert all(-1 <= value <= 1 for value in found.values)
        distinguished += len({found.values for found in report.suggestions}) > 1
        position = position.apply(seat, chance.choice(position.moves(seat)))
    assert distinguished


def test_the_engine_beats_random_players():
    ahead = 0.0
    for game in range(4):
        chance = random.Random(game)
        position = GAME.start({"max_deals": 2}, game)
        players: list[Player] = [engine, random_player] if game % 2 else [random_player, engine]
        while not position.over:
            seat = position.actors[0]
            position = position.apply(seat, players[seat](position, seat, chance))
        own = players.index(engine)
        ahead += position.scores[own] - position.scores[1 - own]
    assert ahead / 4 > 50
