"""The rules of the alignment game, in the order of docs/reference/contigo-alignment.md."""

from __future__ import annotations

import pytest
from tablier_core.errors import GameOver, MoveIllegal, OptionError
from tablier_core.position import Position
from tablier_core.registry import GAMES

from tests.core.games.contigo_positions import board, play, ring

GAME = GAMES["contigo-alignment"]
EMPTY_BOARD = "/".join(["......"] * 6)
NORTH_OF = dict(zip("abcdef", range(1, 7), strict=True))
EAST_OF = dict(zip("654321", range(8, 14), strict=True))
SOUTH_OF = dict(zip("fedcba", range(15, 21), strict=True))
WEST_OF = dict(zip("123456", range(22, 28), strict=True))
CORNERS = (0, 7, 14, 21)


def start(**options: object) -> Position:
    return GAME.start({"first": 0, **options}, 0)


def notations(position: Position, seat: int = 0) -> set[str]:
    return {GAME.write_move(move) for move in position.moves(seat)}


# ---- Geometry ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pits", "step"),
    [(NORTH_OF, (0, 1)), (EAST_OF, (1, 0)), (SOUTH_OF, (0, -1)), (WEST_OF, (-1, 0))],
    ids=["north", "east", "south", "west"],
)
def test_each_pit_serves_its_line_and_direction(pits: dict[str, int], step: tuple[int, int]):
    across, up = step
    for line, pit in pits.items():
        for square in (f + r for f in "abcdef" for r in "123456"):
            position = start(layout=board(R=square), beads=ring(**{f"p{pit}": 1}))
            target = chr(ord(square[0]) + across) + chr(ord(square[1]) + up)
            served = line in square and target[0] in "abcdef" and target[1] in "123456"
            assert position.phase == ("pawn" if served else "sow")
            if served:
                assert notations(position) == {f"{square}-{target}"}


def test_corner_pits_serve_no_line_but_give_and_receive():
    beads = ring(p0=6, p7=1, p14=2, p21=3)
    position = start(layout=board(R="a1 c3 f6 a6 f1"), beads=beads)
    assert position.phase == "sow"
    assert play(position, "14+2.0").observe().beads[15] == 2
    given = start(layout=EMPTY_BOARD, beads=ring(p1=1))
    assert play(given, "1-1").observe().beads[0] == 1


def test_a_pit_holds_at_most_six():
    position = start(layout=EMPTY_BOARD, beads=ring(p5=2, p6=5, p4=6))
    from_five = {text for text in notations(position) if text.startswith("5")}
    assert from_five == {"5+1", "5+1.1", "5+0.2", "5-0.2"}


# ---- A turn: the pawn ----------------------------------------------------------------------------


def test_a_pawn_goes_exactly_as_far_as_the_beads_ahead():
    for beads, target in enumerate(["b1", "c1", "d1", "e1", "f1"], start=1):
        position = start(layout=board(R="a1"), beads=ring(p13=beads))
        assert notations(position) == {f"a1-{target}"}


def test_a_pawn_stays_on_the_board():
    assert start(layout=board(R="a1"), beads=ring(p13=6)).phase == "sow"
    assert start(layout=board(R="d1"), beads=ring(p13=3)).phase == "sow"


def test_a_pawn_jumps_any_pieces_and_ends_on_a_free_square():
    jump = start(layout=board(R="a1 b1", B="c1"), beads=ring(p13=3))
    assert notations(jump) == {"a1-d1", "b1-e1"}
    for blocker in ({"R": "a1 d1"}, {"R": "a1", "B": "d1"}):
        position = start(layout=board(**blocker), beads=ring(p13=3))
        assert "a1-d1" not in notations(position)


def test_an_empty_pit_allows_no_move_its_way():
    position = start(layout=board(R="c3"), beads=ring(p3=1))
    assert notations(position) == {"c3-c4"}


def test_a_pawn_move_is_compulsory_if_there_is_one():
    position = start()
    assert position.phase == "pawn"
    with pytest.raises(MoveIllegal):
        play(position, "0+1")


