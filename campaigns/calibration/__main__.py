"""Play games by advice, ask about their positions, and compare values with results.

    make calibration ARGS="--subjects contract,mafia-6 --games 200 --write"

Samples are kept in build/calibration, and a run goes on from them. Diagrams are drawn there too;
with --write, in docs/strength, and the tables are put into docs/strength.md.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from time import monotonic

import click
from rich.console import Console
from rich.progress import track
from rich.table import Table
from tablier_cli.matches.pools import cores

from bench.record import machine
from campaigns.calibration.plots import diagram
from campaigns.calibration.reliability import GAIN, Bin, bins_of, brier_of
from campaigns.calibration.sampling import SUBJECTS, Sample, Subject, Task, samples_of
from campaigns.choice import chosen
from campaigns.kept import BUILD, ENGINE, ROOT, Kept, Workers, answer_all, fingerprint
from campaigns.page import markdown, measured_by, put

FOLDER = BUILD / "calibration"
PICTURES = ROOT / "docs" / "strength"
PLAY, BUDGETS = 30, (10, 100, 1000)
BIN_TITLES = (
    "game",
    "ms",
    "values",
    "positions",
    "games",
    "mean value",
    "mean result",
    "2 errors",
    "spread",
    "observed",
    "",
)
BRIER_TITLES = (
    "game",
    "ms",
    "role, phase",
    "positions",
    "Brier score",
    "constant",
    "better by",
    "",
)

Rows = list[tuple[str, ...]]


def take_samples(
    subjects: Sequence[Subject], games: int, seed: int, processes: int, minutes: float
) -> list[Sample]:
    """The samples of all games that there is time for; all subjects grow together."""
    end = monotonic() + 60 * minutes if minutes else float("inf")
    kept = Kept(FOLDER / "samples.jsonl", fingerprint(*ENGINE))
    tasks = [
        Task(subject, number, seed, PLAY, BUDGETS)
        for number in range(games)
        for subject in subjects
    ]
    found = []
    with Workers(processes) as workers:
        answers = answer_all(kept, samples_of, tasks, workers, lambda: monotonic() < end)
        for _, samples in track(answers, "Games", len(tasks), console=Console(stderr=True)):
            found += samples
    return found


def reliability_rows(subject: str, milliseconds: int, bins: Sequence[Bin]) -> Rows:
    """The bins of a game at a budget."""
    rows: Rows = []
    for each in bins:
        low = -1 + 0.2 * each.number
        verdict = [
            *(["OFF"] if each.counts and each.off else []),
            *(["SPREAD"] if each.counts and each.spread_off else []),
            *([] if each.counts else ["few"]),
        ]
        rows.append(
            (
                subject,
                str(milliseconds),
                f"{low:+.1f} to {low + 0.2:+.1f}",
                str(each.positions),
                str(each.games),
                f"{each.value:+.2f}",
                f"{each.result:+.2f}",
                f"{2 * each.error:.2f}",
                "" if each.spread is None else f"{each.spread:.2f}",
                "" if each.observed is None else f"{each.observed:.2f}",
                " ".join(verdict) or "ok",
            )
        )
    return rows


def brier_rows(subject: str, milliseconds: int, samples: Sequence[Sample]) -> Rows:
    """The Brier scores of a game at a budget: of all positions, and by role and phase."""
    groups: defaultdict[str, list[Sample]] = defaultdict(list)
    for each in samples:
        groups["whole games"].append(each)
        role = "" if each["role"] == "any" else f"{each['role']}, "
        groups[f"{role}{each['phase']}"].append(each)
    rows: Rows = []
    for name, inside in groups.items():
        brier = brier_of(inside)
        short = name == "whole games" and brier.gain < GAIN
        verdict = "WORSE" if brier.worse else "SHORT" if short else "ok"
        rows.append(
            (
                subject,
                str(milliseconds),
                name,
                str(len(inside)),
                f"{brier.score:.3f}",
                f"{brier.constant:.3f}",
                f"{brier.gain:+.0%}",
                verdict,
            )
        )
    return rows


def judge(samples: Sequence[Sample], pictures: Path) -> tuple[Rows, Rows]:
    """The rows of both tables; draws the diagrams, too."""
    reliability: Rows = []
    scores: Rows = []
    by_subject: defaultdict[str, defaultdict[int, list[Sample]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for each in samples:
        by_subject[each["subject"]][each["milliseconds"]].append(each)
    pictures.mkdir(parents=True, exist_ok=True)
    for subject, budgets in by_subject.items():
        series = {milliseconds: bins_of(inside) for milliseconds, inside in budgets.items()}
        for milliseconds, bins in series.items():
            reliability += reliability_rows(subject, milliseconds, bins)
            scores += brier_rows(subject, milliseconds, budgets[milliseconds])
        (pictures / f"calibration-{subject}.svg").write_text(diagram(subject, series), "utf-8")
    return reliability, scores


def show(title: str, titles: Sequence[str], rows: Rows) -> None:
    """Print a table."""
    table = Table(title=title)
    for head in titles:
        table.add_column(head, justify="right")
    for row in rows:
        table.add_row(*row)
    Console(width=None if sys.stdout.isatty() else 150).print(table)


def section(reliability: Rows, scores: Rows, command: str) -> str:
    """The section of the page."""
    subjects = dict.fromkeys(row[0] for row in reliability)
    pictures = "\n".join(
        f"![Results by values, {name}](strength/calibration-{name}.svg)" for name in subjects
    )
    return "\n\n".join(
        (
            markdown(BRIER_TITLES, scores),
            markdown(BIN_TITLES, reliability),
            pictures,
            measured_by(command),
        )
    )


@click.command()
@click.option("--subjects", metavar="A,B,..", help="Prefixes of the games.  [default: all]")
@click.option("--games", type=click.IntRange(2), default=200, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of the first deal.")
@click.option("--processes", type=click.IntRange(1), help="Parallel games.  [default: all cores]")
@click.option(
    "--minutes", type=float, default=0, show_default=True, help="Then begin no game; 0: no end."
)
@click.option("--write", is_flag=True, help="Put tables and diagrams into docs/.")
def main(
    subjects: str | None, games: int, seed: int, processes: int | None, minutes: float, write: bool
) -> None:
    """Compare the values that the advice reports with the results of games that it plays."""
    wanted = chosen(SUBJECTS, subjects)
    samples = take_samples(wanted, games, seed, processes or cores(), minutes)
    if not samples:
        sys.exit("no game was played")
    reliability, scores = judge(samples, PICTURES if write else FOLDER)
    show(f"Brier scores\n{machine()}", BRIER_TITLES, scores)
    show(f"Reliability\n{machine()}", BIN_TITLES, reliability)
    if write:
        command = f"make calibration ARGS='--games {games} --seed {seed}'"
        put("calibration", section(reliability, scores, command))
    bad = [row for row in (*reliability, *scores) if row[-1] not in ("ok", "few")]
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
