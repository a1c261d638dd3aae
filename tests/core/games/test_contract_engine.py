"""The engine of Contract in positions where the right move is clear (reference: Engine)."""

from __future__ import annotations

import random
from typing import Any

import pytest
from tablier_core.advice import Report, advise
from tablier_core.position import Position
from tablier_core.testing.judgement import estimate

from tests.core.games.contract_positions import GAME, Table, join, legal, play, split

NO_TRAFFIC = {"traffic": [0] * 8}
# The last round of a game of two; place 2, face up, is the Blackmat.
LAST_ROW = ["yakaz 5", "blackmat 4", "costa 3", "brakova 6"]


def changed(position: Position, **fields: list[int]) -> Position:
    """Return the position with some fields of its bytes replaced."""
    return GAME.unpack(join(split(position.pack()) | fields))


def last_round(**changes: Any) -> Position:
    """Seat 1 has passed; seat 0 is to move, and three tokens of seat 1 lie on place 1."""
    table = Table(
        seats=2,
        round=5,
        first=1,
        row=LAST_ROW,
        hands={0: ["dollar"] * 2 + ["costa"] * 3, 1: ["rodrigos"] * 4},
        stakes={(1, 1): (3, 0, 0, ["costa"])},
        numbers={"to_move": 0, "passes": 1},
    )
    for name, value in changes.items():
        setattr(table, name, value)
    return table.position()


def suggested(report: Report) -> list[str]:
    return [GAME.write_move(move.action) for move in report.suggestions]


def advised(position: Position, iterations: int = 400) -> list[str]:
    """Return the moves that a search tries for the seat to move, best first."""
    return suggested(advise(position, position.actors[0], iterations=iterations, seed=1))


def played_out(position: Position, iterations: int = 400) -> Position:
    """Complete the action of the seat to move as advised."""
    seat = position.actors[0]
    position = play(position, advised(position, iterations)[0])
    while position.phase in ("pieces", "pay", "chase") and position.actors == [seat]:
        position = play(position, advised(position, iterations)[0])
    return position


def test_takes_the_mafioso_whose_briefcase_wins_the_game():
    position = changed(
        last_round(owned={"blackmat 3": 0}, columns={"blackmat 3": "waiting"},
                   briefcases={"blackmats-2": None}),
        **NO_TRAFFIC,
    )  # fmt: skip
    assert advised(position)[0] == "on 2"
    after = play(played_out(position), "pass", "pass")
    assert after.returns == [1.0, -1.0]


def test_denies_another_seat_a_briefcase():
    position = changed(
        last_round(owned={"blackmat 3": 1}, columns={"blackmat 3": "waiting"},
                   briefcases={"blackmats-2": None}, numbers={"to_move": 0, "passes": 0},
                   hands={0: ["dollar"] * 5, 1: ["rodrigos"] * 3},
                   stakes={(2, 1): (3, 0, 0, ["costa"] * 2)}),
        **NO_TRAFFIC,
    )  # fmt: skip
    # Five dollars and three tokens beat the eight halves that lie there.
    after = play(played_out(position), "pass", "pass")
    assert after.returns != [-1.0, 1.0]


def test_adds_nothing_where_its_lead_is_safe():
    # All of seat 1's tokens are on place 1: it can never reach place 2.
    stakes = {(1, 1): (3, 0, 0, ["costa"]), (2, 0): (1, 0, 1, [])}
    hand = {0: ["costa"] * 4, 1: ["rodrigos"] * 4}
    position = last_round(stakes=stakes, hands=hand)
    assert "on 2" in legal(position)
    assert "on 2" not in advised(position)
    assert {"on 1", "on 3", "on 4", "pass"} <= set(advised(position))
    # In the middle of an action, the safe lead means that it is done.
    begun = play(last_round(), "on 2", "token", "dollar")
    assert len(legal(begun)) > 1
    assert advised(begun) == ["done"]


