"""The catalogues have every text in every language, with the same placeholders."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from io import BytesIO
from string import Formatter
from typing import Any

import pytest
from babel.messages.catalog import Message
from babel.messages.pofile import read_po
from tablier_core.languages import ENGLISH, LANGUAGES, SEPARATOR, catalogue, read_catalogue
from tablier_core.registry import GAMES

from docs import catalogues

TRANSLATIONS = [language for language in LANGUAGES if language != ENGLISH]
every_translation = pytest.mark.parametrize("language", TRANSLATIONS)


def stored(language: str) -> bytes:
    return (catalogues.FOLDER / f"{language}.po").read_bytes()


def placeholders(text: str) -> set[str]:
    """The fields that are filled in, and the code that is the same in every language."""
    fields = {field for _, field, _, _ in Formatter().parse(text) if field is not None}
    return fields | set(re.findall(r"`[^`]*`", text))


def forms_of(text: Any) -> list[str]:
    """The forms of a text: one, or one per kind of number."""
    return [text] if isinstance(text, str) else list(text)


def problems(message: Message) -> list[str]:
    """What is wrong with an entry of a catalogue."""
    texts, forms = forms_of(message.id), forms_of(message.string)
    if message.fuzzy or not all(forms):
        return [f"{texts[0]!r} is not translated"]
    # One form of several may leave out the number: "one bead".
    wanted = placeholders(texts[-1])
    return [
        f"{form!r} has the placeholders {placeholders(form)}, not {wanted}"
        for form in forms
        if placeholders(form) != wanted and not (len(forms) > 1 and placeholders(form) < wanted)
    ]


def test_french_is_packaged():
    assert LANGUAGES == ("en", "fr")


@every_translation
def test_a_catalogue_has_exactly_the_texts_of_the_sources(language: str):
    assert stored(language) == catalogues.update(stored(language), language), "run `make gen`"


@every_translation
def test_every_text_is_translated_with_the_same_placeholders(language: str):
    entries = [entry for entry in read_po(BytesIO(stored(language)), locale=language) if entry.id]
    assert len(entries) > 50
    assert [problem for entry in entries for problem in problems(entry)] == []


@every_translation
def test_a_catalogue_is_read_like_babel_reads_it(language: str):
    for entry in read_po(BytesIO(stored(language)), locale=language):
        if isinstance(entry.id, str) and entry.id:
            text = entry.context + SEPARATOR + entry.id if entry.context else entry.id
            assert catalogue(language).gettext(text) == entry.string
        elif entry.id:
            singular, plural = entry.id
            forms = {catalogue(language).ngettext(singular, plural, n) for n in range(200)}
            assert forms == set(forms_of(entry.string))


def called_texts(source: str) -> Iterator[str]:
    """The texts in calls of `gettext` and its relatives in a source, wherever they stand."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and node.args:
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            # The first argument of `pgettext` is the context.
            text = node.args[1 if name == "pgettext" else 0]
            if name in catalogues.KEYWORDS and isinstance(text, ast.Constant):
                yield str(text.value)


def test_no_call_hides_a_text_from_the_catalogues():
    """Babel does not look into f-strings."""
    found = {text if isinstance(text, str) else text[0] for text, *_ in catalogues.marked_texts()}
    called = {
        text
        for root in ("core_ext", "service")
        for path in (catalogues.ROOT / root).rglob("*.py")
        for text in called_texts(path.read_text(encoding="utf-8"))
    }
    # Sources in Cython are read by Babel alone.
    assert called <= found
    assert set(
        called_texts(
            'f"{t.gettext(\'Rules\')}"; N_("a"); ngettext("b", "c", 1); pgettext("d", "e")'
        )
    ) == {
        "Rules",
        "a",
        "b",
        "e",
    }


def test_no_option_hides_a_description_from_the_catalogues():
    for game in GAMES.values():
        for schema in game.options.properties.values():
            assert str(schema).count("'description'") == 1


SOURCE = """# A comment.
msgid ""
msgstr ""
"Language: fr\\n"
"Plural-Forms: nplurals=2; plural=(n > 1);\\n"

#: some/file.py
msgid "pass"
msgstr "passer"

msgid ""
"a long \\"text\\" "
"on two lines"
msgstr ""
"un long "
"« texte »"

msgid "{count} bead"
msgid_plural "{count} beads"
msgstr[0] "{count} perle"
msgstr[1] "{count} perles"

msgid "new"
msgstr ""
"""


def test_reads_texts_plurals_and_long_lines():
    french = read_catalogue(SOURCE)
    assert french.gettext("pass") == "passer"
    assert french.gettext('a long "text" on two lines') == "un long « texte »"
    numbers = [french.ngettext("{count} bead", "{count} beads", count) for count in (0, 1, 2)]
    assert numbers == ["{count} perle", "{count} perle", "{count} perles"]


def test_a_text_without_translation_stays_english():
    for each in (read_catalogue(SOURCE), catalogue(ENGLISH)):
        assert each.gettext("new") == "new"
        assert [each.ngettext("card", "cards", count) for count in (0, 1, 2)] == [
            "cards",
            "card",
            "cards",
        ]


def test_rejects_a_catalogue_without_a_rule_for_plurals():
    with pytest.raises(ValueError, match="plurals"):
        read_catalogue(SOURCE.replace("Plural-Forms", "Plurals"))


@pytest.mark.parametrize(
    ("text", "translation", "found"),
    [
        ("seat {seat}", "place {seat}", 0),
        ("seat {seat}", "place {place}", 1),
        ("seat {seat}", "", 1),
        ("`random` draws", "`hasard` tire", 1),
        (("{n} bead", "{n} beads"), ("une perle", "{n} perles"), 0),
        (("{n} bead", "{n} beads"), ("{m} perle", "{n} perles"), 1),
        (("{n} bead", "{n} beads"), ("{n} perle", ""), 1),
    ],
)
def test_finds_untranslated_texts_and_other_placeholders(text, translation, found: int):
    assert len(problems(Message(text, translation))) == found


def test_finds_new_and_forgotten_texts(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(
        catalogues, "game_texts", lambda: [("a new text", "some/file.py", [], "label")]
    )
    monkeypatch.setattr(catalogues, "constants", lambda: [("pass", "some/file.py")])
    updated = catalogues.update(stored("fr"), "fr").decode()
    assert 'msgctxt "label"\nmsgid "a new text"\nmsgstr ""\n' in updated
    assert "refuse to answer" not in updated
