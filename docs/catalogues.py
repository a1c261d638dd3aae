"""Update the catalogues of all languages: `python -m docs.catalogues`, or `make gen`.

A catalogue, such as core_ext/tablier_core/languages/fr.po, has every text for people with its
translation. The texts are found in two ways: calls of `gettext`, `ngettext`, `pgettext` and `N_` in
the sources of the core and the service, and the summaries, options and notations of the games. A
new text is added without a translation, and a test fails until it has one. A text that is gone is
removed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po
from tablier_core.options import TITLE, title_of
from tablier_core.registry import GAMES

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "core_ext" / "tablier_core" / "languages"
METHODS = [("**.py", "python"), ("**.pyx", "python")]
# A comment for translators stands above the call.
COMMENTS = ["Translators:"]
KEYWORDS: dict[str, Any] = {
    "gettext": None,
    "ngettext": (1, 2),
    "pgettext": ((1, "c"), 2),
    "N_": None,
}
HEADER = """\
# The texts of Tablier in another language; see CONTRIBUTING.md. Translate in the lines with
# `msgstr`: `make gen` writes the others.
msgid ""
msgstr ""
"Language: {language}\\n"
"Plural-Forms: {plural}\\n"
"Content-Type: text/plain; charset=utf-8\\n"

"""
WIDTH = 100
# A string on one line of Cython.
QUOTED = re.compile(r'"(?:[^"\\\n]|\\.)*"')

# A text, or its singular and plural; the file that has it; comments for translators; its context.
Text = tuple[str | tuple[str, ...], str, list[str], str | None]


def game_texts() -> Iterator[Text]:
    """The texts of the games that are not in a call."""
    for game in GAMES.values():
        folder = f"core_ext/tablier_core/games/{game.name.replace('-', '_')}"
        yield game.summary, f"{folder}/__init__.py", [], None
        for _, meaning in game.notation:
            yield meaning, f"{folder}/__init__.py", [], None
        for name, schema in game.options.properties.items():
            yield title_of(name), f"{folder}/options.py", [], TITLE
            yield schema["description"], f"{folder}/options.py", [], None


def marked_texts() -> Iterator[Text]:
    """The texts in calls."""
    for root in ("core_ext", "service"):
        found = extract_from_dir(ROOT / root, METHODS, keywords=KEYWORDS, comment_tags=COMMENTS)
        for path, _, text, comments, context in sorted(found, key=lambda each: each[:2]):
            yield text, f"{root}/{path}", comments, context


def constants() -> Iterator[tuple[str, str]]:
    """Every string in the sources, and the file that has it."""
    for root in ("core_ext", "service"):
        for path in sorted((ROOT / root).rglob("*.py*")):
            name = path.relative_to(ROOT).as_posix()
            source = path.read_text("utf-8") if path.suffix in (".py", ".pyx") else ""
            if path.suffix == ".py":
                for node in ast.walk(ast.parse(source)):
                    if isinstance(node, ast.Constant) and isinstance(node.value, str):
                        yield node.value, name
            for quoted in QUOTED.findall(source) if path.suffix == ".pyx" else ():
                yield ast.literal_eval(quoted), name


def tabled_texts(known: Catalog) -> Iterator[tuple[Message, str]]:
    """The texts that the catalogue has and the sources look up in tables.

    The laws of the games notice if one of these is missing: they tell and draw in every language.
    """
    found = dict(constants())
    for entry in known:
        if entry.id and entry.string:
            text = entry.id if isinstance(entry.id, str) else entry.id[0]
            if text in found:
                yield entry, found[text]


def update(old: bytes, language: str) -> bytes:
    """A catalogue with all texts of the sources, and those translations that it has already."""
    known = read_po(BytesIO(old), locale=language)
    current = Catalog(locale=language)
    for text, path, comments, context in (*game_texts(), *marked_texts()):
        message = known.get(text if isinstance(text, str) else text[0], context)
        translation = message.string if message else ""
        current.add(text, translation, [(path, 0)], auto_comments=comments, context=context)
    for entry, path in tabled_texts(known):
        if current.get(entry.id, entry.context) is None:
            current.add(entry.id, entry.string, [(path, 0)], context=entry.context)
    written = BytesIO()
    # Without the header of Babel, which has its version and times.
    write_po(written, current, width=WIDTH, omit_header=True, include_lineno=False)
    header = HEADER.format(language=language, plural=current.plural_forms)
    return header.encode() + written.getvalue().strip() + b"\n"


def main() -> None:
    """Update all catalogues."""
    for path in FOLDER.glob("*.po"):
        path.write_bytes(update(path.read_bytes(), path.stem))


if __name__ == "__main__":
    main()
