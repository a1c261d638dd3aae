"""The languages of texts for people: English in the code, and one catalogue per other language.

Code asks a `Language` for every text, `language.gettext("Seat {seat}")`, and fills in the braces
afterwards. A catalogue is a gettext file next to this one, such as `fr.po`: a new language is one
more file.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from pathlib import Path
from typing import TypeAlias

Language: TypeAlias = NullTranslations

FOLDER = Path(__file__).parent
ENGLISH = NullTranslations()
ENGLISH_TAG = "en"


@cache
def tags() -> tuple[str, ...]:
    """The tags of all languages, English first."""
    return (ENGLISH_TAG, *sorted(path.stem for path in FOLDER.glob("*.po")))


@cache
def language(tag: str) -> Language:
    """The language with one of the `tags`; its catalogue is read once."""
    if tag == ENGLISH_TAG:
        return ENGLISH
    # Imported only for other languages: most callers are programs.
    import polib

    return GNUTranslations(BytesIO(polib.pofile(FOLDER / f"{tag}.po").to_binary()))


def best_tag(wanted: Iterable[str]) -> str:
    """The first language that exists among wanted ones, e.g. `fr-CA`; otherwise English."""
    for tag in wanted:
        base = tag.partition("-")[0].lower()
        if base in tags():
            return base
    return ENGLISH_TAG
