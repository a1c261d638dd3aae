"""Choosing rows of a campaign by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

import click


class Named(Protocol):
    """A row of a campaign."""

    @property
    def name(self) -> str:
        """Its name."""


Row = TypeVar("Row", bound=Named)


def chosen(rows: Sequence[Row], wanted: str | None) -> list[Row]:
    """The rows that `wanted` lists, separated by commas: by their names, or by how these start."""
    if wanted is None:
        return list(rows)
    parts = [part.strip() for part in wanted.split(",")]
    names = {row.name for row in rows}
    # The whole name of a row selects no others that start like it.
    prefixes = tuple(part for part in parts if part not in names)
    found = [row for row in rows if row.name in parts or row.name.startswith(prefixes)]
    lost = [name for name in prefixes if not any(row.name.startswith(name) for row in rows)]
    if lost:
        known = ", ".join(row.name for row in rows)
        raise click.BadParameter(
            f"no row starts with {lost[0]!r}; the rows are: {known}", param_hint="--rows"
        )
    return found
