"""A person at the table: plays by clicks alone, or by the keyboard alone.

They see what the page offers, choose at random, and know nothing of any game.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from playwright.sync_api import Page

IDLE = "main[aria-busy=false]"
PART = ".board .active[data-part]"
MOVE = ".buttons button.move"
OK = ".builder .ok"
WAIT = ".buttons .wait"
REVEAL = ".curtain button"
RESULT = ".seats .result"
# What a person can do next, or that there is nothing left to do.
OFFERED = f"{PART}, {MOVE}, {OK}, {WAIT}, {REVEAL}, {RESULT}"
KINDS = (REVEAL, OK, PART, MOVE, WAIT)
# Names of options that shorten a game, and their values; `seats` is the smallest number.
SHORTER = {"turn_limit": 12, "max_deals": 1, "target": 100, "questions": 3, "statements": 1}
# No game takes this many decisions of one person with the options above.
MOST_STEPS = 400
MOST_TABS = 200

# Finds what is offered now: pairs of a selector and how many there are.
COUNT = """selectors => selectors.map(each => document.querySelectorAll(each).length)"""
AT = """selector => document.activeElement?.matches(selector) ?? false"""
# A point of a part that takes the click, like a person who sees the part would choose it.
POINT = """(part) => {
  part.scrollIntoView({block: 'center', inline: 'center'});
  const {x, y, width, height} = part.getBoundingClientRect();
  for (const row of [0.5, 0.25, 0.75, 0.1, 0.9])
    for (const column of [0.5, 0.25, 0.75, 0.1, 0.9]) {
      const [left, top] = [x + width * column, y + height * row];
      const hit = document.elementFromPoint(left, top)?.closest('.active[data-part]');
      if (hit === part) return [left, top];
    }
  return null;
}"""


class Person:
    """Somebody at the page; this one clicks."""

    def __init__(self, page: Page, seed: int = 0) -> None:
        self.page = page
        self._random = Random(seed)

    def open(self, url: str, key: str = "") -> None:
        """Open the table, and enter a key if there is one."""
        self.page.goto(url)
        if key:
            self.page.locator("dialog.key input").fill(key)
            self.page.locator("dialog.key button").click()
        self.page.wait_for_selector("[data-game]")

    def set_up(
        self,
        game: str,
        players: Mapping[int, int] | None = None,
        shorter: Mapping[str, int] = SHORTER,
    ) -> None:
        """Start a game with the form, with options that shorten it.

        `players` are levels by seat, 0 for a person; by default the others are weak bots.
        """
        page = self.page
        page.locator(f"li:has([data-game='{game}']) button.options").click()
        page.wait_for_selector("dialog.setup select[data-seat]")
        for details in page.locator("dialog.setup details:not([open]) summary").all():
            details.click()
        for name, value in shorter.items():
            if page.locator(f"select#option-{name}").count():
                page.locator(f"#option-{name}").select_option(str(value))
            elif page.locator(f"#option-{name}").count():
                page.locator(f"#option-{name}").fill(str(value))
        seats = page.locator("select#option-seats")
        if seats.count():
            seats.select_option(index=0)
        for seat in range(page.locator("dialog.setup select[data-seat]").count()):
            level = (players or {}).get(seat, min(seat, 1))
            page.locator(f"dialog.setup select[data-seat='{seat}']").select_option(str(level))
        page.locator("dialog.setup button.primary").click()

    def settle(self) -> None:
        """Wait until the page waits for this person, or the game is over."""
        self.page.wait_for_selector(IDLE)
        self.page.locator(OFFERED).first.wait_for(state="attached")

    @property
    def is_over(self) -> bool:
        return self.page.locator(RESULT).count() > 0

    def play_to_the_end(self) -> int:
        """Choose what is offered until the game is over; returns the number of choices."""
        for count in range(MOST_STEPS):
            self.settle()
            if self.is_over:
                return count
            self.choose()
        raise AssertionError("the game does not end")

    def choose(self) -> None:
        """Choose one of the things that are offered."""
        counts = self.page.evaluate(COUNT, list(KINDS))
        kind = self._random.choices(KINDS, counts)[0]
        self.take(kind, self._random.randrange(counts[KINDS.index(kind)]))

    def take(self, kind: str, index: int) -> None:
        """Choose one of several things of a kind."""
        if kind == PART:
            self.click_part(index)
        else:
            self.page.locator(kind).nth(index).click()

    def click_part(self, index: int) -> None:
        """Click a part of the board where it can be seen."""
        part = self.page.locator(PART).nth(index)
        name = part.get_attribute("data-part")
        point = part.evaluate(POINT)
        assert point, f"nobody can click {name}"
        self.page.mouse.click(*point)


class Typist(Person):
    """Somebody who uses the keyboard alone."""

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def is_at(self, selector: str) -> bool:
        """Whether the focus is on one of these elements."""
        return bool(self.page.evaluate(AT, selector))

    def tab_to(self, selector: str) -> None:
        """Go on with Tab until the focus is there."""
        for _ in range(MOST_TABS):
            if self.is_at(selector):
                return
            self.press("Tab")
        raise AssertionError(f"Tab does not reach {selector}")

    def open(self, url: str, key: str = "") -> None:
        self.page.goto(url)
        if key:
            self.page.wait_for_selector("dialog.key")
            assert self.is_at("dialog.key input")
            self.page.keyboard.type(key)
            self.press("Enter")
        self.page.wait_for_selector("[data-game]")

    def set_up(
        self,
        game: str,
        players: Mapping[int, int] | None = None,
        shorter: Mapping[str, int] = SHORTER,
    ) -> None:
        self.tab_to(f"li:has([data-game='{game}']) button.options")
        self.press("Enter")
        self.page.wait_for_selector("dialog.setup select[data-seat]")
        if self.page.locator("dialog.setup summary").count():
            self.tab_to("dialog.setup summary")
            self.press("Enter")
        for name, value in {"seats": None, **shorter}.items():
            if self.page.locator(f"#option-{name}").count() == 0:
                continue
            self.tab_to(f"#option-{name}")
            if self.is_at("select"):
                # The first letters of a choice select it.
                self.press("Home") if value is None else self.page.keyboard.type(str(value))
            else:
                self.press("Control+a")
                self.page.keyboard.type(str(value))
        self.tab_to("dialog.setup button.primary")
        self.press("Enter")

    def take(self, kind: str, index: int) -> None:
        """Go to one of several things of a kind, and choose it; mostly where the focus is."""
        here = next((each for each in KINDS if self.is_at(each)), None)
        if here and self._random.random() < 0.8:
            kind = here
        self.tab_to(kind)
        if kind == PART:
            keys = self._random.choices(("ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp"), k=3)
            self.press(*keys[: self._random.randrange(4)])
        assert self.is_at(kind)
        self.press(self._random.choice(("Enter", "Space")))
