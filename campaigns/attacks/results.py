"""What a row measured: judged by the requirements, and kept in a file for each row."""

from __future__ import annotations

import json
import subprocess
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from tests.live_server import ROOT

# What is required of every row: the requests of other callers and the share that succeeds, their
# p99 compared with the same load next to well-behaved neighbours, and the memory of a worker.
REQUESTS, SHARE, RATIO, MEGABYTES = 10_000, 0.999, 3.0, 160.0
REQUIRED = (
    f"required of every row: {REQUESTS:,} requests of other callers, of which {SHARE:.1%} succeed; "
    f"their p99, of cheap calls and of all, within {RATIO:g}x of the same load next to "
    f"well-behaved neighbours; workers below {MEGABYTES:g} MB"
)
FOLDER = ROOT / "build" / "attacks"
# What no campaign runs: pages, committed results, and tests except for what campaigns share with
# them. A change of these keeps the results.
NO_SOURCES = (
    ":(exclude)*.md",
    ":(exclude)docs",
    ":(exclude)examples",
    ":(exclude)bench/*.json",
    ":(exclude,glob)tests/*/**",
)
# Measured before the service had limits per caller. The file says how.
BEFORE = Path(__file__).parent / "before.json"


@dataclass(frozen=True)
class Result:
    """The figures of a row. Pairs are next to well-behaved neighbours and during the attack."""

    row: str
    requests: int
    # The share of the requests that succeeded during the attack.
    share: float
    # Seconds that one cheap call in a hundred exceeds, and one request of any kind.
    p99: tuple[float, float]
    p99_of_all: tuple[float, float]
    # The largest worker before the attack, at its peak, and afterwards.
    megabytes: tuple[float, float, float]
    # CPU seconds of the service.
    cpu: tuple[float, float]
    # What the attack held, sent or obtained, what is required of that, and the verdict.
    figure: str
    required: str = ""
    fine: bool = True
    # Why nothing is required of this row; empty if something is.
    waived: str = ""
    failures: dict[str, int] = field(default_factory=dict)

    @property
    def missed(self) -> list[str]:
        """The requirements that this row misses, and what was seen instead."""
        if self.waived:
            return []
        ratios = {"p99": ratio(self.p99), "p99 of all": ratio(self.p99_of_all)}
        peak = self.megabytes[1]
        return [
            *([f"only {self.requests:,} requests"] if self.requests < REQUESTS else []),
            *([f"{self.share:.3%} succeeded"] if self.share < SHARE else []),
            *(f"{name} {seen:.2f}x" for name, seen in ratios.items() if seen > RATIO),
            *([f"{peak:.1f} MB"] if peak >= MEGABYTES else []),
            *([] if self.fine else [f"not {self.required}"]),
        ]


def ratio(pair: tuple[float, float]) -> float:
    """How many times longer requests take during the attack."""
    return pair[1] / pair[0]


def revision(root: Path = ROOT) -> str:
    """A hash of the sources: results of others are not reused."""

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(root), *arguments, "--", ".", *NO_SOURCES]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    sources = git("ls-files", "--stage") + git("diff", "HEAD") + git("status", "--porcelain")
    return sha256(sources.encode()).hexdigest()[:24]


class ResultFiles:
    """The results of rows in a folder. A run that was interrupted goes on with the next row."""

    def __init__(self, folder: Path, version: str, requests: int) -> None:
        self._folder = folder
        self._valid = {"revision": version, "requests": requests}

    def _file(self, row: str) -> Path:
        return self._folder / f"{row}.json"

    def keep(self, result: Result) -> None:
        """Write the result of a row."""
        self._folder.mkdir(parents=True, exist_ok=True)
        document = {**self._valid, "result": asdict(result)}
        self._file(result.row).write_text(json.dumps(document, indent=2) + "\n")

    def find(self, row: str) -> Result | None:
        """The result of a row, if it was measured with these sources and as many requests."""
        try:
            document = json.loads(self._file(row).read_text())
        except FileNotFoundError:
            return None
        if any(document[name] != value for name, value in self._valid.items()):
            return None
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in document["result"].items()
        }
        return Result(**values)


def how_before() -> str:
    """How those figures were measured."""
    how: str = json.loads(BEFORE.read_text())["how"]
    return how


def figures_before() -> dict[str, dict[str, Any]]:
    """The figures of rows before the service had limits per caller."""
    found: dict[str, dict[str, Any]] = json.loads(BEFORE.read_text())["rows"]
    return found