def test_a_seat_moves_only_its_own_pawns():
    position = start()
    assert all(text[:2] in {"a6", "b6", "a5", "f2", "e1", "f1"} for text in notations(position))
    assert len(notations(position)) == 12


# ---- A turn: the sowing --------------------------------------------------------------------------


def test_there_are_224_sowings_from_the_start():
    position = play(start(), "a6-a4")
    assert position.phase == "sow"
    assert position.actors == [0]
    assert len(position.moves(0)) == 224


def test_there_are_35672_sowings_in_all():
    sowings = {
        text
        for action in range(GAME.num_actions)
        if "+" in (text := GAME.write_move(action)) or text[0].isdigit()
    }
    assert len(sowings) == 35672


def test_a_sowing_takes_any_number_of_beads_in_any_split_both_ways():
    position = start(layout=EMPTY_BOARD, beads=ring(p13=3))
    splits = {"1", "2.0", "1.1", "0.2"}
    triples = {f"{a}.{b}.{3 - a - b}" for a in range(4) for b in range(4 - a)}
    assert notations(position) == {f"13{d}{s}" for d in "+-" for s in splits | triples}


def test_a_sowing_moves_the_beads_and_passes_the_turn():
    position = start(layout=EMPTY_BOARD, beads=ring(p13=3))
    after = play(position, "13+0.2.1")
    assert after.observe().beads == tuple(ring(p15=2, p16=1))
    assert after.actors == [1]
    assert after.observe().turns == 1


def test_sowing_goes_round_the_ring():
    position = start(layout=EMPTY_BOARD, beads=ring(p27=3, p0=3))
    assert play(position, "27+1.1.1").observe().beads == tuple(ring(p0=4, p1=1, p2=1))
    assert play(position, "0-1.1.1").observe().beads == tuple(ring(p27=4, p26=1, p25=1))


def test_six_beads_reach_six_pits():
    position = start(layout=EMPTY_BOARD, beads=ring(p10=6))
    assert len(position.moves(0)) == 2 * 637
    assert play(position, "10+0.0.0.0.0.6").observe().beads[16] == 6
    assert play(position, "10-6.0.0.0.0.0").observe().beads[9] == 6


def test_without_a_pawn_move_the_turn_is_the_sowing_alone():
    position = start(layout=board(R="a1", B="f6"), beads=ring(p0=2))
    assert position.phase == "sow"
    after = play(position, "0+1")
    # Pit 1 now has a bead, but it does not serve seat 1, which only sows too.
    assert (after.phase, after.actors) == ("sow", [1])
    assert (play(after, "0-1").phase, play(after, "0-1").actors) == ("pawn", [0])


# ---- Alignment: the end --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("own", "rivals", "wins"),
    [
        ("a1 b1 c1", "", True),  # four side by side
        ("a1 b1 f1", "", True),  # a gap of free squares
        ("a1 b1 f1", "c1", False),  # a rival in the gap
        ("a1 b1 c1", "f1", True),  # a rival outside the outermost two
        ("a1 b1 c1 f1", "e1", True),  # four of the five have no rival between
        ("a1 b1", "", False),  # only three
    ],
)
def test_four_on_a_line_win_with_no_rival_between(own: str, rivals: str, wins: bool):
    # The pawn on d3 completes, or does not, the line of rank 1.
    layout = board(R=f"d3 {own}", B=rivals)
    after = play(start(layout=layout, beads=ring(p17=2)), "d3-d1")
    assert after.phase == ("over" if wins else "sow")
    assert after.returns == ([1, -1] if wins else [])
    assert after.scores == ([1, 0] if wins else [0, 0])
    assert after.observe().winner == (0 if wins else None)
    # The winner does not sow.
    assert after.observe().turns == 0


@pytest.mark.parametrize(
    ("others", "move", "pit"),
    [
        ("b2 c3 d4", "e3-e5", "p5"),  # the rising diagonal
        ("a6 b5 c4", "d1-d3", "p4"),  # the falling diagonal
        ("c1 c2 c3", "b5-c5", "p9"),  # a file
        ("a5 b5 d5", "e3-e5", "p5"),  # a rank
    ],
)
def test_ranks_files_and_long_diagonals_are_lines(others: str, move: str, pit: str):
    origin, target = move.split("-")
    distance = max(abs(ord(a) - ord(b)) for a, b in zip(origin, target, strict=True))
    position = start(layout=board(R=f"{origin} {others}"), beads=ring(**{pit: distance}))
    assert play(position, move).returns == [1, -1]


