"""Packed states of Mafia de Cuba (reference: Byte layout)."""

from __future__ import annotations

import pytest
from tablier_core.errors import TokenInvalid
from tablier_core.games.mafia_de_cuba.encoding import facts
from tablier_core.position import Position

from tests.core.games.mafia_de_cuba_positions import (
    GAME,
    ROUND,
    WITH_CLEANER,
    accused,
    play,
    reactions,
    start,
    theft,
)

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


def test_bytes_follow_the_documented_layout():
    position = play(theft(start(), *ROUND, hide=2, pouch="loyal"), "0 ask 7 took")
    assert list(position.pack()) == [
        8, 1, 32, 2, 3, 1, 0, 1, 0,
        9, 2, 0, 4, 16, 17, 19, 3, 16, 0,
        0, 0, 0, 1, *(0 | 7 << 2 | (341 + 5 + 4) << 6).to_bytes(2, "little"),
    ]  # fmt: skip


def test_rejects_a_setup_out_of_range():
    for at, value in enumerate((4, 3, 97, 9, 6, 2, 2, 3, 2)):
        assert fault(changed(start(), **{f"b{at}": value})) == "setup"
    assert fault(changed(start(), b0=13)) == "setup"


def test_rejects_a_wrong_length():
    packed = theft(start(), *ROUND).pack()
    for data in (b"", packed[:15], packed[:-1], packed + b"\0", packed[:16]):
        assert fault(data) == "length"


def test_rejects_an_impossible_theft():
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
    """The bytes of a position with one more event."""
    data = bytearray(position.pack())
    count_at = 16 + position.seats - 2
    data[count_at] += 1
    return bytes(data) + (kind | seat << 2 | value << 6).to_bytes(2, "little")


ASKED, UNASKED, ACCUSED = range(3)
SILENT, NOT_YET, UNRESOLVED = 341, 346, 15


def test_rejects_impossible_events():
    inquiry = theft(start(questions=1, statements=1), *ROUND)
    spoken = play(inquiry, "3 say took 1", "0 ask 3 took", "3 silent")
    asked = play(inquiry, "0 ask 3 took")
    out = play(inquiry, "0 accuse 1")
    given = play(inquiry, "0 accuse 2")
    over = play(inquiry, "0 accuse 3")
    rejected = [
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
    assert [fault(data) for data in rejected] == ["events"] * len(rejected)
    for data in (with_event(inquiry, ASKED, 3, NOT_YET), with_event(inquiry, UNASKED, 3, 0)):
        assert GAME.unpack(data).pack() == data


def test_rejects_a_shot_by_anyone_but_the_cleaner():
    inquiry = theft(start(cleaner=True), *WITH_CLEANER)
    fired = reactions(accused(5), seat2="bang")
    assert GAME.unpack(with_event(inquiry, ACCUSED, 5, 2), fired.ply) == fired
    for accused_seat, shooter in ((5, 3), (2, 2), (5, 0xE), (5, 8)):
        assert fault(with_event(inquiry, ACCUSED, accused_seat, shooter)) == "events"


def test_rejects_impossible_reactions():
    position = play(accused(5), "1 hold", "2 bang")
    low, high, shooter = 19, 20, 21
    assert position.pack()[low : shooter + 1] == bytes([0b110, 0, 2])
    for places in (
        {f"b{low}": 0b111},  # the Godfather
        {f"b{low}": 0b100110},  # the accused
        {f"b{high}": 1},  # no such seat
        {f"b{low}": 0b11011110},  # all of them
        {f"b{shooter}": 1},  # not the cleaner
        {f"b{shooter}": 12},
        {f"b{low}": 0b10},  # the shooter has not reacted
    ):
        assert fault(changed(position, **places)) == "reactions"
    assert fault(changed(theft(start(), *ROUND), **{f"b{low}": 2})) == "reactions"


def test_facts_reject_invalid_bytes():
    with pytest.raises(ValueError, match="not a packed state"):
        facts(b"")
