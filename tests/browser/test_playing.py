"""Playing at the table, apart from whole games: people, keys, languages, and services that stop."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, Request, ViewportSize
from tablier_core.registry import GAMES

from tests.browser.chromium import DESKTOP, PHONE
from tests.browser.conftest import Faults, OpenPage, Secured, secured_settings
from tests.browser.person import IDLE, MOVE, OK, PART, REVEAL, Person
from tests.live_server import running

BOARD_GAME = next(name for name, game in GAMES.items() if not game.has_hidden_information)
HIDDEN_GAME = next(name for name, game in GAMES.items() if game.has_hidden_information)
DONE = ".moves li"


def start(person: Person, game: str, url: str, key: str = "") -> None:
    """Start a game with a click, and wait for the person's turn."""
    person.open(url, key)
    person.page.locator(f"[data-game='{game}']").click()
    person.settle()


def make_a_move(person: Person) -> None:
    """Choose until a move was made."""
    before = person.page.locator(DONE).count()
    while person.page.locator(DONE).count() <= before:
        person.choose()
        person.settle()


@pytest.mark.parametrize("game", GAMES)
def test_three_clicks_lead_from_the_page_to_the_first_move(page: Page, table_url: str, game: str):
    person = Person(page)
    start(person, game, table_url)
    before = page.locator(DONE).count()
    for _ in range(2):
        if page.locator(DONE).count() == before:
            person.take(next(kind for kind in (OK, MOVE, PART) if page.locator(kind).count()), 0)
            person.settle()
    assert page.locator(DONE).count() > before


@pytest.mark.parametrize("game", GAMES)
def test_every_seat_can_be_played_at_one_screen(page: Page, secured: Secured, game: str):
    """Simultaneous and optional phases work for every seat, and nobody sees another's view."""
    person = Person(page)
    person.open(secured.url, secured.host_key)
    person.set_up(game, dict.fromkeys(range(12), 0))
    hidden = GAMES[game].has_hidden_information
    curtains = 0
    for _ in range(1000):
        person.settle()
        if person.is_over:
            break
        if page.locator(REVEAL).count():
            curtains += 1
            assert page.locator(".board svg, .moves li, .builder").count() == 0
            said = page.locator("#announcements p").all_inner_texts()
            asked = page.locator(".curtain p").inner_text()
            assert said in ([], [asked])
        person.choose()
    assert person.is_over
    assert (curtains > 1) == hidden


def test_a_move_can_be_typed(page: Page, table_url: str):
    person = Person(page)
    start(person, BOARD_GAME, table_url)
    before = page.locator(DONE).count()
    notation = page.locator("#typed-moves option").first.get_attribute("value")
    page.locator("#typed-move").fill("no such move")
    page.keyboard.press("Enter")
    page.wait_for_selector(".prompt.error")
    assert page.locator(DONE).count() == before
    page.locator("#typed-move").fill(f" {(notation or '').upper()} ")
    page.keyboard.press("Enter")
    page.wait_for_function(
        "([rows, before]) => document.querySelectorAll(rows).length > before", arg=[DONE, before]
    )


def test_a_move_in_free_text_is_confirmed_in_words(page: Page, table_url: str):
    person = Person(page)
    start(person, BOARD_GAME, table_url)
    before = page.locator(DONE).count()
    option = page.locator("#typed-moves option").first
    notation, words = option.get_attribute("value"), option.get_attribute("label")
    page.locator("#typed-move").fill(f"**Move:** {notation}")
    page.keyboard.press("Enter")
    page.wait_for_selector(OK)
    assert page.locator(".prompt.building span").inner_text() == words
    assert page.locator(DONE).count() == before
    page.locator(OK).click()
    page.wait_for_function(
        "([rows, before]) => document.querySelectorAll(rows).length > before", arg=[DONE, before]
    )


def test_escape_steps_back_and_a_jump_begins_a_variation(page: Page, table_url: str):
    person = Person(page)
    start(person, BOARD_GAME, table_url)
    person.click_part(0)
    page.wait_for_selector(".builder .undo")
    page.keyboard.press("Escape")
    page.locator(".builder .undo").wait_for(state="detached")
    for _ in range(2):
        make_a_move(person)
    rows = page.locator(f"{DONE} .words")
    length = rows.count()
    page.locator(".steps button").first.click()
    page.wait_for_selector(IDLE)
    assert page.locator(f"{DONE}.current").count() == 0
    if not page.locator(PART).count():
        page.locator(".prompt button").click()
    person.settle()
    make_a_move(person)
    assert rows.count() > length or page.locator(f"{DONE}.branch").count() > 0
    rows.first.click()
    page.wait_for_selector(f"{DONE}.current >> nth=0")
    assert rows.first.get_attribute("aria-current") == "step"


