"""Both Contigo games in words: moves, stories, reasons, paths and pictures."""

from __future__ import annotations

import re
from html import unescape
from itertools import pairwise

import pytest
from tablier_core import languages
from tablier_core.drawing import CONTRAST, DARK, LIGHT, Look
from tablier_core.errors import MoveIllegal
from tablier_core.games.contigo.pieces import COLOURS, PIECES
from tablier_core.languages import Language
from tablier_core.position import Position
from tablier_core.registry import GAMES

from bench.telling import ROWS
from tests.core.games.contigo_positions import board, crowned, play, ring

ALIGNMENT, CAPTURE = GAMES["contigo-alignment"], GAMES["contigo-capture"]
FRENCH = languages.catalogue("fr")
FREE = "/".join(["......"] * 6)


def align(**options: object) -> Position:
    return ALIGNMENT.start({"first": 0, **options}, 0)


def capture(**options: object) -> Position:
    return CAPTURE.start({"first": 0, **options}, 0)


def words(
    position: Position, move: str, language: languages.Language = languages.IN_ENGLISH
) -> str:
    """The words of a legal move."""
    (seat,) = position.actors
    return position.words(seat, language)[position.notations(seat).index(move)]


def path(position: Position, move: str) -> tuple[str, ...]:
    """The path of a legal move."""
    (seat,) = position.actors
    return position.paths(seat)[position.notations(seat).index(move)]


def story(position: Position, move: str, viewer: int = 0) -> str:
    """What the story of a move tells a viewer."""
    (seat,) = position.actors
    action = position.game.read_move(move)
    return position.story(position.apply(seat, action), seat, action, viewer)


def reason(
    position: Position, move: str, language: languages.Language = languages.IN_ENGLISH
) -> str:
    """Why the seat to move may not make a move, which is indeed illegal."""
    (seat,) = position.actors
    with pytest.raises(MoveIllegal):
        play(position, move)
    return position.reason(seat, position.game.read_move(move), language)


# ---- Words ---------------------------------------------------------------------------------------


def test_pawn_moves_name_their_squares():
    assert words(align(), "a6-a4") == "Red moves a pawn from a6 to a4"
    advanced = align(advanced=True)
    assert words(advanced, "a6-a4-c4") == "Red moves a pawn from a6 by way of a4 to c4"


def test_sowings_name_the_pits_that_receive_beads():
    position = align(layout=FREE, beads=ring(p13=3, p0=1))
    assert (
        words(position, "13+0.2.1") == "Red sows 3 beads from pit 13: 2 into pit 15, 1 into pit 16"
    )
    assert words(position, "13-0.0.3") == "Red sows 3 beads from pit 13 into pit 10"
    assert words(position, "0-1") == "Red sows 1 bead from pit 0 into pit 27"
    blue = align(layout=FREE, beads=ring(p26=6), first=1)
    assert words(blue, "26+1.1.1.1.1.1") == (
        "Blue sows 6 beads from pit 26: 1 into pit 27, 1 into pit 0, 1 into pit 1, 1 into pit 2,"
        " 1 into pit 3, 1 into pit 4"
    )


@pytest.mark.parametrize("tag", languages.LANGUAGES)
def test_all_sowings_say_what_their_notation_says(tag: str):
    position = align(layout=FREE, beads=[6, 0, 0, 0, 0, 0, 0, *[2] * 21])
    language = languages.catalogue(tag)
    told = position.words(0, language)
    assert len(told) > 900
    for notation, sentence in zip(position.notations(0), told, strict=True):
        pit, sign, drops = re.fullmatch(r"(\d+)([+-])(.+)", notation).groups()  # type: ignore[union-attr]
        step = 1 if sign == "+" else -1
        counts = [int(count) for count in drops.split(".")]
        numbers = [sum(counts), int(pit)]
        for at, count in enumerate(counts, start=1):
            if count == sum(counts):
                numbers += [(int(pit) + step * at) % 28]
            elif count:
                numbers += [count, (int(pit) + step * at) % 28]
        assert [int(number) for number in re.findall(r"\d+", sentence)] == numbers


def test_a_language_may_order_the_words_differently_and_use_any_letters():
    class Reversed(Language):
        def gettext(self, message: str) -> str:
            return message.replace("{count} into pit {pit}", "№{pit} ← {count} 🟤")

        def ngettext(self, one: str, several: str, number: int) -> str:
            return "{pit} → {drops}{target} ({count}, {player})".replace(
                "{target}" if "{drops}" in one else "{drops}", ""
            )

    position = align(layout=FREE, beads=ring(p13=3))
    language = Reversed({}, int)
    assert words(position, "13+0.2.1", language) == "13 → №15 ← 2 🟤, №16 ← 1 🟤 (3, Red)"
    assert words(position, "13-0.0.3", language) == "13 → 10 (3, Red)"


