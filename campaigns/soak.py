"""Every law holds in many random games: `make soak GAMES=100000`.

The games are divided among the variants of each game; game i starts from seed i. The law of memory
needs hundreds of worlds per move, so it is checked in one game of each chunk.
"""

from __future__ import annotations

import random
import sys

from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from tablier_core.position import Game
from tablier_core.registry import GAMES
from tablier_core.testing.guards import check_games

from tests.core import laws
from tests.core.variants import VARIANTS, Options

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
                if game.has_hidden_information:
                    check_knowledge(game, options, first)
                progress.update(task, advance=games)
            table.add_row(name, f"{count:,}", f"{moves:,}")
    Console().print(table)


def check_knowledge(game: Game, options: Options, seed: int) -> None:
    """Check a random move and the last one of a game: worlds agree with what every seat saw, and
    what seats see of a move does not depend on what they cannot know.
    """
    steps = list(laws.play(game, options, seed))
    for step in (random.Random(seed).choice(steps), steps[-1]):
        for viewer in range(step.before.seats):
            laws.check_memory(step, viewer, seed)
            laws.check_public_moves(step, viewer, seed)


if __name__ == "__main__":
    main()