def test_adds_nothing_where_it_cannot_catch_up():
    hand = {0: ["costa"], 1: ["rodrigos"] * 2}
    stakes = {(1, 1): (3, 0, 0, ["costa"] * 3), (2, 0): (2, 0, 1, ["costa"] * 3)}
    position = last_round(stakes=stakes, hands=hand)
    # One token and a card face down are three halves, against nine.
    assert "on 1" in legal(position)
    assert "on 1" not in advised(position)


def test_pays_with_the_least_useful_card():
    hand = {0: ["brakova", "yakaz", "rodrigos", "dollar", "dollar"], 1: ["rodrigos"] * 4}
    position = play(last_round(hands=hand), "copper-to 2")
    # There is no Rodrigos in this last row.
    assert len(legal(position)) == 4
    assert advised(position) == ["pay down rodrigos"]


def test_does_not_put_down_cards_that_count_more_face_up():
    hand = {0: ["costa", "costa", "dollar", "yakaz", "rodrigos"], 1: ["rodrigos"] * 4}
    position = play(last_round(hands=hand, stakes={(3, 1): (1, 0, 0, ["yakaz"])}), "on 3", "token")
    assert {"down costa", "down dollar", "down yakaz"} <= set(legal(position))
    assert not {"down costa", "down dollar"} & set(advised(position))
    assert "down yakaz" in advised(position)


@pytest.mark.parametrize("place", [1, 3])
def test_does_not_move_vicelard_in_the_last_round_except_to_chase_copper(place: int):
    position = changed(last_round(), vicelard_holder=[255], vicelard_on=[255])
    assert f"vicelard-to {place}" in legal(position)
    # Copper stands on place 1, so a move there chases him away.
    assert (f"vicelard-to {place}" in advised(position)) == (place == 1)


def choosing(cards: int, **changes: Any) -> Position:
    """Seat 0 chooses a column for a Blackmat, with the given number of cards in hand."""
    kinds = ["brakova", "yakaz", "rodrigos", "costa", "dollar"] * 2
    table = Table(
        seats=2,
        round=2,
        row=["blackmat 4", "yakaz 5", "costa 3", "brakova 6"],
        owned={"yakaz 3": 0, "costa 4": 0},
        hands={0: kinds[:cards], 1: ["brakova", "yakaz", "rodrigos", "costa", "dollar"]},
        stakes={(1, 0): (1, 0, 0, ["costa"] * 2)},
    )
    for name, value in changes.items():
        setattr(table, name, value)
    return play(table.position(), "on 1", "token", "done", "pass", "pass")


def test_cards_that_reduce_the_next_draw_are_worth_nothing():
    value = {cards: estimate(choosing(cards))[0] for cards in (3, 4, 5, 6, 8)}
    assert value[3] < value[4] < value[5] == value[6] == value[8]


def test_an_unreachable_lead_is_nearly_a_win():
    traffic = {"traffic": [20, 0, 0, 0, 0, 0, 0, 0]}
    ahead = {"brakova 6": 0, "brakova 5": 0, "brakova 4": 0, "blackmat 5": 0}
    row = ["yakaz 3", "yakaz 4", "costa 3", "costa 4"]
    locked = Table(seats=2, round=2, owned=ahead, columns={"blackmat 5": "brakova"}, row=row)
    # Only Brakova 3 and Blackmats worth 8 are to come, against 20.
    assert estimate(changed(locked.position(), **traffic))[0] > 0.98
    near = {"brakova 4": 0, "yakaz 5": 1, "yakaz 6": 1, "rodrigos 3": 1}
    open_race = Table(seats=2, round=2, owned=near, row=row)
    assert 0.0 < estimate(changed(open_race.position(), **traffic))[0] < 0.9


def test_no_estimate_is_certain_while_seats_can_bid():
    owned = {"rodrigos 5": 0, "brakova 5": 0, "yakaz 4": 1, "yakaz 6": 1}
    assert 0.5 < estimate(last_round(owned=owned))[0] < 0.99
    # All have passed, and only a Blackmat's column remains to be chosen.
    stakes = {(1, 1): (3, 0, 0, ["costa"]), (2, 0): (2, 0, 0, ["yakaz"])}
    counting = play(last_round(owned=owned, stakes=stakes), "pass")
    assert counting.phase == "join"
    assert estimate(counting)[0] > 0.999