def test_escape_closes_a_dialog_and_keeps_the_move_that_is_built(page: Page, table_url: str):
    person = Person(page)
    start(person, BOARD_GAME, table_url)
    person.click_part(0)
    page.wait_for_selector(".builder .undo")
    page.get_by_role("button", name="Record").click()
    page.wait_for_selector("dialog[open]")
    page.keyboard.press("Escape")
    page.locator("dialog").wait_for(state="detached")
    assert page.locator(".builder .undo").count() == 1


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("persons", [1, 2])
def test_the_first_drawing_is_laid_out_for_the_screen(
    open_page: OpenPage, table_url: str, viewport: ViewportSize, persons: int
):
    page = open_page(viewport=viewport)
    widths: list[int | None] = []

    def look(request: Request) -> None:
        sent = request.post_data_json or {}
        calls = [sent, *(each.get("renderState", {}) for each in sent.get("operations", []))]
        widths.extend(each.get("width") for each in calls if "theme" in each)

    page.on("request", look)
    person = Person(page)
    person.open(table_url)
    person.set_up(HIDDEN_GAME, dict.fromkeys(range(persons), 0))
    person.settle()
    if persons > 1:
        page.locator(REVEAL).click()
        person.settle()
    room = page.evaluate("document.querySelector('.board').clientWidth")
    assert widths[-1] == max(320, room // 80 * 80)


def test_a_wrong_key_is_asked_for_again_and_no_key_is_ever_stored(page: Page, secured: Secured):
    requests: list[Request] = []
    page.on("request", lambda request: requests.append(request))
    page.goto(secured.url)
    page.locator("dialog.key input").fill("tablier_wrong")
    page.locator("dialog.key button").click()
    page.wait_for_selector("dialog.key .error")
    page.locator("dialog.key input").fill(secured.host_key)
    page.locator("dialog.key button").click()
    page.locator(f"[data-game='{HIDDEN_GAME}']").click()
    Person(page).settle()
    assert page.context.cookies() == []
    stored = "JSON.stringify({...localStorage, ...sessionStorage})"
    assert set(page.evaluate(f"Object.keys({{...JSON.parse({stored})}})")) <= {
        "tablier.language",
        "tablier.theme",
    }
    assert page.evaluate("indexedDB.databases().then(all => all.length)") == 0
    assert page.evaluate("caches.keys().then(all => all.length)") == 0
    assert secured.host_key not in page.url + page.content()
    for request in requests:
        assert secured.host_key not in request.url + (request.post_data or "")
        assert request.url.startswith(secured.url)


def test_a_refresh_asks_for_the_key_again(page: Page, secured: Secured):
    person = Person(page)
    start(person, BOARD_GAME, secured.url, secured.host_key)
    make_a_move(person)
    page.reload()
    page.wait_for_selector("dialog.key")
    assert secured.host_key not in page.content()
    page.locator("dialog.key input").fill(secured.host_key)
    page.locator("dialog.key button").click()
    page.wait_for_selector(f"[data-game], {IDLE}.playing")


def test_a_player_opens_the_view_that_a_host_in_another_browser_gives_them(
    open_page: OpenPage, secured: Secured, faults: Faults
):
    faults.expected.append(r"Failed to load resource: .* status of 403 ")
    host_page, player_page = open_page(), open_page()
    states: list[str] = []

    def keep_state(request: Request) -> None:
        if request.url.endswith(":start"):
            answer = request.response()
            assert answer is not None
            states.append(answer.json()["state"])

    host = Person(host_page)
    host_page.on("requestfinished", keep_state)
    start(host, HIDDEN_GAME, secured.url, secured.host_key)
    headers = {"authorization": f"Bearer {secured.host_key}"}
    asked = httpx.post(
        f"{secured.url}/v1/states:enumerateMoves", json={"state": states[-1]}, headers=headers
    ).json()
    seat = asked["seats"][0].get("seat", 0)
    view = httpx.post(
        f"{secured.url}/v1/states:describe",
        json={"state": states[-1], "seat": seat},
        headers=headers,
    ).json()
    player = Person(player_page)
    player.open(secured.url, secured.player_key)
    player_page.locator(f"[data-game='{HIDDEN_GAME}']").click()
    player_page.wait_for_selector("#view-token")
    player_page.wait_for_selector(".notice[role=alert]")
    player_page.locator("#view-token").fill(view["viewToken"])
    player_page.keyboard.press("Enter")
    player.settle()
    assert player_page.locator(".board svg").count() == 1
    assert player_page.locator(".seats select").count() == 0
    # The move that they build is for the host.
    for _ in range(20):
        if not player_page.locator(f"{PART}, {MOVE}, .builder .ok").count():
            break
        if player_page.locator(".prompt", has_text="host").count():
            break
        player.choose()
        player.settle()
    assert player_page.locator(".prompt", has_text="host").count() == 1


def test_another_key_can_be_used(page: Page, secured: Secured, faults: Faults):
    faults.expected.append(r"Failed to load resource: .* status of 403 ")
    Person(page).open(secured.url, secured.player_key)
    page.locator(f"[data-game='{BOARD_GAME}']").click()
    page.locator(".notice button").click()
    page.locator("dialog.key input").fill(secured.host_key)
    page.locator("dialog.key button").click()
    page.locator("dialog.key").wait_for(state="detached")
    page.locator(f"[data-game='{BOARD_GAME}']").click()
    Person(page).settle()
    assert page.locator(".notice").count() == 0


def test_a_game_goes_on_when_the_service_comes_back(page: Page, tmp_path: Path, faults: Faults):
    faults.expected.append(r"Failed to load resource: net::ERR_")
    person = Person(page)
    with running(**secured_settings(tmp_path)) as server:
        start(person, HIDDEN_GAME, server.rest_url, Secured("", "").host_key)
        port = int(server.rest_url.rpartition(":")[2])
    moves = page.locator(DONE).count()
    while not page.locator(".notice").count():
        # The call of a settled move is not answered.
        if page.locator(f"{IDLE} {PART}, {IDLE} {MOVE}, {IDLE} .ok").count():
            person.choose()
        else:
            page.wait_for_selector(".notice")
    with running(**secured_settings(tmp_path), http_port=port):
        page.locator(".notice").wait_for(state="detached")
        person.settle()
        assert page.locator(DONE).count() > moves
        make_a_move(person)


def test_the_page_can_be_removed(browser_free_page: Page):
    with running(web="off") as server:
        answer = browser_free_page.goto(server.rest_url)
        assert answer is not None
        assert answer.status == 404


@pytest.fixture
def browser_free_page(page: Page, faults: Faults) -> Page:
    """A page for an address that has none."""
    faults.expected.append(r"Failed to load resource: .* status of 404 ")
    return page


def test_speaks_the_language_of_the_browser(open_page: OpenPage, table_url: str):
    page = open_page(locale="fr-FR")
    person = Person(page)
    start(person, BOARD_GAME, table_url)
    assert page.locator("html").get_attribute("lang") == "fr"
    assert page.locator("h1").inner_text() == GAMES[BOARD_GAME].french_title
    page.locator("select.language").select_option("en")
    page.wait_for_function(
        "title => document.querySelector('h1').textContent === title", arg=GAMES[BOARD_GAME].title
    )
    page.wait_for_selector(IDLE)
    page.reload()
    page.wait_for_selector("h1")
    assert page.locator("html").get_attribute("lang") == "en"


@pytest.mark.parametrize("game", GAMES)
def test_the_rules_are_next_to_the_board(page: Page, table_url: str, game: str):
    start(Person(page), game, table_url)
    page.locator(".rules summary").click()
    frame = page.frame_locator(".rules iframe")
    frame.locator("h1").wait_for()
    assert frame.locator("svg, img").count() > 0
    # Links to other pages are in the header of the table.
    frame.locator("nav").wait_for(state="detached")


def test_the_table_the_rules_and_the_api_link_to_each_other(
    page: Page, table_url: str, faults: Faults
):
    # Browsers also ask for an icon, which pages of rules do not have.
    faults.expected.append(r"Failed to load resource: .* status of 404 ")
    Person(page).open(table_url)
    page.locator("header nav").get_by_role("link", name="Rules").click()
    page.get_by_role("link", name=GAMES[BOARD_GAME].title).click()
    page.get_by_role("link", name="API").click()
    page.wait_for_selector(".swagger-ui .info")
    page.get_by_role("link", name="Rules", exact=True).click()
    page.get_by_role("link", name="Tablier").click()
    page.locator("header nav").get_by_role("link", name="API").click()
    page.get_by_role("link", name="Table", exact=True).click()
    page.wait_for_selector("[data-game]")


def test_another_game_is_chosen_in_the_header(page: Page, table_url: str):
    start(Person(page), BOARD_GAME, table_url)
    page.locator("header .games").select_option(HIDDEN_GAME)
    page.wait_for_selector("dialog.setup select[data-seat]")
    # The game goes on until the other one is started.
    assert page.locator("header .games").input_value() == BOARD_GAME
    page.locator("dialog.setup .primary").click()
    page.wait_for_selector(f"header .games >> text={GAMES[HIDDEN_GAME].title}", state="attached")
    Person(page).settle()
    assert page.locator("h1").inner_text() == GAMES[HIDDEN_GAME].title


def test_pieces_move_unless_the_person_wants_no_motion(open_page: OpenPage, table_url: str):
    watch = """() => {
        window.animated = 0;
        const animate = Element.prototype.animate;
        Element.prototype.animate = function (...how) {
            window.animated += 1;
            return animate.apply(this, how);
        };
    }"""
    counts = {}
    for motion in ("reduce", "no-preference"):
        page = open_page(reduced_motion=motion)
        page.add_init_script(f"({watch})()")
        person = Person(page)
        start(person, BOARD_GAME, table_url)
        make_a_move(person)
        counts[motion] = page.evaluate("window.animated")
    assert counts["reduce"] == 0
    assert counts["no-preference"] > 0


def test_tells_screen_readers_what_happens(page: Page, table_url: str):
    person = Person(page)
    start(person, BOARD_GAME, table_url)
    make_a_move(person)
    said = page.locator("#announcements p").all_inner_texts()
    told = page.locator(f"{DONE} .words").all_inner_texts()
    assert told
    assert [each for each in told if each not in said] == []
    for label in page.locator(PART).evaluate_all("all => all.map(each => each.ariaLabel)"):
        assert re.search(r"\w", label)
