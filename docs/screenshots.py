"""Takes pictures of the table in the browser: `make pictures`.

Every game is shown light and dark, on a desktop and on a phone. The pictures and the page that
shows them are part of the documentation. Next to the pictures, a file says which positions they
show, with a digest of how the games drew them. A test draws these positions again, so it notices
when a picture is out of date, without a browser.
"""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any, TypedDict

import pyvips
from playwright.sync_api import Browser, Page, Request, ViewportSize, sync_playwright
from tablier_core.codec import decode
from tablier_core.drawing import DARK, LIGHT, Look
from tablier_core.registry import GAMES

from tests.browser.chromium import PHONE, launch
from tests.browser.person import Person
from tests.live_server import running

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "gallery.md"
PICTURES = ROOT / "docs" / "pictures" / "table"
SHOWN = PICTURES / "shown.json"
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


class Shown(TypedDict):
    """The position in the pictures of a game."""

    # A token, and the seat that looks at it.
    state: str
    seat: int
    # The digest of its drawings.
    drawn: str


class Asked:
    """The position that a page last asked the service to draw."""

    def __init__(self, page: Page) -> None:
        self.state = ""
        self.seat = 0
        page.on("request", self._note)

    def _note(self, request: Request) -> None:
        drawings: list[Any] = []
        body: Any = request.post_data_json if request.method == "POST" else None
        if request.url.endswith("/v1/states:render"):
            drawings = [body]
        elif request.url.endswith("/v1/batch"):
            drawings = [each["renderState"] for each in body["operations"] if "renderState" in each]
        for drawing in drawings:
            self.state = drawing["state"]
            self.seat = drawing["seat"]

    @property
    def shown(self) -> Shown:
        return {
            "state": self.state,
            "seat": self.seat,
            "drawn": digest(self.state, self.seat),
        }


def digest(state: str, seat: int) -> str:
    """The digest of all drawings of a position: light and dark, wide and narrow."""
    position = decode(b64decode(state), GAMES)
    drawings = sha256()
    for palette in (LIGHT, DARK):
        for width in (0, PHONE["width"]):
            drawings.update(position.draw_svg(seat, Look(palette=palette, width=width)).encode())
    return drawings.hexdigest()


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


def take(browser: Browser, url: str, game: str) -> Shown:
    """Take all pictures of a game; returns what they show."""
    context = browser.new_context(reduced_motion="reduce", locale="en")
    page = context.new_page()
    asked = Asked(page)
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
    return asked.shown


def file_name(game: str, size: str, theme: str) -> str:
    """The file of a picture."""
    return f"{game}-{size}-{theme}.png"


def file_names(game: str) -> list[str]:
    """The files of all pictures of a game."""
    return [file_name(game, size, theme) for theme in THEMES for size in SIZES]


def read_shown() -> dict[str, Shown]:
    """What the stored pictures show, by game."""
    shown: dict[str, Shown] = json.loads(SHOWN.read_text("utf-8"))
    return shown


def gallery(games: Iterable[str]) -> str:
    """The page with all pictures of some games."""
    return TITLE + "".join(map(section, games))


def section(game: str) -> str:
    """The pictures of a game."""
    title = GAMES[game].title
    images = [
        f'<img src="pictures/table/{file_name(game, size, theme)}" width="{width}" '
        f'alt="{title} at the table: {size}, {theme}">\n'
        for theme in THEMES
        for size, (_, width) in SIZES.items()
    ]
    return f"\n## {title}\n\n{''.join(images)}"


def main() -> None:
    """Take all pictures, and write what they show and the page; remove all other pictures."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    with running() as server, sync_playwright() as playwright:
        browser = launch(playwright)
        shown = {game: take(browser, server.rest_url, game) for game in GAMES}
        browser.close()
    for path in PICTURES.glob("*.png"):
        if path.name not in [name for game in GAMES for name in file_names(game)]:
            path.unlink()
    SHOWN.write_text(json.dumps(shown, indent=2) + "\n", encoding="utf-8")
    PAGE.write_text(gallery(GAMES), encoding="utf-8")


if __name__ == "__main__":
    main()
