"""Write the tables of features in the reference pages: `python -m docs.features`, or `make gen`.

They are made from the slices that the games declare, and stand between two comments in the page.
"""

from __future__ import annotations

import re
from pathlib import Path

from tablier_core.position import Game
from tablier_core.registry import GAMES

PAGES = Path(__file__).parent / "reference"
BEGIN = "<!-- features: written by `make gen` from the game -->"
END = "<!-- end of features -->"


def table(game: Game) -> str:
    """Return the tables of a game's slices and actions, and their sizes."""
    lines = ["| slice | from | shape | values | meaning |", "|---|---|---|---|---|"]
    for each in game.features:
        shape = " × ".join(map(str, each.shape))
        values = f"{each.low:g} to {each.high:g}"
        lines.append(f"| `{each.name}` | {each.offset} | {shape} | {values} | {each.meaning} |")
    lines += ["", "| actions | from | factors |", "|---|---|---|"]
    for part in game.action_parts:
        factors = " × ".join(
            f"{side} {axis}" for side, axis in zip(part.shape, part.axes, strict=True)
        )
        lines.append(f"| `{part.name}` | {part.first} | {factors} |")
    unit = "bit" if game.mask_has_bits else "byte"
    size = f"{game.num_features} numbers, {4 * game.num_features:,} bytes"
    mask = f"{game.mask_size:,} bytes, with a {unit} for each of the {game.num_actions:,} actions"
    lines += ["", f"Version {game.features_version}: {size}. The mask has {mask}."]
    return "\n".join(lines)


def update(page: str, game: Game) -> str:
    """Return a page with the current table."""
    current = f"{BEGIN}\n\n{table(game)}\n\n{END}"
    return re.sub(
        f"{re.escape(BEGIN)}.*?{re.escape(END)}", lambda _: current, page, flags=re.DOTALL
    )


if __name__ == "__main__":
    for name, game in GAMES.items():
        path = PAGES / f"{name}.md"
        path.write_text(update(path.read_text("utf-8"), game), "utf-8")
