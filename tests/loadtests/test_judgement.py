"""Objectives, verdicts, the knee and reports: each finds a planted defect."""

from __future__ import annotations

import json
import re
from dataclasses import fields, replace

import pytest
from click.testing import CliRunner

from loadtests import compare, knees, report
from loadtests.__main__ import main
from loadtests.knee import BUSY_MACHINE, Knee, Step, find_knee
from loadtests.objectives import Check, Objectives, Verdict, verdict_on
from loadtests.outcomes import DUPLICATED, GOOD, LATE, LOST, REJECTED, WRONG, Notes, Tally
from loadtests.requests import CALLS, SCENARIOS
from loadtests.run import SECRET, Options, Result, without_key
from loadtests.watch import Sample, slope

SECONDS = 20


def notes_of(latency: float = 0.004, slow: float = 0.02, lag: float = 0.001) -> Notes:
    """A run with 100 good answers per second, two in a hundred slow."""
    notes = Notes(1.0)
    for number in range(100 * SECONDS):
        due = number / 100
        # Neighbouring windows differ, as they do in real runs.
        seconds = slow if number % 50 == 0 else latency * (1 + 0.1 * (int(due) % 3))
        notes.add("gRPC ApplyMoves", due, seconds, GOOD)
        notes.offered[int(due)] += 1
        notes.lags.append(int(lag * 1e6))
        notes.checked += 1
    return notes


def samples_of(megabytes: float = 80.0, growth: float = 0.0, minutes: float = 0.4) -> list[Sample]:
    return [
        Sample(
            minutes * 60 * each / 59,
            *(0.4, 0.1),
            megabytes + growth * minutes * each / 59 + 0.01 * (each % 3),
            *(50 + round(growth * minutes * each / 59), 10 + round(growth * minutes * each / 59)),
            *(0.5, 2.0),
        )
        for each in range(60)
    ]


def broken(notes: Notes, cpu: float = 0.5, samples: list[Sample] | None = None) -> set[str]:
    tally = Tally.of(notes, SECONDS, 0.3)
    checks = Objectives("mixed").checks(tally, cpu, samples or samples_of())
    return {check.what for check in checks if not check.held}


def test_every_scenario_and_every_call_has_objectives():
    content = Objectives("mixed")
    for name in (*SCENARIOS, *CALLS, "Batch/apply_moves", "Play/enumerate_moves"):
        mine = Objectives(name).scenario
        assert mine["rate"] > 0
        assert {"p50_ms", "p99_ms", "p999_ms", "cpu_us"} <= set(mine)
    assert [content.every[what] for what in ("wrong", "lost", "duplicated")] == [0, 0, 0]


def test_a_good_run_holds():
    assert broken(notes_of()) == set()


@pytest.mark.parametrize("outcome", [WRONG, LOST, DUPLICATED])
def test_a_single_wrong_lost_or_duplicated_answer_breaks_a_run(outcome):
    notes = notes_of()
    notes.add("gRPC ApplyMoves", 3.0, 0.001, outcome)
    assert broken(notes) == {outcome}
    checks = Objectives("mixed").checks(Tally.of(notes, SECONDS, 0.3), 0.5, samples_of())
    assert verdict_on(checks, [], disturbed=False) is Verdict.BROKEN
    # A slow generator excuses only what may come too late because of it.
    excused = verdict_on(checks, ["the generator was slow"], disturbed=True)
    assert excused is (Verdict.NONE if outcome == LOST else Verdict.BROKEN)


@pytest.mark.parametrize(
    ("outcome", "what"), [("INTERNAL", "errors"), (REJECTED, "rejected"), (LATE, "late")]
)
def test_failures_break_a_run(outcome, what):
    notes = notes_of()
    for _ in range(3):
        notes.add("gRPC ApplyMoves", 3.0, 0.001, outcome)
    assert broken(notes) == {what}


def test_slow_answers_break_a_run():
    assert {"p50 of all calls, ms", "p50 of gRPC ApplyMoves, ms"} <= broken(notes_of(0.05))
    slow = broken(notes_of(slow=2.0))
    assert {"p99 of all calls, ms", "p99.9 of all calls, ms", "p99 of gRPC ApplyMoves, ms"} <= slow


def test_costs_break_a_run():
    assert broken(notes_of(), cpu=100.0) == {"CPU per request, µs"}
    assert broken(notes_of(), samples=samples_of(500.0)) == {"memory, MB"}