def test_captures_name_the_pieces():
    layout = crowned(r="c5", b="c3 e5")
    position = capture(layout=layout, beads=ring(p18=2, p20=1, p9=2))
    assert words(position, "a6-a5") == "Red moves the King from a6 to a5"
    assert words(position, "c5xc3") == "Red captures a blue pawn on c3 with a pawn from c5"
    assert words(position, "c5xe5") == "Red captures a blue pawn on e5 with a pawn from c5"


def test_pieces_that_a_seat_has_won_are_named_with_their_colour():
    layout = board(R="a6", r="c5", B="c3", b="e5", Y="f1", G="a1")
    position = play(capture(layout=layout, beads=ring(p18=2, p16=1)), "c5xc3", "18+1")
    # Yellow and Green have no piece that can move, and sow.
    position = play(position, "18+1", "19-1")
    assert position.actors == [0]
    assert words(position, "e5-e4") == "Red moves a blue pawn from e5 to e4"


def test_a_chain_ends_with_a_button():
    layout = crowned(r="c5", b="c3", y="c1")
    position = play(capture(layout=layout, beads=ring(p18=2)), "c5xc3")
    assert position.phase == "chain"
    assert words(position, "stop") == "Red stops capturing"
    assert path(position, "stop") == ("button-stop",)
    assert path(position, "c3xc1") == ("c3", "c1")


# ---- Stories -------------------------------------------------------------------------------------


def test_a_story_says_how_an_alignment_game_ends():
    position = align(layout=board(R="a1 b1 c1 e2", B="f6"), beads=ring(p16=1))
    assert story(position, "e2-e1", viewer=1) == "Red moves a pawn from e2 to e1; Red wins"
    last = align(layout=FREE, beads=ring(p3=1), turn_limit=1)
    assert story(last, "3+1") == "Red sows 1 bead from pit 3 into pit 4; the game is a draw"
    # Blue holds a line that Red has opened, and cannot move.
    layout = board(R="b1", B="a1 c1 d1 e1")
    opened = play(align(layout=layout, beads=ring(p2=2)), "b1-b3")
    assert story(opened, "2-0.2") == "Red sows 2 beads from pit 2 into pit 0; Blue wins"


def test_a_story_says_who_is_out_and_who_wins():
    layout = crowned(r="a3")
    position = capture(layout=layout, beads=ring(p20=2))
    told = "Red captures the green King on a1 with a pawn from a3; Green is out"
    assert [story(position, "a3xa1", viewer) for viewer in range(-1, 4)] == [told] * 5
    layout = board(R="a6", r="c5", B="c3", Y="c1", G="a1")
    quick = play(capture(layout=layout, beads=ring(p18=2), quick=True), "c5xc3")
    assert story(quick, "c3xc1") == (
        "Red captures the yellow King on c1 with a pawn from c3; Yellow is out; Red wins"
    )
    limit = capture(layout=crowned(), beads=ring(p0=1), turn_limit=1)
    assert story(limit, "0+1") == "Red sows 1 bead from pit 0 into pit 1; the game is a draw"


# ---- Reasons: alignment --------------------------------------------------------------------------


def test_reasons_for_pawns():
    """Every kind of illegal pawn move (reference: A turn)."""
    start = align()
    assert reason(start, "a6-a5") == "Pit 20 holds 2 beads, so a6 reaches a4, not a5"
    assert reason(start, "13+1") == "Red has to move a pawn before sowing"
    assert reason(start, "c3-c4") == "There is no pawn on c3"
    assert reason(start, "a1-a3") == "The pawn on a1 belongs to Blue"
    assert reason(start, "a6-a4-c4") == (
        "A pawn moves in a straight line: only the advanced game has Ls"
    )
    one = align(layout=board(R="a6"), beads=ring(p20=1))
    assert reason(one, "a6-a4") == "Pit 20 holds 1 bead, so a6 reaches a5, not a4"
    assert reason(one, "a6-b6") == "Pit 8 is empty, so a6 cannot move towards it"
    far = align(layout=board(R="a6 c2"), beads=ring(p20=1, p18=3))
    assert reason(far, "c2-c1") == "Pit 18 holds 3 beads, so c2 would leave the board"
    taken = align(layout=board(R="a6 a4 c4", B="c6"), beads=ring(p20=2, p8=2, p10=1))
    for move, square in (("a6-a4", "a4"), ("a6-c6", "c6")):
        assert reason(taken, move) == (
            f"There is a pawn on {square}, and a move must end on a free square"
        )


