"""Connect four, compared with known counts and OpenSpiel, and the checks of its bytes."""

from __future__ import annotations

import random

import pyspiel
import pytest
from tablier_core.errors import MoveIllegal, TokenInvalid
from tablier_core.position import Position
from tablier_core.testing.games import CONNECT_FOUR
from tablier_core.testing.perft import perft

START = CONNECT_FOUR.start({}, 0)


def drop(columns: str) -> Position:
    position = START
    for column in columns:
        position = position.apply(position.actors[0], CONNECT_FOUR.read_move(column))
    return position


def packed(*sets: str) -> bytes:
    """Pack the cells of each seat, such as `a1 b1`; row 7 must stay clear."""
    return b"".join(
        sum(1 << 7 * "abcdefg".index(cell[0]) + int(cell[1]) - 1 for cell in cells.split())
        .to_bytes(7, "little") for cells in sets
    )  # fmt: skip


def test_counts_of_move_sequences_match():
    assert [perft(START, depth) for depth in range(1, 9)] == [
        7, 49, 343, 2401, 16807, 117649, 823536, 5673234,
    ]  # fmt: skip


@pytest.mark.parametrize("seed", range(200))
def test_random_games_agree_with_openspiel(seed):
    chance = random.Random(seed)
    theirs = pyspiel.load_game("connect_four").new_initial_state()
    ours = START
    while not theirs.is_terminal():
        seat = theirs.current_player()
        assert ours.actors == [seat]
        assert ours.moves(seat) == theirs.legal_actions()
        assert CONNECT_FOUR.unpack(ours.pack(), ours.ply) == ours
        column = chance.choice(theirs.legal_actions())
        theirs.apply_action(column)
        ours = ours.apply(seat, column)
    assert ours.over
    assert ours.returns == theirs.returns()
    again = CONNECT_FOUR.unpack(ours.pack(), ours.ply)
    assert (again.over, again.scores) == (True, ours.scores)


@pytest.mark.parametrize(
    ("columns", "winner"),
    [
        ("abababa", 0),  # upright
        ("gagagaba", 1),
        ("aabbccd", 0),  # level
        ("abbccdcddgd", 0),  # rising
        ("gffeededdad", 0),  # falling
    ],
)
def test_four_in_any_direction_win(columns, winner):
    assert not drop(columns[:-1]).over
    assert drop(columns).returns == ([1, -1] if winner == 0 else [-1, 1])


def test_a_line_does_not_continue_in_the_next_column():
    # Only the clear seventh bit separates the top of a column from the bottom of the next.
    assert CONNECT_FOUR.unpack(packed("a4 a5 a6 b1", "a1 a2 a3 c1")).actors == [0]


def test_a_full_column_is_not_a_legal_move():
    position = drop("aaaaaa")
    assert [CONNECT_FOUR.write_move(move) for move in position.moves(0)] == list("bcdefg")
    with pytest.raises(MoveIllegal):
        position.apply(0, 0)


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (packed("", "")[1:], "length"),
        (packed("", "") + b"\0", "length"),
        (packed("a7", ""), "off the board"),
        (b"\0" * 6 + b"\x80" + b"\0" * 7, "off the board"),
        (packed("a1", "a1"), "two discs"),
        (packed("a2", ""), "in the air"),
        (packed("a1 b2", "b1 c2"), "in the air"),
        (packed("", "a1"), "in turn"),
        (packed("a1 b1", ""), "in turn"),
        (packed("a1 b1 c1 d1", "a2 b2 c2 e1"), "after four"),
        (packed("a1 b1 c1 d1", "a2 b2 c2 d2"), "after four"),
        (packed("a1 a2 a3 a4 g1 g2 g3 g4", "b1 b2 b3 c1 c2 c3 d1"), "after four"),
    ],
)
def test_unpack_names_the_fault(data, fault):
    with pytest.raises(TokenInvalid, match=fault):
        CONNECT_FOUR.unpack(data)


def test_one_disc_may_complete_two_lines():
    row_of_seven = packed("a1 b1 c1 d1 e1 f1 g1", "a2 b2 c2 e2 f2 g2")
    assert CONNECT_FOUR.unpack(row_of_seven).returns == [1, -1]


def test_draws_the_board():
    lines = drop("dde").draw_text().split("\n")
    assert lines[-4:] == ["2 . . . O . . .", "1 . . . X X . .", "  a b c d e f g", "O to move"]
    assert drop("dde").draw_svg().count("<circle") == 42
