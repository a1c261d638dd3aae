"""One match on a local Ray cluster and in processes of this machine: `make ray`.

With a budget in iterations every game depends on its number alone, so both must end alike.
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
        sys.exit(f"a match on Ray went otherwise than here:\n{there}\n{here}")
    Console().print(f"{GAMES} games on Ray ended as they did in processes of this machine")


if __name__ == "__main__":
    main()
