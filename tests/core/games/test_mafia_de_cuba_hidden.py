"""Hidden information in Mafia de Cuba: who knows what (reference: View)."""

from __future__ import annotations

from tablier_core.position import REFEREE

from tests.core.games.mafia_de_cuba_positions import (
    ROUND,
    WITH_CLEANER,
    accused,
    play,
    reactions,
    start,
    theft,
)


def test_each_seat_knows_only_its_own_box_and_take():
    position = theft(start(), *ROUND, hide=2, pouch="loyal")
    for viewer in range(1, 8):
        view = position.observe(viewer)
        assert [seat for seat in range(8) if view.seats[seat].take] == [viewer]
        assert [seat for seat in range(8) if view.seats[seat].received] == [viewer]
        assert view.hidden is None
        assert view.pouch == ("loyal" if viewer == 1 else None)
    first, third = position.observe(1).seats[1].received, position.observe(3).seats[3].received
    assert first is not None
    assert (first.diamonds, first.tokens["loyal"]) == (13, 3)
    assert third is not None
    assert (third.diamonds, third.tokens["loyal"]) == (9, 1)


def test_the_godfather_knows_what_he_hid_and_the_box_that_came_back():
    position = theft(start(), *ROUND, hide=2, pouch="loyal")
    view = position.observe(0)
    back = view.seats[0].received
    assert back is not None
    assert (view.hidden, view.pouch, back.diamonds) == (2, None, 6)
    assert not any(back.tokens.values())
    assert all(seat.take is None for seat in view.seats)
    assert theft(start(), *ROUND[:6]).observe(0).seats[0].received is None


def test_the_referee_sees_everything_and_so_does_everyone_at_the_end():
    position = play(accused(5), "2 bang")
    view = position.observe(REFEREE)
    assert [seat.take for seat in view.seats] == [None, *WITH_CLEANER]
    assert (view.hidden, view.pouch, view.seats[2].reaction) == (0, "none", "bang")
    assert position.observe(4).seats[2].reaction is None
    assert position.observe(4).seats[2].reacted
    end = reactions(accused(3), seat2="bang")
    views = [end.observe(viewer) for viewer in range(REFEREE, 8)]
    assert all(seat.received is not None for view in views for seat in view.seats)
    assert all(view.seats == views[0].seats for view in views)


def test_all_talk_is_public_and_in_order():
    position = play(
        theft(start(), *ROUND),
        "3 say received-tokens L2F1D1",
        "0 ask 5 passed-diamonds",
        "5 say passed-diamonds 7",
        "0 ask 6 took",
        "6 silent",
        "0 accuse 1",
        "0 ask 2 took",
    )
    for viewer in range(REFEREE, 8):
        said, answered, silent, accusation, pending = position.observe(viewer).events
        assert (said.kind, said.seat, said.question) == ("unasked", 3, "received-tokens")
        assert said.claim == {"loyal": 2, "fbi": 1, "cia": 0, "driver": 1, "cleaner": 0}
        assert (answered.kind, answered.seat, answered.claim) == ("asked", 5, 7)
        assert (silent.question, silent.claim, silent.open) == ("took", None, False)
        assert (accusation.kind, accusation.seat, accusation.open) == ("accused", 1, False)
        assert (pending.seat, pending.open) == (2, True)


def test_the_size_of_a_state_leaks_no_hidden_information():
    one = theft(start(cleaner=True), *WITH_CLEANER, hide=3, pouch="loyal")
    other = theft(start(cleaner=True), *["1"] * 7)
    assert len(one.pack()) == len(other.pack())


def test_only_the_cleaner_knows_its_reaction():
    fired, held = play(accused(5), "2 bang"), play(accused(5), "2 hold")
    assert fired.infoset(2) != held.infoset(2)
    assert all(fired.infoset(seat) == held.infoset(seat) for seat in range(8) if seat != 2)
    assert {fired.determinize(2, seed).observe().seats[2].reaction for seed in range(20)} == {
        "bang"
    }
    # Seat 3 knows that seat 2 has reacted; seat 2 may be the cleaner, and may have fired.
    worlds = [held.determinize(3, seed).observe().seats for seed in range(400)]
    assert {seats[2].reaction for seats in worlds if seats[2].take == "cleaner"} == {"hold", "bang"}
