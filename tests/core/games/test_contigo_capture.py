"""The rules of the capture game, in the order of docs/reference/contigo-capture.md."""

from __future__ import annotations

import pytest
from tablier_core.errors import GameOver, MoveIllegal
from tablier_core.position import Position
from tablier_core.registry import GAMES

from tests.core.games.contigo_positions import board, crowned, play, ring

GAME = GAMES["contigo-capture"]


def start(**options: object) -> Position:
    return GAME.start({"first": 0, **options}, 0)


def notations(position: Position) -> set[str]:
    return set(position.notations(position.actors[0]))


# ---- The examples of the printed rules -----------------------------------------------------------


def test_the_printed_example_of_a_single_capture():
    position = start(layout=crowned(r="c5", b="c2"), beads=ring(p18=3))
    assert notations(position) == {"c5xc2"}
    after = play(position, "c5xc2")
    assert after.observe().layout == crowned(r="c2")
    assert after.phase == "sow"


def test_the_printed_example_of_two_captures_straight_on():
    position = start(layout=crowned(r="c5", b="c3", g="c1"), beads=ring(p18=2))
    after = play(position, "c5xc3")
    assert after.observe().layout == crowned(r="c3", g="c1")
    assert (after.phase, after.observe().chain) == ("chain", "c3")
    assert notations(after) == {"c3xc1", "stop"}
    after = play(after, "c3xc1")
    assert after.observe().layout == crowned(r="c1")
    assert (after.phase, after.observe().chain) == ("sow", None)


def test_the_printed_example_of_three_captures_round_corners():
    layout = crowned(r="b5", y="b3", g="e3", b="e5")
    position = start(layout=layout, beads=ring(p19=2, p11=3, p5=2))
    after = play(position, "b5xb3")
    assert notations(after) == {"b3xe3", "stop"}
    after = play(after, "b3xe3")
    assert notations(after) == {"e3xe5", "stop"}
    after = play(after, "e3xe5")
    assert after.observe().layout == crowned(r="e5")
    assert after.phase == "sow"


# ---- A turn, and Capture: moves ------------------------------------------------------------------


def test_pawns_and_the_king_move_alike():
    position = start(layout=crowned(r="c3"), beads=ring(p1=0, p20=2, p18=1, p10=1, p8=4))
    assert notations(position) == {"a6-a4", "a6-e6", "c3-c2"}


def test_pieces_jump_any_pieces_on_their_way():
    position = start(layout=crowned(r="c5 c4", b="c3 c2"), beads=ring(p18=4))
    assert notations(position) == {"c5-c1"}


def test_a_piece_goes_exactly_as_far_as_the_beads_say_and_stays_on_the_board():
    assert start(layout=crowned(r="c3", b="c1"), beads=ring(p18=1)).notations(0) == ["c3-c2"]
    assert start(layout=crowned(r="c3", b="c1"), beads=ring(p18=3)).phase == "sow"


def test_own_pieces_block_and_opposing_pieces_do_not():
    assert start(layout=crowned(r="c5 c3"), beads=ring(p18=2)).notations(0) == ["c3-c1"]
    for rival in "byg":
        position = start(layout=crowned(r="c5", **{rival: "c3"}), beads=ring(p18=2))
        assert position.notations(0) == ["c5xc3"]


def test_captured_pieces_leave_the_board_and_their_seat_stays_in():
    after = play(start(layout=crowned(r="c5", b="c3"), beads=ring(p18=2)), "c5xc3")
    view = after.observe()
    assert view.layout == crowned(r="c3")
    assert view.owner == (0, 1, 2, 3)
    assert (view.winner, after.scores) == (None, [0, 0, 0, 0])


def test_notation_distinguishes_moves_from_captures():
    # The same two squares: `-` only to a free one, `x` only onto a rival.
    free = start(layout=crowned(r="c5"), beads=ring(p18=2))
    rival = start(layout=crowned(r="c5", b="c3"), beads=ring(p18=2))
    for position, wrong in ((free, "c5xc3"), (rival, "c5-c3")):
        with pytest.raises(MoveIllegal):
            play(position, wrong)


