"""Links, records, pictures, frames and code of the table, in a browser."""

from __future__ import annotations

import json
import subprocess
import sys
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any
from zlib import compress, decompress

import pytest
from playwright.sync_api import Page, expect
from tablier_client import read_record

from tests.live_server import ROOT, TIMEOUT_SECONDS, LiveServer, wait_until

if TYPE_CHECKING:
    from tests.browser.conftest import Faults, OpenPage, Secured

OPEN_GAME = "contigo-alignment"
HIDDEN_GAME = "contrat500"
# No move has this many parts.
MOST_CLICKS = 40
# The browser logs answers that are errors.
FAILED_CALL = r"Failed to load resource: the server responded with a status of 4\d\d "


def settle(page: Page, at: int | None = None) -> None:
    """Wait until the page shows the position, and its address has all moves, and where it is."""
    page.wait_for_selector("main.playing[aria-busy=false]")

    def is_kept() -> bool:
        link = page.evaluate("history.state?.link ?? location.hash.slice(1)")
        if not link:
            return False
        content: Any = unpack(f"#{link}")
        moves = len(content[9]) // 3 if content[0] == 0 else len(content[8])
        return moves == len(listed(page)) and at in (None, content[8])

    wait_until(is_kept, "the address has the game")


def start(page: Page, url: str, game: str, moves: int = 2) -> None:
    """Start a game against a bot, and make moves by clicks."""
    page.goto(url)
    page.click(f'[data-game="{game}"]')
    for _ in range(moves):
        make_move(page)
    settle(page)


def make_move(page: Page) -> None:
    """Make a whole move: click what glows until the list of moves has grown."""
    page.wait_for_selector("main.playing[aria-busy=false]")
    before = listed(page)
    for _ in range(MOST_CLICKS):
        target = page.locator(".ok, .board .active, .buttons button.move").first
        target.click(force=True)
        page.wait_for_selector("main.playing[aria-busy=false]")
        if listed(page) != before:
            return
    raise AssertionError("the clicks make no move")


def listed(page: Page) -> list[str]:
    return page.locator(".moves li .words").all_inner_texts()


def sign_in(page: Page, url: str, key: str) -> None:
    page.goto(url)
    page.fill("dialog.key input", key)
    page.keyboard.press("Enter")


def link_of(page: Page, label: str) -> str:
    """Open the dialog, and read the link with this label."""
    page.click("header .link")
    link = page.get_by_label(label, exact=True).input_value()
    page.keyboard.press("Escape")
    return link


def unpack(link: str) -> list[object]:
    """The content of a link."""
    text = link.partition("#1")[2]
    content: list[object] = json.loads(decompress(urlsafe_b64decode(text + "=" * (-len(text) % 4))))
    return content


def pack(url: str, content: list[object]) -> str:
    packed = urlsafe_b64encode(compress(json.dumps(content).encode())).decode().rstrip("=")
    return f"{url}#1{packed}"


