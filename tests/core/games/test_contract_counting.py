"""Contract: counting the row, briefcases and the end (reference: Counting)."""

from __future__ import annotations

import pytest

from tests.core.games.contract_positions import (
    GAME,
    NOBODY,
    ROW,
    Stakes,
    Table,
    all_pass,
    begun,
    join,
    legal,
    play,
    view_of,
)


def test_most_influence_wins_and_a_tie_or_none_removes_the_mafioso():
    stakes = {
        (1, 0): (1, 0, 1, []), (1, 1): (1, 0, 0, ["costa"]),
        (2, 0): (1, 0, 1, []), (2, 1): (1, 0, 0, ["costa", "costa"]),
    }  # fmt: skip
    view = view_of(all_pass(begun(stakes=stakes).position()))
    assert [(c.family, c.values) for c in view.seats[0].columns] == [("yakaz", (5,))]
    assert {(m.family, m.value) for m in view.removed} == {
        ("brakova", 4), ("blackmat", 3), ("yakaz", 3), ("costa", 6),
    }  # fmt: skip
    assert [seat.tokens for seat in view.seats] == [3, 3, 3]
    assert sum(seat.discarded_down.count for seat in view.seats) == 3
    assert view.seats[0].discarded_up == (0, 0, 0, 0, 2)


def test_the_owner_chooses_a_column_even_if_there_is_only_one():
    stakes: Stakes = {(1, 0): (1, 0, 1, []), (3, 0): (1, 0, 1, [])}
    position = all_pass(begun(stakes=stakes).position())
    assert (position.phase, position.actors, legal(position)) == ("join", [0], ["join yakaz"])
    view = view_of(position, 1)
    assert view.seats[0].joining == (3,)
    assert [place.mafioso.value for place in view.row] == [5, 4, 3, 3, None]
    view = view_of(play(position, "join yakaz"))
    assert [(c.values, c.blackmats) for c in view.seats[0].columns] == [((5,), (3,))]


def test_a_blackmat_waits_for_the_first_family_of_its_owner():
    stakes: Stakes = {(1, 1): (1, 0, 1, []), (3, 0): (1, 0, 1, [])}
    view = view_of(all_pass(begun(stakes=stakes).position()))
    assert view.seats[0].waiting == (3,)
    stakes[4, 0] = (1, 0, 1, [])
    view = view_of(all_pass(begun(stakes=stakes).position()))
    assert view.seats[0].waiting == ()
    assert [(c.family, c.values, c.blackmats) for c in view.seats[0].columns] == [
        ("yakaz", (3,), (3,))
    ]


def counting_copper(**owned: int) -> Table:
    """Round 2; seat 0 will win the Yakaz 5 under the Copper pawn."""
    table = begun(stakes={(1, 0): (1, 0, 1, [])}, round=2)
    table.owned = {name.replace("_", " "): seat for name, seat in owned.items()}
    table.numbers = {"to_move": 1, "vicelard_holder": NOBODY}
    return table


def test_the_winner_under_copper_drops_a_rivals_card_or_takes_the_copper_card():
    position = all_pass(counting_copper(yakaz_4=1, yakaz_6=2, brakova_3=1).position())
    assert (position.phase, position.actors) == ("copper", [0])
    assert legal(position) == ["drop 1 yakaz 4", "drop 2 yakaz 6", "take-copper"]
    taken = view_of(play(position, "take-copper"))
    assert taken.copper_card.holder == 0
    dropped = view_of(play(position, "drop 2 yakaz 6"))
    assert dropped.copper_card.holder is None
    assert dropped.seats[2].columns == ()
    assert ("yakaz", 6) in {(m.family, m.value) for m in dropped.removed}


def test_the_copper_card_needs_no_choice_if_there_is_nothing_to_drop():
    position = all_pass(counting_copper(brakova_3=1).position())
    assert position.phase == "action"
    assert view_of(position).copper_card.holder == 0
    table = counting_copper(yakaz_4=1)
    table.row = ["blackmat 3", *ROW[:2], *ROW[3:]]
    position = all_pass(table.position())
    assert view_of(position).copper_card.holder == 0
    assert view_of(position).seats[0].waiting == (3,)


def test_blackmats_that_lose_their_family_join_other_columns_lowest_first():
    table = counting_copper(yakaz_4=1, brakova_3=1, costa_5=1, blackmat_5=1, blackmat_1=1)
    table.columns = {"blackmat 5": "yakaz", "blackmat 1": "yakaz"}
    position = play(all_pass(table.position()), "drop 1 yakaz 4")
    assert (position.phase, position.actors) == ("join", [1])
    assert view_of(position).seats[1].joining == (1, 5)
    assert legal(position) == ["join brakova", "join costa"]
    position = play(position, "join costa")
    assert position.actors == [1]
    view = view_of(play(position, "join brakova"))
    columns = {c.family: (c.values, c.blackmats) for c in view.seats[1].columns}
    assert columns == {"brakova": ((3,), (5,)), "costa": ((5,), (1,))}


def test_blackmats_wait_again_if_no_family_is_left():
    table = counting_copper(yakaz_4=1, blackmat_5=1, blackmat_1=1)
    table.columns = {"blackmat 5": "yakaz", "blackmat 1": "yakaz"}
    position = play(all_pass(table.position()), "drop 1 yakaz 4")
    assert position.phase == "action"
    assert view_of(position).seats[1].waiting == (1, 5)


def test_blackmats_stay_while_a_family_card_is_left():
    table = counting_copper(yakaz_4=1, yakaz_6=1, blackmat_5=1)
    table.columns = {"blackmat 5": "yakaz"}
    view = view_of(play(all_pass(table.position()), "drop 1 yakaz 6"))
    assert [(c.values, c.blackmats) for c in view.seats[1].columns] == [((4,), (5,))]


