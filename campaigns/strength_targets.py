"""The rows of `make strength` that compare the engines with strong, frozen opponents.

A target is met when the estimate reaches it and the lower end of the 95% interval is within
7 points of it. Deals are paired: each is played once in every rotation of the seats, and where two
players are compared, both play the same deals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev

from tablier_cli.matches.games import Match, fill_seats, seats_of
from tablier_cli.matches.players import Budget
from tablier_cli.matches.ratings import Z, interval
from tablier_core.advice import STRONGEST
from tablier_core.options import Value

from campaigns.players.contrast import CROWDS
from campaigns.strength_rows import (
    LEVEL_BUDGET,
    NO_OPTIONS,
    NOT_MEASURED,
    PLAYERS,
    Advance,
    Ending,
    Figure,
    Plan,
    Row,
    play_all,
    titled,
)

GAMES, MANY_GAMES, LEVEL_GAMES, EXACT_GAMES = 200, 1000, 400, 2500
# How far below the target the lower end of the interval may be.
TOLERANCE = 0.07
LIARS = ("silent", "babbling", "blaming_earlier", "blaming_later", "half_true")
BIDDERS = ("hoarder", "greedy", "sniper", "spender")
# By game: the seats at a table of levels.
LEVEL_TABLES: Mapping[str, Mapping[str, Value]] = {
    "contigo-alignment": {},
    "contigo-capture": {"quick": True},
    "contract": {"seats": 2},
    "contrast": {"seats": 4},
    "contrat500": {"seats": 2},
    "mafia-de-cuba": {"seats": 6},
}
PARTNERS = ("sharp", "people", "soft")
# The images that a team of Contrast needs.
TEAM_TARGET = 22
# An interval needs so many games.
FEWEST = 2


def meets(measured: float, low: float, high: float, target: float) -> str:
    """Judge an estimate and its interval by a target."""
    if measured >= target and low >= target - TOLERANCE:
        return "ok"
    return "BELOW" if high < target else "unsure"


def stays_below(measured: float, low: float, high: float, most: float) -> str:
    """Judge an estimate that must not exceed a limit."""
    verdict = meets(-measured, -high, -low, -most)
    return "ABOVE" if verdict == "BELOW" else verdict


def match_of(
    game: str,
    options: Mapping[str, Value],
    players: Sequence[str],
    plan: Plan,
    *,
    budget: Budget | None = None,
    rotating: bool = True,
) -> Match:
    named = [f"{PLAYERS}.{name}" if ":" in name else name for name in players]
    table = fill_seats(named, seats_of(game, options))
    used = budget or Budget(milliseconds=plan.milliseconds)
    return Match(game, dict(options), table, used, plan.seed, rotating)


def against(
    name: str,
    game: str,
    players: Sequence[str],
    target: float,
    size: int,
    *,
    options: Mapping[str, Value] = NO_OPTIONS,
    at_most: bool = False,
    budget: Budget | None = None,
    count_decided: bool = False,
) -> Row:
    """The share of games that the first player wins; a draw counts half."""

    def measure(plan: Plan, games: int, advance: Advance) -> Figure:
        match = match_of(game, options, players, plan, budget=budget)
        played = play_all(match, games, plan, advance)
        if len(played) < FEWEST:
            return NOT_MEASURED
        share = fmean(share_won(end, 0) for end in played.values())
        low, high = interval(share, len(played))
        decided = fmean(max(end["returns"]) == 1 for end in played.values())
        more = f", {decided:.0%} decided" if count_decided else ""
        judge = stays_below if at_most else meets
        return Figure(
            f"{share:.1%}{more}",
            f"{100 * low:.1f}-{100 * high:.1f}%",
            judge(share, low, high, target),
        )

    opponents = ", ".join(dict.fromkeys(each.split(":")[-1] for each in players[1:]))
    required = f"{'at most ' if at_most else ''}{100 * target:.3g}%"
    return Row(name, titled(game, options), opponents, required, size, measure)


def mean_interval(values: Sequence[float]) -> tuple[float, float, float]:
    """A mean and its 95% interval."""
    middle = fmean(values)
    error = Z * stdev(values) / sqrt(len(values)) if len(values) > 1 else float("inf")
    return middle, middle - error, middle + error


def share_won(end: Ending, player: int) -> float:
    """A player's share of a game: 1 for a win, 1/2 for a draw, less for a shared win."""
    return (1 + end["returns"][player]) / 2


