"""Measures one build of the core for bench.builds, which starts this in a process per build.

Each line on standard input names a row and a number of repetitions; the answer is the CPU time in
seconds. Only interfaces that old and new builds share are used here.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable
from functools import partial

from tablier_core.advice import advise
from tablier_core.codec import decode, encode
from tablier_core.position import Position
from tablier_core.registry import GAMES
from tablier_core.testing.playouts import playouts

Work = Callable[[int], object]

SAMPLE = 64
# Pictures: more than any cache of drawings holds on purpose.
UNRELATED = 256
ITERATIONS = 200
# A game is measured with its smallest and largest table where its options allow that.
VARIANTS: dict[str, list[dict[str, object]]] = {
    "contigo-alignment": [{}, {"advanced": True}],
    "contigo-capture": [{}, {"quick": True}],
    "contract": [{"seats": 2}, {"seats": 5}],
    "contrast": [{"seats": 2}, {"seats": 6}],
    "contrat500": [{"seats": 2}, {"seats": 4}],
    "mafia-de-cuba": [{"seats": 6}, {"seats": 12}],
}


def sample(name: str, options: dict[str, object]) -> list[Position]:
    """Positions that random games pass through."""
    chance = random.Random(1)
    found = []
    for seed in range(16):
        position = GAMES[name].start(options, seed)
        while not position.over and position.ply < 200:
            found.append(position)
            seat = chance.choice(position.actors)
            position = position.apply(seat, chance.choice(position.moves(seat)))
    return chance.sample(found, min(SAMPLE, len(found)))


def unrelated(name: str, options: dict[str, object]) -> list[Position]:
    """Positions of as many random games, from their first moves to their end."""
    chance = random.Random(2)
    found = []
    for seed in range(UNRELATED):
        line = [GAMES[name].start(options, seed)]
        while not line[-1].over and line[-1].ply < 200:
            seat = chance.choice(line[-1].actors)
            line.append(line[-1].apply(seat, chance.choice(line[-1].moves(seat))))
        found.append(line[seed * (len(line) - 1) // (UNRELATED - 1)])
    return found


def list_moves(positions: list[Position]) -> None:
    """List the legal moves of every seat to move."""
    for position in positions:
        for seat in position.actors:
            position.count_moves(seat)


def apply_moves(moves: list[tuple[Position, int, int]]) -> None:
    """Apply one move to each position."""
    for position, seat, move in moves:
        position.apply(seat, move)


def spell_moves(positions: list[Position]) -> None:
    """Write the notation of every legal move."""
    for position in positions:
        position.notations(position.actors[0])


def code_states(positions: list[Position]) -> None:
    """Encode and decode tokens."""
    for position in positions:
        decode(encode(position), GAMES)


def draw_worlds(positions: list[Position]) -> None:
    """Draw a world for each seat."""
    for position in positions:
        for seat in range(position.seats):
            position.view_of(seat)


def observe(positions: list[Position]) -> None:
    """Build the view of each seat."""
    for position in positions[:8]:
        for seat in range(position.seats):
            position.observe(seat)


def draw(positions: list[Position], viewer: int) -> None:
    """Draw a viewer's view as SVG."""
    for position in positions:
        position.draw_svg(viewer)


def advise_seats(positions: list[Position], level: int) -> None:
    """Search a fixed number of iterations."""
    for position in positions[:4]:
        advise(position, position.actors[0], iterations=ITERATIONS, seed=1, level=level)


def repeat(work: Callable[[], object], times: int) -> None:
    """Run some work again and again."""
    for _ in range(times):
        work()


def play_out(name: str, options: dict[str, object], times: int) -> None:
    """Play random games to the end."""
    playouts(GAMES[name], options, 7, times)


def rows() -> dict[str, Work]:
    """Every measurement by its name."""
    table: dict[str, Work] = {}
    for name, variants in VARIANTS.items():
        for options in variants:
            label = f"{name} {json.dumps(options)}"
            positions, apart = sample(name, options), unrelated(name, options)
            moves = [(at, at.actors[0], at.moves(at.actors[0])[0]) for at in positions]
            table[f"{label}: random play"] = partial(play_out, name, options)
            works: dict[str, Callable[[], object]] = {
                "list moves": partial(list_moves, positions),
                "apply": partial(apply_moves, moves),
                "notation": partial(spell_moves, positions),
                "tokens": partial(code_states, positions),
                "views": partial(observe, positions),
                "pictures of seat 0": partial(draw, apart, 0),
                "pictures of seat 1": partial(draw, apart, 1),
                "pictures of the referee": partial(draw, apart, -1),
                "advice": partial(advise_seats, positions, 0),
            }
            if positions[0].game.has_hidden_information:
                works["worlds"] = partial(draw_worlds, positions)
            for what, work in works.items():
                table[f"{label}: {what}"] = partial(repeat, work)
    return table


def main() -> None:
    """Answer measurements until standard input ends."""
    table = rows()
    sys.stdout.write(json.dumps(list(table)) + "\n")
    sys.stdout.flush()
    for line in sys.stdin:
        name, times = json.loads(line)
        begun = time.process_time()
        table[name](times)
        sys.stdout.write(f"{time.process_time() - begun}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
