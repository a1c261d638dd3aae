"""Write the tables of options in the reference pages: `python -m docs.options`, or `make gen`.

They are made from the option schemas of the games and stand between two comments in the page.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from tablier_core.options import OptionSchema, describe
from tablier_core.registry import GAMES

PAGES = Path(__file__).parent / "reference"
BEGIN = "<!-- options: written by `make gen` from the schema of the game -->"
END = "<!-- end of options -->"
# A longer default does not fit in a table and follows it.
LONGEST = 50


def table(options: OptionSchema) -> str:
    """Return the table of a game's options, and the defaults that are too long for it."""
    lines = ["| option | value | default | meaning |", "|---|---|---|---|"]
    long = {}
    for name, schema in options.properties.items():
        default = "none"
        if "default" in schema:
            text = json.dumps(schema["default"])
            default = f"`{text}`" if len(text) <= LONGEST else "below"
            if default == "below":
                long[name] = text
        value = describe(schema)
        lines.append(f"| `{name}` | {value} | {default} | {schema['description']} |")
    if long:
        lines += ["", "The long defaults:", "", "```json"]
        content = ",\n".join(f'"{name}": {text}' for name, text in long.items())
        lines += [f"{{{content}}}".replace(", {", ",\n  {"), "```"]
    return "\n".join(lines)


def update(page: str, options: OptionSchema) -> str:
    """Return a page with the current table."""
    current = f"{BEGIN}\n\n{table(options)}\n\n{END}"
    return re.sub(
        f"{re.escape(BEGIN)}.*?{re.escape(END)}", lambda _: current, page, flags=re.DOTALL
    )


if __name__ == "__main__":
    for name, game in GAMES.items():
        path = PAGES / f"{name}.md"
        path.write_text(update(path.read_text("utf-8"), game.options), "utf-8")
