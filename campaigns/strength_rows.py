"""The rows of `make strength`: what each measures and requires."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from types import MappingProxyType
from typing import TypedDict

from tablier_cli.matches.games import Match, fill_seats, play_to_end, seating, seats_of
from tablier_cli.matches.players import Budget
from tablier_cli.matches.ratings import Z, interval
from tablier_core.advice import STRONGEST
from tablier_core.options import Value

from campaigns import punctuality, tactics
from campaigns.kept import Kept, Workers, answer_all

PLAYERS = "campaigns.players"
# Levels and time are measured in one game without hidden information and one with.
MEASURED_IN: Mapping[str, Mapping[str, Value]] = MappingProxyType(
    {"contigo-alignment": {}, "contract": {"seats": 2}}
)
# More than any level uses: each stops at its own number of iterations.
LEVEL_BUDGET = Budget(iterations=1 << 20)

NO_OPTIONS: Mapping[str, Value] = MappingProxyType({})

Advance = Callable[[], None]


class Ending(TypedDict):
    """How a game ended, by player of the match."""

    returns: list[float]
    scores: list[float]
    # How an inquiry of Mafia de Cuba ended; None in other games.
    outcome: str | None


@dataclass(frozen=True)
class Plan:
    """The options of the command line that apply to all rows, and the games played before."""

    milliseconds: int
    workers: Workers
    seed: int
    kept: Kept
    # Whether there is time for another game.
    go_on: Callable[[], bool] = lambda: True


@dataclass(frozen=True)
class Figure:
    """A result and its verdict."""

    measured: str
    interval: str
    verdict: str


NOT_MEASURED = Figure("", "", "not measured")


@dataclass(frozen=True)
class Row:
    """A row of the table and the function that measures it."""

    name: str
    what: str
    against: str
    required: str
    # Number of games, questions or calls of the full table.
    size: int
    measure: Callable[[Plan, int, Advance], Figure]
    # Whether its games are kept, so that it can be measured in several parts.
    resumable: bool = True


def judge(measured: float, high: float, required: float) -> str:
    """Compare a figure, and the upper end of its interval, with the requirement."""
    return "ok" if measured >= required else "unsure" if high >= required else "BELOW"


# ---- Matches -------------------------------------------------------------------------------------


def shares(match: Match, player: int, games: int, plan: Plan, advance: Advance) -> list[float]:
    """A player's share of each game: 1 for a win, 1/2 for a draw, less for a shared win."""
    played = play_all(match, games, plan, advance)
    return [(1 + end["returns"][player]) / 2 for end in played.values()]


def play_all(match: Match, games: int, plan: Plan, advance: Advance) -> dict[int, Ending]:
    """The games of a match that there was time for, by number."""
    found = {}
    questions = [(match, number) for number in range(games)]
    for question, end in answer_all(plan.kept, ending_of, questions, plan.workers, plan.go_on):
        found[question[1]] = end
        advance()
    return found


def ending_of(question: tuple[Match, int]) -> Ending:
    """Play a game."""
    match, number = question
    result, position = play_to_end(match, number)
    scores = [0.0] * len(match.players)
    for seat, score in enumerate(position.scores):
        scores[seating(match, number)[seat]] = score
    outcome = getattr(position.observe(), "outcome", None)
    return {"returns": list(result.returns), "scores": scores, "outcome": outcome}


def share_figure(share: float, count: int, required: float) -> Figure:
    """Judge a share of wins."""
    if not count:
        return NOT_MEASURED
    low, high = interval(share, count)
    return Figure(
        f"{100 * share:.1f}%", f"{100 * low:.1f}-{100 * high:.1f}%", judge(share, high, required)
    )


def duel(
    name: str,
    game: str,
    players: Sequence[str],
    required: float,
    size: int,
    *,
    against: str,
    budget: Budget | None = None,
    options: Mapping[str, Value] = NO_OPTIONS,
) -> Row:
    """A match whose first player must win the required share of the games."""

    def measure(plan: Plan, games: int, advance: Advance) -> Figure:
        match = Match(
            game,
            dict(options),
            fill_seats(players, seats_of(game, options)),
            budget or Budget(milliseconds=plan.milliseconds),
            plan.seed,
            rotating=True,
        )
        won = shares(match, 0, games, plan, advance)
        return share_figure(sum(won) / max(1, len(won)), len(won), required)

    return Row(name, titled(game, options), against, f"{100 * required:g}%", size, measure)


