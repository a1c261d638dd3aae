"""The table in the browser: `python -m bench.page`, in Chromium on loopback.

First paint is that of a browser that has never seen the page. The response to a click takes from
the click to the frame that shows its effect: the part that was chosen, or the move that was made,
which includes the calls of the service.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from statistics import median

from playwright.sync_api import Browser, sync_playwright
from rich.console import Console
from rich.progress import track
from rich.table import Table
from tablier_core.registry import GAMES

from tests.browser.chromium import launch
from tests.browser.person import Person
from tests.live_server import running

TIMES = 100
# Milliseconds.
MOST_PAINT, MOST_RESPONSE = 200, 50
PART, MOVE = "response to a click on a part", "response to a click that makes a move"
PAINTED = """() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime"""
# Waits for the next click, and then for the frame that shows what it did.
WATCH = """() => {
  const count = (selector) => document.querySelectorAll(selector).length;
  window.response = new Promise((resolve) => {
    addEventListener('click', (event) => {
      const [moves, chosen] = [count('.moves li'), count('.mark.chosen')];
      const look = () => requestAnimationFrame(() => {
        // A message is handled after the frame was painted.
        const channel = new MessageChannel();
        channel.port1.onmessage = () => {
          const time = performance.now() - event.timeStamp;
          const busy = count('main[aria-busy=true]');
          if (count('.moves li') > moves) resolve(['move', time]);
          else if (!busy && count('.mark.chosen') > chosen) resolve(['part', time]);
          else look();
        };
        channel.port2.postMessage(0);
      });
      look();
    }, {capture: true, once: true});
  });
}"""


def first_paint(browser: Browser, url: str) -> float:
    """Milliseconds until a browser without any of the page's files has painted it."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(url)
    page.wait_for_function(PAINTED)
    time = float(page.evaluate(PAINTED))
    context.close()
    return time


def responses(browser: Browser, url: str) -> dict[str, list[float]]:
    """Milliseconds from a click to its effect, by kind; persons play all seats of a game."""
    game = next(name for name, each in GAMES.items() if not each.has_hidden_information)
    found: dict[str, list[float]] = defaultdict(list)
    context = browser.new_context(reduced_motion="reduce")
    person = Person(context.new_page())
    person.open(url)
    person.set_up(game, dict.fromkeys(range(GAMES[game].max_seats), 0), shorter={})
    while min(len(found["part"]), len(found["move"])) < TIMES:
        person.settle()
        if person.is_over:
            person.open(url)
            person.set_up(game, dict.fromkeys(range(GAMES[game].max_seats), 0), shorter={})
            continue
        person.page.evaluate(WATCH)
        person.choose()
        kind, time = person.page.evaluate("window.response")
        found[kind].append(time)
    context.close()
    return {PART: found["part"][:TIMES], MOVE: found["move"][:TIMES]}


def main() -> int:
    """Measure, print, and return 0 if every median is low enough."""
    with running() as server, sync_playwright() as playwright:
        browser = launch(playwright)
        first_paint(browser, server.rest_url)
        rounds = track(range(TIMES), "First paint", console=Console(stderr=True))
        times = {"first paint": [first_paint(browser, server.rest_url) for _ in rounds]}
        times |= responses(browser, server.rest_url)
        browser.close()
    report = Table("", "median of 100, ms", "required, ms", title="The table in Chromium")
    good = True
    for name, measured in times.items():
        required = MOST_PAINT if name == "first paint" else MOST_RESPONSE
        good = good and median(measured) < required
        report.add_row(name, f"{median(measured):.1f}", f"< {required}")
    Console(width=None if sys.stdout.isatty() else 100).print(report)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
