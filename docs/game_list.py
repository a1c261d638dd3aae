"""Write the list of games in docs/games/README.md: `python -m docs.game_list`, or `make gen`."""

from __future__ import annotations

import re
from pathlib import Path

from tablier_core.languages import LANGUAGES
from tablier_core.position import Game
from tablier_core.registry import GAMES

PAGE = Path(__file__).parent / "games" / "README.md"
SOURCES = "../../core_ext/tablier_core/games"
BEGIN = "<!-- games: written by `make gen` from the games -->"
END = "<!-- end of games -->"


def row(game: Game) -> str:
    """The links to the pages of a game."""
    folder = game.name.replace("-", "_")
    pages = [f"[{language}]({SOURCES}/{folder}/rules.{language}.md)" for language in LANGUAGES]
    reference = f"[reference](../reference/{game.name}.md)"
    return f"| {game.title} | {', '.join(pages)} | {reference} |"


def update(page: str) -> str:
    """Return the page with the current list."""
    head = ["| game | how to play | every detail |", "|---|---|---|"]
    lines = "\n".join([*head, *map(row, GAMES.values())])
    current = f"{BEGIN}\n\n{lines}\n\n{END}"
    return re.sub(
        f"{re.escape(BEGIN)}.*?{re.escape(END)}", lambda _: current, page, flags=re.DOTALL
    )


if __name__ == "__main__":
    PAGE.write_text(update(PAGE.read_text("utf-8")), "utf-8")
