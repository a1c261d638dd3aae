"""What was noticed of a fault, judged, and kept in a file per row."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from campaigns.faults.load import Tally
from campaigns.faults.rows import RECOVERY_SECONDS, Row
from tests.live_server import ROOT

FOLDER = ROOT / "build" / "faults"
# The share of calls that the generator may skip. A machine that is too busy shows nothing.
SKIPPED = 0.05
# The kind of caller that repeats calls.
RETRYING = "client"


@dataclass(frozen=True)
class Window:
    """One fault, and what callers noticed of it."""

    # By kind of caller: calls, failed ones, wrong answers.
    calls: dict[str, int]
    failed: dict[str, dict[str, int]]
    wrong: int
    # Seconds from the end of the fault to the last call that failed; 0 if none did.
    recovered: float
    # What the fault was, or which requirement of its own it missed.
    figure: str
    broken: str
    missed: list[str]


def judge(
    row: Row, tallies: dict[str, Tally], ended: float, figure: str, broken: str = ""
) -> Window:
    """Judge one window; `ended` is when the fault had ended."""
    bare = [tally for kind, tally in tallies.items() if kind != RETRYING]
    failed, calls = sum(tally.failed for tally in bare), sum(tally.calls for tally in bare)
    wrong = sum(tally.wrong for tally in tallies.values())
    untyped = sum(tally.untyped for tally in tallies.values())
    last = max((tally.last_failure for tally in tallies.values()), default=0.0)
    recovered = max(0.0, last - ended)
    skipped = sum(tally.skipped for tally in tallies.values())
    with_retries = tallies[RETRYING].failed
    missed = [
        *([f"{wrong} wrong answers"] if wrong else []),
        *([f"{with_retries} failed with retries"] if with_retries else []),
        *([f"{untyped} failed without a status to act on"] if untyped else []),
        *(
            [f"{failed} of {calls:,} failed without retries"]
            if row.share is not None and failed > row.share * calls
            else []
        ),
        *([f"recovered after {recovered:.1f} s"] if recovered > RECOVERY_SECONDS else []),
        *([f"{skipped} calls skipped"] if skipped > SKIPPED * (calls + skipped) else []),
        *([broken] if broken else []),
    ]
    return Window(
        {kind: tally.calls for kind, tally in tallies.items()},
        {kind: dict(tally.failures) for kind, tally in tallies.items()},
        wrong,
        recovered,
        figure,
        broken,
        missed,
    )


class WindowFiles:
    """The windows of each row. A campaign that was interrupted goes on where it was."""

    def __init__(self, folder: Path, version: str, rate: int) -> None:
        self._folder = folder
        self._valid = {"revision": version, "rate": rate}

    def _file(self, row: str) -> Path:
        return self._folder / f"{row}.json"

    def find(self, row: str) -> list[Window]:
        """The windows that were measured with these sources and this rate."""
        try:
            document = json.loads(self._file(row).read_text())
        except FileNotFoundError:
            return []
        if any(document[name] != value for name, value in self._valid.items()):
            return []
        return [Window(**window) for window in document["windows"]]

    def keep(self, row: str, windows: list[Window]) -> None:
        """Write all windows of a row."""
        self._folder.mkdir(parents=True, exist_ok=True)
        document = {**self._valid, "windows": [asdict(window) for window in windows]}
        new = self._folder / f"{row}.new"
        new.write_text(json.dumps(document, indent=2) + "\n")
        new.rename(self._file(row))
