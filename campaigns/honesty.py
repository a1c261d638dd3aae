"""Advice never depends on hidden information: `make honesty STATES=2000`.

Checks STATES states for each pair of game and level.
"""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from itertools import islice, product

from rich.console import Console
from rich.progress import track
from tablier_core.registry import GAMES

from tests.service.calls.honesty import LEVELS, Advisors, states


def check(name: str, level: int, count: int) -> None:
    """Raise AssertionError at the first state whose advice depends on hidden information."""
    advisors = Advisors(GAMES)
    for number, (position, seat) in enumerate(islice(states(GAMES[name], 1), count)):
        advisors.check(position, seat, level, number)


def main() -> None:
    """Check on all cores and print how many states were checked."""
    count = int(sys.argv[1])
    with ProcessPoolExecutor() as processes:
        checks = [processes.submit(check, *each, count) for each in product(GAMES, LEVELS)]
        done = as_completed(checks)
        try:
            for checked in track(done, "Honesty", len(checks), console=Console(stderr=True)):
                checked.result()
        finally:
            processes.shutdown(cancel_futures=True)
    sys.stdout.write(
        f"No leak in {count:,} states of each of {len(GAMES)} games at {len(LEVELS)} levels\n"
    )


if __name__ == "__main__":
    main()
