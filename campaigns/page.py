"""The sections of docs/strength.md that campaigns write: `ARGS=--write`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from bench.record import commit, machine
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


def put(section: str, text: str, page: Path = PAGE) -> None:
    """Replace a section of the page by a text."""
    begin, end = f"<!-- {section} -->", f"<!-- end of {section} -->"
    old = page.read_text("utf-8")
    pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    if not pattern.search(old):
        raise ValueError(f"{page} has no section {section!r}")
    new = pattern.sub(lambda _: f"{begin}\n{text.strip()}\n{end}", old)
    page.write_text(new, "utf-8")
