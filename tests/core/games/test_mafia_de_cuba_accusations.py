"""Rules of Mafia de Cuba: accusations, the cleaner, and who wins."""

from __future__ import annotations

import pytest

from tests.core.games.mafia_de_cuba_positions import (
    ROUND,
    accused,
    notations,
    play,
    reactions,
    start,
    theft,
    winners,
)

# ---- Accusations ---------------------------------------------------------------------------------


def test_an_accused_thief_returns_its_diamonds_and_is_eliminated():
    position = play(theft(start(), *ROUND), "0 accuse 1")
    view = position.observe(7)
    assert (position.phase, view.recovered, view.seats[1].take) == ("inquiry", 4, "4")
    assert not view.seats[1].in_play
    assert 1 not in position.actors
    assert not [move for move in notations(position, 0) if move.split()[1] == "1"]


def test_an_accused_agent_ends_the_inquiry_and_wins():
    position = play(theft(start(), *ROUND), "0 accuse 3")
    # Seat 4 drives seat 3.
    assert winners(position) == [3, 4]
    assert position.observe().outcome == "agent"


def test_only_the_accused_agent_wins():
    table = start(seats=10, tokens={"fbi": 1, "cia": 1})
    position = theft(table, "1", "fbi", "cia", *["1"] * 6)
    assert winners(play(position, "0 accuse 3")) == [3]


@pytest.mark.parametrize("seat", [2, 4, 7])
def test_any_other_accused_seat_receives_a_joker_and_stays(seat: int):
    position = play(theft(start(), *ROUND), f"0 accuse {seat}")
    view = position.observe(1)
    assert view.jokers_left == 0
    assert view.seats[seat].joker
    assert view.seats[seat].in_play
    assert view.seats[seat].take == ROUND[seat - 1]
    assert seat in position.actors
    assert f"ask {seat} took" in notations(position, 0)
    assert f"accuse {seat}" not in notations(position, 0)


def test_the_godfather_is_eliminated_when_no_joker_is_left():
    position = play(theft(start(), *ROUND), "0 accuse 2", "0 accuse 4")
    assert winners(position) == [1, 7]
    assert position.observe().outcome == "thieves"
    assert not position.observe().seats[0].in_play


def test_the_godfather_wins_once_every_stolen_diamond_is_back():
    position = play(theft(start(), *ROUND), "0 accuse 1", "0 accuse 5")
    assert winners(position) == [0, 2, 6]
    assert position.observe().outcome == "godfather"
    assert position.returns == [1, -1, 1, -1, -1, -1, 1, -1]
    assert position.scores == [1, 0, 1, 0, 0, 0, 1, 0]


@pytest.mark.parametrize("seat", [2, 3])
def test_the_final_accusation_also_reveals_a_take(seat: int):
    position = play(theft(start(jokers=0), *ROUND), f"0 accuse {seat}")
    assert position.over
    assert [n for n, other in enumerate(position.observe(1).seats) if other.revealed] == [seat]


# ---- The cleaner ---------------------------------------------------------------------------------


def test_all_other_seats_react_and_only_the_cleaner_can_fire():
    position = accused(5)
    assert (position.phase, position.actors) == ("react", [1, 2, 3, 4, 6, 7])
    for seat in range(8):
        expected = [] if seat in (0, 5) else ["hold", "bang"] if seat == 2 else ["hold"]
        assert notations(position, seat) == expected


def test_nobody_reacts_in_a_game_without_a_cleaner():
    assert play(theft(start(), *ROUND), "0 accuse 5").phase == "inquiry"


def test_reactions_arrive_in_any_order_and_take_effect_after_the_last():
    position = play(accused(5), "7 hold", "2 bang", "1 hold", "6 hold", "4 hold")
    assert (position.phase, position.actors) == ("react", [3])
    assert position.observe(3) == play(
        accused(5), "1 hold", "2 hold", "4 hold", "6 hold", "7 hold"
    ).observe(3)
    assert play(position, "3 hold").phase == "inquiry"


def test_the_accused_empties_its_pockets_if_all_hold():
    position = reactions(accused(5))
    assert position.observe().recovered == 3
    assert winners(reactions(accused(3))) == [3, 4]


def test_a_cleaner_that_shoots_an_agent_wins_alone():
    position = reactions(accused(3), seat2="bang")
    assert winners(position) == [2]
    assert position.observe().outcome == "cleaner"
    assert [n for n, seat in enumerate(position.observe(1).seats) if seat.revealed] == [2, 3]


def test_the_driver_of_a_winning_cleaner_wins():
    takes = ("4", "fbi", "cleaner", "driver", "3", "loyal", "nothing")
    assert winners(reactions(accused(2, takes), seat3="bang")) == [3, 4]


