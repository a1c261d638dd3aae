"""The layout of every game's features, and samples of them: one golden file per game.

A learner that was trained on one layout does not understand another, so a new layout needs a new
`features_version`. `--update-golden` accepts other samples, which follow from other rules or other
variants, but no other layout under the same version. It is another layout if the slices differ, or
if the same states have other features.
"""

from __future__ import annotations

from hashlib import sha256
from itertools import islice
from pathlib import Path

import pytest
from tablier_core.position import Game

from tests.core import laws
from tests.core.variants import ALL_GAMES, VARIANTS

FOLDER = Path(__file__).parent.parent / "data" / "features"
SEED = 2026
POSITIONS = 40  # of a random game of every variant

Layout = dict[str, str]


def golden_file(game: Game) -> Path:
    return FOLDER / f"{game.name}.txt"


def layout_of(game: Game) -> Layout:
    """Return the version, the slices, and digests of states and of what their seats observe."""
    states, features = sha256(), sha256()
    for options in VARIANTS[game.name]:
        for position in islice(laws.walk(game, options, SEED), POSITIONS):
            states.update(position.pack())
            for seat in range(position.seats):
                features.update(position.features(seat))
    slices = {
        part.name: f"{'x'.join(map(str, part.shape))} from {part.low:g} to {part.high:g}"
        for part in game.features
    }
    return {
        "version": str(game.features_version),
        **{f"slice {name}": text for name, text in slices.items()},
        "states": states.hexdigest(),
        "features": features.hexdigest(),
    }


def write(layout: Layout) -> str:
    return "".join(f"{name}: {text}\n" for name, text in layout.items())


def read(text: str) -> Layout:
    return dict(line.split(": ", 1) for line in text.splitlines())


def needs_version(before: Layout, after: Layout) -> bool:
    """Return whether a layout differs from that of a golden file, and has the same version."""
    if before["version"] != after["version"]:
        return False
    slices = [
        [line for line in each.items() if line[0].startswith("slice ")] for each in (before, after)
    ]
    same_states = before["states"] == after["states"]
    return slices[0] != slices[1] or (same_states and before["features"] != after["features"])


@pytest.mark.parametrize("name", ALL_GAMES)
def test_another_layout_has_another_version(name: str, update_golden: bool):
    layout, path = layout_of(ALL_GAMES[name]), golden_file(ALL_GAMES[name])
    if path.exists():
        before = read(path.read_text(encoding="utf-8"))
        # Before its first release, a game may delete the file instead.
        assert not needs_version(before, layout), f"raise the features_version of {name}"
    if update_golden:
        path.write_text(write(layout), encoding="utf-8")
    assert write(layout) == path.read_text(encoding="utf-8")


def test_games_and_golden_files_match_one_to_one():
    assert {golden_file(game) for game in ALL_GAMES.values()} == set(FOLDER.glob("*.txt"))


def test_detects_another_layout():
    before = layout_of(ALL_GAMES["kuhn-poker"])
    assert list(read(write(before)).items()) == list(before.items())
    first, second, *others = [line for line in before.items() if line[0].startswith("slice ")]
    rest = {name: before[name] for name in ("states", "features")}
    for other in (
        {**before, "features": "another"},
        {**before, first[0]: "9 from 0 to 1"},
        {"version": before["version"], **dict([second, first, *others]), **rest},
    ):
        assert needs_version(before, other)
        assert not needs_version(before, {**other, "version": "99"})
    for same in (before, {**before, "states": "another", "features": "another"}):
        assert not needs_version(before, same)
