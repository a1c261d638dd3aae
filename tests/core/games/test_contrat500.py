"""The rules of Contrat 500, in the order of its reference page."""

from __future__ import annotations

import pytest
from tablier_core.errors import GameOver, MoveIllegal, MoveUnparsable, OptionError, WrongSeat
from tablier_core.games.contrat500.settlement import contract_values
from tablier_core.position import REFEREE, Position
from tablier_core.registry import GAMES

from tests.core.games.contrat500_positions import Deal, Settled

GAME = GAMES["contrat500"]


def notations(position: Position) -> set[str]:
    return {GAME.write_move(move) for move in position.moves(position.actors[0])}


def play(position: Position, *moves: str) -> Position:
    for move in moves:
        position = position.apply(position.actors[0], GAME.read_move(move))
    return position


# ---- Components ----------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_there_are_two_copies_of_each_tile_per_seat(seats: int):
    view = GAME.start({"seats": seats}, 1).observe()
    tiles = [*view.pot, *(tile for hand in view.hands for tile in hand)]
    assert sorted(tiles) == sorted([*range(1, 11)] * 2 * seats)
    assert len(tiles) == {2: 40, 3: 60, 4: 80}[seats]


def test_contract_values_match_the_table():
    table = ["150", "150", "75", "50", "38", "30", "21", "19", "15", "13", "12", "11", "10", "10"]
    expected = {3 + i: int(value) for i, value in enumerate(table)}
    expected |= {30 - i: int(value) for i, value in enumerate(table)}
    assert contract_values() == expected
    # The printed rules have a misprint: 19 is worth as much as 14, not 15.
    assert (expected[19], expected[14], expected[15]) == (11, 11, 10)


def test_every_seat_starts_with_50_points():
    assert GAME.start({"seats": 4}, 0).scores == [50] * 4


def test_losers_never_pay_more_than_they_have_after_the_bank_paid_them():
    # Seat 0 makes nothing and owes 57 of its 50; seat 2 has 0, gets 10 for 18 and owes 24.
    last = Settled(
        deal=2,
        winner=1,
        before=(50, 140, 0),
        contracts=((3, 4), (28, 7), (18, 3)),
        hands=((9, 9, 9, 10, 10, 10), (2, 2, 3, 9, 9, 10), (6, 6, 6, 8, 8, 8)),
    )
    after = Deal(seats=3, deal=3, last=last).position()
    assert after.scores == [0, 140 + 75 + 38 + 50 + 10, 0]


# ---- Deals and turns -----------------------------------------------------------------------------


def test_each_seat_gets_six_hidden_tiles_and_the_rest_form_the_pot():
    position = GAME.start({"seats": 3}, 5)
    view = position.observe(1)
    assert view.hand_sizes == (6, 6, 6)
    assert [hand is None for hand in view.hands] == [True, False, True]
    assert (view.pot_size, view.pot) == (42, None)


def test_every_deal_draws_a_random_starter_that_bids_first():
    for seats in (2, 3, 4):
        first = {GAME.start({"seats": seats}, seed).actors[0] for seed in range(60)}
        assert first == set(range(seats))
    # A void deal is followed by another draw, which can choose either seat.
    later = set()
    for seed in range(20):
        position = void_deal(GAME.start({}, seed))
        view = position.observe()
        assert (view.deal, view.starter) == (2, position.actors[0])
        later.add(view.starter)
    assert later == {0, 1}


def void_deal(position: Position) -> Position:
    """Play on without announcing until all turns are used up."""
    deal = position.observe().deal
    while not position.over and position.observe().deal == deal:
        legal = notations(position)
        quiet = sorted(legal - {"announce", "take", "void"}) or ["take"]
        position = play(position, quiet[0])
    return position


def test_bids_go_around_twice_from_the_starter():
    position = Deal(seats=3, starter=2).position()
    for seat, bid in zip((2, 0, 1, 2, 0, 1), (3, 4, 5, 6, 7, 8), strict=True):
        assert (position.phase, position.actors) == ("bid", [seat])
        position = play(position, f"bid {bid}")
    assert (position.phase, position.actors) == ("turn", [2])
    assert position.observe().contracts == ((4, 7), (5, 8), (3, 6))


def test_a_contract_holds_at_most_three_tokens_including_ones_own():
    position = play(Deal(seats=4).position(), "bid 16", "bid 16", "bid 16")
    assert notations(position) == {f"bid {c}" for c in range(3, 31) if c != 16}
    with pytest.raises(MoveIllegal):
        play(position, "bid 16")
    own = play(Deal(seats=2).position(), "bid 16", "bid 16", "bid 16")
    assert "bid 16" not in notations(own)


