"""The law of honest advice on many states: `make honesty STATES=2000` of each game and level."""

from __future__ import annotations

import sys
from itertools import islice

from rich.console import Console
from rich.progress import Progress
from tablier_core.registry import GAMES

from tests.service.honesty import LEVELS, Advisors, states


def main() -> None:
    """Check, and say how many states kept the law; the first that does not ends it."""
    count = int(sys.argv[1])
    advisors = Advisors(GAMES)
    with Progress(console=Console(stderr=True)) as progress:
        for name, game in GAMES.items():
            task = progress.add_task(name, total=count * len(LEVELS))
            for level in LEVELS:
                for number, (position, seat) in enumerate(islice(states(game, 1), count)):
                    advisors.check(position, seat, level, number)
                    progress.advance(task)
    sys.stdout.write(f"{count:,} states of each of {len(GAMES)} games at {len(LEVELS)} levels\n")


if __name__ == "__main__":
    main()