def test_reasons_for_ls():
    """Every kind of illegal L (reference: Advanced)."""
    start = align(advanced=True)
    assert reason(start, "a6-a4") == (
        "In the advanced game a pawn moves in an L: two straight moves at a right angle"
    )
    assert reason(start, "a6-a5-c5") == "Pit 20 holds 2 beads, so a6 reaches a4, not a5"
    assert reason(start, "a6-a4-d4") == "Pit 10 holds 2 beads, so a4 reaches c4, not d4"
    assert reason(start, "c3-c1-e1") == "There is no pawn on c3"
    # The corner is taken, or the last square.
    taken = align(layout=board(R="a6 f1", B="a4 c6 e6"), beads=[2] * 28, advanced=True)
    assert "pawn on a4" in reason(taken, "a6-a4-c4")
    assert "pawn on c6" in reason(taken, "a6-c6-c4")
    end = align(layout=board(R="a6 f1", B="c4"), beads=[2] * 28, advanced=True)
    assert "pawn on c4" in reason(end, "a6-a4-c4")


def test_reasons_for_sowings():
    """Every kind of illegal sowing (reference: A turn)."""
    position = align(layout=FREE, beads=ring(p13=3, p14=6, p15=5, p16=1, p12=1, p11=6))
    assert reason(position, "2+1") == "Pit 2 is empty"
    assert reason(position, "12+1.1") == "Pit 12 holds 1 bead, so 2 cannot be taken from it"
    assert reason(position, "13+4.0.0.0") == "Pit 13 holds 3 beads, so 4 cannot be taken from it"
    assert reason(position, "13+1") == "Pit 14 is full: it holds 6 beads"
    assert reason(position, "13+0.2") == "Pit 15 holds 5 beads and has room for 1 more, not for 2"
    assert (
        reason(position, "15-0.5.0.0.0")
        == "Pit 13 holds 3 beads and has room for 3 more, not for 5"
    )
    assert reason(position, "14-0.6.0.0.0.0") == (
        "Pit 12 holds 1 bead and has room for 5 more, not for 6"
    )
    assert reason(position, "a6-a4") == "Red has to sow now"
    assert reason(play(align(), "a6-a4"), "a4-a2") == "Red has to sow now"


def test_reasons_out_of_turn():
    """A seat has to wait for its turn, and a game ends (reference: A turn)."""
    move = ALIGNMENT.read_move("a6-a4")
    assert align().reason(1, move) == "It is the turn of Red"
    over = play(align(layout=FREE, beads=ring(p3=1), turn_limit=1), "3+1")
    assert over.reason(0, move) == "The game is over"
    assert capture().reason(2, CAPTURE.read_move("f1-f3")) == "It is the turn of Red"
    ended = play(capture(layout=crowned(), beads=ring(p0=1), turn_limit=1), "0+1")
    assert ended.reason(0, CAPTURE.read_move("stop")) == "The game is over"


# ---- Reasons: capture ----------------------------------------------------------------------------


def test_reasons_for_pieces():
    """Every kind of illegal piece move (reference: A turn)."""
    start = capture()
    assert reason(start, "a6-a5") == "Pit 20 holds 2 beads, so a6 reaches a4, not a5"
    assert reason(start, "a6xa3") == "Pit 20 holds 2 beads, so a6 reaches a4, not a3"
    assert reason(start, "0+1") == "Red has to move a piece before sowing"
    assert reason(start, "stop") == "There is no chain to stop: Red has to move a piece"
    assert reason(start, "c3-c5") == "There is no piece on c3"
    assert reason(start, "f6-f4") == "The piece on f6 belongs to Blue"
    assert reason(capture(layout=crowned(), beads=ring(p20=1)), "a6-b6") == (
        "Pit 8 is empty, so a6 cannot move towards it"
    )
    far = capture(layout=crowned(r="c2"), beads=ring(p18=3, p20=1))
    assert reason(far, "c2-c1") == "Pit 18 holds 3 beads, so c2 would leave the board"
    assert reason(play(start, "a5-a3"), "a6-a4") == "Red has to sow now"
    assert reason(play(start, "a5-a3"), "stop") == "Red has to sow now"
    assert reason(capture(layout=crowned(), beads=ring(p0=1)), "0+0.2") == (
        "Pit 0 holds 1 bead, so 2 cannot be taken from it"
    )