def test_growth_breaks_a_soak_but_not_a_short_run():
    assert broken(notes_of(), samples=samples_of(growth=3.0)) == set()
    grown = broken(notes_of(), samples=samples_of(growth=3.0, minutes=12))
    assert grown == {f"{what} per minute" for what in ("megabytes", "descriptors", "threads")}
    assert broken(notes_of(), samples=samples_of(minutes=12)) == set()


def test_the_slope_has_an_interval():
    found = slope([(second, 5 + second / 60 * 2 + (second % 2) * 0.1) for second in range(120)])
    assert found.low < 2 < found.high
    assert found.high - found.low < 0.2


def test_a_generator_that_limits_a_run_gives_no_verdict():
    judge = Objectives("mixed")
    assert judge.limited(Tally.of(notes_of(), SECONDS, 0.5)) == []
    [lag] = judge.limited(Tally.of(notes_of(lag=0.2), SECONDS, 0.5))
    assert lag.startswith("lag_p99_ms of the generator: 200")
    assert len(judge.limited(Tally.of(notes_of(), SECONDS, 0.95))) == 1
    skipped = Tally.of(notes_of(), SECONDS, 0.5)
    skipped.skipped = 10
    assert len(judge.limited(skipped)) == 1
    slow, fine = Check("p99", 500, 200), Check("p50", 1, 2)
    assert verdict_on([fine], [lag], disturbed=False) is Verdict.NONE
    assert verdict_on([slow], [], disturbed=True) is Verdict.DISTURBED
    assert verdict_on([slow], [], disturbed=False) is Verdict.BROKEN
    assert verdict_on([fine], [], disturbed=True) is Verdict.HELD
    assert [each.exit_code for each in Verdict] == [0, 1, 2, 2]


def test_a_busy_machine_is_noticed():
    judge = Objectives("mixed")
    assert not judge.disturbed(samples_of())
    assert judge.disturbed([sample._replace(other_cores=1.2) for sample in samples_of()])


STEP = Step(
    rate=0,
    offered=0,
    goodput=0,
    rejected=0,
    late=0,
    errors=0,
    wrong=0,
    lost=0,
    p50_ms=1,
    p99_ms=2,
    lag_p99_ms=1,
    server_cores=0.5,
    generator_cores=0.5,
    held=True,
    limited=[],
)


def service(capacity: float, generator: float = 1e9):
    """A service that breaks above one rate, behind a generator that fails above another."""

    def measure(rate: float) -> Step:
        limited = ["slow"] if rate > generator else []
        done = min(rate, capacity, generator)
        return replace(
            STEP, rate=rate, offered=rate, goodput=done, held=rate <= capacity, limited=limited
        )

    return measure


def test_the_knee_is_found():
    knee = find_knee(service(1000), 100, 12)
    assert 800 < knee.rate <= 1000
    assert not knee.is_lower_bound
    assert knee.microseconds == pytest.approx(0.5 / knee.rate * 1e6)


def test_a_knee_beyond_the_generator_is_a_lower_bound():
    knee = find_knee(service(1e6, generator=500), 100, 12)
    assert knee.is_lower_bound
    assert str(knee) == "at least 500 per second, generator-limited"
    assert 300 < knee.rate <= 510


def test_a_search_that_ends_before_anything_breaks_says_so():
    knee = find_knee(service(1e6), 100, 4)
    assert str(knee) == "at least 800 per second, no more steps"


def test_a_rate_that_breaks_on_a_busy_machine_proves_nothing():
    broke = replace(STEP, rate=200, goodput=90, held=False, limited=[BUSY_MACHINE])
    held = replace(STEP, rate=100, goodput=100)
    knee = Knee([held, broke])
    assert str(knee) == "at least 100 per second, busy machine"
    assert Knee([held, replace(broke, limited=[])]).limit == "the service"


def test_a_knee_below_the_first_rate_is_looked_for():
    knee = find_knee(service(40), 100, 12)
    assert 20 < knee.rate <= 40
    assert str(find_knee(service(0), 100, 3)) == "below the first rate"
    assert str(Knee()) == "not looked for"


