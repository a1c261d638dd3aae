"""Tic-tac-toe, compared with the known facts about its whole tree."""

from __future__ import annotations

from functools import cache

import pytest
from tablier_core.errors import TokenInvalid
from tablier_core.position import Position
from tablier_core.testing.games import TIC_TAC_TOE
from tablier_core.testing.perft import perft
from tablier_core.testing.playouts import playouts

START = TIC_TAC_TOE.start({}, 0)


def children(position: Position) -> list[Position]:
    return [position.apply(seat, m) for seat in position.actors for m in position.moves(seat)]


def reachable() -> dict[bytes, Position]:
    found = {START.pack(): START}
    frontier = [START]
    while frontier:
        for child in children(frontier.pop()):
            if child.pack() not in found:
                found[child.pack()] = child
                frontier.append(child)
    return found


def test_counts_of_move_sequences_match():
    assert [perft(START, depth) for depth in range(10)] == [
        1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872,
    ]  # fmt: skip


def test_counts_of_games_by_outcome_match():
    @cache
    def outcomes(packed: bytes) -> tuple[int, int, int]:
        position = TIC_TAC_TOE.unpack(packed)
        if position.over:
            first = position.returns[0]
            return (int(first == 1), int(first == -1), int(first == 0))
        parts = [outcomes(child.pack()) for child in children(position)]
        return tuple(map(sum, zip(*parts, strict=True)))  # type: ignore[return-value]

    assert outcomes(START.pack()) == (131184, 77904, 46080)


def test_perfect_play_is_a_draw():
    @cache
    def value(packed: bytes) -> float:
        position = TIC_TAC_TOE.unpack(packed)
        if position.over:
            return position.returns[0]
        best = max if position.actors == [0] else min
        return best(value(child.pack()) for child in children(position))

    assert value(START.pack()) == 0


def test_unpack_accepts_exactly_the_reachable_positions():
    accepted = set()
    for marks in range(1 << 18):
        # Nine bits per seat; the other seven of each field are tested below.
        packed = (marks & 511).to_bytes(2, "little") + (marks >> 9).to_bytes(2, "little")
        try:
            position = TIC_TAC_TOE.unpack(packed)
        except TokenInvalid:
            continue
        assert position.pack() == packed
        accepted.add(packed)
    assert len(accepted) == 5478
    assert accepted == set(reachable())


@pytest.mark.parametrize(
    ("packed", "fault"),
    [
        (b"", "length"),
        (b"\0" * 3, "length"),
        (b"\0" * 5, "length"),
        (b"\0\2\0\0", "off the board"),
        (b"\1\0\1\0", "marked twice"),
        (b"\0\0\1\0", "in turn"),
        (b"\3\0\0\0", "in turn"),
        (b"\7\0\x38\0", "after a line"),
    ],
)
def test_unpack_names_the_fault(packed, fault):
    with pytest.raises(TokenInvalid, match=fault):
        TIC_TAC_TOE.unpack(packed)


def test_unpacking_restores_everything_that_follows_from_the_marks():
    for packed, position in reachable().items():
        again = TIC_TAC_TOE.unpack(packed)
        assert (again.actors, again.phase, again.scores, again.returns) == (
            position.actors,
            position.phase,
            position.scores,
            position.returns,
        )


def test_random_play_wins_as_often_as_computed():
    # The exact chances of uniformly random play: 737/1260 and 121/420.
    games = 200_000
    tally = playouts(TIC_TAC_TOE, {}, 1, games)
    wins = tally["wins_by_seat"]
    assert wins[0] == pytest.approx(games * 737 / 1260, abs=4 * (games * 0.243) ** 0.5)
    assert wins[1] == pytest.approx(games * 121 / 420, abs=4 * (games * 0.206) ** 0.5)
    assert tally["returns"] == [wins[0] - wins[1], wins[1] - wins[0]]


def test_draws_the_board():
    position = START
    for text in ("b2", "a1", "c3"):
        position = position.apply(position.actors[0], TIC_TAC_TOE.read_move(text))
    assert position.draw_text() == "3 . . X\n2 . X .\n1 O . .\n  a b c\nO to move"
    assert position.draw_svg().count("<circle") == 9
