"""The words of drawings that a terminal shows in colours."""

from __future__ import annotations

import re

import pytest
from tablier_core.drawing import Palette
from tablier_core.languages import LANGUAGES, catalogue
from tablier_core.position import Game
from tablier_core.registry import GAMES

from tests.core.variants import label


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES.values(), ids=label)
def test_coloured_words_have_colours_of_the_palette(game: Game, language: str):
    coloured = game.text_colours(catalogue(language))
    assert set(coloured.values()) <= set(Palette._fields)
    assert all(word == word.strip() != "" for word in coloured)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["contigo-alignment", "contigo-capture", "contract", "contrast"])
def test_coloured_words_are_in_the_drawing(name: str, language: str):
    game = GAMES[name]
    words = set(re.findall(r"\w+", game.start({}, 1).draw_text(0, catalogue(language))))
    assert len(words & set(game.text_colours(catalogue(language)))) > 1
