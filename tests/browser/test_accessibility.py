"""axe finds no violations on any screen, in any theme, on a phone or a desktop."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page
from tablier_core.registry import GAMES

from tests.browser.chromium import DESKTOP, PHONE
from tests.browser.conftest import Faults, Secured
from tests.browser.person import REVEAL, Person
from tests.browser.test_analysis import OPEN_GAME, analyse, start

THEMES = ("light", "dark", "contrast")
# The last one is short.
HIDDEN_GAME = [name for name, game in GAMES.items() if game.has_hidden_information][-1]


def violations(page: Page) -> list[str]:
    """What axe finds: each rule, with the first element that breaks it."""
    found = Axe().run(page).response["violations"]
    return [f"{each['id']}: {each['nodes'][0]['html'][:200]}" for each in found]


def check_everywhere(page: Page, screen: str) -> None:
    """Check a screen in every theme and both sizes."""
    for theme in THEMES:
        page.emulate_media(
            color_scheme="dark" if theme == "dark" else "light",
            contrast="more" if theme == "contrast" else "no-preference",
        )
        page.wait_for_function(
            "theme => document.documentElement.dataset.theme === theme", arg=theme
        )
        for size in (DESKTOP, PHONE):
            page.set_viewport_size(size)
            page.wait_for_selector("main:not([aria-busy=true])")
            assert violations(page) == [], f"{screen}, {theme}, {size}"


def test_axe_finds_what_is_wrong(page: Page, table_url: str):
    Person(page).open(table_url)
    page.evaluate("document.querySelector('[data-game]').replaceChildren()")
    assert violations(page) != []


def test_the_games_and_their_options(page: Page, table_url: str):
    Person(page).open(table_url)
    check_everywhere(page, "games")
    for name in GAMES:
        page.locator(f"li:has([data-game='{name}']) button.options").click()
        page.wait_for_selector("dialog.setup select[data-seat]")
        for summary in page.locator("dialog.setup summary").all():
            summary.click()
        assert violations(page) == [], name
        page.keyboard.press("Escape")
        page.locator("dialog.setup").wait_for(state="detached")


@pytest.mark.parametrize("game", GAMES)
def test_the_games_themselves(page: Page, table_url: str, game: str):
    person = Person(page)
    person.open(table_url)
    page.locator(f"[data-game='{game}']").click()
    person.settle()
    person.choose()
    person.settle()
    page.locator(".rules summary").click()
    page.frame_locator(".rules iframe").locator("h1").wait_for()
    check_everywhere(page, game)


@pytest.mark.parametrize("game", GAMES)
def test_the_rules(page: Page, table_url: str, faults: Faults, game: str):
    # Browsers also ask for an icon, which pages of rules do not have.
    faults.expected.append(r"Failed to load resource: .* status of 404 ")
    page.goto(f"{table_url}/rules/{game}")
    assert violations(page) == []


def test_the_curtain_and_a_finished_game(page: Page, table_url: str):
    person = Person(page)
    person.open(table_url)
    person.set_up(HIDDEN_GAME, {0: 0, 1: 0})
    page.wait_for_selector(REVEAL)
    check_everywhere(page, "curtain")
    person.play_to_the_end()
    check_everywhere(page, "finished")


def test_the_question_for_a_key(page: Page, secured: Secured):
    page.goto(secured.url)
    page.wait_for_selector("dialog.key")
    check_everywhere(page, "key")
    page.locator("dialog.key input").fill("wrong")
    page.locator("dialog.key button").click()
    page.wait_for_selector("dialog.key .error")
    assert violations(page) == []


def test_the_tools_around_a_game(page: Page, table_url: str):
    Person(page).open(table_url)
    start(page, OPEN_GAME)
    analyse(page)
    page.get_by_text("Inspector").click()
    page.wait_for_selector(".inspector pre")
    check_everywhere(page, "analysis and inspector")
    for tool in ("link", "record"):
        page.click(f"header .{tool}")
        page.wait_for_selector("dialog")
        check_everywhere(page, tool)
        if tool == "link":
            embedded = page.locator("dialog input[readonly]").first.input_value()
        page.keyboard.press("Escape")
        page.locator("dialog").wait_for(state="detached")
    page.goto(f"{table_url}/embed#{embedded.partition('#')[2]}")
    page.wait_for_selector("svg")
    assert violations(page) == [], "embed"
