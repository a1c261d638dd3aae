"""The stored pictures of the documentation are those that the code draws now."""

from __future__ import annotations

import pytest
from tablier_core.registry import GAMES

from docs import screenshots
from docs.pictures import PICTURES, pictures

# A new game has no pictures of the table until somebody takes them.
SHOWN = screenshots.read_shown()
RETAKE = "run `make pictures` and look at the pictures"


def test_every_picture_is_up_to_date():
    stored = {path.name: path.read_text(encoding="utf-8") for path in PICTURES.glob("*.svg")}
    assert stored == pictures(), "run `make pictures` and look at the difference"


def test_the_gallery_has_all_pictures_of_the_table():
    stored = {path.name for path in screenshots.PICTURES.glob("*.png")}
    assert stored == {name for game in SHOWN for name in screenshots.file_names(game)}, RETAKE
    in_order = [game for game in GAMES if game in SHOWN]
    assert screenshots.PAGE.read_text("utf-8") == screenshots.gallery(in_order), RETAKE


@pytest.mark.parametrize("game", SHOWN)
def test_games_still_draw_what_the_pictures_of_the_table_show(game: str):
    shown = SHOWN[game]
    assert screenshots.digest(shown["state"], shown["seat"]) == shown["drawn"], RETAKE