def titled(game: str, options: Mapping[str, Value]) -> str:
    """Name a game with its options."""
    return ", ".join([game, *(f"{name}={value}" for name, value in options.items())])


def ratio_figure(
    ours: Sequence[float], theirs: Sequence[float], required: float, *, surely: bool = False
) -> Figure:
    """Judge the ratio of two win rates; its logarithm is roughly normal.

    With `surely`, the lower end of the interval must reach the requirement, not only the ratio.
    """
    if not ours or not theirs:
        return NOT_MEASURED
    # Half a win more for each, so that neither rate is zero.
    one = (sum(ours) + 0.5) / (len(ours) + 1)
    other = (sum(theirs) + 0.5) / (len(theirs) + 1)
    error = Z * sqrt((1 - one) / (len(ours) * one) + (1 - other) / (len(theirs) * other))
    ratio = one / other
    low, high = exp(log(ratio) - error), exp(log(ratio) + error)
    return Figure(
        f"{ratio:.2f} ({100 * one:.1f}% : {100 * other:.1f}%)",
        f"{low:.2f}-{high:.2f}",
        judge(low if surely else ratio, high, required),
    )


def godfather(seats: int, size: int) -> Row:
    """The engine as Godfather compared with one that accuses at random, among equal players."""

    def measure(plan: Plan, games: int, advance: Advance) -> Figure:
        won = []
        for who in ("best", f"{PLAYERS}.mafia_de_cuba:accuser"):
            table = fill_seats([who, f"{PLAYERS}.mafia_de_cuba:truthful"], seats)
            budget = Budget(milliseconds=plan.milliseconds)
            # Seat 0 is the Godfather in every deal.
            match = Match("mafia-de-cuba", {"seats": seats}, table, budget, plan.seed, False)
            won.append(shares(match, 0, games // 2, plan, advance))
        return ratio_figure(won[0], won[1], required=2.0)

    what = f"mafia-de-cuba, seats={seats}, Godfather"
    return Row(f"mafia-{seats}", what, "accuses at random", "2 times", size, measure)


def thief(seats: int, size: int) -> Row:
    """A thief that speaks like the engine compared with one that answers at random."""

    def measure(plan: Plan, games: int, advance: Advance) -> Figure:
        won = []
        for who in ("thief", "babbling_thief"):
            mine: list[float] = []
            for seat in range(1, seats):
                table = ["best", *[f"{PLAYERS}.mafia_de_cuba:truthful"] * (seats - 1)]
                table[seat] = f"{PLAYERS}.mafia_de_cuba:{who}"
                budget = Budget(milliseconds=plan.milliseconds)
                match = Match(
                    "mafia-de-cuba", {"seats": seats}, tuple(table), budget, plan.seed, False
                )
                mine += shares(match, seat, max(1, games // 2 // (seats - 1)), plan, advance)
            won.append(mine)
        # Both rarely win, so a ratio above 1 alone could be luck.
        return ratio_figure(won[0], won[1], required=1.0, surely=True)

    what = f"mafia-de-cuba, seats={seats}, a thief"
    return Row(f"mafia-thief-{seats}", what, "answers at random", "more often", size, measure)


# ---- The rows ------------------------------------------------------------------------------------


def engine_rows() -> Iterator[Row]:
    """Every engine against the opponents it must beat."""
    yield from contigo_rows()
    yield from contrat500_rows()
    yield from contract_rows()
    yield from contrast_rows()
    yield from mafia_rows()


def contigo_rows() -> Iterator[Row]:
    for advanced in (False, True):
        game, variant = "contigo-alignment", "advanced" if advanced else "basic"
        name = f"alignment-{variant}"
        yield duel(
            name,
            game,
            ["best", "random"],
            0.99,
            80,
            against="random",
            options={"advanced": advanced},
        )
        theirs = f"{PLAYERS}.open_spiel:Mcts"
        yield duel(
            f"{name}-open-spiel",
            game,
            ["best", theirs],
            0.9,
            24,
            against="OpenSpiel's MCTS, equal time",
            options={"advanced": advanced},
        )
    for quick in (False, True):
        yield duel(
            f"capture-{'quick' if quick else 'full'}",
            "contigo-capture",
            ["best", "random"],
            0.9,
            40,
            against="three random players",
            options={"quick": quick},
        )


def contrat500_rows() -> Iterator[Row]:
    yield duel(
        "contrat500",
        "contrat500",
        ["best", "random"],
        0.99,
        80,
        against="random",
        options={"seats": 2},
    )
    for player, required, size, options in (
        ("splitter", 0.5, 80, {}),
        ("pursuer", 0.75, 40, {"blind_bids": True}),
    ):
        yield duel(
            f"contrat500-{player}",
            "contrat500",
            ["best", f"{PLAYERS}.contrat500:{player}"],
            required,
            size,
            against=player,
            options={"seats": 2, **options},
        )


def contract_rows() -> Iterator[Row]:
    for seats, required in ((2, 0.95), (4, 0.75)):
        yield duel(
            f"contract-{seats}",
            "contract",
            ["best", "random"],
            required,
            24,
            against="random",
            options={"seats": seats},
        )
    yield duel(
        "contract-open-spiel",
        "contract",
        ["best", f"{PLAYERS}.open_spiel:Ismcts"],
        0.9,
        14,
        against="OpenSpiel's ISMCTS, equal time",
        options={"seats": 2},
    )


def contrast_rows() -> Iterator[Row]:
    yield duel(
        "contrast-4",
        "contrast",
        ["best", f"{PLAYERS}.contrast:people"],
        0.75,
        100,
        against="three human-like players",
        options={"seats": 4},
    )
    yield duel(
        "contrast-2", "contrast", ["best"], 0.95, 60, against="with itself", options={"seats": 2}
    )


def mafia_rows() -> Iterator[Row]:
    for seats in (6, 8, 12):
        yield godfather(seats, 200)
    for seats, size in ((6, 400), (8, 2000)):
        yield thief(seats, size)


def doubling_rows() -> Iterator[Row]:
    """Twice the time beats half of it."""
    for game, options in MEASURED_IN.items():
        for less in (50, 100):
            yield duel(
                f"double-{game}-{less}",
                game,
                [f"best@{2 * less}ms", f"best@{less}ms"],
                0.5,
                16,
                against=f"{2 * less} ms against {less} ms",
                options=options,
            )


def level_rows() -> Iterator[Row]:
    """Every level against the one below it."""
    for game, options in MEASURED_IN.items():
        for level in range(2, STRONGEST + 1):
            yield duel(
                f"levels-{game}-{level}",
                game,
                [str(level), str(level - 1)],
                0.5,
                40,
                against=f"level {level} against {level - 1}",
                budget=LEVEL_BUDGET,
                options=options,
            )


def tactics_rows() -> Iterator[Row]:
    """Tactical problems with known answers, from random games."""
    sizes: tuple[tuple[tactics.Kind, float, int], ...] = (
        ("win", 1.0, 200),
        ("loss", 1.0, 100),
        ("force", 0.9, 30),
    )
    for kind, required, size in sizes:
        for advanced in (False, True):

            def measure(
                plan: Plan,
                count: int,
                advance: Advance,
                kind: tactics.Kind = kind,
                advanced: bool = advanced,
                required: float = required,
            ) -> Figure:
                asked = tactics.Asked(kind, advanced, plan.milliseconds)
                solved = []
                for right in tactics.answers(asked, count, plan.workers.processes):
                    solved.append(right)
                    advance()
                return share_figure(sum(solved) / len(solved), len(solved), required)

            yield Row(
                f"tactics-{kind}-{'advanced' if advanced else 'basic'}",
                titled("contigo-alignment", {"advanced": advanced}),
                tactics.MEANINGS[kind],
                f"{100 * required:g}%",
                size,
                measure,
                resumable=False,
            )


def time_rows() -> Iterator[Row]:
    """Searches end on time."""
    for name, what, times, part, limit in punctuality.MEASURES:

        def measure(
            plan: Plan,
            count: int,
            advance: Advance,
            times: punctuality.Times = times,
            part: int = part,
            limit: float = limit,
        ) -> Figure:
            seconds = []
            for each in times(count):
                advance()
                if each is not None:
                    seconds.append(each)
            return Figure(*punctuality.summary(seconds, part, limit))

        bound = "p99" if part == 99 else "worst"
        yield Row(name, what, "", f"{bound} {1000 * limit:g} ms", 1000, measure, False)


def all_rows() -> list[Row]:
    """The whole table."""
    groups = (engine_rows, doubling_rows, level_rows, tactics_rows, time_rows)
    return [row for group in groups for row in group()]