def test_the_search_ends_with_the_round():
    position = Table(
        seats=2,
        round=2,
        first=1,
        row=LAST_ROW,
        hands={0: ["dollar"] * 2 + ["costa"] * 3, 1: ["rodrigos"] * 4},
        stakes={(1, 1): (3, 0, 0, ["costa"])},
        numbers={"to_move": 0, "passes": 1},
    ).position()
    lines = {
        GAME.write_move(move.action): move.line
        for move in advise(position, 0, iterations=3000, seed=1).suggestions
    }
    # Seat 1 has passed already, so this pass ends the round. The next row is unknown.
    assert len(lines["pass"]) == 1
    assert max(len(line) for line in lines.values()) > 4


def expected_of(other: int, position: Position) -> set[str]:
    """Return the moves that advice expects of another seat, over many seeds."""
    return {
        GAME.write_move(action)
        for seed in range(20)
        for move in advise(position, position.actors[0], iterations=300, seed=seed).suggestions
        for seat, action in move.line
        if seat == other
    }


def test_does_not_expect_others_to_waste_cards():
    hands = {0: ["costa"] * 4, 1: ["dollar", "dollar", "costa", "yakaz", "rodrigos"]}
    # All tokens of seat 0 are on place 2: it can never reach place 1.
    stakes = {(1, 1): (1, 0, 0, ["costa"]), (2, 0): (3, 0, 0, ["yakaz"])}
    expected = expected_of(1, last_round(hands=hands, stakes=stakes))
    assert {"on 3", "on 4"} <= expected
    assert not {"on 1", "down dollar"} & expected


def some_positions(seats: int, games: int) -> list[Position]:
    """Return about one in seven positions of random games."""
    found = []
    for seed in range(games):
        chance = random.Random(seed)
        position = GAME.start({"seats": seats}, seed)
        while not position.over:
            if chance.randrange(7) == 0:
                found.append(position)
            seat = position.actors[0]
            position = position.apply(seat, chance.choice(position.moves(seat)))
    return found


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_an_estimate_divides_one_win_among_the_seats(seats: int):
    estimates = [estimate(position) for position in some_positions(seats, 5)]
    for values in estimates:
        assert all(-1.0 <= value <= 1.0 for value in values)
        assert sum((value + 1) / 2 for value in values) == pytest.approx(1.0)
    # Different positions get different estimates.
    assert len({tuple(values) for values in estimates}) > len(estimates) // 4


@pytest.mark.parametrize("seats", [2, 4])
def test_an_estimate_does_not_use_the_order_of_pile_and_deck(seats: int):
    chance = random.Random(5)
    for position in some_positions(seats, 3):
        fields = split(position.pack())
        count, laid = fields["pile_count"][0], (fields["round"][0] + 1) * {2: 4, 4: 6}[seats]
        size = sum(1 for byte in fields["mafiosi"] if byte)
        pile, deck = fields["pile"][:count], fields["mafiosi"][laid:size]
        chance.shuffle(pile)
        chance.shuffle(deck)
        other = changed(
            position,
            chance=[chance.randrange(256) for _ in range(8)],
            mafiosi=fields["mafiosi"][:laid] + deck + [0] * (24 - size),
            **({} if fields["shuffles"][0] else {"pile": pile + [0] * (53 - count)}),
        )
        assert estimate(other) == estimate(position)


@pytest.mark.parametrize("seats", [2, 4])
def test_beats_random_players_with_few_iterations(seats: int):
    won = 0.0
    for game in range(10):
        chance = random.Random(game)
        position = GAME.start({"seats": seats}, game)
        while not position.over:
            seat = position.actors[0]
            if seat == game % seats:
                move = advise(position, seat, iterations=50, seed=game).suggestions[0].action
            else:
                move = chance.choice(position.moves(seat))
            position = position.apply(seat, move)
        won += (position.returns[game % seats] + 1) / 2
    assert won >= 8
