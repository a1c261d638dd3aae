"""Mafia de Cuba along its rules page: who knows what, and what a packed state may say."""

from __future__ import annotations

import pytest
from tablier_core.errors import TokenInvalid
from tablier_core.games.mafia_de_cuba.encoding import facts
from tablier_core.position import REFEREE, Position

from tests.core.games.mafia_de_cuba import (
    GAME,
    ROUND,
    WITH_CLEANER,
    accused,
    play,
    reactions,
    start,
    theft,
)

# ---- Information ---------------------------------------------------------------------------------


def test_each_seat_knows_its_own_box_and_take():
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


def test_the_godfather_knows_what_he_hid_and_what_came_back():
    position = theft(start(), *ROUND, hide=2, pouch="loyal")
    view = position.observe(0)
    back = view.seats[0].received
    assert back is not None
    assert (view.hidden, view.pouch, back.diamonds) == (2, None, 6)
    assert not any(back.tokens.values())
    assert all(seat.take is None for seat in view.seats)
    assert theft(start(), *ROUND[:6]).observe(0).seats[0].received is None


def test_the_referee_and_at_the_end_everybody_sees_everything():
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


def test_the_talk_is_public_and_in_order():
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


def test_the_size_of_a_state_tells_nothing_hidden():
    one = theft(start(cleaner=True), *WITH_CLEANER, hide=3, pouch="loyal")
    other = theft(start(cleaner=True), *["1"] * 7)
    assert len(one.pack()) == len(other.pack())


def test_a_cleaner_remembers_its_own_answer():
    fired, held = play(accused(5), "2 bang"), play(accused(5), "2 hold")
    assert fired.infoset(2) != held.infoset(2)
    assert all(fired.infoset(seat) == held.infoset(seat) for seat in range(8) if seat != 2)
    assert {fired.determinize(2, seed).observe().seats[2].reaction for seed in range(20)} == {
        "bang"
    }
    # Seat 3 knows that seat 2 has answered; the cleaner may be there, and may have fired.
    worlds = [held.determinize(3, seed).observe().seats for seed in range(400)]
    assert {seats[2].reaction for seats in worlds if seats[2].take == "cleaner"} == {"hold", "bang"}


# ---- Bytes ---------------------------------------------------------------------------------------

MADE, HIDDEN, POUCH, TAKES = 9, 10, 11, 12


def changed(position: Position, **places: int) -> bytes:
    data = bytearray(position.pack())
    for place, value in places.items():
        data[int(place[1:])] = value
    return bytes(data)


def fault(data: bytes) -> str:
    with pytest.raises(TokenInvalid) as raised:
        GAME.unpack(data)
    return raised.value.message.split(":")[0]


def test_the_bytes_of_the_page():
    position = play(theft(start(), *ROUND, hide=2, pouch="loyal"), "0 ask 7 took")
    assert list(position.pack()) == [
        8, 1, 32, 2, 3, 1, 0, 1, 0,
        9, 2, 0, 4, 16, 17, 19, 3, 16, 0,
        0, 0, 0, 1, *(0 | 7 << 2 | (341 + 5 + 4) << 6).to_bytes(2, "little"),
    ]  # fmt: skip


def test_a_setup_out_of_range_is_refused():
    for at, value in enumerate((4, 3, 97, 9, 6, 2, 2, 3, 2)):
        assert fault(changed(start(), **{f"b{at}": value})) == "setup"
    assert fault(changed(start(), b0=13)) == "setup"


def test_lengths_must_agree():
    packed = theft(start(), *ROUND).pack()
    for data in (b"", packed[:15], packed[:-1], packed + b"\0", packed[:16]):
        assert fault(data) == "length"