def test_a_move_is_compulsory_if_there_is_one():
    position = start()
    assert position.phase == "pawn"
    with pytest.raises(MoveIllegal):
        play(position, "0+1")
    with pytest.raises(MoveIllegal):
        play(position, "stop")


def test_without_a_move_the_turn_is_the_sowing_alone():
    position = start(layout=crowned(r="c3"), beads=ring(p0=2, p7=1))
    assert position.phase == "sow"
    after = play(position, "7+1")
    assert (after.actors, after.observe().turns) == ([1], 1)


def test_the_seat_sows_after_its_move_and_the_turn_passes_clockwise():
    position = start()
    order = []
    for _ in range(5):
        seat = position.actors[0]
        moved = position.apply(seat, position.moves(seat)[0])
        assert (moved.phase, moved.actors) == ("sow", [seat])
        position = moved.apply(seat, moved.moves(seat)[0])
        order.append(seat)
    assert order == [0, 1, 2, 3, 0]
    assert position.observe().turns == 5


# ---- Chain ---------------------------------------------------------------------------------------


def test_a_chain_may_turn_back_the_way_it_came():
    layout = crowned(r="c4", b="c2", y="c5")
    after = play(start(layout=layout, beads=ring(p18=2, p3=3)), "c4xc2")
    assert notations(after) == {"c2xc5", "stop"}


def test_only_the_piece_that_captured_may_go_on():
    # The pawn on e5 could capture too, but it did not start the chain.
    layout = crowned(r="c5 e5", b="c3 e3", g="c1")
    after = play(start(layout=layout, beads=ring(p18=2, p16=2)), "c5xc3")
    assert notations(after) == {"c3xc1", "stop"}


def test_a_chain_offers_only_captures():
    # From c3 the pawn could also go west to a free square.
    layout = crowned(r="c5", b="c3", g="c1")
    after = play(start(layout=layout, beads=ring(p18=2, p24=1)), "c5xc3")
    assert notations(after) == {"c3xc1", "stop"}


def test_a_chain_needs_a_further_capture():
    # Ahead lie a free square, then an own pawn: the sowing is due at once.
    for layout in (crowned(r="c5", b="c3"), crowned(r="c5 c1", b="c3")):
        after = play(start(layout=layout, beads=ring(p18=2)), "c5xc3")
        assert (after.phase, after.observe().chain) == ("sow", None)
        assert "stop" not in notations(after)


def test_a_move_that_captures_nothing_starts_no_chain():
    layout = crowned(r="c5", b="c1")
    after = play(start(layout=layout, beads=ring(p18=2)), "c5-c3")
    assert after.phase == "sow"


def test_stop_ends_the_chain_and_the_sowing_is_due():
    layout = crowned(r="c5", b="c3", g="c1")
    after = play(start(layout=layout, beads=ring(p18=2)), "c5xc3", "stop")
    assert (after.phase, after.actors, after.observe().chain) == ("sow", [0], None)
    assert after.observe().layout == crowned(r="c3", g="c1")


def test_beads_stay_where_they_are_during_a_chain():
    layout = crowned(r="c5", b="c3", g="c1")
    position = start(layout=layout, beads=ring(p18=2))
    after = play(position, "c5xc3")
    assert after.observe().beads == position.observe().beads
    assert (after.actors, after.observe().turns) == ([0], 0)
    with pytest.raises(MoveIllegal):
        play(after, "18+1")


def test_a_king_captures_and_chains_too():
    layout = board(R="c5", b="c3", g="c1", B="f6", Y="f1", G="a1")
    after = play(start(layout=layout, beads=ring(p18=2)), "c5xc3", "c3xc1")
    assert after.observe().layout == board(R="c1", B="f6", Y="f1", G="a1")


# ---- Losing the King -----------------------------------------------------------------------------

# Red takes Blue's King on c3; a pawn of Blue stands on c1, two squares further on.
AROUND_A_KING = {"R": "a6", "r": "c5", "B": "c3", "b": "c1 e5", "Y": "f1", "y": "d6", "G": "a1"}
KING_FALLS = board(**AROUND_A_KING)