def test_two_tokens_on_one_contract_need_two_triples():
    bids = [12, 3, 12, 3]
    one = Deal(bids=bids, hands=((1, 1, 10, 2, 3, 4), (5,) * 4 + (6,) * 2)).position()
    assert "announce" not in notations(one)
    both = Deal(bids=bids, hands=((1, 1, 10, 2, 3, 7), (5,) * 4 + (6,) * 2)).position()
    assert "announce" in notations(both)


def test_the_right_sum_without_the_right_triples_is_not_enough():
    # The hand sums to 18 = 8 + 10, but no three of its tiles make 8.
    position = Deal(bids=[8, 3, 10, 3], hands=((1, 1, 1, 1, 7, 7), (2,) * 4 + (3,) * 2)).position()
    assert "announce" not in notations(position)


def test_the_first_turn_has_no_discard_to_take():
    position = Deal(bids=[3, 3, 4, 4]).position()
    assert notations(position) == {"pot"}
    assert position.observe().discard is None


def test_a_discard_that_is_not_taken_at_once_is_dead():
    hands = ((1, 1, 1, 2, 2, 2), (4, 4, 4, 5, 5, 5))
    position = play(Deal(bids=[30, 30, 29, 29], hands=hands).position(), "pot", "discard 1")
    assert notations(position) == {"pot", "take"}
    taken = play(position, "take")
    assert taken.observe().hands[1] == (1, 4, 4, 4, 5, 5, 5)
    assert taken.observe().dead == ()
    left = play(position, "pot")
    assert left.observe().dead == (1,)
    assert left.observe().discard is None
    # Only the previous discard can be taken: the 1 is gone.
    after = play(left, "discard 4", "take")
    assert 4 in after.observe().hands[0]
    assert after.observe().dead == (1,)


def test_any_of_the_seven_tiles_can_be_discarded_including_the_new_one():
    hands = ((1, 1, 2, 2, 3, 3), (4, 4, 5, 5, 6, 6))
    position = Deal(bids=[30, 30, 29, 29], hands=hands, pot=(9,)).position()
    position = play(position, "pot")
    assert (position.phase, position.actors) == ("discard", [0])
    assert notations(position) == {"discard 1", "discard 2", "discard 3", "discard 9"}
    position = play(position, "discard 9", "take", "discard 9")
    assert position.observe().hands == hands


def ready_deal(target: int = 500) -> Position:
    """The next tile of the pot completes 28 and 7 for seat 0; seat 1 makes nothing."""
    hands = ((1, 2, 2, 3, 9, 9), (5, 5, 6, 6, 7, 7))
    return Deal(bids=[28, 3, 7, 4], hands=hands, pot=(10,), target=target).position()


def test_a_seat_that_makes_its_contracts_may_announce_or_decline():
    position = play(ready_deal(), "pot", "discard 1")
    assert (position.phase, position.actors) == ("announce", [0])
    assert notations(position) == {"announce", "decline"}
    on = play(position, "decline")
    assert (on.phase, on.actors) == ("turn", [1])


def test_the_turn_passes_if_the_contracts_are_not_made():
    position = play(ready_deal(), "pot", "discard 10")
    assert (position.phase, position.actors) == ("turn", [1])


def test_a_seat_that_declined_may_announce_at_the_start_of_its_next_turn():
    position = play(ready_deal(), "pot", "discard 1", "decline", "pot", "discard 5")
    assert notations(position) == {"pot", "take", "announce"}
    settled = play(position, "announce")
    assert settled.observe().last.winner == 0
    assert settled.observe().deal == 2


def test_everybody_sees_that_a_seat_was_asked_and_declined():
    asked = play(ready_deal(), "pot", "discard 1")
    turn = asked.observe(1).turns[0]
    assert (turn.asked, turn.declined) == (True, False)
    declined = play(asked, "decline").observe(1).turns[0]
    assert (declined.asked, declined.declined) == (True, True)
    assert declined.received is None


def empty_pot() -> Position:
    """Two seats have drawn and discarded every tile of the pot, in 28 turns."""
    hands = ((1, 1, 2, 2, 3, 3), (8, 8, 9, 9, 10, 10))
    return Deal(bids=[6, 30, 6, 29], hands=hands).discard_drawn(28).position()


def test_with_an_empty_pot_the_moves_are_take_announce_and_void():
    position = empty_pot()
    assert position.observe().pot_size == 0
    # 1 2 3 and 1 2 3 make both contracts of seat 0 in every turn.
    assert notations(position) == {"take", "announce", "void"}


