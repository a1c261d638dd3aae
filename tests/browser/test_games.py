"""Every game is played to its end in the browser, on a sealed service that asks for a key."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page
from tablier_core.registry import GAMES

from tests.browser.conftest import Secured
from tests.browser.person import Person, Typist


@pytest.mark.parametrize("hands", [Person, Typist], ids=["clicks", "keyboard"])
@pytest.mark.parametrize("game", GAMES)
def test_plays_a_whole_game(page: Page, secured: Secured, game: str, hands: type[Person]):
    person = hands(page)
    person.open(secured.url, secured.host_key)
    person.set_up(game)
    assert person.play_to_the_end() > 0
    assert page.locator(".seats .result").count() == page.locator(".seats li").count()
