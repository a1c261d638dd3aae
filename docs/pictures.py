"""Draws every picture in the documentation: `make pictures`.

The pages for players have pictures of the examples that they play; tablier_core/rulebook.py says
how. Another page asks for a picture in a comment above the place where it shows it:

    <!-- picture {"file": "start.svg", "game": "contrast", "seed": 3, "viewer": 0} -->
    ![The table at the start](../pictures/start.svg)

The position is the start of a game (`game`, `options`, `seed`), after `moves`, which the only seat
to move makes. `viewer` is the seat that looks; without it the picture shows what the referee sees.
The diagram of the architecture comes from the code map instead (docs/architecture.py). Pictures are
written to docs/pictures, and a test fails when one is out of date.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict

from tablier_core.languages import ENGLISH
from tablier_core.position import REFEREE
from tablier_core.registry import GAMES
from tablier_core.rulebook import Picture, read_page, read_source

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
    moves: list[str]
    viewer: int


def requests() -> Iterator[Request]:
    """The pictures that the pages ask for."""
    for page in PAGES:
        for text in re.findall(r"<!-- picture (\{.*?\}) -->", page.read_text("utf-8"), re.DOTALL):
            request: Request = json.loads(text)
            yield request


def draw(request: Request) -> str:
    """The SVG that a page asks for."""
    game = GAMES[request["game"]]
    position = game.start(request.get("options", {}), request.get("seed", 0))
    for notation in request.get("moves", ()):
        _, _, position = position.play(None, notation, None)
    return position.draw_svg(request.get("viewer", REFEREE)) + "\n"


def pictures() -> dict[str, str]:
    """Every picture by its file name."""
    drawn = {request["file"]: draw(request) for request in requests()}
    for game in GAMES.values():
        # The pages in other languages have the same pictures, drawn in theirs by the service.
        for part in read_page(game, read_source(game, ENGLISH)):
            if isinstance(part, Picture):
                drawn[part.file] = part.svg(ENGLISH) + "\n"
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
