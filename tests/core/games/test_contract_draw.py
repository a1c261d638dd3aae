"""What pictures of Contract show, and the parts to click in them (reference: Picture)."""

from __future__ import annotations

import random
import re
from html import unescape

import pytest
from tablier_core import languages
from tablier_core.drawing import CONTRAST, DARK, LIGHT, Look, Palette
from tablier_core.position import REFEREE, Position

from tests.core.games.contract_example import BIDS, counted, example
from tests.core.games.contract_positions import GAME, begun, legal, play

FRENCH = languages.catalogue("fr")
HAND = {1: ["yakaz", "brakova", "costa", "dollar", "dollar"]}


def paths(position: Position) -> dict[str, tuple[str, ...]]:
    """The paths of all legal moves, by notation."""
    return dict(zip(legal(position), position.paths(position.actors[0]), strict=True))


def test_moves_are_clicks_on_the_table():
    told = paths(example(14))
    assert told["on 3"] == ("mafioso-3",)
    assert told["copper-to 4"] == ("copper-pawn", "mafioso-4")
    assert told["vicelard-to 2"] == ("vicelard-pawn", "mafioso-2")
    assert told["pass"] == ("button-pass",)
    assert paths(example(2))["token"] == ("tokens-0",)
    assert paths(example(2))["contract"] == ("hand-0-costa",)
    told = paths(example(27))
    assert told["down rodrigos"] == ("back-0-rodrigos",)
    assert told["done"] == ("button-done",)
    assert paths(example(12))["vicelard"] == ("vicelard-card",)
    told = paths(play(begun(hands=HAND).position(), "vicelard-to 1"))
    assert told["pay dollar"] == ("hand-1-dollar",)
    assert told["pay down dollar"] == ("back-1-dollar",)
    chased = play(begun(hands=HAND).position(), "vicelard-to 1", "pay dollar")
    assert paths(chased)["chase 3"] == ("mafioso-3",)
    assert paths(counted()) == {"drop 1 costa 6": ("costa-6",), "take-copper": ("copper-card",)}
    assert paths(counted("take-copper")) == {"join costa": ("column-0-costa",)}


def parts(svg: str) -> list[str]:
    """The parts of a picture."""
    return re.findall(r'data-part="([^"]+)"', svg)


def test_a_picture_shows_hidden_hands_as_backs():
    position = example(len(BIDS))
    hands = [name for name in parts(position.draw_svg(0)) if name.startswith(("hand-", "back-"))]
    assert hands == ["hand-0", "hand-0-costa", "back-0-costa", "hand-1", "hand-2"]
    assert "hand-1-yakaz" in parts(position.draw_svg(1)) + parts(position.draw_svg(REFEREE))


@pytest.mark.parametrize("width", [0, 360, 1200])
@pytest.mark.parametrize("palette", [LIGHT, DARK, CONTRAST])
@pytest.mark.parametrize("viewer", [REFEREE, 0, 2])
def test_a_picture_can_be_read(width: int, palette: Palette, viewer: int):
    for position in (GAME.start({}, 40), counted()):
        svg = position.draw_svg(viewer, Look(width=width, palette=palette))
        sizes = [float(size) for size in re.findall(r'font-size="([\d.]+)"', svg)]
        assert min(sizes) >= 12
        wide = re.search(r'viewBox="0 0 (\d+) ', svg)
        assert wide is not None
        # On a phone, a unit of the picture is nearly a pixel.
        assert int(wide[1]) <= (400 if width < 720 else 800)
        assert len(parts(svg)) == len(set(parts(svg)))
        assert ">Legend<" in svg


def test_a_picture_begins_with_the_viewer_or_the_chosen_seat():
    position = example(4)
    for viewer, bottom, first in ((REFEREE, None, 0), (2, None, 2), (2, 1, 1)):
        svg = position.draw_svg(viewer, Look(bottom=bottom))
        seats = [name for name in parts(svg) if name.startswith("seat-")]
        assert seats == [f"seat-{(first + step) % 3}" for step in range(3)]


def test_marks_are_drawn_around_the_parts():
    position = example(4)
    plain = position.draw_svg(1)
    marked = position.draw_svg(1, Look(starts=("mafioso-3", "tokens-1"), marks=("nothing",)))
    marks = re.findall(r'<rect x="(\S+)" y="(\S+)" [^>]* pointer-events="none"/>', marked)
    assert marks[0] == ("6", f"{52 + 24 + 2 * 59 - 2}")
    assert len(marks) == 2
    assert "pointer-events" not in plain


def test_the_text_of_a_finished_game_shows_where_all_points_came_from():
    chance = random.Random(3)
    position = GAME.start({"seats": 2}, 3)
    assert "Seat 1 (you)" in position.draw_text(1)
    assert "(seat " not in position.draw_text(1)
    while not position.over:
        (seat,) = position.actors
        position = position.apply(seat, chance.choice(position.moves(seat)))
    view = position.observe(1)
    won = [0, 0]
    line = next(each for each in position.draw_text(1).split("\n") if each.startswith("Traffics"))
    for points, seat in re.findall(r"(\d+) \(seat (\d)\)", line):
        won[int(seat)] += int(points)
    for tile in view.briefcases:
        if tile.holder is not None:
            won[tile.holder] += tile.worth
    assert won == position.scores


def test_drawings_in_french():
    position = example(14)
    drawn = position.draw_text(0, FRENCH)
    assert drawn.startswith("Manche 1 sur 4\xa0: la place 0 choisit une action\n")
    assert "Place 0 (vous), premier joueur\xa0: 0 point\n" in drawn
    svg = unescape(position.draw_svg(0, Look(language=FRENCH)))
    assert ">La rangée<" in svg
    assert ">Premier à avoir<" in svg
