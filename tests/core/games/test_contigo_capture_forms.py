"""The capture game: its start and options, notation, bytes and drawings."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from tablier_core.errors import OptionError, TokenInvalid
from tablier_core.position import Position
from tablier_core.registry import GAMES

from tests.core.games.contigo_positions import board, crowned, play, ring

GAME = GAMES["contigo-capture"]
START = "Rr..bB/rr..bb/....../....../gg..yy/Gg..yY"


def start(**options: object) -> Position:
    return GAME.start({"first": 0, **options}, 0)


# ---- Start and options ---------------------------------------------------------------------------


def test_the_default_start():
    view = GAME.start({}, 0).observe()
    assert view.layout == START
    assert view.beads == (2,) * 28
    assert view.owner == (0, 1, 2, 3)
    assert (view.turns, view.turn_limit, view.quick, view.winner) == (0, 400, False, None)


def test_every_seat_has_eight_moves_from_the_start():
    assert [len(GAME.start({"first": seat}, 0).moves(seat)) for seat in range(4)] == [8] * 4
    assert set(start().notations(0)) == {
        "a6-c6", "a6-a4", "b6-d6", "b6-b4", "a5-c5", "a5-a3", "b5-d5", "b5-b3",
    }  # fmt: skip


def test_first_is_a_seat_or_drawn_by_lot():
    assert [GAME.start({"first": seat}, 5).actors for seat in range(4)] == [[0], [1], [2], [3]]
    drawn = [GAME.start({"first": "random"}, seed).actors[0] for seed in range(400)]
    assert all(70 < drawn.count(seat) < 130 for seat in range(4))
    assert drawn == [GAME.start({}, seed).actors[0] for seed in range(400)]


def test_accepts_layouts_without_pawns_and_without_a_free_square():
    bare = start(layout=crowned())
    assert set(bare.notations(0)) == {"a6-c6", "a6-a4"}
    # Every square that two steps can reach holds a piece of the same colour.
    full = "/".join(["RBrbrb", "GYgygy", *["rbrbrb", "gygygy"] * 2])
    assert [GAME.start({"layout": full, "first": seat}, 0).phase for seat in range(4)] == [
        "sow"
    ] * 4


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("layout", START.replace("R", "r")),  # no King
        ("layout", START.replace("y", "Y", 1)),  # two Kings
        ("layout", START.replace("G", "x")),
        ("layout", START[:-1]),
        ("layout", START + "/"),
        ("layout", START.replace("/", "")),
        ("layout", 7),
        ("layout", None),
        ("beads", [0] * 28),
        ("beads", [6] * 28),
        ("beads", [2] * 27),
        ("beads", [7] + [2] * 27),
        ("beads", [-1] + [2] * 27),
        ("beads", "2" * 28),
        ("first", 4),
        ("first", -1),
        ("first", "lot"),
        ("first", True),
        ("quick", 1),
        ("quick", "true"),
        ("turn_limit", -1),
        ("turn_limit", 2**32),
        ("turn_limit", False),
        ("advanced", True),
    ],
)
def test_an_invalid_option_is_named_in_the_error(option: str, value: object):
    with pytest.raises(OptionError) as caught:
        GAME.start({option: value}, 0)
    assert caught.value.field.split("[")[0] == option
    assert caught.value.reason == "INVALID_OPTION"


# ---- Notation ------------------------------------------------------------------------------------


def test_notation_is_a_bijection():
    texts = [GAME.write_move(action) for action in range(GAME.num_actions)]
    assert len(set(texts)) == GAME.num_actions == 360 + 360 + 1 + 35672
    assert [GAME.read_move(text) for text in texts] == list(range(GAME.num_actions))
    assert {"a6-a4", "a6xa4", "stop", "13+0.2.1", "13-1"} <= set(texts)


# ---- Bytes ---------------------------------------------------------------------------------------

PHASE, TO_MOVE, CHAIN, WINNER, QUICK, TURNS, TURN_LIMIT = 0, 1, 2, 3, 4, 5, 9
RED, BLUE, KINGS, OWNER, BEADS = 13, 18, 33, 38, 42


def in_a_chain() -> Position:
    return play(start(layout=crowned(r="c5", b="c3", g="c1"), beads=ring(p18=2)), "c5xc3")


@pytest.mark.parametrize(
    ("at", "value", "fault"),
    [
        (PHASE, 4, "out of range"),
        (TO_MOVE, 4, "out of range"),
        (CHAIN, 37, "out of range"),
        (WINNER, 5, "out of range"),
        (QUICK, 2, "out of range"),
        (RED + 4, 0x10, "pieces"),  # a square beyond f6
        (BLUE, 0x01, "pieces"),  # on a1, where Green's King is
        (KINGS, 0x00, "kings"),  # Yellow and Green without one
        (KINGS + 1, 0x40, "kings"),  # a second one for Red, on c3
        (KINGS + 1, 0x01, "kings"),  # one on a free square
        (OWNER, 4, "owner"),
        (OWNER, 1, "owner|kings"),  # Red's King stands, so Red is its own
        (BEADS, 7, "beads"),
        (BEADS + 18, 0, "beads"),
        (TURN_LIMIT, 0xFF, None),  # a different limit is a different game, not an error
        (TURNS + 1, 0xFF, "turns"),  # more than the limit
        (PHASE, 0, "phase"),  # a chain square without a chain
        (PHASE, 3, "phase"),  # over, with a chain square
        (CHAIN, 36, "phase"),  # a chain without its square
        (CHAIN, 30, "phase"),  # Red's King on a6 cannot capture
        (CHAIN, 2, "phase"),  # a piece of Green
        (TO_MOVE, 1, "phase"),  # Blue does not control the piece on c3
        (WINNER, 0, "winner"),
    ],
)
def test_rejects_bytes_that_no_game_can_produce(at: int, value: int, fault: str | None):
    data = bytearray(in_a_chain().pack())
    assert data[at] != value
    data[at] = value
    if fault is None:
        assert GAME.unpack(bytes(data)).pack() == bytes(data)
        return
    with pytest.raises(TokenInvalid, match=fault):
        GAME.unpack(bytes(data))


def test_the_length_is_fixed():
    data = in_a_chain().pack()
    assert len(data) == 70
    for wrong in (b"", data[:-1], data + b"\0"):
        with pytest.raises(TokenInvalid, match="length"):
            GAME.unpack(wrong)


def test_rejects_a_finished_game_without_its_winner():
    layout = board(R="a6", r="c6", B="c4", Y="c2", G="e2", g="f6 f5 f4")
    over = play(start(layout=layout, beads=ring(p18=2), quick=True), "c6xc4", "c4xc2")
    for at, value, fault in ((WINNER, 4, "winner"), (PHASE, 2, "phase"), (QUICK, 0, "winner")):
        data = bytearray(over.pack())
        data[at] = value
        with pytest.raises(TokenInvalid, match=fault):
            GAME.unpack(bytes(data))


# ---- Drawings ------------------------------------------------------------------------------------


def drawn(position: Position) -> tuple[list[str], int, int]:
    """Return the texts of a picture, and how many crowns and frames it has."""
    svg = "{http://www.w3.org/2000/svg}"
    root = ElementTree.fromstring(position.draw_svg())
    texts = [node.text or "" for node in root.iter(f"{svg}text")]
    frames = [node for node in root.iter(f"{svg}rect") if "stroke-dasharray" in node.attrib]
    return texts, len(list(root.iter(f"{svg}path"))), len(frames)


def test_a_picture_has_crowns_on_kings_and_letters_on_all_pieces():
    texts, crowns, frames = drawn(start())
    assert (crowns, frames) == (4, 0)
    assert [texts.count(letter) for letter in "RBYG"] == [4, 4, 4, 4]
    assert texts[-1] == "Red moves a piece, turn 1 of 400"


def test_a_picture_shows_who_controls_what_and_which_piece_chains():
    layout = board(R="a6", r="c5", B="c3", b="e5", Y="f1", y="c1", G="a1")
    after = play(start(layout=layout, beads=ring(p18=2)), "c5xc3")
    texts, crowns, frames = drawn(after)
    assert (crowns, frames) == (3, 1)
    # Red's King, its pawn, and its badge on Blue's pawn.
    assert (texts.count("R"), texts.count("B")) == (3, 1)
    assert texts[-2:] == ["Red may capture again from c3, turn 1 of 400", "Red controls Blue"]
    assert after.draw_text().splitlines()[-2:] == texts[-2:]