def test_reasons_for_captures():
    """A move that captures, and one that does not (reference: Capture)."""
    layout = crowned(r="c5 e5", b="c3")
    position = capture(layout=layout, beads=ring(p18=2, p9=2, p20=2))
    assert reason(position, "c5-c3") == "There is a rival's piece on c3: c5xc3 captures"
    assert reason(position, "a6xa4") == "There is nothing to capture on a4: a6-a4 moves"
    for move in ("c5-e5", "c5xe5"):
        assert reason(position, move) == "Red controls the piece on e5 and cannot capture it"


def test_reasons_in_a_chain():
    """Only captures by the same piece, or the end of the chain (reference: Chain)."""
    layout = crowned(r="c5 d5", b="c3 d3", y="c1")
    position = play(capture(layout=layout, beads=ring(p18=2, p17=2, p24=1)), "c5xc3")
    assert position.phase == "chain"
    assert reason(position, "18+1") == "Red has to capture again from c3 or stop before sowing"
    assert reason(position, "d5xd3") == "Only the piece on c3 may capture again"
    assert reason(position, "c3-b3") == "The piece on c3 may only capture; otherwise Red stops"
    assert reason(position, "c3xb3") == "There is nothing to capture on b3: c3-b3 moves"
    assert reason(position, "c3xc2") == "Pit 18 holds 2 beads, so c3 reaches c1, not c2"
    assert reason(position, "c3xd3") == "Pit 11 is empty, so c3 cannot move towards it"


def test_pieces_that_have_changed_hands_belong_to_their_captor():
    """A seat that is out controls nothing (reference: Capture)."""
    layout = board(R="a6", r="c5", B="c3", b="e5", Y="f2", G="a1")
    position = play(capture(layout=layout, beads=ring(p18=2, p15=1)), "c5xc3", "18+1")
    assert position.actors == [2]
    assert reason(position, "e5-e4") == "The piece on e5 belongs to Red"


# ---- Paths ---------------------------------------------------------------------------------------


def test_paths_follow_the_piece_and_the_beads():
    assert path(align(), "a6-a4") == ("a6", "a4")
    assert path(align(advanced=True), "a6-a4-c4") == ("a6", "a4", "c4")
    assert path(capture(), "a6-a4") == ("a6", "a4")
    position = align(layout=FREE, beads=ring(p13=3, p0=1))
    assert path(position, "13+0.2.1") == ("pit-13", "pit-15", "pit-15", "pit-16")
    assert path(position, "13-0.2.1") == ("pit-13", "pit-11", "pit-11", "pit-10")
    assert path(position, "0-1") == ("pit-0", "pit-27")


# ---- Long lists ----------------------------------------------------------------------------------


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.game)
def test_the_positions_of_the_benchmark_have_about_3000_sowings(row):
    position = row.position()
    (seat,) = position.actors
    assert 2_900 < position.count_moves(seat) < 3_200
    assert position.phase == "sow"
    for sentences in (position.words(seat), position.words(seat, FRENCH), position.paths(seat)):
        assert len(set(sentences)) == position.count_moves(seat)


# ---- French --------------------------------------------------------------------------------------


def test_french_samples():
    position = align(layout=FREE, beads=ring(p13=3, p0=1))
    assert words(position, "13+0.2.1", FRENCH) == (
        "Rouge sème 3 perles de l’alvéole 13\xa0: 2 dans l’alvéole 15, 1 dans l’alvéole 16"
    )
    assert words(position, "0-1", FRENCH) == "Rouge sème 1 perle de l’alvéole 0 dans l’alvéole 27"
    assert reason(align(), "a6-a5", FRENCH) == (
        "L’alvéole 20 contient 2 perles\xa0: a6 arrive en a4, pas en a5"
    )
    chess = capture(layout=crowned(r="a3"), beads=ring(p20=2))
    assert (
        words(chess, "a3xa1", FRENCH) == "Rouge capture le Roi vert en a1 avec un pion venu de a3"
    )
    assert chess.draw_text(0, FRENCH).endswith("Rouge déplace un pion ou son Roi, tour 1 sur 400")


@pytest.mark.parametrize("name", [*COLOURS, *PIECES.values()])
def test_the_names_of_colours_and_pieces_are_translated(name: str):
    assert FRENCH.gettext(name) != name


# ---- Drawings ------------------------------------------------------------------------------------