def test_a_short_diagonal_is_not_a_line():
    position = start(layout=board(R="a2 b3 c4 d3"), beads=ring(p4=2))
    assert play(position, "d3-d5").phase == "sow"


def test_a_line_that_the_move_did_not_touch_wins_too():
    # Blue's pawn leaves the line, and any pawn move of Red now wins.
    layout = board(R="a1 b1 d1 e1 a6", B="c1")
    position = start(layout=layout, first=1, beads=ring(p3=1, p1=1, p9=1, p8=1))
    opened = play(position, "c1-c2", "3+1")
    assert opened.phase == "pawn"
    assert opened.actors == [0]
    assert play(opened, "a6-b6").returns == [1, -1]


def test_only_the_mover_is_tested():
    # Blue's move opens Red's line. The game goes on with Blue's sowing.
    layout = board(R="a1 b1 d1 e1", B="c1")
    position = start(layout=layout, first=1, beads=ring(p3=1))
    opened = play(position, "c1-c2")
    assert opened.phase == "sow"
    assert opened.actors == [1]


def test_a_line_wins_at_the_start_of_a_turn_without_a_pawn_move():
    layout = board(R="a1 b1 e1 f1", B="c1")
    position = start(layout=layout, first=1, beads=ring(p3=1))
    over = play(position, "c1-c2", "3+1")
    assert over.phase == "over"
    assert over.actors == []
    assert over.returns == [1, -1]
    assert over.observe().turns == 1
    with pytest.raises(GameOver):
        over.apply(0, 0)


def test_the_turn_limit_is_tested_before_the_line():
    layout = board(R="a1 b1 e1 f1", B="c1")
    position = start(layout=layout, first=1, beads=ring(p3=1), turn_limit=1)
    over = play(position, "c1-c2", "3+1")
    assert over.phase == "over"
    assert over.returns == [0, 0]
    assert over.observe().winner is None


def test_the_turn_limit_counts_the_sowings_of_both_seats():
    position = start(layout=EMPTY_BOARD, beads=ring(p0=1), turn_limit=3)
    position = play(position, "0+1", "1+1")
    assert not position.over
    assert play(position, "2+1").returns == [0, 0]


def test_a_line_in_the_last_turn_still_wins():
    layout = board(R="d3 a1 b1 c1")
    assert play(start(layout=layout, beads=ring(p17=2), turn_limit=1), "d3-d1").returns == [1, -1]


def test_a_game_without_a_limit_goes_on():
    position = start(layout=EMPTY_BOARD, beads=ring(p0=1), turn_limit=0)
    for _ in range(300):
        position = position.apply(position.actors[0], position.moves(position.actors[0])[0])
    assert not position.over
    assert position.observe().turns == 300


# ---- Advanced ------------------------------------------------------------------------------------


def test_an_l_move_is_two_straight_moves_at_a_right_angle():
    # From a1: one north by pit 1, then three east by rank 2's pit; and the other way round.
    beads = ring(p1=1, p12=3, p13=3, p4=1)
    position = start(layout=board(R="a1"), beads=beads, advanced=True)
    assert notations(position) == {"a1-a2-d2", "a1-d1-d2"}
    for move in notations(position):
        assert play(position, move).observe().layout == board(R="d2")


@pytest.mark.parametrize("corner", ["a2", "d1"])
def test_the_corner_of_an_l_must_be_free(corner: str):
    beads = ring(p1=1, p12=3, p13=3, p4=1)
    position = start(layout=board(R="a1", B=corner), beads=beads, advanced=True)
    assert len(notations(position)) == 1
    assert corner not in next(iter(notations(position)))


def test_the_end_of_an_l_must_be_free():
    beads = ring(p1=1, p12=3)
    taken = start(layout=board(R="a1", B="d2"), beads=beads, advanced=True)
    assert taken.phase == "sow"


