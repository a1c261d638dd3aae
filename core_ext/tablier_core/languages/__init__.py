"""The languages of the texts for people, and their catalogues.

Texts are written in English in the sources, and the English text is the key:

    catalogue("fr").gettext("Rules")
    catalogue("fr").ngettext("{count} bead", "{count} beads", count).format(count=count)

`fr.po` has the texts in French, in the format of gettext; `make gen` adds new texts to it
(docs/adr/0015). A language exists if its catalogue is packaged. The pages for players are files of
their own (rulebook.py).
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from gettext import c2py
from importlib.resources import files

ENGLISH = "en"
SUFFIX = ".po"
# Between the context of a text and the text, as in gettext.
SEPARATOR = "\x04"
# English, and every language with a catalogue.
LANGUAGES = (
    ENGLISH,
    *sorted(
        path.name.removesuffix(SUFFIX)
        for path in files(__package__).iterdir()
        if path.name.endswith(SUFFIX)
    ),
)
# A keyword with a string, or only a string, which continues the one before.
LINE = re.compile(r'^(?:(msg\w+(?:\[\d\])?) )?(".*")$', re.MULTILINE)
PLURAL = re.compile(r"^Plural-Forms:.*plural=(.*);$", re.MULTILINE)


class Language:
    """The texts of a language; a text that it does not have stays English."""

    def __init__(self, texts: Mapping[str, Sequence[str]], form: Callable[[int], int]) -> None:
        self._texts = texts
        # Which of the forms of a text to use with a number.
        self._form = form

    def gettext(self, text: str) -> str:
        """Translate a text."""
        return self._texts.get(text, (text,))[0]

    def pgettext(self, context: str, text: str) -> str:
        """Translate a text that means different things in different contexts."""
        return self._texts.get(context + SEPARATOR + text, (text,))[0]

    def ngettext(self, singular: str, plural: str, number: int) -> str:
        """Translate a text that depends on a number."""
        forms = self._texts.get(singular)
        if forms is None:
            return singular if number == 1 else plural
        return forms[self._form(number)]


IN_ENGLISH = Language({}, int)


@cache
def catalogue(language: str) -> Language:
    """The texts of a language, read at their first use."""
    if language == ENGLISH:
        return IN_ENGLISH
    path = files(__package__).joinpath(language + SUFFIX)
    return read_catalogue(path.read_text(encoding="utf-8"))


def read_catalogue(source: str) -> Language:
    """Read a catalogue in the format of gettext, as `make gen` writes it."""
    texts = {}
    # Entries are paragraphs.
    for entry in source.split("\n\n"):
        fields: defaultdict[str, str] = defaultdict(str)
        keyword = ""
        for named, quoted in LINE.findall(entry):
            keyword = named or keyword
            # The escapes of gettext are also those of JSON.
            fields[keyword] += json.loads(quoted)
        forms = [text for name, text in fields.items() if name.startswith("msgstr")]
        context = fields["msgctxt"] + SEPARATOR if "msgctxt" in fields else ""
        if forms and all(forms):
            texts[context + fields["msgid"]] = forms
    header = texts.pop("")[0]
    plural = PLURAL.search(header)
    if plural is None:
        raise ValueError("the catalogue does not say how plurals are formed")
    return Language(texts, c2py(plural[1]))
