"""A tournament of levels with Elo ratings, drawn by matplotlib as ratings.png."""

from __future__ import annotations

import asyncio
from itertools import permutations
from pathlib import Path

from matplotlib.figure import Figure
from tablier_client import AsyncClient

LEVELS = (1, 3, 5)
ROUNDS = 5
# Points that a win against an equal opponent adds.
STEP = 32


async def play(client: AsyncClient, levels: tuple[int, int], seed: int) -> float:
    """Play a game between two levels and return the points of the first: 1, 0.5 or 0."""
    state = await client.start("contigo-alignment", seed=seed, turn_limit=60)
    while not state.over:
        level = levels[state.actors[0]]
        advice = await state.suggest(level=level, seed=seed)
        state = await state.play(advice.suggestions[0].move)
    return (1 + state.returns[0]) / 2


def rate(ratings: dict[int, float], first: int, second: int, points: float) -> None:
    """Move the ratings of two players towards their result."""
    expected = 1 / (1 + 10 ** ((ratings[second] - ratings[first]) / 400))
    ratings[first] += STEP * (points - expected)
    ratings[second] -= STEP * (points - expected)


async def main() -> None:
    """Play every pair from both seats in every round, then draw the ratings."""
    ratings = dict.fromkeys(LEVELS, 1000.0)
    history = {level: [1000.0] for level in LEVELS}
    pairs = list(permutations(LEVELS, 2))
    async with AsyncClient("127.0.0.1:50051", timeout=60) as client:
        for number in range(ROUNDS):
            games = (play(client, pair, seed=number) for pair in pairs)
            for (first, second), points in zip(pairs, await asyncio.gather(*games), strict=True):
                rate(ratings, first, second, points)
            for level in LEVELS:
                history[level].append(ratings[level])

    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    for level in LEVELS:
        axes.plot(history[level], marker="o", label=f"level {level}")
    axes.set(title="Contigo alignment", xlabel="round", ylabel="Elo rating")
    axes.legend()
    axes.grid(alpha=0.3)
    figure.savefig(Path("ratings.png"), dpi=120)
    print("\n".join(f"level {level}: {ratings[level]:.0f}" for level in LEVELS))


if __name__ == "__main__":
    asyncio.run(main())
