"""The tools that measure the advice: kept results, targets, calibration, responders, two builds."""

from __future__ import annotations

from random import Random

import pytest
from click.testing import CliRunner
from tablier_core.registry import GAMES

from campaigns import exploit, page, sprt
from campaigns.calibration import __main__ as calibration
from campaigns.calibration.plots import diagram
from campaigns.calibration.reliability import bins_of, brier_of, clustered_error
from campaigns.calibration.sampling import SUBJECTS, Task, samples_of
from campaigns.kept import ROOT, Kept, Workers, answer_all, fingerprint_of
from campaigns.strength_targets import (
    difference_of,
    meets,
    ratio_of,
    stays_below,
    step_rows,
    target_rows,
)


def square(number):
    return number * number


def sample(value, result, game=0, spread=0.0, phase="turn", role="any"):
    return {
        "subject": "x",
        "game": game,
        "phase": phase,
        "role": role,
        "milliseconds": 10,
        "value": value,
        "spread": spread,
        "result": result,
    }


# ---- Kept results --------------------------------------------------------------------------------


def test_goes_on_where_a_run_was_interrupted(tmp_path):
    file = tmp_path / "results.jsonl"
    with Workers(1) as workers:
        part = dict(answer_all(Kept(file, "v1"), square, range(3), workers))
    assert part == {0: 0, 1: 1, 2: 4}
    with file.open("a") as half:
        half.write('{"key": "interr')
    again = Kept(file, "v1")
    # Nobody is asked: a process could not even find this function.
    assert dict(answer_all(again, lambda _: None, range(3), Workers(1))) == part
    assert Kept(file, "v2").find(1) is None


def test_begins_nothing_when_the_time_is_over(tmp_path):
    kept = Kept(tmp_path / "results.jsonl", "v1")
    kept.keep(2, "kept")
    found = dict(answer_all(kept, square, range(5), Workers(1), lambda: False))
    assert found == {2: "kept"}


def test_other_sources_have_another_fingerprint(tmp_path):
    (tmp_path / "players").mkdir()
    source = tmp_path / "players" / "one.py"
    source.write_text("A = 1\n")
    before = fingerprint_of(tmp_path, "players")
    fingerprint_of.cache_clear()
    source.write_text("A = 2\n")
    assert fingerprint_of(tmp_path, "players") != before


def test_every_tool_can_write_its_section_of_the_page(tmp_path, monkeypatch):
    copy = tmp_path / "page.md"
    copy.write_text(page.PAGE.read_text("utf-8"), "utf-8")
    monkeypatch.setattr(page, "PAGE", copy)
    for section in ("strength", "calibration", *(f"exploit {game}" for game in GAMES)):
        page.put(section, f"the figures of {section}")
        assert f"\nthe figures of {section}\n<!-- {section}: end -->" in copy.read_text("utf-8")
    assert "ot measured yet.\n" not in copy.read_text("utf-8")


# ---- Targets -------------------------------------------------------------------------------------


def test_judges_an_estimate_and_its_interval():
    assert meets(0.8, 0.74, 0.86, 0.8) == "ok"
    assert meets(0.8, 0.72, 0.88, 0.8) == "unsure"  # too few games
    assert meets(0.79, 0.75, 0.83, 0.8) == "unsure"
    assert meets(0.7, 0.65, 0.75, 0.8) == "BELOW"
    assert stays_below(0.29, 0.25, 0.33, 0.3) == "ok"
    assert stays_below(0.4, 0.35, 0.45, 0.3) == "ABOVE"
    assert stays_below(0.29, 0.1, 0.5, 0.3) == "unsure"


def test_compares_pairs():
    pairs = [(1.0, 0.0), (1.0, 1.0)] * 50
    found = difference_of(pairs, 0.1)
    assert (found.measured, found.verdict) == ("+50.0 (100.0% : 50.0%)", "ok")
    assert difference_of([(other, one) for one, other in pairs], 0.0).verdict == "BELOW"
    assert ratio_of(pairs, 0.8).measured == "2.00 (100.0% : 50.0%)"
    half = ratio_of([(0.5, 1.0)] * 20, 0.8)
    assert (half.interval, half.verdict) == ("0.50 to 0.50", "BELOW")
    assert ratio_of([(0.0, 0.0)] * 5, 0.9).verdict == "unsure"


def test_every_target_has_a_row():
    names = [row.name for row in (*target_rows(), *step_rows())]
    assert len(set(names)) == len(names)
    for group, number in (
        ("target-alignment", 2),
        ("target-capture", 6),
        ("target-contract", 4),
        ("target-contrat500", 3),
        ("target-contrast", 10),
        ("target-mafia", 8),
        ("steps", 8 * len(GAMES)),
    ):
        assert sum(name.startswith(group) for name in names) == number


# ---- Calibration ---------------------------------------------------------------------------------


def test_asks_about_one_position_of_each_phase():
    subject = next(each for each in SUBJECTS if each.name == "contrat500-2")
    found = samples_of(Task(subject, 3, 1, 1, (1, 2)))
    phases = [(each["phase"], each["milliseconds"]) for each in found]
    assert len(set(phases)) == len(phases)
    assert {milliseconds for _, milliseconds in phases} == {1, 2}
    assert all(-1 <= each["value"] <= 1 and each["result"] in (-1, 0, 1) for each in found)


