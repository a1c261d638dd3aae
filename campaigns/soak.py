"""Every law holds in many random games: `make soak GAMES=100000`.

The games are divided among the variants of each game; game i starts from seed i.
"""

from __future__ import annotations

import sys

from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from tablier_core.registry import GAMES
from tablier_core.testing.guards import check_games

from tests.core.variants import VARIANTS

CHUNK = 250  # games per step of the progress bar
STRIDE = 64  # one position in this many is also checked with the expensive laws


def main() -> None:
    count = int(sys.argv[1])
    table = Table("game", "games", "moves")
    with Progress(console=Console(stderr=True)) as progress:
        for name, game in GAMES.items():
            task = progress.add_task(name, total=count)
            variants = VARIANTS[name]
            moves = 0
            for first in range(0, count, CHUNK):
                options = variants[first // CHUNK % len(variants)]
                games = min(CHUNK, count - first)
                moves += check_games(game, options, first, games, stride=STRIDE)
                progress.update(task, advance=games)
            table.add_row(name, f"{count:,}", f"{moves:,}")
    Console().print(table)


if __name__ == "__main__":
    main()
