"""Perft: counts of move sequences, from tests/data/perft/<game>.txt.

Each line is a case: the options as JSON, a tab, the seed, a tab, and the counts for the depths 1,
2, ... separated by spaces. Comment lines (#) state the source of the counts.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tablier_core.testing.perft import perft

from tests.core.variants import ALL_GAMES, label

FOLDER = Path(__file__).parent.parent / "data" / "perft"


def read_cases() -> list[tuple[str, dict[str, object], int, list[int]]]:
    found = []
    for path in sorted(FOLDER.glob("*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if not line.startswith("#"):
                options, seed, counts = line.split("\t")
                depths = [int(count) for count in counts.split()]
                found.append((path.stem, json.loads(options), int(seed), depths))
    return found


def case_label(value: object) -> str:
    """Name the game and its variant; pytest numbers the rest."""
    if isinstance(value, dict):
        return label(value)
    return value if isinstance(value, str) else ""


@pytest.mark.parametrize(("name", "options", "seed", "counts"), read_cases(), ids=case_label)
def test_counts_of_move_sequences_match(
    name: str, options: dict[str, object], seed: int, counts: list[int]
):
    position = ALL_GAMES[name].start(options, seed)
    assert [perft(position, depth) for depth in range(1, len(counts) + 1)] == counts


def test_every_game_has_counts():
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(ALL_GAMES)
