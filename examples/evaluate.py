"""A batched evaluation loop, as in training: a policy plays many games in lockstep.

The policy looks one move ahead: it plays every legal move and keeps the state with the best lead.
Each step of all games together is a few requests, because a batch has up to 1,024 calls.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import islice
from typing import TypeVar

from tablier_client import Call, Client, State, TablierError

T = TypeVar("T")
GAMES = 24
POLICY = 0  # the seat of the policy; the others play at random
LARGEST_BATCH = 1024


def send(client: Client, calls: Iterable[Call[T]]) -> list[T]:
    """Send any number of calls in batches; raises the first error."""
    answers: list[T] = []
    remaining = iter(calls)
    while batch := list(islice(remaining, LARGEST_BATCH)):
        for answer in client.batch(batch):
            if isinstance(answer, TablierError):
                raise answer
            answers.append(answer)
    return answers


def lead(state: State) -> float:
    """Return the value of a state for the policy: its points minus those of the best opponent."""
    points = list(state.scores)
    return points.pop(POLICY) - max(points)


def main() -> None:
    """Play all games to the end and print how many the policy won."""
    rng = random.Random(1)
    wins = 0
    with Client("127.0.0.1:50051", timeout=60) as client:
        starts = (client.calls.start("contigo-capture", seed=n, quick=True) for n in range(GAMES))
        games = send(client, starts)
        while games:
            lists = send(client, (client.calls.moves(state) for state in games))
            tries = [
                (number, move)
                for number, (state, moves) in enumerate(zip(games, lists, strict=True))
                for move in (moves if state.actors[0] == POLICY else [rng.choice(moves)])
            ]
            rng.shuffle(tries)  # so that the choice between equal moves is random
            after = send(client, (client.calls.play(games[number], move) for number, move in tries))
            best: dict[int, State] = {}
            for (number, _), state in zip(tries, after, strict=True):
                if number not in best or lead(state) > lead(best[number]):
                    best[number] = state
            wins += sum(state.over and state.returns[POLICY] > 0 for state in best.values())
            games = [state for state in best.values() if not state.over]
    print(f"the policy won {wins} of {GAMES} games; a random player wins every fourth")


if __name__ == "__main__":
    main()
