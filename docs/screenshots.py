"""Takes pictures of the table in the browser: `make pictures`.

Every game is shown light and dark, on a desktop and on a phone. The pictures and the page that
shows them are part of the documentation.
"""

from __future__ import annotations

from pathlib import Path

import pyvips
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright
from tablier_core.position import Game
from tablier_core.registry import GAMES

from tests.browser.chromium import PHONE, launch
from tests.browser.person import Person
from tests.live_server import running

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "gallery.md"
PICTURES = ROOT / "docs" / "pictures" / "table"
# By name, with the width of the picture on the page.
SIZES: dict[str, tuple[ViewportSize, int]] = {
    "desktop": ({"width": 1440, "height": 900}, 520),
    "phone": (PHONE, 150),
}
THEMES = ("light", "dark")
# Choices of the person before the pictures are taken.
CHOICES = 6
SEARCHED = ".analysis .stop:text-is('Again')"
ADVICE = ".ranked .suggestion"
TITLE = """\
# Every game at the table

The [table](table.md) in a desktop window of 1440×900 and on a phone of 390×844, light and dark.
`make pictures` plays the games and takes these pictures.
"""


def play(page: Page, url: str, game: str) -> None:
    """Play the beginning of a game, mostly as the analysis advises, and leave it on."""
    person = Person(page, seed=3)
    person.open(url)
    page.locator(f"[data-game='{game}']").click()
    person.settle()
    page.get_by_role("switch").check()
    page.select_option(".budget", label="10,000 iterations")
    for _ in range(CHOICES):
        person.settle()
        page.wait_for_selector(SEARCHED)
        if person.is_over:
            break
        if page.locator(ADVICE).count():
            page.locator(ADVICE).first.click()
        else:
            person.choose()
    person.settle()
    page.wait_for_selector(SEARCHED)
    page.mouse.move(0, 0)
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")


def take(browser: Browser, url: str, game: str) -> None:
    """Take all pictures of a game."""
    context = browser.new_context(reduced_motion="reduce", locale="en")
    page = context.new_page()
    page.set_viewport_size(SIZES["desktop"][0])
    play(page, url, game)
    for theme in THEMES:
        page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
        for size, (viewport, _) in SIZES.items():
            page.set_viewport_size(viewport)
            page.wait_for_selector(f"[data-theme={theme}] main[aria-busy=false]")
            picture = pyvips.Image.new_from_buffer(page.screenshot(), "")
            path = PICTURES / file_name(game, size, theme)
            picture.pngsave(str(path), palette=True, Q=80, effort=10, keep="none")
    context.close()


def file_name(game: str, size: str, theme: str) -> str:
    """The file of a picture."""
    return f"{game}-{size}-{theme}.png"


def gallery() -> str:
    """The page with all pictures."""
    return TITLE + "".join(section(game) for game in GAMES.values())


def section(game: Game) -> str:
    """The pictures of a game."""
    images = [
        f'<img src="pictures/table/{file_name(game.name, size, theme)}" width="{width}" '
        f'alt="{game.title} at the table: {size}, {theme}">\n'
        for theme in THEMES
        for size, (_, width) in SIZES.items()
    ]
    return f"\n## {game.title}\n\n{''.join(images)}"


def main() -> None:
    """Take all pictures, and write the page."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    with running() as server, sync_playwright() as playwright:
        browser = launch(playwright)
        for game in GAMES:
            take(browser, server.rest_url, game)
        browser.close()
    PAGE.write_text(gallery(), encoding="utf-8")


if __name__ == "__main__":
    main()
