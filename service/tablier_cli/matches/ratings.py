"""Win rates and Elo ratings with their confidence intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10, sqrt
from random import Random

from tablier_cli.matches.games import GameResult

# 95% of a normal distribution lies within this many standard deviations.
Z = 1.959964
RESAMPLES = 200
ROUNDS = 200
# Each pair starts with one draw, so that a player that wins every game has a finite rating.
PRIOR_DRAWS = 1.0


@dataclass(frozen=True)
class Standing:
    """The results of one player."""

    name: str
    games: int
    # Share of wins, the mean of (1 + return) / 2: draws and shared wins count as fractions.
    wins: float
    low: float
    high: float
    elo: float
    # Half the width of the rating's 95% interval.
    elo_error: float
    milliseconds: float


def interval(share: float, games: int) -> tuple[float, float]:
    """Return Wilson's 95% interval of a win rate."""
    spread = Z * Z / games
    middle = (share + spread / 2) / (1 + spread)
    half = Z / (1 + spread) * sqrt(share * (1 - share) / games + spread / (4 * games))
    return max(0.0, middle - half), min(1.0, middle + half)


def standings(names: Sequence[str], results: Sequence[GameResult]) -> list[Standing]:
    """Rank the players, strongest first; seats with the same name are one player."""
    players = sorted(set(names), key=names.index)
    ratings = elo(names, players, results)
    errors = elo_errors(names, players, results)
    found = []
    for number, name in enumerate(players):
        mine = [seat for seat, other in enumerate(names) if other == name]
        games = len(results) * len(mine)
        wins = sum((1 + game.returns[seat]) / 2 for game in results for seat in mine) / games
        moves = sum(game.moves[seat] for game in results for seat in mine)
        seconds = sum(game.seconds[seat] for game in results for seat in mine)
        low, high = interval(wins, games)
        found.append(
            Standing(
                name,
                games,
                wins,
                low,
                high,
                ratings[number],
                errors[number],
                1000 * seconds / max(1, moves),
            )
        )
    return sorted(found, key=lambda standing: -standing.wins)


def elo(names: Sequence[str], players: Sequence[str], results: Sequence[GameResult]) -> list[float]:
    """Return the most likely ratings, with mean 0 (Bradley-Terry model).

    Each game counts as a duel between any two of its players, won by the higher return.
    """
    count = len(players)
    index = [players.index(name) for name in names]
    won = [[PRIOR_DRAWS / 2 if i != j else 0.0 for j in range(count)] for i in range(count)]
    for game in results:
        for seat, mine in enumerate(game.returns):
            for other, theirs in enumerate(game.returns):
                if index[seat] != index[other]:
                    won[index[seat]][index[other]] += (
                        1.0 if mine > theirs else 0.5 if mine == theirs else 0.0
                    )
    strength = [1.0] * count
    if count > 1:
        for _ in range(ROUNDS):
            strength = [improve(won, strength, i) for i in range(count)]
    ratings = [400 * log10(value) for value in strength]
    mean = sum(ratings) / count
    return [rating - mean for rating in ratings]


def improve(won: Sequence[Sequence[float]], strength: Sequence[float], i: int) -> float:
    """Return a player's strength after one step of the minorisation-maximisation algorithm."""
    played = sum(
        (won[i][j] + won[j][i]) / (strength[i] + strength[j])
        for j in range(len(strength))
        if j != i
    )
    return sum(won[i]) / played


def elo_errors(
    names: Sequence[str], players: Sequence[str], results: Sequence[GameResult]
) -> list[float]:
    """Return half the width of each rating's 95% interval, by bootstrapping the games."""
    rng = Random(0)
    drawn = [elo(names, players, rng.choices(results, k=len(results))) for _ in range(RESAMPLES)]
    errors = []
    for number in range(len(players)):
        values = sorted(ratings[number] for ratings in drawn)
        errors.append((values[-1 - RESAMPLES // 40] - values[RESAMPLES // 40]) / 2)
    return errors
