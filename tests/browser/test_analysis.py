"""The analysis and the inspector of the table, in a browser."""

from __future__ import annotations

import json
import re
import subprocess
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Page, Request, expect

from tests.live_server import TIMEOUT_SECONDS, wait_until

if TYPE_CHECKING:
    from tests.browser.conftest import Faults, Secured

OPEN_GAME = "contigo-alignment"
HIDDEN_GAME = "contrat500"
IDLE = "main.playing[aria-busy=false]"
ARROWS = ".board .arrow, .board .mark.hint"
# No move has this many parts.
MOST_CLICKS = 40


def start(page: Page, game: str, moves: int = 1) -> None:
    """Start a game against a bot, and make moves by clicks."""
    page.click(f'[data-game="{game}"]')
    for _ in range(moves):
        page.wait_for_selector(IDLE)
        before = page.locator(".moves li").count()
        for _ in range(MOST_CLICKS):
            page.locator(".ok, .board .active, .buttons button.move").first.click(force=True)
            page.wait_for_selector(IDLE)
            if page.locator(".moves li").count() > before:
                break
        else:
            raise AssertionError("the clicks make no move")
    page.wait_for_selector(IDLE)


def analyse(page: Page, budget: str = "10,000 iterations") -> None:
    """Turn the analysis on, and wait until it has searched the whole game."""
    page.get_by_role("switch", name="Analysis").check()
    page.select_option(".budget", label=budget)
    expect(page.get_by_role("button", name="Again")).to_be_visible()


def marks_of(page: Page) -> list[str]:
    """What is drawn of an expected line."""
    drawn: list[str] = page.locator(ARROWS).evaluate_all("all => all.map(each => each.outerHTML)")
    return drawn


