"""The generator of sloppy inputs is itself reproducible and varied."""

from __future__ import annotations

import pytest
from tablier_core.registry import GAMES

from tests.core.sloppy import sloppy_inputs
from tests.core.variants import VARIANTS

INPUTS = 2000


@pytest.mark.parametrize("name", GAMES)
def test_writes_thousands_of_varied_inputs(name: str):
    once, twice = (
        [text for _, text in sloppy_inputs(GAMES[name], VARIANTS[name], INPUTS, seed=1)]
        for _ in range(2)
    )
    assert once == twice
    assert len(once) == INPUTS
    assert len(set(once)) > INPUTS // 2


@pytest.mark.parametrize("name", GAMES)
def test_never_writes_the_notation_of_another_move(name: str):
    for meant, text in sloppy_inputs(GAMES[name], VARIANTS[name], 300, seed=2):
        others = set(meant.position.notations(meant.seat)) - {meant.notation}
        assert text not in others