def test_a_theft_that_cannot_have_been_is_refused():
    position = theft(start(), *ROUND, hide=2, pouch="loyal")
    last = TAKES + 6
    assert fault(changed(position, **{f"b{MADE}": 10})) == "theft"
    assert fault(changed(position, **{f"b{HIDDEN}": 6})) == "theft"
    assert fault(changed(position, **{f"b{POUCH}": 2})) == "theft"  # no CIA in this setup
    assert fault(changed(position, **{f"b{POUCH}": 6})) == "theft"
    assert fault(changed(position, **{f"b{POUCH}": 1})) == "theft"  # seat 3 took it
    assert fault(changed(position, **{f"b{TAKES}": 0})) == "theft"  # nothing, from a full box
    assert fault(changed(position, **{f"b{TAKES}": 13})) == "theft"  # then seat 5 has too few
    assert fault(changed(position, **{f"b{last}": 21})) == "theft"
    assert fault(changed(position, **{f"b{last}": 16})) == "theft"  # a fourth loyal
    early = theft(start(), "4")
    assert fault(changed(early, **{f"b{TAKES + 1}": 1})) == "theft"  # before its turn
    assert fault(changed(start(), **{f"b{HIDDEN}": 1})) == "theft"
    assert fault(changed(start(), **{f"b{POUCH}": 0})) == "theft"


def with_event(position: Position, kind: int, seat: int, value: int) -> bytes:
    """The bytes with one more event."""
    data = bytearray(position.pack())
    count_at = 16 + position.seats - 2
    data[count_at] += 1
    return bytes(data) + (kind | seat << 2 | value << 6).to_bytes(2, "little")


ASKED, UNASKED, ACCUSED = range(3)
SILENT, NOT_YET, UNRESOLVED = 341, 346, 15


def test_an_event_that_cannot_have_been_is_refused():
    inquiry = theft(start(questions=1, statements=1), *ROUND)
    spoken = play(inquiry, "3 say took 1", "0 ask 3 took", "3 silent")
    asked = play(inquiry, "0 ask 3 took")
    out = play(inquiry, "0 accuse 1")
    given = play(inquiry, "0 accuse 2")
    over = play(inquiry, "0 accuse 3")
    refused = [
        with_event(start(), ASKED, 3, 0),
        with_event(inquiry, ASKED, 0, 0),
        with_event(inquiry, ASKED, 8, 0),
        with_event(inquiry, 3, 3, 0),
        with_event(inquiry, ASKED, 3, NOT_YET + 5),
        with_event(inquiry, UNASKED, 3, SILENT),
        with_event(inquiry, UNASKED, 3, 16 + 1),  # the cleaner is not in the setup
        with_event(spoken, UNASKED, 3, 0),
        with_event(spoken, ASKED, 4, 0),
        with_event(asked, UNASKED, 4, 0),
        with_event(out, ASKED, 1, 0),
        with_event(out, UNASKED, 1, 0),
        with_event(out, ACCUSED, 1, 0),
        with_event(given, ACCUSED, 2, 0),
        with_event(over, ASKED, 4, 0),
        with_event(inquiry, ACCUSED, 1, 2),
        with_event(inquiry, ACCUSED, 1, UNRESOLVED),
    ]
    assert [fault(data) for data in refused] == ["events"] * len(refused)
    for data in (with_event(inquiry, ASKED, 3, NOT_YET), with_event(inquiry, UNASKED, 3, 0)):
        assert GAME.unpack(data).pack() == data


def test_only_a_cleaner_can_have_fired():
    inquiry = theft(start(cleaner=True), *WITH_CLEANER)
    fired = reactions(accused(5), seat2="bang")
    assert GAME.unpack(with_event(inquiry, ACCUSED, 5, 2), fired.ply) == fired
    for accused_seat, shooter in ((5, 3), (2, 2), (5, 0xE), (5, 8)):
        assert fault(with_event(inquiry, ACCUSED, accused_seat, shooter)) == "events"


def test_reactions_that_cannot_be_pending_are_refused():
    position = play(accused(5), "1 hold", "2 bang")
    low, high, shooter = 19, 20, 21
    assert position.pack()[low : shooter + 1] == bytes([0b110, 0, 2])
    for places in (
        {f"b{low}": 0b111},  # the Godfather
        {f"b{low}": 0b100110},  # the accused
        {f"b{high}": 1},  # no such seat
        {f"b{low}": 0b11011110},  # all of them
        {f"b{shooter}": 1},  # has not the cleaner
        {f"b{shooter}": 12},
        {f"b{low}": 0b10},  # the shooter has not answered
    ):
        assert fault(changed(position, **places)) == "reactions"
    assert fault(changed(theft(start(), *ROUND), **{f"b{low}": 2})) == "reactions"


def test_facts_are_of_packed_states_only():
    with pytest.raises(ValueError, match="not a packed state"):
        facts(b"")