def test_shooting_a_thief_eliminates_thief_and_cleaner():
    position = reactions(accused(5), seat2="bang")
    view = position.observe(6)
    assert [number for number, seat in enumerate(view.seats) if not seat.in_play] == [2, 5]
    assert (view.seats[2].take, view.seats[5].take) == ("cleaner", "3")
    assert (view.recovered, view.jokers_left, view.events[-1].shooter) == (3, 1, 2)


def test_shooting_an_innocent_seat_costs_no_joker():
    position = reactions(accused(6), seat2="bang")
    view = position.observe(1)
    assert (view.recovered, view.jokers_left) == (0, 1)
    assert not view.seats[6].in_play
    assert not view.seats[6].joker
    assert position.phase == "inquiry"
    without_jokers = reactions(accused(6, jokers=0), seat2="bang")
    assert without_jokers.phase == "inquiry"


def test_a_shot_may_bring_back_the_last_diamonds():
    position = reactions(accused(1), seat2="hold")
    position = reactions(play(position, "0 accuse 5"), seat2="bang")
    # The cleaner fired and is out, so only the loyal wins with the Godfather.
    assert winners(position) == [0, 6]


def test_a_cleaner_that_has_not_fired_wins_with_the_godfather():
    position = reactions(play(reactions(accused(1)), "0 accuse 5"))
    assert winners(position) == [0, 2, 6]


def test_an_accused_cleaner_can_only_fire_later():
    position = accused(2)
    assert 2 not in position.actors
    assert all(notations(position, seat) == ["hold"] for seat in position.actors)
    position = play(reactions(position), "0 accuse 5")
    assert position.observe().seats[2].joker
    assert notations(position, 2) == ["hold", "bang"]
    assert not reactions(position, seat2="bang").observe().seats[5].in_play


def test_seats_react_although_the_cleaner_is_known_to_be_out():
    position = play(reactions(accused(5), seat2="bang"), "0 accuse 1")
    assert (position.phase, position.actors) == ("react", [3, 4, 6, 7])


def test_seats_react_although_nobody_took_the_cleaner():
    position = theft(start(cleaner=True), *["1"] * 7, pouch="cleaner")
    assert play(position, "0 accuse 1").phase == "react"


def test_an_accusation_resolves_at_once_if_no_seat_can_react():
    position = theft(start(seats=5, tokens={"cleaner": 1}), "1", "1", "1", "1")
    for seat in (1, 2, 3):
        position = reactions(play(position, f"0 accuse {seat}"))
    position = play(position, "0 accuse 4")
    assert winners(position) == [0]


# ---- Winners -------------------------------------------------------------------------------------


def test_the_thieves_with_the_most_diamonds_win():
    position = theft(start(seats=6, jokers=0), "3", "loyal", "3", "2", "nothing")
    position = play(position, "0 accuse 2")
    assert winners(position) == [1, 3, 5]
    assert position.returns == [-1, 1, -1, 1, -1, 1]


def test_an_eliminated_thief_does_not_count():
    position = theft(start(seats=6, jokers=0), "9", "loyal", "1", "2", "nothing")
    assert winners(play(position, "0 accuse 1", "0 accuse 2")) == [4, 5]


def test_a_driver_of_a_winning_driver_wins():
    table = start(seats=7, tokens={"loyal": 1, "driver": 2}, jokers=0)
    position = theft(table, "2", "driver", "driver", "loyal", "1", "1")
    # Seat 1 has the most diamonds, 2 drives 1, and 3 drives 2.
    assert winners(play(position, "0 accuse 4")) == [1, 2, 3]


def test_a_driver_of_a_losing_driver_loses():
    table = start(seats=7, tokens={"loyal": 1, "driver": 2}, jokers=0)
    position = theft(table, "1", "driver", "driver", "loyal", "2", "1")
    assert winners(play(position, "0 accuse 4")) == [5]


def test_the_driver_in_seat_1_wins_with_the_godfather():
    position = theft(start(seats=6), "driver", "1", "1", "1", "1")
    for seat in (2, 3, 4, 5):
        position = play(position, f"0 accuse {seat}")
    assert winners(position) == [0, 1]


def test_eliminated_seats_never_win():
    takes = ("driver", "cleaner", "loyal", "4", "loyal", "2", "nothing")
    position = reactions(accused(1, takes), seat2="bang")
    for seat in (4, 6):
        position = reactions(play(position, f"0 accuse {seat}"))
    # The Godfather's driver and the cleaner are out, although their side has won.
    assert winners(position) == [0, 3, 5]