def test_a_seat_that_loses_its_king_is_out_and_its_pieces_pass_at_once():
    after = play(start(layout=KING_FALLS, beads=ring(p18=2)), "c5xc3")
    view = after.observe()
    assert view.owner == (0, 0, 2, 3)
    # They keep their colour.
    assert view.layout == board(R="a6", r="c3", b="c1 e5", Y="f1", y="d6", G="a1")


def test_pieces_just_won_block_the_rest_of_the_chain():
    # While c1 was Blue's, c3xc1 would have been the next capture.
    after = play(start(layout=KING_FALLS, beads=ring(p18=2)), "c5xc3")
    assert after.phase == "sow"


def test_other_rivals_can_still_be_captured_after_a_king():
    layout = board(**AROUND_A_KING | {"b": "e5", "y": "c1"})
    after = play(start(layout=layout, beads=ring(p18=2)), "c5xc3")
    assert notations(after) == {"c3xc1", "stop"}


def test_pieces_won_move_from_the_next_turn_on():
    # Pit 5 lets the pawn on e5 move one north. It is Blue's, so Red cannot move it yet.
    position = start(layout=KING_FALLS, beads=ring(p18=2, p5=1, p14=1))
    assert notations(position) == {"c5xc3"}
    after = play(position, "c5xc3", "14+1", "15-1", "14+1")
    assert after.actors == [0]
    assert notations(after) == {"e5-e6"}
    assert play(after, "e5-e6").observe().layout[4] == "b"


def test_pieces_won_capture_for_their_new_seat():
    # Green's sowing lets the pawn on e5, once Blue's, move one west, where a pawn of Yellow stands.
    layout = board(**AROUND_A_KING | {"y": "d5"})
    position = start(layout=layout, beads=ring(p18=2, p14=1, p0=2))
    after = play(position, "c5xc3", "14+1", "15-1", "0-1.1")
    assert notations(after) == {"e5xd5"}
    taken = play(after, "e5xd5").observe()
    assert taken.layout.split("/")[1] == "...b.."
    assert taken.owner == (0, 0, 2, 3)


def test_a_seat_that_is_out_is_skipped():
    after = play(start(layout=KING_FALLS, beads=ring(p18=2, p14=2)), "c5xc3", "14+1")
    assert after.actors == [2]


def test_pieces_won_earlier_pass_on_with_the_rest():
    # Red takes Blue's King on c3. Then Yellow's pawn takes Red's, and Yellow has three colours.
    layout = board(R="e2", r="c5", B="c3", b="b6", Y="f1", y="e4", G="a1", g="b1")
    beads = ring(p18=2, p16=2, p14=1)
    after = play(start(layout=layout, beads=beads), "c5xc3", "14+1")
    assert after.actors == [2]
    after = play(after, "e4xe2")
    assert after.observe().owner == (2, 2, 2, 3)
    assert after.observe().layout == board(r="c3", b="b6", Y="f1", y="e2", G="a1", g="b1")
    assert play(after, "15-1").actors == [3]


# ---- The end -------------------------------------------------------------------------------------

# Three Kings in a row for the pawn on c6: two captures south, then one east.
THREE_KINGS = board(R="a6", r="c6", B="c4", Y="c2", G="e2", g="f6 f5 f4")
THREE_KINGS_RING = ring(p18=2, p12=2)


def test_the_last_seat_with_a_king_wins():
    after = play(start(layout=THREE_KINGS, beads=THREE_KINGS_RING), "c6xc4", "c4xc2")
    assert after.phase == "chain"
    over = play(after, "c2xe2")
    assert over.phase == "over"
    assert (over.actors, over.observe().winner) == ([], 0)
    assert over.returns == [1, -1, -1, -1]
    assert over.scores == [1, 0, 0, 0]
    # No sowing follows: the turn is not complete.
    assert over.observe().turns == 0
    with pytest.raises(GameOver):
        over.apply(0, 0)


