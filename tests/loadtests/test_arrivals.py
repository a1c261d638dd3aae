"""Requests are due on a schedule, in every shape, whatever the number of generators."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

import loadtests
from loadtests.arrivals import SHAPES, Schedule, shape_named

DAY = Path(loadtests.__file__).with_name("day.csv")


def counts(schedule: Schedule, parts: int = 10) -> list[int]:
    """Arrivals in each part of the run."""
    found = [0] * parts
    for at in schedule.arrivals():
        found[int(at / schedule.seconds * parts)] += 1
    return found


@pytest.mark.parametrize("poisson", [True, False])
def test_all_generators_together_have_the_rate(poisson):
    for generators in (1, 3):
        total = sum(
            len(list(Schedule(300, 10, "steady", poisson, number, generators).arrivals()))
            for number in range(generators)
        )
        # Five standard deviations of a Poisson count.
        assert abs(total - 3000) <= (5 * 3000**0.5 if poisson else 3)


def test_constant_arrivals_have_equal_distances():
    at = list(Schedule(100, 2, poisson=False).arrivals())
    distances = [after - before for before, after in pairwise(at)]
    assert max(distances) - min(distances) < 0.003


def test_poisson_arrivals_do_not():
    at = list(Schedule(100, 5).arrivals())
    distances = [after - before for before, after in pairwise(at)]
    mean = sum(distances) / len(distances)
    spread = (sum((each - mean) ** 2 for each in distances) / len(distances)) ** 0.5
    assert 0.8 < spread / mean < 1.2


def test_shapes_change_the_rate():
    def of(shape: str) -> list[int]:
        return counts(Schedule(200, 10, shape, poisson=False))

    assert of("steady") == of("soak")
    up = of("ramp")
    assert up[0] < 20 < 180 < up[9]
    stairs = of("steps")
    assert stairs[0] == pytest.approx(40, abs=2)
    assert stairs[9] == pytest.approx(200, abs=2)
    burst = counts(Schedule(200, 10, "spike", poisson=False), 20)
    assert burst[9] == burst[10] == pytest.approx(4 * burst[0], abs=4)


def test_a_day_follows_its_file():
    day = counts(Schedule(200, 24, str(DAY), poisson=False), 24)
    assert max(day) == day[21] or max(day) == day[20]
    assert day[3] < 0.2 * max(day)


@pytest.mark.parametrize(
    "text", ["hour,rate\n0,1\n", "hour,rate\n5,1\n0,1\n", "hour,rate\n0,0\n1,0\n"]
)
def test_a_bad_day_is_an_error(tmp_path, text):
    file = tmp_path / "day.csv"
    file.write_text(text)
    with pytest.raises(ValueError, match="at least two rows"):
        shape_named(str(file))


def test_an_unknown_shape_is_an_error():
    assert "spike" in SHAPES
    with pytest.raises(ValueError, match="no shape wave; there are: steady"):
        shape_named("wave")
