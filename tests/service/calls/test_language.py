"""Which language the texts of an answer are in."""

from __future__ import annotations

import pytest
from tablier_service.calls.language import MAX_LENGTH, choose_language, look_up


@pytest.mark.parametrize(
    ("wanted", "chosen"),
    [
        ("", "en"),
        ("fr", "fr"),
        ("FR", "fr"),
        ("fr-CA", "fr"),
        ("fr-Latn-CA", "fr"),
        ("en-GB", "en"),
        ("de", "en"),
        ("frr", "en"),
        ("de-CH, fr;q=0.8, en;q=0.7", "fr"),
        ("fr;q=0.5,en;q=0.9", "en"),
        ("en;q=0.8, fr", "fr"),
        ("fr;q=0", "en"),
        ("de,*", "en"),
        ("*,fr", "fr"),
        ("fr;q=x", "en"),
        (", ;q=1,--,fr", "fr"),
        ("fr_CA", "en"),
        ("nan;q=nan,fr;q=nan", "en"),
        ("fr" + ",de" * MAX_LENGTH, "en"),
    ],
)
def test_chooses_the_best_language_that_there_is(wanted: str, chosen: str):
    assert choose_language(wanted) == chosen


def test_does_not_remember_long_lists():
    before = look_up.cache_info().currsize
    for number in range(10):
        choose_language("x" * (MAX_LENGTH + number + 1))
    assert look_up.cache_info().currsize == before