@contextmanager
def other_site(folder: Path) -> Iterator[str]:
    """Another web server, with the files of a folder."""
    handler = partial(SimpleHTTPRequestHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


def test_a_refresh_keeps_an_open_game_with_its_variations(page: Page, table_url: str) -> None:
    start(page, table_url, OPEN_GAME)
    # A variation, and a position in the middle.
    page.locator(".moves li .words").first.click()
    page.wait_for_selector("main.playing[aria-busy=false]")
    page.click('.steps button[aria-label="First position"]')
    page.wait_for_selector("main.playing[aria-busy=false]")
    story, board = listed(page), page.locator(".board svg").inner_html()
    settle(page, at=0)
    page.reload()
    settle(page)
    expect(page.locator(".moves li .words")).to_have_text(story)
    assert page.locator(".moves li.current").count() == 0
    assert page.locator(".board svg").inner_html() == board


def test_two_browsers_share_a_game_by_its_link_on_any_service(
    page: Page, open_page: OpenPage, table_url: str, secured: Secured
) -> None:
    start(page, table_url, OPEN_GAME)
    link = link_of(page, "The whole game")
    asked: list[str] = []
    other = open_page()
    other.on("request", lambda request: asked.append(request.url))
    sign_in(other, link.replace(table_url, secured.url), secured.host_key)
    settle(other)
    expect(other.locator(".moves li .words")).to_have_text(listed(page))
    assert other.locator(".board svg").inner_html() == page.locator(".board svg").inner_html()
    make_move(other)
    secret = link.partition("#")[2]
    assert asked
    assert not any(secret in url for url in asked)


def test_a_position_is_a_link_without_its_game(page: Page, table_url: str) -> None:
    start(page, table_url, OPEN_GAME)
    board, story = page.locator(".board svg").inner_html(), listed(page)
    link = link_of(page, "This position")
    page.goto("about:blank")
    page.goto(link)
    settle(page)
    # The moves before can be read, but not shown.
    expect(page.locator(".moves .before .words")).to_have_text(story)
    # All but the mark of the last move.
    parts = "[...document.querySelectorAll('.board [data-part]')].map(each => each.dataset.part)"
    assert page.evaluate(parts)
    assert page.locator(".board svg").inner_html()[:400] == board[:400]


def test_a_refresh_keeps_a_hidden_game_but_not_in_the_address(page: Page, table_url: str) -> None:
    start(page, table_url, HIDDEN_GAME, 1)
    assert "#" not in page.url
    story = listed(page)
    page.reload()
    settle(page)
    expect(page.locator(".moves li .words")).to_have_text(story)
    make_move(page)
    # Elsewhere, the address alone is a new page.
    page.goto("about:blank")
    page.goto(table_url)
    page.wait_for_selector("[data-game]")


def test_a_sealed_game_goes_on_after_a_refresh(page: Page, secured: Secured) -> None:
    sign_in(page, secured.url, secured.host_key)
    page.click(f'[data-game="{HIDDEN_GAME}"]')
    make_move(page)
    settle(page)
    kind, name, _, _, viewer, _, _, token, seen = unpack(page.url)
    assert (kind, name, viewer) == (1, HIDDEN_GAME, 0)
    assert str(token).startswith("VFM")
    assert isinstance(seen, list)
    story = listed(page)
    page.reload()
    # The key was only in the memory.
    page.fill("dialog.key input", secured.host_key)
    page.keyboard.press("Enter")
    settle(page)
    expect(page.locator(".moves li .words")).to_have_text(story)
    make_move(page)


def test_a_player_opens_the_view_of_a_seat(
    page: Page, open_page: OpenPage, secured: Secured
) -> None:
    sign_in(page, secured.url, secured.host_key)
    page.click(f'[data-game="{HIDDEN_GAME}"]')
    make_move(page)
    settle(page)
    link = link_of(page, "What seat 0 sees")
    assert unpack(link)[0] == 2
    other = open_page()
    sign_in(other, link, secured.player_key)
    other.wait_for_selector("main.playing[aria-busy=false] .board svg")
    expect(other.locator(".moves .before .words")).to_have_text(listed(page))
    assert other.locator(".error").count() == 0


def test_a_link_that_cannot_be_opened_says_why(
    page: Page, open_page: OpenPage, faults: Faults, table_url: str, secured: Secured
) -> None:
    faults.expected.append(FAILED_CALL)
    start(page, table_url, OPEN_GAME, 1)
    link = link_of(page, "The whole game")
    content = unpack(link)
    rules, game = [*content], [*content]
    rules[2], game[1] = 7, "no-such-game"
    sign_in(page, secured.url, secured.host_key)
    page.click(f'[data-game="{HIDDEN_GAME}"]')
    settle(page)
    sealed = f"{table_url}#{page.url.partition('#')[2]}"
    reasons = {
        link[:-9]: "This link is damaged or incomplete.",
        f"{table_url}#hello": "This link is damaged or incomplete.",
        f"{table_url}#2abc": "This link was made by another version of this page.",
        pack(
            table_url, rules
        ): "This link needs version 7 of the rules; this service has version 1.",
        pack(table_url, game): "This service does not have the game of this link.",
        sealed: (
            "This service cannot read the state in this link: it was sealed with other keys, or is "
            "damaged."
        ),
    }
    for wrong, reason in reasons.items():
        other = open_page()
        other.goto(wrong)
        expect(other.locator(".notice.error")).to_contain_text(reason)
        # The page can be used all the same.
        assert other.locator("[data-game]").count() > 0


def test_a_record_is_saved_and_opened(page: Page, table_url: str, tmp_path: Path) -> None:
    start(page, table_url, OPEN_GAME)
    story = listed(page)
    page.click("header .record")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save").click()
    saved = tmp_path / "game.txt"
    download.value.save_as(saved)
    record = read_record(saved.read_text())
    assert (record.game, len(record.moves)) == (OPEN_GAME, len(story))
    page.goto("about:blank")
    page.goto(table_url)
    page.click("header .record")
    page.set_input_files("dialog input[type=file]", saved)
    page.get_by_role("button", name="Open").click()
    settle(page)
    expect(page.locator(".moves li .words")).to_have_text(story)


def test_a_wrong_record_is_explained(page: Page, faults: Faults, table_url: str) -> None:
    faults.expected.append(FAILED_CALL)
    page.goto(table_url)
    page.click("header .record")
    page.fill("#record-text", "hello")
    page.get_by_role("button", name="Open").click()
    expect(page.locator("dialog .error")).to_contain_text("not a game record")
    page.fill("#record-text", f'Tablier game record 1\n[Game "{OPEN_GAME}"]\n[Rules "1"]\n')
    page.get_by_role("button", name="Open").click()
    expect(page.locator("dialog .error")).to_contain_text("line")


def test_the_record_of_a_hidden_game_is_what_the_viewer_saw(page: Page, secured: Secured) -> None:
    sign_in(page, secured.url, secured.host_key)
    page.click(f'[data-game="{HIDDEN_GAME}"]')
    make_move(page)
    settle(page)
    page.click("header .record")
    record = read_record(page.locator("#record-saved").input_value())
    assert (record.viewer, record.seed) == (0, None)
    assert len(record.moves) == len(listed(page))


@pytest.mark.parametrize(("kind", "magic"), [("SVG", b"<svg"), ("PNG", b"\x89PNG")])
def test_the_position_is_saved_as_a_picture(
    page: Page, table_url: str, tmp_path: Path, kind: str, magic: bytes
) -> None:
    start(page, table_url, OPEN_GAME, 0)
    page.click("header .link")
    with page.expect_download() as download:
        page.get_by_role("button", name=kind, exact=True).click()
    saved = tmp_path / download.value.suggested_filename
    download.value.save_as(saved)
    assert saved.suffix == f".{kind.lower()}"
    assert saved.read_bytes().startswith(magic)


@pytest.mark.parametrize("game", [OPEN_GAME, HIDDEN_GAME])
def test_code_of_the_position_runs(
    page: Page, table_url: str, table: LiveServer, game: str
) -> None:
    start(page, table_url, game)
    ply = len(listed(page))
    page.click("header .link")
    page.get_by_role("button", name="Copy as Python").click()
    page.wait_for_selector("text=copied")
    program = page.evaluate("navigator.clipboard.readText()")
    assert '"127.0.0.1:50051"' in program
    program = program.replace("127.0.0.1:50051", table.grpc_address)
    paths = {"PYTHONPATH": f"{ROOT}/clients/python"}
    ran = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env=paths,
        check=True,
        timeout=TIMEOUT_SECONDS,
    )
    assert f"ply {ply}" in ran.stdout
    page.get_by_role("button", name="Copy as curl").click()
    page.wait_for_function(
        "() => navigator.clipboard.readText().then(text => text.startsWith('curl'))"
    )
    command = page.evaluate("navigator.clipboard.readText()")
    ran = subprocess.run(
        ["sh", "-c", command], capture_output=True, text=True, check=True, timeout=TIMEOUT_SECONDS
    )
    assert json.loads(ran.stdout)["situation"]["ply"] == ply