def share_of_images(end: Ending, player: int) -> float:
    """A team's share of the images that it needs."""
    return end["scores"][player] / TEAM_TARGET


@dataclass(frozen=True)
class Pairing:
    """Two tables that differ in one player, whose results are compared."""

    first: Sequence[str]
    second: Sequence[str]
    player: int = 0


def compare(
    name: str,
    game: str,
    pairings: Sequence[Pairing],
    target: float,
    size: int,
    *,
    options: Mapping[str, Value] = NO_OPTIONS,
    what: str,
    rotating: bool = True,
    budget: Budget | None = None,
    ratio: bool = False,
    metric: Callable[[Ending, int], float] = share_won,
) -> Row:
    """Two players at the same seat of the same deals: how much more the first one wins, in points.

    With `ratio`, the target is the share of the second one's result that the first must reach.
    """

    def measure(plan: Plan, games: int, advance: Advance) -> Figure:
        pairs = []
        for pairing in pairings:
            one, other = (
                play_all(
                    match_of(game, options, players, plan, budget=budget, rotating=rotating),
                    -(-games // (2 * len(pairings))),
                    plan,
                    advance,
                )
                for players in (pairing.first, pairing.second)
            )
            pairs += [
                (metric(one[number], pairing.player), metric(other[number], pairing.player))
                for number in sorted(one.keys() & other.keys())
            ]
        if len(pairs) < FEWEST:
            return NOT_MEASURED
        return ratio_of(pairs, target) if ratio else difference_of(pairs, target)

    required = f"{target:g} of its result" if ratio else f"{100 * target:+g} points"
    return Row(name, titled(game, options), what, required, size, measure)


def difference_of(pairs: Sequence[tuple[float, float]], target: float) -> Figure:
    """How much more the first of two wins."""
    middle, low, high = mean_interval([one - other for one, other in pairs])
    return Figure(
        f"{100 * middle:+.1f} ({means(pairs)})",
        f"{100 * low:+.1f} to {100 * high:+.1f}",
        meets(middle, low, high, target),
    )


def ratio_of(pairs: Sequence[tuple[float, float]], target: float) -> Figure:
    """What share of the second one's result the first reaches, by the delta method."""
    whole = fmean(other for _, other in pairs)
    if not whole:
        return Figure(f"no ratio ({means(pairs)})", "", "unsure")
    reached = fmean(one for one, _ in pairs) / whole
    _, low, high = mean_interval([(one - reached * other) / whole for one, other in pairs])
    low, high = reached + low, reached + high
    return Figure(
        f"{reached:.2f} ({means(pairs)})",
        f"{low:.2f} to {high:.2f}",
        meets(reached, low, high, target),
    )


def means(pairs: Sequence[tuple[float, float]]) -> str:
    """Both results."""
    return f"{fmean(one for one, _ in pairs):.1%} : {fmean(other for _, other in pairs):.1%}"


# ---- The rows ------------------------------------------------------------------------------------


def target_rows() -> Iterator[Row]:
    """Every engine against strong opponents."""
    yield from contigo_targets()
    yield from bidding_targets()
    yield from contrast_targets()
    yield from mafia_targets()


def contigo_targets() -> Iterator[Row]:
    for advanced, target in ((False, 0.8), (True, 0.93)):
        yield against(
            f"target-alignment-{'advanced' if advanced else 'basic'}",
            "contigo-alignment",
            ["best", "contigo:AlphaBeta"],
            target,
            GAMES,
            options={"advanced": advanced},
        )
    for quick, targets in ((True, (0.75, 0.6, 0.6)), (False, (0.6, 0.4, 0.4))):
        for style, target in zip(("Greedy", "Hunter", "Paranoid"), targets, strict=True):
            yield against(
                f"target-capture-{'quick' if quick else 'full'}-{style.lower()}",
                "contigo-capture",
                ["best", f"contigo:{style}"],
                target,
                GAMES,
                options={"quick": quick},
                count_decided=not quick,
            )


def bidding_targets() -> Iterator[Row]:
    for seats, target in ((2, 0.95), (3, 0.95), (4, 0.9), (5, 0.8)):
        yield against(
            f"target-contract-{seats}",
            "contract",
            ["best", *(f"contract:{name}" for name in BIDDERS[: seats - 1])],
            target,
            GAMES,
            options={"seats": seats},
        )
    for seats in (2, 3, 4):
        yield against(
            f"target-contrat500-{seats}",
            "contrat500",
            ["best", "contrat500:exact"],
            1 / seats,
            EXACT_GAMES,
            options={"seats": seats},
        )


def contrast_targets() -> Iterator[Row]:
    for crowd, members in CROWDS.items():
        others = [f"contrast:{name}" for name in members]
        yield compare(
            f"target-contrast-{crowd}",
            "contrast",
            [Pairing(["best", *others], [f"contrast:knows_{crowd}", *others])],
            0.8,
            MANY_GAMES,
            options={"seats": 4},
            what=f"a best response to {', '.join(members)}",
            ratio=True,
        )
    yield against(
        "target-contrast-insider",
        "contrast",
        ["contrast:insider", "best"],
        0.3,
        MANY_GAMES,
        options={"seats": 4},
        at_most=True,
    )
    for partner in PARTNERS:
        other = f"contrast:{partner}"
        yield compare(
            f"target-contrast-team-{partner}",
            "contrast",
            [Pairing(["best", other], [f"contrast:knows_{partner}", other])],
            0.9,
            MANY_GAMES,
            options={"seats": 2},
            what=f"a best response to a {partner} partner, images of 22",
            ratio=True,
            metric=share_of_images,
        )


def mafia_targets() -> Iterator[Row]:
    game = "mafia-de-cuba"
    liars = [f"mafia_liars:{style}" for style in LIARS]
    for seats, target in ((6, 0.0), (8, 0.0), (10, 0.1), (12, 0.1)):
        yield compare(
            f"target-mafia-{seats}",
            game,
            [Pairing(["best", liar], ["mafia_sampler:Sampler", liar]) for liar in liars],
            target,
            MANY_GAMES,
            options={"seats": seats},
            what="a Bayesian sampler as Godfather, five styles of liars",
            rotating=False,
        )
    for seats in (10, 12):
        yield agents_row(seats)
        others = ["mafia_de_cuba:accuser", *["mafia_de_cuba:truthful"] * (seats - 1)]

        def at(seat: int, player: str, others: Sequence[str] = others) -> Sequence[str]:
            return [*others[:seat], player, *others[seat + 1 :]]

        yield compare(
            f"target-mafia-seat-{seats}",
            game,
            [
                Pairing(at(seat, "best"), at(seat, "mafia_liars:scripted"), seat)
                for seat in range(1, seats)
            ],
            0.0,
            MANY_GAMES,
            options={"seats": seats},
            what="a scripted player at the same seat, a poor Godfather",
            rotating=False,
        )


def agents_row(seats: int) -> Row:
    """How often an agent wins, because it looked guilty and was accused."""
    options: Mapping[str, Value] = {"seats": seats}
    players, most = ["best", "mafia_liars:guilty_agents"], 0.3

    def measure(plan: Plan, games: int, advance: Advance) -> Figure:
        match = match_of("mafia-de-cuba", options, players, plan, rotating=False)
        played = play_all(match, games, plan, advance)
        if len(played) < FEWEST:
            return NOT_MEASURED
        won = fmean(end["outcome"] == "agent" for end in played.values())
        low, high = interval(won, len(played))
        verdict = stays_below(won, low, high, most)
        return Figure(f"{won:.1%}", f"{100 * low:.1f}-{100 * high:.1f}%", verdict)

    name, what = f"target-mafia-agents-{seats}", titled("mafia-de-cuba", options)
    return Row(name, what, "wins of agents who look guilty", "at most 30%", MANY_GAMES, measure)


def step_rows() -> Iterator[Row]:
    """Every level against the one two below it."""
    for game, options in LEVEL_TABLES.items():
        seats = seats_of(game, options)
        for level in range(1, STRONGEST - 1):
            name, what = f"steps-{game}-{level + 2}", f"level {level + 2} against {level}"
            table = [str(level)] * seats
            yield compare(
                name,
                game,
                [Pairing([str(level + 2), *table[1:]], table)],
                0.0,
                2 * LEVEL_GAMES,
                options=options,
                what=what,
                budget=LEVEL_BUDGET,
            )