def test_a_step_breaks_on_lost_goodput_and_on_latency():
    judge = Objectives("mixed")
    assert judge.holds_at(Tally.of(notes_of(), SECONDS, 0.5))
    assert not judge.holds_at(Tally.of(notes_of(slow=0.9), SECONDS, 0.5))
    notes = notes_of()
    for number in range(100):
        notes.add("gRPC ApplyMoves", number / 10, 0.001, REJECTED)
        notes.offered[number // 10] += 1
    assert not judge.holds_at(Tally.of(notes, SECONDS, 0.5))


def result_of(notes: Notes, verdict: str = "held") -> Result:
    tally = Tally.of(notes, SECONDS, 0.3)
    return Result(
        options={"scenario": "mixed", "shape": "steady"},
        verdict=verdict,
        checks=Objectives("mixed").checks(tally, 0.5, samples_of()),
        limited=[],
        tally=tally,
        cpu_seconds=0.5,
        samples=samples_of(),
        knee=find_knee(service(1000), 100, 12),
        facts={"machine": "<a machine>", "command": "python -m loadtests run"},
    )


def test_the_report_needs_nothing_else_and_says_the_verdict_first(tmp_path):
    notes = notes_of()
    notes.add("REST Batch", 3.0, 0.001, "INTERNAL")
    html, data = report.write(result_of(notes, "broken"), "test", tmp_path)
    page = html.read_text()
    assert not re.findall(r"""(?:src|href)=["'](?!#)""", page)
    assert "http://" not in re.sub(r'xmlns(:\w+)?="[^"]*"', "", page)
    assert "@import" not in page
    assert "prefers-color-scheme: dark" in page
    for word in ("Objectives", "Latency by percentile", "knee", "REST Batch: INTERNAL", "Server"):
        assert page.index("<strong>broken</strong>") < page.index(word)
    assert "&lt;a machine&gt;" in page
    assert page.count("<svg") == 7
    assert json.loads(data.read_text())["verdict"] == "broken"


def test_reports_do_not_contain_keys():
    given = ["run", "--api-key", "secret", "--api-key=secret", "--seconds", "5"]
    shown = ["run", "--api-key", "…", "--api-key=…", "--seconds", "5"]
    assert without_key(given) == shown
    secret = {field.name for field in fields(Options) if "key" in field.name}
    assert secret == set(SECRET)


def test_a_result_can_be_read_again(tmp_path):
    result = result_of(notes_of())
    _, data = report.write(result, "test", tmp_path)
    again = Result.read(data)
    assert again.as_json() == result.as_json()
    assert report.page(again) == report.page(result)


def test_a_comparison_finds_a_slower_run_and_nothing_else(tmp_path):
    same, slower = result_of(notes_of()), result_of(notes_of(0.006))
    equal = compare.ratios(same, result_of(notes_of()))
    assert [ratio.what for ratio in equal if ratio.differs] == []
    found = {ratio.what: ratio for ratio in compare.ratios(same, slower)}
    assert found["p50 of all calls, ms"].differs
    assert found["p50 of all calls, ms"].ratio == pytest.approx(1.5, abs=0.05)
    assert not found["server cores"].differs
    page = compare.page(same, slower, list(found.values()))
    assert "B is higher" in page


def test_the_command_compares_files(tmp_path, monkeypatch):
    monkeypatch.setattr(report, "FOLDER", tmp_path)
    files = [
        report.write(result_of(notes_of(each)), str(each), tmp_path)[1] for each in (0.004, 0.006)
    ]
    done = CliRunner().invoke(main, ["compare", *map(str, files)])
    assert done.exit_code == 0, done.output
    assert "B is higher" in done.output
    assert (tmp_path / "compare.html").exists()


def test_bad_arguments_are_errors():
    for arguments, message in (
        (["--scenario", "nonsense"], "there is no scenario nonsense"),
        (["--shape", "wave"], "there is no shape wave"),
        (["--shape", "missing.csv"], "missing.csv"),
        (["--scenario", "play", "--transport", "rest"], "only gRPC can carry"),
    ):
        done = CliRunner().invoke(main, ["run", *arguments])
        assert done.exit_code == 2
        assert message in done.output


def test_a_search_for_knees_goes_on_where_it_was(tmp_path):
    here, there, other = knees.ways()[:3]
    found = find_knee(service(1000), 100, 12)
    kept = knees.Knees(tmp_path / "knees.json", "sources")
    kept.keep(here, found)
    kept.keep(there, Knee([replace(STEP, held=False, limited=[BUSY_MACHINE])]))
    again = knees.Knees(tmp_path / "knees.json", "sources")
    assert again.find(here) == found
    assert again.find(there) is None
    assert again.find(other) is None
    assert knees.Knees(tmp_path / "knees.json", "other sources").find(here) is None


def test_the_table_of_knees_has_every_call():
    rows = knees.ways()
    through = [way for way in rows if "`ApplyMoves`" in way.words]
    assert len(through) == 5
    text = knees.table(
        [
            (rows[0], find_knee(service(1000), 100, 12)),
            (rows[2], find_knee(service(1e6, 500), 100, 12)),
        ]
    )
    assert "| `ApplyMoves`, gRPC | 950 | the service |" in text
    assert "| at least " in text
    assert "| generator-limited |" in text
