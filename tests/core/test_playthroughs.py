"""Golden play-throughs: every answer of the core along a random game, as text.

A change in behaviour shows up as a readable difference. `--update-golden` accepts it.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tablier_core.position import Game
from tablier_core.testing import playthrough

from tests.core.variants import Options, cases, label, variant_name

FOLDER = Path(__file__).parent.parent / "data" / "playthroughs"
SEED = 2026
MAX_PLIES = 30  # enough to see every kind of move, short enough to read


def golden_file(game: Game, options: Options) -> Path:
    variant = variant_name(options)
    name = f"{game.name}-{variant}" if variant else game.name
    return FOLDER / f"{name}-s{game.start(options, SEED).seats}.txt"


@pytest.mark.parametrize(("game", "options"), cases(), ids=label)
def test_a_play_through_matches_its_golden_file(game: Game, options: Options, update_golden: bool):
    text = playthrough.write(game, options, SEED, MAX_PLIES)
    path = golden_file(game, options)
    if update_golden:
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_variants_and_golden_files_match_one_to_one():
    expected = [golden_file(game, options) for game, options in cases()]
    assert len(set(expected)) == len(expected)
    assert set(expected) == set(FOLDER.glob("*.txt"))
