"""Draws every picture in the documentation: `make pictures`.

A page asks for a picture in a comment above the place where it shows it:

    <!-- picture {"file": "start.svg", "game": "contrast", "seed": 3, "viewer": 0} -->
    ![The table at the start](../pictures/start.svg)

The position is the start of a game (`game`, `options`, `seed`), after `random` random moves, after
`moves`: a list of moves in notation, with the seat in front ("2: red") where several may move.
`viewer` is the seat that looks; without it the picture shows what the referee sees. The diagram of
the architecture comes from the code map instead (docs/architecture.py). Pictures are written to
docs/pictures, and a test fails when one is out of date.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypedDict

from tablier_core.position import REFEREE, Position
from tablier_core.registry import GAMES
from tablier_core.rng import Random, Stream

from docs import architecture

ROOT = Path(__file__).parent.parent
PICTURES = ROOT / "docs" / "pictures"
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))


class Request(TypedDict, total=False):
    """What a page says about a picture."""

    file: str
    game: str
    options: dict[str, object]
    seed: int
    random: int
    moves: list[str]
    viewer: int


def requests() -> Iterator[Request]:
    """The pictures that the pages ask for."""
    for page in PAGES:
        for text in re.findall(r"<!-- picture (\{.*?\}) -->", page.read_text("utf-8"), re.DOTALL):
            request: Request = json.loads(text)
            yield request


def play_random(position: Position, count: int, seed: int) -> Position:
    """The position after some random moves."""
    rng = Random(seed, Stream.PLAYOUT_STREAM)
    for _ in range(count):
        seat = position.actors[rng.below(len(position.actors))]
        actions = position.moves(seat)
        position = position.apply(seat, actions[rng.below(len(actions))])
    return position


def play_moves(position: Position, moves: Sequence[str]) -> Position:
    """The position after some moves in notation."""
    for move in moves:
        seat, _, notation = move.rpartition(": ")
        _, _, position = position.play(int(seat) if seat else None, notation, None)
    return position


def draw(request: Request) -> str:
    """The SVG that a page asks for."""
    seed = request.get("seed", 0)
    position = GAMES[request["game"]].start(request.get("options", {}), seed)
    position = play_random(position, request.get("random", 0), seed)
    position = play_moves(position, request.get("moves", ()))
    return position.draw_svg(request.get("viewer", REFEREE)) + "\n"


def pictures() -> dict[str, str]:
    """Every picture by its file name."""
    drawn = {request["file"]: draw(request) for request in requests()}
    return {**drawn, "architecture.svg": architecture.draw()}


def main() -> None:
    """Write all pictures, and remove those that no page asks for."""
    PICTURES.mkdir(exist_ok=True)
    drawn = pictures()
    for path in PICTURES.glob("*.svg"):
        if path.name not in drawn:
            path.unlink()
    for name, svg in drawn.items():
        (PICTURES / name).write_text(svg, "utf-8")
    sys.stdout.write(f"{len(drawn)} pictures in {PICTURES.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
