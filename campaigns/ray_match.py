"""A match on a Ray cluster ends like the same match in local processes: `make ray`.

With a budget in iterations, every game depends on its number alone, so the results must be equal.
"""

from __future__ import annotations

import sys

from rich.console import Console
from tablier_cli.matches.games import Match
from tablier_cli.matches.players import Budget
from tablier_cli.matches.pools import cores, play_here, play_on_ray

GAMES = 12
MATCH = Match(
    "contract", {"seats": 2}, ("best", "random"), Budget(iterations=40), seed=7, rotating=True
)


def main() -> None:
    here = sorted((game.returns, game.moves) for game in play_here(MATCH, GAMES, cores()))
    there = sorted((game.returns, game.moves) for game in play_on_ray(MATCH, GAMES, "local"))
    if here != there:
        sys.exit(f"results on Ray differ from those in local processes:\n{there}\n{here}")
    Console().print(f"{GAMES} games on Ray ended as they did in local processes")


if __name__ == "__main__":
    main()