def test_the_text_shows_the_numbers_and_beads_of_all_pits():
    lines = align(layout=FREE, beads=[pit % 6 for pit in range(28)]).draw_text().splitlines()
    assert lines[0].split() == [str(pit) for pit in range(8)]
    assert re.findall(r"\d", lines[1]) == [str(pit % 6) for pit in range(8)]
    assert lines[3] == "27 (3) 6 .  .  .  .  .  . 6 (2) 8"
    assert lines[8] == "22 (4) 1 .  .  .  .  .  . 1 (1) 13"
    assert re.findall(r"\d", lines[10]) == [str(pit % 6) for pit in range(21, 13, -1)]
    assert lines[11].split() == [str(pit) for pit in range(21, 13, -1)]
    assert max(map(len, lines)) <= 40
    # Every column of numbers stands above its beads and its file.
    assert [lines[0].index(str(pit)) for pit in range(1, 7)] == [
        lines[2].index(file) for file in "abcdef"
    ]


def drawn_places(position: Position, look: Look) -> dict[str, tuple[float, float]]:
    """The middle of every part, as far as its first shape says."""
    svg = position.draw_svg(0, look)
    places = {}
    for name, x, y, shape in re.findall(
        r'data-part="([^"]+)"[^>]*><(?:circle cx|rect x)="([\d.]+)" (?:c?y)="([\d.]+)"( r)?', svg
    ):
        half = 0 if shape else 24
        places[name] = (float(x) + half, float(y) + half)
    return places


@pytest.mark.parametrize("position", [align(), capture()], ids=["alignment", "capture"])
@pytest.mark.parametrize("palette", [LIGHT, DARK, CONTRAST])
def test_every_square_and_pit_is_a_part(position: Position, palette):
    places = drawn_places(position, Look(palette=palette))
    squares = {file + rank for file in "abcdef" for rank in "123456"}
    assert places.keys() == squares | {f"pit-{pit}" for pit in range(28)}
    assert len(set(places.values())) == 64


def test_the_seat_at_the_bottom_has_its_pieces_at_the_bottom_right():
    corners = {0: "a6", 1: "f6", 2: "f1", 3: "a1"}
    for seat, corner in corners.items():
        places = drawn_places(capture(), Look(bottom=seat))
        squares = [place for name, place in places.items() if len(name) == 2]
        assert places[corner] == max(squares)
    assert drawn_places(align(), Look(bottom=0)) == drawn_places(align(), Look())
    turned = drawn_places(align(), Look(bottom=1))
    assert turned["f6"] == drawn_places(align(), Look())["f1"]
    # However the board is turned, a pit ends the line that it serves, and its neighbours adjoin.
    for bottom in range(4):
        places = drawn_places(capture(), Look(bottom=bottom))
        for pit, squares_of_line in ((20, "a1 a2"), (8, "f6 e6"), (3, "c6 c5"), (25, "a4 b4")):
            (x, y), near, far = (places[name] for name in (f"pit-{pit}", *squares_of_line.split()))
            across, down = near[0] - far[0], near[1] - far[1]
            assert (x - near[0], y - near[1]) == (across * 68 / 48, down * 68 / 48)
        ring_of = [places[f"pit-{pit % 28}"] for pit in range(29)]
        assert all(abs(a - c) + abs(b - d) in (48, 68) for (a, b), (c, d) in pairwise(ring_of))


def test_parts_say_what_is_in_them():
    svg = capture(layout=crowned(r="c5"), beads=ring(p3=1, p4=2)).draw_svg(0)
    labels = dict(re.findall(r'data-part="([^"]+)" aria-label="([^"]+)"', svg))
    assert labels["pit-3"] == "Pit 3: 1 bead"
    assert labels["pit-4"] == "Pit 4: 2 beads"
    assert labels["a6"] == "a6: the red King"
    assert labels["c5"] == "c5: a red pawn"
    assert labels["c4"] == "c4"
    french = unescape(capture().draw_svg(0, Look(language=FRENCH)))
    assert 'aria-label="Alvéole 3\xa0: 2 perles"' in french
    assert 'aria-label="a6\xa0: le Roi rouge"' in french


def test_pits_show_their_beads_as_dots_and_as_a_number():
    svg = align(layout=FREE, beads=[pit % 7 for pit in range(28)]).draw_svg(0)
    pits = re.findall(r'<g data-part="pit-(\d+)"[^>]*>(.*?)</g>', svg, re.DOTALL)
    assert len(pits) == 28
    for pit, drawn in pits:
        assert drawn.count("<circle") == 1 + int(pit) % 7
        assert f">{int(pit) % 7}</text>" in drawn


def test_marks_and_arrows_find_their_parts():
    look = Look(starts=("a6",), last=("pit-3",), arrows=(("a6", "a4"),))
    assert align().draw_svg(0, look).count('pointer-events="none"') == 3