def test_void_begins_a_new_deal_without_moving_points_or_showing_hands():
    position = play(empty_pot(), "void")
    view = position.observe(1)
    assert (view.phase, view.deal, view.pot_size, view.turns) == ("bid", 2, 28, ())
    assert view.scores == (50, 50)
    assert view.last is None
    assert view.contracts == ((), ())


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_deal_is_void_after_twenty_turns_per_seat(seats: int):
    position = Deal(seats=seats, bids=[30, 29, 3, 4, 30, 29, 3, 4][: 2 * seats]).position()
    for turn in range(20 * seats):
        assert (position.observe().deal, len(position.observe().turns)) == (1, turn)
        position = play(position, "take" if turn else "pot")
        received = position.observe().turns[-1].received
        position = play(position, f"discard {received}")
    assert (position.phase, position.observe().deal) == ("bid", 2)
    assert position.scores == [50] * seats


def test_the_last_turn_includes_its_announcement_or_decline():
    # Seat 1 makes its contracts in every turn, so it is also asked after turn 40.
    hands = ((1, 1, 2, 2, 3, 4), (8, 8, 9, 9, 10, 10))
    deal = Deal(bids=[30, 27, 29, 27], hands=hands).discard_drawn(28).discard_taken(11)
    position = play(deal.position(), "take", "discard 10")
    assert len(position.observe().turns) == 40
    assert (position.phase, position.actors) == ("announce", [1])
    assert play(position, "announce").observe().last.winner == 1
    void = play(position, "decline")
    assert (void.observe().deal, void.observe().last, void.scores) == (2, None, [50, 50])


# ---- Scoring -------------------------------------------------------------------------------------

EXAMPLE_CONTRACTS = ((27, 8), (28, 7), (30, 9), (4, 29))
EXAMPLE_HANDS = (
    (1, 1, 3, 6, 10, 10), (2, 2, 3, 9, 9, 10), (1, 4, 6, 10, 10, 10), (1, 2, 2, 3, 9, 10),
)  # fmt: skip


def test_the_example_of_the_printed_rules():
    bids = [contracts[i] for i in range(2) for contracts in EXAMPLE_CONTRACTS]
    # B is the starter, so that it can announce now.
    deal = Deal(seats=4, starter=1, bids=[*bids[1:4], bids[0], *bids[5:], bids[4]])
    deal.hands = EXAMPLE_HANDS
    position = deal.position()
    assert position.observe().contracts == EXAMPLE_CONTRACTS
    after = play(position, "announce")
    changes = [now - before for now, before in zip(after.scores, position.scores, strict=True)]
    assert changes == [7, 174, 139, -27]
    last = after.observe(0).last
    assert [row.realised for row in last.seats] == [(8,), (28, 7), (30,), ()]
    assert [row.hand for row in last.seats] == [tuple(sorted(hand)) for hand in EXAMPLE_HANDS]


@pytest.mark.parametrize(
    ("contracts", "hand", "realised", "change"),
    [
        # Equal values: the higher contract, 30, leaves three 1s to pay.
        ((3, 30), (1, 1, 1, 10, 10, 10), 30, 150 - 3),
        ((30, 3), (1, 1, 1, 10, 10, 10), 30, 150 - 3),
        # The more valuable contract, not the higher one: 5 for 75, not 27 for 50.
        ((27, 5), (1, 1, 3, 8, 9, 10), 5, 75 - 27),
        # A seat that holds both contracts still realises only one.
        ((18, 15), (5, 5, 5, 6, 6, 6), 18, 10 - 15),
        # Without a contract, the seat pays for all six tiles.
        ((30, 29), (1, 1, 3, 3, 6, 6), None, -20),
    ],
)
def test_a_loser_realises_its_best_contract(
    contracts: tuple[int, int], hand: tuple[int, ...], realised: int | None, change: int
):
    last = Settled(
        winner=0,
        before=(50, 50),
        contracts=((28, 7), contracts),
        hands=((2, 2, 3, 9, 9, 10), hand),
    )
    row = Deal(deal=2, last=last).position().observe().last.seats[1]
    assert row.realised == (() if realised is None else (realised,))
    assert row.after - row.before == change


def test_the_match_ends_at_the_target_including_the_first_50_points():
    # 75 + 38 from the bank and 36 from seat 1 bring 50 to 199.
    assert play(ready_deal(target=200), "pot", "discard 1", "announce").phase == "bid"
    over = play(ready_deal(target=199), "pot", "discard 1", "announce")
    assert (over.phase, over.actors, over.scores) == ("over", [], [199, 14])
    assert over.returns == [1, -1]
    with pytest.raises(GameOver):
        over.apply(0, 0)