def test_straight_and_l_moves_exclude_each_other():
    assert all(text.count("-") == 1 for text in notations(start()))
    assert all(text.count("-") == 2 for text in notations(start(advanced=True)))
    with pytest.raises(MoveIllegal):
        play(start(advanced=True), "a6-a4")
    with pytest.raises(MoveIllegal):
        play(start(), "a6-a4-c4")


def test_there_are_twelve_l_moves_from_the_start():
    assert len(start(advanced=True).moves(0)) == 12


# ---- Start and options ---------------------------------------------------------------------------


def test_the_default_start():
    view = GAME.start({}, 0).observe()
    assert view.layout == "RR..BB/R....B/....../....../B....R/BB..RR"
    assert view.beads == (2,) * 28
    assert (view.turns, view.turn_limit, view.advanced, view.winner) == (0, 200, False, None)


def test_first_is_a_seat_or_drawn_by_lot():
    assert [GAME.start({"first": seat}, 5).actors for seat in (0, 1)] == [[0], [1]]
    drawn = [GAME.start({"first": "random"}, seed).actors[0] for seed in range(400)]
    assert 150 < sum(drawn) < 250
    assert drawn == [GAME.start({}, seed).actors[0] for seed in range(400)]


def test_accepts_any_number_of_pawns_and_extreme_totals_of_beads():
    full = "/".join(["RRBBRR", "BBRRBB"] * 3)
    assert start(layout=full).phase == "sow"
    assert start(layout=EMPTY_BOARD).phase == "sow"
    assert len(start(layout=full, beads=[6] * 27 + [5]).moves(0)) == 2
    assert start(beads=[1] + [0] * 27).phase == "sow"


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("layout", board(R="a1 b1 c1 d1")),
        ("layout", board(B="a1 b2 d4 e5")),
        ("layout", "RR..BB"),
        ("layout", "......./" + EMPTY_BOARD),
        ("layout", EMPTY_BOARD.replace(".", "r", 1)),
        ("layout", EMPTY_BOARD[:-1]),
        ("layout", EMPTY_BOARD + "/"),
        ("layout", 7),
        ("layout", None),
        ("beads", [0] * 28),
        ("beads", [6] * 28),
        ("beads", [2] * 27),
        ("beads", [2] * 29),
        ("beads", [7] + [2] * 27),
        ("beads", [-1] + [2] * 27),
        ("beads", [True] + [2] * 27),
        ("beads", [2.5] * 28),
        ("beads", "2" * 28),
        ("beads", 2),
        ("first", 2),
        ("first", -1),
        ("first", "lot"),
        ("first", True),
        ("advanced", 1),
        ("advanced", "true"),
        ("turn_limit", -1),
        ("turn_limit", 2**32),
        ("turn_limit", 1.5),
        ("turn_limit", False),
        ("quick", True),
    ],
)
def test_an_invalid_option_is_named_in_the_error(option: str, value: object):
    with pytest.raises(OptionError) as caught:
        GAME.start({option: value}, 0)
    assert caught.value.field.split("[")[0] == option
    assert caught.value.reason == "INVALID_OPTION"


def test_accepts_a_layout_with_a_rival_in_the_line():
    assert not start(layout=board(R="a1 b1 d1 e1", B="c1")).over


# ---- Notation ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["a6-a4", "f1-a1", "a6-a4-d4", "13+0.2.1", "13-1", "0+2.0", "27-6.0.0.0.0.0"]
)
def test_notation_survives_a_round_trip(text: str):
    assert GAME.write_move(GAME.read_move(text)) == text


def test_notation_is_a_bijection():
    texts = [GAME.write_move(action) for action in range(GAME.num_actions)]
    assert len(set(texts)) == GAME.num_actions == 360 + 1800 + 35672
    assert [GAME.read_move(text) for text in texts] == list(range(GAME.num_actions))


@pytest.mark.parametrize("text", ["a6-a5", "c3-c4", "e6-e4", "a6-a4-c4", "0+1"])
def test_a_move_that_is_not_possible_now_is_illegal(text: str):
    with pytest.raises(MoveIllegal) as caught:
        start().apply(0, GAME.read_move(text))
    assert caught.value.field == ""
