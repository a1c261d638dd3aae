"""A real browser and real services, for `make browser`."""

from __future__ import annotations

import base64
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from tests.browser.chromium import DESKTOP, launch
from tests.live_server import TIMEOUT_SECONDS, LiveServer, running

KEYS = {role: f"tablier_key-of-the-{role}-0123456789" for role in ("host", "player", "referee")}
# The browser logs an answer that is an error; the page asks for a key when it gets this one.
EXPECTED = r"Failed to load resource: the server responded with a status of 401 "

expect.set_options(timeout=1000 * TIMEOUT_SECONDS)
# No test takes this long, even on a busy machine.
MOST_SECONDS = 15 * TIMEOUT_SECONDS


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


@pytest.fixture(autouse=True)
def bounded() -> Iterator[None]:
    """A test that does not end fails: Playwright limits its waits, but not scripts that hang."""

    def give_up(*_: object) -> None:
        raise TimeoutError(f"the test takes more than {MOST_SECONDS} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(MOST_SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


class Faults:
    """What a page complains about: errors in its console, and exceptions that nothing caught."""

    def __init__(self) -> None:
        self.expected = [EXPECTED]
        self._found: list[str] = []

    def watch(self, page: Page) -> None:
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self._found.append(str(error)))

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self._found.append(message.text)

    @property
    def unexpected(self) -> list[str]:
        return [
            each for each in self._found if not any(re.match(how, each) for how in self.expected)
        ]


@pytest.fixture
def faults() -> Iterator[Faults]:
    """The faults of all pages of a test; there must be none that the test does not expect."""
    found = Faults()
    yield found
    assert found.unexpected == []


OpenPage = Callable[..., Page]


@pytest.fixture
def open_page(browser: Browser, faults: Faults) -> Iterator[OpenPage]:
    """Opens pages that know nothing of each other, with the options of a browser context."""
    with ExitStack() as stack:

        def open_one(**options: object) -> Page:
            settings = {"reduced_motion": "reduce", "viewport": DESKTOP, "locale": "en"}
            context = browser.new_context(**{**settings, **options})  # type: ignore[arg-type]
            stack.callback(context.close)
            context.set_default_timeout(1000 * TIMEOUT_SECONDS)
            page = context.new_page()
            faults.watch(page)
            return page

        yield open_one


@pytest.fixture
def page(open_page: OpenPage) -> Page:
    return open_page(permissions=["clipboard-read", "clipboard-write"])


@pytest.fixture(scope="session")
def table() -> Iterator[LiveServer]:
    """An open service with plain tokens."""
    with running() as server:
        yield server


@pytest.fixture(scope="session")
def table_url(table: LiveServer) -> str:
    return table.rest_url


@dataclass(frozen=True)
class Secured:
    """A service that seals tokens and asks for keys."""

    url: str
    grpc_address: str
    host_key: str = KEYS["host"]
    player_key: str = KEYS["player"]
    referee_key: str = KEYS["referee"]


def secured_settings(folder: Path) -> dict[str, Any]:
    """Settings of a service that seals tokens and asks for keys."""
    callers = [
        f'[[callers]]\nname = "{role}"\nroles = ["{role}"]\n'
        f'key_sha256 = ["{sha256(key.encode()).hexdigest()}"]\n'
        for role, key in KEYS.items()
    ]
    (folder / "callers.toml").write_text("".join(callers))
    (folder / "seal-keys").write_text(f"1:{base64.b64encode(bytes(range(32))).decode()}\n")
    return {"callers_file": folder / "callers.toml", "seal_keys_file": folder / "seal-keys"}


@pytest.fixture(scope="session")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secured]:
    with running(**secured_settings(tmp_path_factory.mktemp("secured"))) as server:
        yield Secured(server.rest_url, server.grpc_address)