def test_tied_winners_share_the_win():
    for seats, share in ((2, 0.0), (3, 2 / 3 - 1), (4, -0.5)):
        position = Deal(seats=seats, bids=[30, 29, 3, 4] * 2, max_deals=1).position()
        assert void_deal(position).returns == pytest.approx([share] * seats)


# ---- Options -------------------------------------------------------------------------------------


def test_max_deals_counts_void_deals_and_the_highest_score_wins():
    last = Settled(
        winner=1,
        before=(50, 50),
        contracts=((3, 4), (28, 7)),
        hands=((1, 4, 5, 5, 6, 6), (2, 2, 3, 9, 9, 10)),
    )
    deal = Deal(deal=3, max_deals=3, bids=[30, 29, 30, 29], last=last)
    over = void_deal(deal.position())
    assert over.phase == "over"
    assert over.returns == [-1, 1]
    # The last settlement remains visible, the hands of the void deal do not.
    assert over.observe(0).last.deal == 1
    assert over.observe(REFEREE).hand_sizes == (0, 0)


def test_the_target_ends_the_match_before_max_deals():
    over = play(ready_deal(target=199), "pot", "discard 1", "announce")
    assert (over.phase, over.observe().deal) == ("over", 1)


def test_blind_bids_are_placed_before_the_tiles_are_dealt():
    position = GAME.start({"seats": 3, "blind_bids": True}, 4)
    for bid in range(6):
        view = position.observe()
        assert (view.hand_sizes, view.pot_size) == ((0, 0, 0), 60)
        position = play(position, f"bid {10 + bid}")
        assert position.observe(0).contracts != view.contracts
    after = position.observe()
    assert (after.phase, after.hand_sizes, after.pot_size) == ("turn", (6, 6, 6), 42)
    # The hands were the first tiles of the pot.
    assert after.pot == view.pot[18:]


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("seats", 1), ("seats", 5), ("seats", "2"), ("seats", 2.5), ("seats", True),
        ("target", 99), ("target", 10001), ("target", "many"), ("target", None),
        ("max_deals", 0), ("max_deals", 1001), ("max_deals", [3]),
        ("blind_bids", 1), ("blind_bids", "yes"), ("deals", 3),
    ],
)  # fmt: skip
def test_an_invalid_option_is_named_in_the_error(option: str, value: object):
    with pytest.raises(OptionError) as error:
        GAME.start({option: value}, 0)
    assert error.value.field == option


@pytest.mark.parametrize(
    "options", [{"target": 100}, {"target": 10000}, {"max_deals": 1}, {"max_deals": 1000}]
)
def test_the_ends_of_each_range_are_valid(options: dict[str, int]):
    view = GAME.start(options, 0).observe()
    assert {name: getattr(view, name) for name in options} == options


def test_absent_options_have_their_defaults():
    view = GAME.start({}, 0).observe()
    assert (view.seats, view.target, view.max_deals, view.blind_bids) == (2, 500, 1000, False)


# ---- Notation ------------------------------------------------------------------------------------


def test_every_action_has_one_text():
    texts = [GAME.write_move(action) for action in range(GAME.num_actions)]
    assert texts == [
        *(f"bid {contract}" for contract in range(3, 31)), "pot", "take",
        *(f"discard {tile}" for tile in range(1, 11)), "announce", "decline", "void",
    ]  # fmt: skip
    assert [GAME.read_move(text) for text in texts] == list(range(GAME.num_actions))


@pytest.mark.parametrize(
    "text",
    [
        "", "bid", "bid 2", "bid 31", "bid 03", "bid  3", "bid 3 ", "BID 3", "discard 0",
        "discard 11", "discard 01", "discard", "pot 1", "Pot", "voided", "draw", "announc",
    ],
)  # fmt: skip
def test_other_spellings_are_unparsable(text: str):
    with pytest.raises(MoveUnparsable) as error:
        GAME.read_move(text)
    for form, _ in GAME.notation:
        assert form in error.value.message


def test_moves_of_another_phase_or_seat_are_illegal():
    position = Deal(starter=1).position()
    for move in ("pot", "take", "discard 3", "announce", "decline", "void"):
        with pytest.raises(MoveIllegal):
            play(position, move)
    with pytest.raises(WrongSeat):
        position.apply(0, GAME.read_move("bid 3"))