def test_another_page_shows_a_game_in_a_frame(page: Page, table_url: str, tmp_path: Path) -> None:
    start(page, table_url, OPEN_GAME)
    story = listed(page)
    page.click("header .link")
    code = page.get_by_label("Frame for a web page", exact=True).input_value()
    (tmp_path / "index.html").write_text(
        f"<!DOCTYPE html><html lang=en><title>Blog</title><link rel=icon href=data:,>{code}"
    )
    with other_site(tmp_path) as blog:
        page.goto(blog)
        frame = page.frame_locator("iframe")
        expect(frame.locator(".story span")).to_have_text(story[-1])
        assert frame.locator(".board svg").count() == 1
        frame.get_by_role("button", name="One move back").click()
        expect(frame.locator(".story span")).to_have_text(story[-2])
        # Nothing to play with, and nowhere to type.
        assert frame.locator("input, select, textarea, .board .active").count() == 0


def test_a_frame_never_asks_for_a_key(page: Page, secured: Secured) -> None:
    sign_in(page, secured.url, secured.host_key)
    page.click(f'[data-game="{OPEN_GAME}"]')
    settle(page)
    page.goto(f"{secured.url}/embed#{page.url.partition('#')[2]}")
    expect(page.locator(".error")).to_contain_text("wants a key")
    assert page.locator("input, dialog").count() == 0