def test_quick_ends_when_two_are_out_and_no_chain_follows():
    # Red has 2 pieces and Green 4: the captures make Green win.
    after = play(start(layout=THREE_KINGS, beads=THREE_KINGS_RING, quick=True), "c6xc4")
    assert after.phase == "chain"
    over = play(after, "c4xc2")
    assert (over.phase, over.observe().winner) == ("over", 3)
    assert over.returns == [-1, -1, -1, 1]
    assert over.observe().turns == 0


def test_quick_counts_the_pieces_won_with_kings():
    # With four pawns of Yellow, Red controls 6 pieces against 4.
    layout = THREE_KINGS.replace("......", "yyyy..", 1)
    over = play(start(layout=layout, beads=THREE_KINGS_RING, quick=True), "c6xc4", "c4xc2")
    assert over.observe().winner == 0


def test_quick_counts_a_king_as_one_piece():
    # King and pawn of Red against King and pawn of Green: equal.
    layout = board(R="a6", r="c6", B="c4", Y="c2", G="e2", g="f6")
    after = play(start(layout=layout, beads=ring(p18=2), quick=True), "c6xc4", "c4xc2")
    assert (after.phase, after.observe().winner) == ("sow", None)


def test_quick_plays_on_when_equal_until_a_later_capture():
    # Equal after the second King; in the same chain Green loses a pawn, and that decides.
    layout = board(R="a6", r="c6", B="c4", Y="c2", G="e6", g="e2")
    position = start(layout=layout, beads=ring(p18=2, p12=2, p21=2), quick=True)
    after = play(position, "c6xc4", "c4xc2")
    assert notations(after) == {"c2xe2", "stop"}
    assert play(after, "c2xe2").returns == [1, -1, -1, -1]
    # Or Red stops and lets Green capture in its turn, which decides as well.
    later = play(after, "stop", "21+0.2")
    assert (later.phase, later.actors) == ("pawn", [3])
    assert play(later, "e2xc2").returns == [-1, -1, -1, 1]


def test_quick_does_not_count_pieces_while_three_are_in():
    layout = board(R="a6", r="c5", B="c3", Y="f1", y="b1 c1", G="a1", g="d6 e6")
    after = play(start(layout=layout, beads=ring(p18=2), quick=True), "c5xc3")
    assert (after.phase, after.observe().winner) == ("chain", None)


def test_the_full_game_goes_on_with_two_seats():
    after = play(start(layout=THREE_KINGS, beads=THREE_KINGS_RING), "c6xc4", "c4xc2", "stop")
    assert (after.phase, after.observe().owner) == ("sow", (0, 0, 0, 3))
    assert play(after, "18+1").actors == [3]


# ---- Turn limit ----------------------------------------------------------------------------------


def test_the_turn_limit_is_a_draw_between_the_seats_still_in():
    after = play(start(layout=KING_FALLS, beads=ring(p18=2, p14=1), turn_limit=1), "c5xc3")
    assert after.phase == "sow"
    over = play(after, "14+1")
    assert (over.phase, over.actors, over.observe().winner) == ("over", [], None)
    assert over.returns == [0, -1, 0, 0]
    assert over.scores == [0, 0, 0, 0]


def test_the_turn_limit_counts_the_turns_of_all_seats():
    position = start(layout=crowned(), beads=ring(p0=1), turn_limit=3)
    position = play(position, "0+1", "1-1")
    assert not position.over
    assert play(position, "0+1").returns == [0, 0, 0, 0]


def test_a_win_in_the_last_turn_counts():
    position = start(layout=THREE_KINGS, beads=THREE_KINGS_RING, turn_limit=1)
    assert play(position, "c6xc4", "c4xc2", "c2xe2").returns == [1, -1, -1, -1]


def test_a_game_without_a_limit_goes_on():
    # One bead goes back and forth between the corner pit 0 and pit 1, which cannot move the King.
    layout = board(R="a6", B="b3", Y="c3", G="d3")
    position = start(layout=layout, beads=ring(p0=1), turn_limit=0)
    for _ in range(402):
        position = play(position, "0+1" if position.observe().beads[0] else "1-1")
    assert not position.over
    assert position.observe().turns == 402
