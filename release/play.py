"""Starts a service and plays every game to its end with the client.

`python release/play.py PATH/TO/tablier` needs only `tablier_client` in its own environment. It
proves that distributions work where nothing else is installed: see release/dist.py, and
`[tool.cibuildwheel]` in pyproject.toml.
"""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tablier_client import Client


@contextmanager
def serving(program: str) -> Iterator[str]:
    """Run `tablier serve` on free ports, and yield its gRPC address."""
    command = [program, "serve", "--grpc-port", "0", "--http-port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            words = process.stdout.readline().split()
            if words[:1] != ["gRPC"]:
                sys.exit(f"{program} serve printed no gRPC address")
            yield words[1]
        finally:
            process.terminate()
    if process.returncode != 0:
        sys.exit(f"{program} serve ended with {process.returncode}")


def main() -> None:
    chance = random.Random(1)
    with serving(sys.argv[1]) as address, Client(address) as client:
        for game in client.games():
            state, moves = client.start(game.name, seed=1), 0
            while not state.over:
                state, moves = state.play(chance.choice(state.moves())), moves + 1
            print(f"  {game.name}: {moves} moves, returns {state.returns}", flush=True)


if __name__ == "__main__":
    main()
