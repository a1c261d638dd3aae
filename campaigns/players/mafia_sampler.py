"""A plain Bayesian Godfather: it draws worlds at random, and weighs them by what was said.

It asks every seat the same questions, and then accuses the likeliest thief that is hardly an agent.
"""

from __future__ import annotations

from collections import Counter
from random import Random
from time import perf_counter

from tablier_cli.matches.players import Budget
from tablier_core.games.mafia_de_cuba.observe import Event, Tokens, View
from tablier_core.position import REFEREE, Position

from campaigns.players.mafia_de_cuba import GAME

QUESTIONS = ("took", "passed-diamonds", "received-diamonds", "received-tokens")
AGENTS = ("fbi", "cia")
# How likely a claim is, if it is true and if not, from a thief and from another seat.
THIEF = (0.5, 0.1)
HONEST = (0.95, 0.01)
# How much worse it is to accuse an agent, or to waste a joker, than to find a thief is good.
AGENT_COST, JOKER_COST = 2.0, 0.5
FEWEST_WORLDS = 20

# By seat: what it received, passed on and took.
World = list[tuple[int, Tokens, int, Tokens, str]]


class Sampler:
    """A Godfather for one game; it draws worlds as long as its budget allows."""

    def __init__(self, budget: Budget) -> None:
        self._seconds = budget.milliseconds / 1000
        self._worlds = budget.iterations

    def __call__(self, position: Position, seat: int, rng: Random) -> int:
        if position.phase != "inquiry" or seat != 0:
            return rng.choice(position.moves(seat))
        view: View = position.observe(seat)
        legal = set(position.notations(seat))
        question = self.next_question(view, legal)
        if question is not None:
            return GAME.read_move(question)
        thieves, agents = self.suspicions(position, view, rng)
        accusable = [other for other in range(1, len(view.seats)) if f"accuse {other}" in legal]
        best = max(
            accusable,
            key=lambda other: (
                thieves[other]
                - AGENT_COST * agents[other]
                - JOKER_COST * (1 - thieves[other]) * (view.jokers_left == 0)
            ),
        )
        return GAME.read_move(f"accuse {best}")

    @staticmethod
    def next_question(view: View, legal: set[str]) -> str | None:
        """The first question that no seat in play has been asked before."""
        asked = {(event.seat, event.question) for event in view.events if event.kind == "asked"}
        for question in QUESTIONS:
            for other in range(1, len(view.seats)):
                move = f"ask {other} {question}"
                if (other, question) not in asked and move in legal:
                    return move
        return None

    def suspicions(
        self, position: Position, view: View, rng: Random
    ) -> tuple[Counter[int], Counter[int]]:
        """By seat: how likely it is a thief, and how likely an agent."""
        thieves: Counter[int] = Counter()
        agents: Counter[int] = Counter()
        total, drawn = 0.0, 0
        end = perf_counter() + self._seconds
        while drawn < max(FEWEST_WORLDS, self._worlds) or perf_counter() < end:
            drawn += 1
            world = world_of(position.determinize(0, rng.getrandbits(64)))
            weight = likelihood(world, view)
            total += weight
            for other, (*_, took) in enumerate(world, 1):
                thieves[other] += weight * took.isdigit()  # type: ignore[assignment]
                agents[other] += weight * (took in AGENTS)  # type: ignore[assignment]
            if self._worlds and drawn >= self._worlds:
                break
        for counted in (thieves, agents):
            for other in counted:
                counted[other] /= total  # type: ignore[assignment]
        return thieves, agents


def world_of(position: Position) -> World:
    """What happened to the box, in a world where everything is known."""
    view: View = position.observe(REFEREE)
    found = []
    for other in range(1, len(view.seats)):
        received, after = view.seats[other].received, view.seats[(other + 1) % len(view.seats)]
        took = view.seats[other].take
        assert received is not None
        assert after.received is not None
        assert took is not None
        found.append(
            (
                received.diamonds,
                received.tokens,
                after.received.diamonds,
                after.received.tokens,
                took,
            )
        )
    return found


def likelihood(world: World, view: View) -> float:
    """How likely it is that this was said in a world."""
    weight = 1.0
    for event in view.events:
        if event.kind == "accused" or event.claim is None:
            continue
        box = world[event.seat - 1]
        right, wrong = THIEF if box[4].isdigit() else HONEST
        weight *= right if is_true(event, box) else wrong
    return weight


def is_true(event: Event, box: tuple[int, Tokens, int, Tokens, str]) -> bool:
    """Whether a claim is true."""
    received, tokens, passed, left, took = box
    if event.question == "took":
        return str(event.claim) == took
    truths: dict[str, int | Tokens] = {
        "received-diamonds": received,
        "passed-diamonds": passed,
        "received-tokens": tokens,
        "passed-tokens": left,
    }
    return event.claim == truths[str(event.question)]
