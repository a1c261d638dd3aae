"""The sections of docs/strength.md that campaigns write: `ARGS=--write`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from bench.record import commit, machine, put_on_page
from campaigns.kept import OPPONENTS, ROOT, fingerprint

PAGE = ROOT / "docs" / "strength.md"


def markdown(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table."""
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join("| " + " | ".join(each) + " |" for each in lines)


def measured_by(command: str) -> str:
    """How and where the figures of a section were measured."""
    now = datetime.now(UTC).strftime("%Y-%m-%d")
    return (
        f"Measured by `{command}` on {now}, commit {commit()}, opponents "
        f"{fingerprint(*OPPONENTS)}, on {machine()}."
    )


def put(section: str, text: str) -> None:
    """Replace a section of the page by a text."""
    put_on_page(section, f"{text.strip()}\n", PAGE)