def test_special_cards_go_to_the_winners_of_this_round_or_aside():
    table = begun(
        stakes={(5, 0): (1, 0, 1, [])}, numbers={"to_move": 1, "copper_holder": 2}, round=2
    )
    table.numbers["vicelard_holder"] = 2
    view = view_of(all_pass(table.position()))
    assert view.vicelard_card.holder == 0
    assert view.copper_card.holder is None


# ---- Briefcases (reference: Briefcases) ----------------------------------------------------------


@pytest.mark.parametrize(
    ("side", "seats", "owned", "row", "taken"),
    [
        ("families-3", 3, ["brakova 3", "costa 3"], "yakaz 5", True),
        ("families-3", 3, ["brakova 3", "yakaz 4"], "yakaz 5", False),
        ("families-4", 3, ["brakova 3", "costa 3", "rodrigos 3"], "yakaz 5", True),
        ("same-2", 3, ["yakaz 3"], "yakaz 5", True),
        ("same-3", 3, ["yakaz 3", "yakaz 4"], "yakaz 5", True),
        ("same-2", 3, ["blackmat 1"], "yakaz 5", False),
        ("blackmats-2", 3, ["blackmat 1"], "blackmat 3", True),
        ("twos-3", 4, ["brakova 2", "costa 2"], "yakaz 2", True),
        ("twos-3", 4, ["brakova 2"], "yakaz 2", False),
    ],
)
def test_first_to_briefcases(side: str, seats: int, owned: list[str], row: str, taken: bool):
    table = Table(seats=seats, round=2, row=["costa 6", row], briefcases={side: None})
    table.owned = dict.fromkeys(owned, 0)
    table.columns = {m: "waiting" for m in owned if "blackmat" in m}
    table.stakes = {(2, 0): (1, 0, 1, [])}
    table.numbers = {"to_move": 1}
    position = all_pass(table.position())
    assert view_of(position).briefcases[0].holder == (0 if taken else None)
    assert position.scores[0] == (2 if taken else 0)


def test_a_seat_keeps_a_briefcase_when_it_loses_the_mafiosi():
    table = counting_copper(yakaz_4=1, yakaz_6=1)
    table.briefcases = {"same-2": 1}
    position = play(all_pass(table.position()), "drop 1 yakaz 6")
    assert view_of(position).briefcases[0].holder == 1


# ---- The end (reference: Scoring) ----------------------------------------------------------------


def last_round(owned: dict[str, int], columns: dict[str, str], briefcases: list[str]) -> Table:
    """The last round, with influence on one Mafioso only: seat 0 wins the first."""
    table = Table(round=4, owned=owned, columns=columns, row=["costa 6"])
    table.stakes = {(1, 0): (1, 0, 1, [])}
    table.numbers = {"to_move": 1, "copper_pawn": 1, "vicelard_holder": NOBODY}
    table.briefcases = dict.fromkeys(briefcases)
    return table


def test_traffics_go_by_points_then_by_the_highest_family_card():
    owned = {
        "brakova 3": 0, "brakova 5": 0, "brakova 4": 1, "blackmat 4": 1, "brakova 6": 2,
        "yakaz 6": 1, "yakaz 5": 2, "blackmat 1": 2,
    }  # fmt: skip
    table = last_round(owned, {"blackmat 4": "brakova", "blackmat 1": "yakaz"}, [])
    position = all_pass(table.position())
    assert position.over
    winners = {t.family: (t.first_to, t.second_to) for t in view_of(position).traffics}
    # Brakova: 8, 8 and 6; the 5 beats the 4, and the Blackmat breaks no tie. Yakaz: 6 and 6.
    assert winners == {
        "brakova": (0, 1), "yakaz": (1, 2), "rodrigos": (None, None), "costa": (0, None),
    }  # fmt: skip
    by_family = {t.family: t for t in view_of(position).traffics}
    assert position.scores == [
        by_family["brakova"].first + by_family["costa"].first,
        by_family["brakova"].second + by_family["yakaz"].first,
        by_family["yakaz"].second,
    ]


@pytest.mark.parametrize(
    ("side", "owned", "holder"),
    [
        ("most-mafiosi", {"yakaz 3": 1, "yakaz 4": 1}, 1),
        ("most-mafiosi", {"yakaz 3": 1, "blackmat 4": 1}, 1),
        ("most-mafiosi", {"yakaz 3": 1}, None),
        ("largest-family", {"yakaz 3": 1, "yakaz 4": 1}, 1),
        ("largest-family", {"yakaz 3": 1, "blackmat 4": 1}, None),
        ("most-threes", {"blackmat 3": 2}, 2),
        ("most-threes", {"yakaz 3": 1, "brakova 3": 2}, None),
    ],
)
def test_most_briefcases(side: str, owned: dict[str, int], holder: int | None):
    columns = {m: "yakaz" if "yakaz 3" in owned else "waiting" for m in owned if "blackmat" in m}
    position = all_pass(last_round(owned, columns, [side]).position())
    assert position.over
    assert view_of(position).briefcases[0].holder == holder


def test_tied_winners_share_the_win():
    owned = {"brakova 3": 1, "yakaz 3": 2}
    fields = last_round(owned, {}, []).fields()
    fields["traffic"] = [6, 6, 0, 0, 1, 1, 1, 1]
    position = all_pass(GAME.unpack(join(fields)))
    assert position.scores == [0, 6, 6]
    assert position.returns == [-1, 0, 0]
