"""How sure a share of won games is, and learning curves."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from statistics import NormalDist


def interval(wins: int, games: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return Wilson's confidence interval of the probability to win a game."""
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    share = wins / games
    middle = (share + z * z / (2 * games)) / (1 + z * z / games)
    half = z / (1 + z * z / games) * (share * (1 - share) / games + (z / (2 * games)) ** 2) ** 0.5
    return max(0.0, middle - half), min(1.0, middle + half)


def describe(wins: int, games: int) -> str:
    """Write a share of won games with its confidence interval."""
    low, high = interval(wins, games)
    return f"won {wins} of {games} games, {wins / games:.1%} (95% sure: {low:.1%} to {high:.1%})"


@dataclass
class Curve:
    """A learning curve: how many games were won after how many turns and seconds."""

    points: list[tuple[int, float, int, int]] = field(default_factory=list)

    def add(self, turns: int, seconds: float, wins: int, games: int) -> None:
        """Add a judgement."""
        self.points.append((turns, seconds, wins, games))

    @property
    def note(self) -> str:
        """How long everything took, and on how many cores."""
        return f"{self.points[-1][1]:.0f} seconds, {os.cpu_count()} cores"

    def draw(self, path: str, title: str) -> None:
        """Draw the curve with its confidence intervals."""
        import matplotlib.pyplot as plt

        turns = [point[0] / 1e6 for point in self.points]
        lows, highs = zip(
            *(interval(wins, games) for _, _, wins, games in self.points), strict=True
        )
        figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
        axes.axhline(0.95, color="0.6", linewidth=1, linestyle="--")
        axes.grid(alpha=0.3)
        axes.fill_between(turns, lows, highs, alpha=0.25, linewidth=0)
        axes.plot(turns, [wins / games for _, _, wins, games in self.points], marker=".")
        axes.set(title=title, xlabel="million turns", ylabel="matches won", ylim=(0, 1.02))
        axes.text(0.99, 0.03, self.note, transform=axes.transAxes, ha="right", color="0.4")
        figure.savefig(path, metadata={"Date": None} if path.endswith(".svg") else None)
        plt.close(figure)
