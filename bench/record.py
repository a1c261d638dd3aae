"""What benchmarks have measured: one table for all of them, raw samples, and regressions."""

from __future__ import annotations

import json
import os
import platform
import random
import statistics
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.table import Table

# The last committed results, which new ones are compared with.
FILE = Path(__file__).with_name("results.json")
PAGE = Path(__file__).parents[1] / "docs" / "operations.md"
LATEST = Path("build/bench/results.json")
PACKAGES = ("cython", "grpcio", "protobuf", "uvloop", "uvicorn", "open_spiel")
RESAMPLES = 1000
# A smaller change of the median is no regression, however sure it is.
SLIGHT = 1.05

Statistic = Callable[[Sequence[float]], float]


@dataclass(frozen=True)
class Measured:
    """A row: its samples, which are ratios unless the name says otherwise, and what is required."""

    benchmark: str
    name: str
    samples: list[float]
    required: float | None = None
    # Whether less is better, so that the required value is the most that is allowed.
    lower: bool = False

    @property
    def key(self) -> tuple[str, str]:
        """What identifies the row in another run."""
        return self.benchmark, self.name


RECORDED: list[Measured] = []


def note(
    benchmark: str,
    name: str,
    samples: Sequence[float],
    required: float | None = None,
    *,
    lower: bool = False,
) -> None:
    """Record a row of a benchmark of this run."""
    RECORDED.append(Measured(benchmark, name, list(samples), required, lower))


def bootstrap(
    before: Sequence[float], after: Sequence[float], statistic: Statistic = statistics.median
) -> tuple[float, float, float]:
    """`after` divided by `before`: the ratio of a statistic, with its 95% interval."""
    chance = random.Random(1)
    ratios = sorted(
        statistic(chance.choices(after, k=len(after)))
        / max(statistic(chance.choices(before, k=len(before))), 1e-12)
        for _ in range(RESAMPLES)
    )
    ratio = statistic(after) / max(statistic(before), 1e-12)
    return ratio, ratios[int(0.025 * RESAMPLES)], ratios[int(0.975 * RESAMPLES)]


def is_worse(row: Measured, low: float, high: float, ratio: float) -> bool:
    """Whether a row has become worse: surely, and by more than a little."""
    if row.lower:
        return low > 1 and ratio > SLIGHT
    return high < 1 and ratio < 1 / SLIGHT


def table(rows: list[Measured], committed: list[Measured], title: str) -> tuple[Table, list[str]]:
    """The table of all rows, and the names of those that have become worse."""
    found = Table(title=title)
    for head in ("benchmark", "row"):
        found.add_column(head)
    for head in ("median", "95% interval", "required", "", "since committed", "95% interval", ""):
        found.add_column(head, justify="right")
    before = {row.key: row for row in committed}
    worse = []
    for row in rows:
        # Divided by 1, the statistic itself.
        middle, low, high = bootstrap([1.0], row.samples)
        cells = [row.benchmark, row.name, f"{middle:.3g}", f"{low:.3g}-{high:.3g}"]
        cells += verdict_cells(row, middle)
        old = before.get(row.key)
        if old is None or min(len(old.samples), len(row.samples)) < 2:
            found.add_row(*cells, "", "", "")
            continue
        ratio, lowest, highest = bootstrap(old.samples, row.samples)
        bad = is_worse(row, lowest, highest, ratio)
        if bad:
            worse.append(f"{row.benchmark}: {row.name}")
        verdict = "WORSE" if bad else ""
        found.add_row(*cells, f"x{ratio:.2f}", f"{lowest:.2f}-{highest:.2f}", verdict)
    return found, worse


def verdict_cells(row: Measured, middle: float) -> list[str]:
    """What is required of a row, and whether it is reached."""
    if row.required is None:
        return ["", ""]
    reached = middle <= row.required if row.lower else middle >= row.required
    sign = "<=" if row.lower else ">="
    return [f"{sign} {row.required:g}", "ok" if reached else "MISSED"]


def machine() -> str:
    """What this run ran on."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    models = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    model = models[0] if models else platform.processor() or platform.machine()
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}"


def commit() -> str:
    """The commit that is checked out, with a note if files differ from it."""
    done = subprocess.run(
        ["git", "describe", "--always", "--dirty"],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip() or "no commit"


def facts() -> dict[str, str]:
    """Where, when and with what this run was made."""
    return {
        "machine": machine(),
        "load average": " ".join(f"{each:.2f}" for each in os.getloadavg()),
        "time": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "commit": commit(),
        "packages": ", ".join(f"{name} {version(name)}" for name in PACKAGES),
    }


def write(rows: list[Measured], about: dict[str, str], file: Path) -> None:
    """Write the facts and the raw samples."""
    file.parent.mkdir(parents=True, exist_ok=True)
    content: dict[str, Any] = {"facts": about, "rows": [asdict(row) for row in rows]}
    file.write_text(json.dumps(content, indent=1) + "\n")


def put_on_page(name: str, text: str, page: Path = PAGE) -> None:
    """Replace the table of this name on a page, which is between two comments."""
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->\n"
    before, rest = page.read_text().split(begin)
    page.write_text(before + begin + text + end + rest.split(end)[1])


def read(file: Path) -> list[Measured]:
    """Read raw samples; none if there is no file."""
    if not file.exists():
        return []
    return [Measured(**row) for row in json.loads(file.read_text())["rows"]]
