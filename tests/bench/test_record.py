"""The table of all benchmarks finds rows that became worse, and no others."""

from __future__ import annotations

import inspect
import random
from dataclasses import replace

import pytest

from bench import __main__ as bench
from bench import instructions, record
from bench.instructions import CALL_LIMIT, CORE_LIMIT
from bench.record import Measured

ABOUT = {"machine": "one with two cores"}


def samples(middle: float, spread: float = 0.05, seed: int = 1) -> list[float]:
    chance = random.Random(seed)
    return [middle * chance.uniform(1 - spread, 1 + spread) for _ in range(15)]


FASTER = Measured("core", "a ratio", samples(10.0), 8.0)
LATENCY = Measured("lanes", "a latency", samples(2.0), 3.0, lower=True)


def worse(now: Measured, before: Measured) -> list[str]:
    return record.table([now], [before], "title")[1]


@pytest.mark.parametrize("row", [FASTER, LATENCY])
def test_the_same_again_is_no_regression(row):
    middle = 2.0 if row.lower else 10.0
    assert worse(replace(row, samples=samples(middle, seed=2)), row) == []


def test_a_row_that_became_worse_is_marked():
    assert worse(replace(FASTER, samples=samples(8.5, seed=2)), FASTER) == ["core: a ratio"]
    assert worse(replace(FASTER, samples=samples(12.0, seed=2)), FASTER) == []
    assert worse(replace(LATENCY, samples=samples(2.4, seed=2)), LATENCY) == ["lanes: a latency"]
    assert worse(replace(LATENCY, samples=samples(1.6, seed=2)), LATENCY) == []


def test_a_slight_or_uncertain_change_is_no_regression():
    slight = replace(FASTER, samples=samples(9.7, 0.001))
    assert worse(slight, replace(FASTER, samples=samples(10.0, 0.001))) == []
    assert worse(replace(FASTER, samples=[2.0, 9.0, 18.0]), FASTER) == []
    # A single sample has no interval.
    assert worse(replace(FASTER, samples=[1.0]), FASTER) == []


def test_a_missed_requirement_is_shown():
    assert record.verdict_cells(FASTER, 7.9) == [">= 8", "MISSED"]
    assert record.verdict_cells(FASTER, 8.1) == [">= 8", "ok"]
    assert record.verdict_cells(LATENCY, 3.1) == ["<= 3", "MISSED"]
    assert record.verdict_cells(replace(FASTER, required=None), 1.0) == ["", ""]


def test_raw_samples_are_kept(tmp_path):
    file = tmp_path / "bench" / "results.json"
    assert record.read(file) == []
    record.write([FASTER, LATENCY], ABOUT, file)
    assert record.read(file) == [FASTER, LATENCY]


def test_a_table_replaces_the_one_of_its_name_on_the_page(tmp_path):
    page = tmp_path / "page.md"
    around = "before\n<!-- rates: begin -->\n{}<!-- rates: end -->\n<!-- other: end -->\n"
    page.write_text(around.format("old\n"))
    record.put_on_page("rates", "new\n", page)
    assert page.read_text() == around.format("new\n")


def test_every_benchmark_adds_rows_to_the_table():
    for name, module in bench.BENCHMARKS.items():
        source = inspect.getsource(module)
        assert f'note("{name}"' in source or f'note_all("{name}"' in source, name


def test_facts_name_the_machine_its_load_and_the_versions():
    facts = record.facts()
    assert set(facts) == {"machine", "load average", "time", "commit", "packages"}
    assert "grpcio" in facts["packages"]


def test_more_instructions_are_found():
    before = {"contrast: apply": 1000, "ApplyMoves, gRPC": 1000}
    rows = instructions.compared({"contrast: apply": 1010, "ApplyMoves, gRPC": 1140}, before)
    assert [row.grown for row in rows] == [False, False]
    assert [row.limit for row in rows] == [CORE_LIMIT, CALL_LIMIT]
    grown = instructions.compared({"contrast: apply": 1030, "ApplyMoves, gRPC": 1160}, before)
    assert [row.grown for row in grown] == [True, True]
    [new] = instructions.compared({"new": 5}, before)
    assert not new.grown