def test_the_analysis_is_off_until_somebody_turns_it_on(page: Page, table_url: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(table_url)
    start(page, OPEN_GAME)
    advice = re.compile(r":(streamAnalysis|suggestMoves)$")
    assert not any(advice.search(url) for url in asked)
    analyse(page)
    assert any(advice.search(url) for url in asked)


def test_moves_are_ranked_with_values_visits_spread_and_a_line(page: Page, table_url: str) -> None:
    page.goto(table_url)
    start(page, OPEN_GAME, 0)
    analyse(page, "100,000 iterations")
    rows = page.locator(".ranked .suggestion")
    assert 2 < rows.count() <= 5
    for text in rows.locator("small").all_inner_texts():
        assert re.fullmatch(r"0: \S+, 1: \S+ · [\d,]+ visits( · ±\d\.\d\d)?", text)
    assert "100,000 iterations" in page.locator(".searched").inner_text()
    expect(page.locator(".line")).to_contain_text("Expected:")
    # The best line is drawn, or that of another move while the mouse or the keyboard is on it.
    expect(page.locator(ARROWS)).not_to_have_count(0)
    best, line = marks_of(page), page.locator(".line").inner_text()
    for point in (rows.nth(1).hover, rows.nth(1).focus):
        point()
        expect(page.locator(".line")).not_to_have_text(line)
        wait_until(lambda: marks_of(page) != best, "another line is drawn")
        page.mouse.move(0, 0)
        rows.nth(1).blur()
        expect(page.locator(".line")).to_have_text(line)
    page.get_by_role("switch", name="Analysis").uncheck()
    expect(page.locator(ARROWS)).to_have_count(0)


def test_a_search_can_be_stopped(page: Page, table_url: str) -> None:
    page.goto(table_url)
    start(page, OPEN_GAME, 0)
    page.get_by_role("switch", name="Analysis").check()
    page.select_option(".budget", label="60 s")
    page.wait_for_selector(".ranked .suggestion")
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Again")).to_be_visible()
    # The moves found so far stay.
    assert page.locator(".ranked .suggestion").count() > 0


def test_moves_are_pinned_compared_and_played(page: Page, table_url: str) -> None:
    page.goto(table_url)
    start(page, OPEN_GAME, 0)
    analyse(page, "100,000 iterations")
    words = page.locator(".ranked .suggestion > span").all_inner_texts()
    page.locator(".pin").nth(2).click()
    expect(page.locator(".ranked .suggestion > span").first).to_have_text(words[2])
    page.locator(".compare").nth(1).check()
    page.locator(".compare").nth(2).check()
    heads = page.locator(".comparison thead th")
    expect(heads).to_have_text([words[0], words[1]])
    before = page.locator(".moves li").count()
    page.locator(".ranked .suggestion").first.click()
    page.wait_for_function(f"() => document.querySelectorAll('.moves li').length > {before}")
    expect(page.locator(".moves li .words").nth(before)).to_have_text(words[2])


def test_the_graph_shows_the_game_and_goes_to_its_positions(page: Page, table_url: str) -> None:
    page.goto(table_url)
    start(page, OPEN_GAME, 2)
    analyse(page)
    moves = page.locator(".moves li").count()
    points = page.locator(".graph circle")
    expect(points).to_have_count(moves + 1)
    # One point can be reached with Tab; the arrow keys go on from there.
    assert page.locator('.graph circle[tabindex="0"]').count() == 1
    page.locator('.graph circle[tabindex="0"]').focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector(f"{IDLE} .moves li.current:nth-child({moves - 1})")
    label = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert label.startswith(f"{moves - 1}. ")
    points.first.click(force=True)
    page.wait_for_function("() => !document.querySelector('.moves li.current')")
    page.get_by_text("Values as a table").click()
    assert page.locator(".graph tbody tr").count() == moves + 1


def test_a_mistake_is_marked_with_the_better_move(page: Page, table_url: str) -> None:
    """The search is replaced by one that prefers another move: the rules need no real blunder."""
    page.goto(table_url)
    start(page, OPEN_GAME)

    def answer(route: Any) -> None:
        response = route.fetch()
        report = response.json()
        for place, suggestion in enumerate(report["suggestions"]):
            seat = suggestion["move"].get("seat", 0)
            value = 0.9 if place == 0 else -0.9
            suggestion["values"] = [value if each == seat else -value for each in (0, 1)]
            suggestion["visits"] = 100
        # The move that was made is never the first.
        report["suggestions"].insert(0, report["suggestions"].pop())
        report["suggestions"][0]["values"] = [0.9, 0.9]
        route.fulfill(response=response, body=json.dumps(report))

    page.route("**/v1/states:suggestMoves", answer)
    analyse(page)
    expect(page.locator(".moves .better").first).to_contain_text(re.compile(r"Better: \w+"))
    assert page.locator(".moves .remark").first.inner_text() in {"?!", "?", "??"}
    assert page.locator(".graph .mistake").count() > 0


def test_a_hidden_game_is_analysed_for_the_viewer_only(page: Page, secured: Secured) -> None:
    asked: list[Any] = []

    def note(request: Request) -> None:
        if re.search(r":(streamAnalysis|suggestMoves)$", request.url):
            asked.append(request.post_data_json)

    page.on("request", note)
    page.goto(secured.url)
    page.fill("dialog.key input", secured.host_key)
    page.keyboard.press("Enter")
    start(page, HIDDEN_GAME, 2)
    analyse(page)
    page.wait_for_selector(".graph circle")
    assert len(asked) > 1
    assert {call["seat"] for call in asked} == {0}


def test_the_panel_says_why_there_is_no_advice(page: Page, faults: Faults, table_url: str) -> None:
    faults.expected.append(r"Failed to load resource: the server responded with a status of 403 ")
    page.goto(table_url)
    start(page, OPEN_GAME, 0)
    denied = {
        "code": 7,
        "message": "the role player may not do this",
        "details": [{"reason": "PERMISSION_DENIED"}],
    }
    page.route(
        "**/v1/states:streamAnalysis",
        lambda route: route.fulfill(status=403, json=denied),
    )
    page.get_by_role("switch", name="Analysis").check()
    expect(page.locator(".analysis .error")).to_have_text(f"No analysis: {denied['message']}")


def test_the_inspector_shows_the_position_and_its_calls(page: Page, table_url: str) -> None:
    page.goto(table_url)
    start(page, OPEN_GAME, 0)
    page.get_by_text("Inspector").click()
    token, view, moves = (page.locator(".inspector pre").nth(at) for at in range(3))
    envelope = json.loads(token.inner_text())
    assert (envelope["game"], envelope["viewer"], envelope["sealed"]) == (OPEN_GAME, None, False)
    described = json.loads(view.inner_text())
    assert described["situation"]["game"] == OPEN_GAME
    assert described["view"]
    assert " > " in moves.inner_text()
    page.locator(".inspector tr", has_text="states:describe").first.get_by_role("button").click()
    page.wait_for_selector("text=copied")
    command = page.evaluate("navigator.clipboard.readText()")
    ran = subprocess.run(
        ["sh", "-c", command], capture_output=True, text=True, check=True, timeout=TIMEOUT_SECONDS
    )
    assert json.loads(ran.stdout)["situation"]["game"] == OPEN_GAME


def test_the_inspector_has_no_key_and_only_what_the_viewer_may_know(
    page: Page, secured: Secured
) -> None:
    page.goto(secured.url)
    page.fill("dialog.key input", secured.host_key)
    page.keyboard.press("Enter")
    start(page, HIDDEN_GAME)
    page.get_by_text("Inspector").click()
    page.wait_for_selector(".inspector pre")
    described = json.loads(page.locator(".inspector pre").nth(1).inner_text())
    hands = [seat.get("hand") for seat in described["view"]["contrat500"]["seats"]]
    assert hands[0]
    assert hands[1:] == [None]
    assert json.loads(page.locator(".inspector pre").first.inner_text())["sealed"] is True
    page.locator(".inspector tr .copy").first.click()
    page.wait_for_selector("text=copied")
    command = page.evaluate("navigator.clipboard.readText()")
    assert "$TABLIER_API_KEY" in command
    assert secured.host_key not in command
    assert secured.host_key not in page.content()
