"""Takes pictures of the table in the browser: `make screenshots`.

Every game in the middle, light and dark, on a phone and a desktop, goes to build/screenshots. A few
of them are in the documentation; they are made small and written to docs/pictures.
"""

from __future__ import annotations

from pathlib import Path

import pyvips
from playwright.sync_api import Browser, Page, sync_playwright
from tablier_core.registry import GAMES

from tests.browser.chromium import DESKTOP, PHONE, launch
from tests.browser.person import Person
from tests.live_server import running

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "build" / "screenshots"
PICTURES = ROOT / "docs" / "pictures"
SIZES = {"desktop": DESKTOP, "phone": PHONE}
THEMES = ("light", "dark")
# Choices of the person before the pictures are taken.
CHOICES = 9
# Pictures in the documentation, by game, size and theme.
SHOWN = {
    ("contigo-alignment", "desktop", "light"): "table.png",
    ("contract", "desktop", "dark"): "table-dark.png",
    ("contrat500", "phone", "light"): "table-phone.png",
}


def play(page: Page, url: str, game: str) -> None:
    """Play the beginning of a game."""
    person = Person(page, seed=3)
    person.open(url)
    page.locator(f"[data-game='{game}']").click()
    for _ in range(CHOICES):
        person.settle()
        if person.is_over:
            break
        person.choose()
    person.settle()
    page.mouse.move(0, 0)
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")


def take(browser: Browser, url: str, game: str) -> None:
    """Take all pictures of a game."""
    context = browser.new_context(reduced_motion="reduce", viewport=DESKTOP, locale="en")
    page = context.new_page()
    play(page, url, game)
    for theme in THEMES:
        page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
        for size, viewport in SIZES.items():
            page.set_viewport_size(viewport)
            page.wait_for_function(
                "theme => document.documentElement.dataset.theme === theme", arg=theme
            )
            page.wait_for_selector("main[aria-busy=false]")
            path = FOLDER / f"{game}-{size}-{theme}.png"
            page.screenshot(path=path, full_page=size == "phone")
            shown = SHOWN.get((game, size, theme))
            if shown:
                picture = pyvips.Image.new_from_file(str(path))
                picture.pngsave(str(PICTURES / shown), palette=True, Q=85, effort=10, keep="none")
    context.close()


def main() -> None:
    """Take all pictures."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with running() as server, sync_playwright() as playwright:
        browser = launch(playwright)
        for game in GAMES:
            take(browser, server.rest_url, game)
        browser.close()


if __name__ == "__main__":
    main()