def test_judges_the_godfather_apart():
    subject = next(each for each in SUBJECTS if each.name == "mafia-6")
    roles = {each["role"] for each in samples_of(Task(subject, 1, 1, 1, (1,)))}
    assert roles == {"Godfather", "others"}


def test_errors_are_clustered_by_game():
    chance = Random(1)
    results = [chance.choice((-1.0, 1.0)) for _ in range(100)]
    alone = [sample(0.0, result, game) for game, result in enumerate(results)]
    # Four positions of a game are no more evidence than one.
    assert clustered_error(alone * 4) == pytest.approx(clustered_error(alone))
    assert clustered_error(alone) == pytest.approx(0.1, abs=0.01)
    assert clustered_error(alone[:1]) == float("inf")


@pytest.mark.parametrize(("value", "off"), [(0.0, False), (0.5, True)])
def test_finds_values_that_are_off(value, off):
    samples = [sample(value, (-1.0) ** game, game % 200) for game in range(400)]
    (only,) = bins_of(samples)
    assert only.counts
    # Each game has two equal results, so the error is that of 200.
    assert only.off == off


def test_finds_spreads_that_are_off():
    def found(spread):
        return bins_of([sample(0.0, (-1.0) ** game, game, spread) for game in range(400)])[0]

    assert not found(1.0).spread_off
    assert found(0.5).spread_off
    # Settled choices have no spread to judge.
    assert found(0.0).spread is None


def test_values_beat_a_constant_only_if_they_know_more():
    results = (-1.0, 1.0, 1.0, 1.0)
    known = brier_of([sample(result, result) for result in results])
    assert (known.score, known.gain) == (0, 1)
    assert brier_of([sample(-result, result) for result in results]).worse
    constant = brier_of([sample(0.5, result) for result in results])
    assert constant.score == pytest.approx(constant.constant)
    assert not constant.worse


def test_draws_the_same_diagram_again():
    bins = bins_of([sample(0.3, 1.0, game) for game in range(3)])
    assert diagram("x", {10: bins, 100: bins}) == diagram("x", {10: bins, 100: bins})
    assert "100 ms" in diagram("x", {100: bins})


def test_reports_what_was_played(tmp_path, monkeypatch):
    monkeypatch.setattr(calibration, "FOLDER", tmp_path)
    monkeypatch.setattr(calibration, "BUDGETS", (1,))
    asked = ["--subjects", "contrat500-2", "--games", "2", "--processes", "1"]
    result = CliRunner().invoke(calibration.main, asked)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    assert "whole games" in result.stdout
    assert (tmp_path / "calibration-contrat500-2.svg").exists()
    assert len((tmp_path / "samples.jsonl").read_text().splitlines()) == 2


# ---- Responders ----------------------------------------------------------------------------------


def test_every_game_can_be_exploited():
    assert set(exploit.ARMS) == set(exploit.OPTIONS) == set(GAMES)


def test_learns_which_arm_wins():
    chance = Random(1)
    responder = exploit.Responder(3, {})
    for _ in range(40):
        games = []
        for _ in range(exploit.BATCH):
            arm = exploit.choose_arm(responder.weights.get("turn", (0.0,) * 3), 0.1, chance)
            result = 1.0 if arm == 2 and chance.random() < 0.8 else -1.0
            games.append(exploit.Played(result=result, followed=[("turn", arm)]))
        responder.learn(games)
    assert exploit.choose_arm(responder.weights["turn"], 0.0, chance) == 2
    assert responder.favourites(["a", "b", "x:c"]) == [("turn", "c", "100%")]


def test_follows_one_arm_in_each_context():
    weights = (("bid, level", (0.0, 0.0, 5.0, 0.0, 0.0)),)
    asked = exploit.Question("contrat500", 1, 1, 1, weights, 0.0)
    played = exploit.play(asked)
    contexts = dict(played["followed"])
    assert len(contexts) == len(played["followed"])
    assert contexts["bid, level"] == 2
    # What was never learned is left to the engine.
    assert all(arm == 0 for context, arm in contexts.items() if context != "bid, level")
    assert exploit.play(exploit.Question("contrat500", 1, 1, 1, None, 0.0))["followed"] == []


def test_compares_a_responder_with_the_engine_deal_by_deal():
    gain = exploit.gain_of({0: 1.0, 1: 1.0, 2: -1.0}, {0: -1.0, 1: 1.0})
    assert (gain.games, gain.points) == (2, 50.0)
    assert gain.low < 50 < gain.high


# ---- Two builds ----------------------------------------------------------------------------------


def test_a_sequential_test_ends_when_it_is_clear():
    better = [0.3, 0.1] * 20
    assert sprt.verdict_of(sprt.likelihood_ratio(better)) == "stronger"
    assert sprt.verdict_of(sprt.likelihood_ratio([-each for each in better])) == "not stronger"
    assert sprt.verdict_of(sprt.likelihood_ratio(better[:8])) == ""
    assert sprt.figure_of({-1: [0.0, -1.0], 0: [1.0, -1.0], 1: [-1.0, 1.0]}, 2) == 1.5


def test_asks_the_engine_of_another_checkout():
    question = sprt.Question("contrat500", str(ROOT), "v", 1, 0, 1)
    try:
        assert sorted(sprt.play(question)) in ([-1.0, 1.0], [0.0, 0.0])
    finally:
        sprt.other_build(str(ROOT)).communicate()  # it ends with its input
        sprt.other_build.cache_clear()
