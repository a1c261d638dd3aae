"""A browser that plays one seat never holds what only other seats know.

The service is sealed. The test itself asks the service what every seat and the referee see, and
searches the memory of the page, its storage, its document and its traffic for texts that only the
others see. It finds the seat's own secrets in the same way, so the search works.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import httpx
import pytest
from playwright.sync_api import Page, Request
from tablier_core.registry import GAMES
from tablier_web import read_files

from tests.browser.conftest import Secured
from tests.browser.person import REVEAL, Person
from tests.live_server import TIMEOUT_SECONDS

GAMES_WITH_SECRETS = [name for name, game in GAMES.items() if game.has_hidden_information]
SEAT = 0
DECISIONS = 12
# Shorter texts could appear by chance.
LEAST_LENGTH = 5


class Service:
    """What the test asks the service, as a host and as a referee."""

    def __init__(self, secured: Secured, http: httpx.Client) -> None:
        self._http = http
        self._keys = {"host": secured.host_key, "referee": secured.referee_key}

    def ask(self, call: str, role: str = "host", **body: object) -> Any:
        headers = {"authorization": f"Bearer {self._keys[role]}", "accept-language": "en"}
        answer = self._http.post(f"/v1/states:{call}", json=body, headers=headers)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def games(self) -> str:
        """What everybody can read about the games."""
        headers = {"authorization": f"Bearer {self._keys['host']}"}
        paths = ("", *(f"/{name}" for name in GAMES))
        pages = [self._http.get(f"/v1/games{path}", headers=headers) for path in paths]
        return "\n".join(page.text for page in pages)

    def seen(self, state: str, seat: int) -> Iterator[str]:
        """The texts of the drawing of a seat, and its moves; -1 is the referee."""
        drawn = self.ask("render", "host" if seat >= 0 else "referee", state=state, seat=seat)
        yield from texts_of(drawn["content"])
        if seat >= 0:
            listed = self.ask("enumerateMoves", state=state, seat=seat, detail="MOVE_DETAIL_WORDS")
            for each in listed["seats"]:
                yield from each.get("notations", ())
                yield from each.get("words", ())


@pytest.fixture
def service(secured: Secured) -> Iterator[Service]:
    with httpx.Client(base_url=secured.url, timeout=TIMEOUT_SECONDS) as http:
        yield Service(secured, http)


def texts_of(drawing: str) -> Iterator[str]:
    """Every text and label of a drawing."""
    for element in ElementTree.fromstring(drawing).iter():
        for text in (element.text, element.tail, element.get("aria-label")):
            if text and len(text.strip()) >= LEAST_LENGTH:
                yield text.strip()


class Traffic:
    """Everything that a page sends and receives."""

    def __init__(self, page: Page) -> None:
        self._requests: list[Request] = []
        page.on("requestfinished", lambda request: self._requests.append(request))

    def exchanges(self) -> Iterator[tuple[str, Any, str]]:
        """The address, body and answer of every call of the API."""
        for request in self._requests:
            answer = request.response()
            assert answer is not None
            if "/v1/" in request.url and answer.status == 200:
                body = json.loads(request.post_data) if request.post_data else {}
                yield request.url, body, answer.text()

    def text(self) -> str:
        return "\n".join(f"{url} {json.dumps(body)} {got}" for url, body, got in self.exchanges())


def memory_of(page: Page) -> str:
    """Every string in the memory of the page."""
    chunks: list[str] = []
    session = page.context.new_cdp_session(page)
    session.on("HeapProfiler.addHeapSnapshotChunk", lambda event: chunks.append(event["chunk"]))
    session.send("HeapProfiler.collectGarbage")
    session.send("HeapProfiler.takeHeapSnapshot", {"reportProgress": False})
    session.detach()
    return "\n".join(json.loads("".join(chunks))["strings"])


def places_of(page: Page) -> dict[str, str]:
    """What can be found in the page, without its traffic."""
    return {
        "memory": memory_of(page),
        "storage": page.evaluate("JSON.stringify({...localStorage, ...sessionStorage})"),
        "document": page.content(),
    }


def states_in(traffic: Traffic) -> list[str]:
    """Every true state that the page has got, in order."""
    found = (json.loads(answer).get("state") for _, _, answer in traffic.exchanges())
    return list(dict.fromkeys(each for each in found if each))


def known_to(service: Service, traffic: Traffic) -> str:
    """All that the seat may know: its views, its moves, the stories it is told, and the games."""
    known = [*(content.decode() for content in read_files().values()), service.games()]
    for state in states_in(traffic):
        known += service.seen(state, SEAT)
    for url, body, _ in traffic.exchanges():
        if url.endswith(":playSeat"):
            known += all_texts(service.ask("playSeat", **{**body, "viewer": SEAT}))
        elif url.endswith(":applyMoves"):
            known += all_texts(service.ask("applyMoves", **{**body, "viewer": SEAT}))
    return "\n".join(known)


def all_texts(value: Any) -> Iterator[str]:
    """Every text in an answer."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from all_texts(each)


def check_calls(traffic: Traffic) -> None:
    """No call asks for the view of another seat."""
    for url, body, _ in traffic.exchanges():
        for each in [body, *(call for one in body.get("operations", ()) for call in one.values())]:
            assert each.get("viewer", SEAT) == SEAT, url
            if not url.endswith(":playSeat"):
                assert each.get("seat", SEAT) in (SEAT, -1), url
                assert not ("theme" in each and each.get("seat") == -1), url


@pytest.mark.parametrize("game", GAMES_WITH_SECRETS)
def test_a_seat_holds_nothing_that_only_others_know(
    page: Page, secured: Secured, service: Service, game: str
):
    traffic = Traffic(page)
    person = Person(page)
    person.open(secured.url, secured.host_key)
    person.set_up(game)
    for _ in range(DECISIONS):
        person.settle()
        if person.is_over:
            break
        person.choose()
    page.wait_for_selector("main[aria-busy=false]")
    states = states_in(traffic)
    known = known_to(service, traffic)
    seats = page.locator(".seats li").count()
    of_others = {
        text
        for state in states
        for seat in range(-1, seats)
        if seat != SEAT
        for text in service.seen(state, seat)
    }
    canaries = {text for text in of_others if len(text) >= LEAST_LENGTH and text not in known}
    assert len(canaries) >= 5
    check_calls(traffic)
    places = {**places_of(page), "traffic": traffic.text()}
    found = {
        (where, canary) for where, text in places.items() for canary in canaries if canary in text
    }
    assert found == set()
    # The search finds what this seat may know.
    own = set(service.seen(states[-1], SEAT))
    for where in ("memory", "document", "traffic"):
        assert any(text in places[where] for text in own), where


@pytest.mark.parametrize("game", GAMES_WITH_SECRETS)
def test_the_curtain_leaves_nothing_of_the_person_before(
    page: Page, secured: Secured, service: Service, game: str
):
    """What only the person before saw is gone from the page when the screen is passed on."""
    traffic = Traffic(page)
    person = Person(page)
    person.open(secured.url, secured.host_key)
    person.set_up(game, {0: 0, 1: 0})
    page.wait_for_selector(REVEAL)
    first = page.locator(".curtain p").inner_text()
    while (
        page.locator(".curtain p").count() == 0 or page.locator(".curtain p").inner_text() == first
    ):
        person.choose()
        person.settle()
    seat = int("".join(filter(str.isdigit, first)))
    seats = page.locator(".seats li").count()
    seen = {text for state in states_in(traffic) for text in service.seen(state, seat)}
    others = "\n".join(
        text
        for state in states_in(traffic)
        for other in range(seats)
        if other != seat
        for text in service.seen(state, other)
    )
    files = "\n".join(content.decode() for content in read_files().values())
    known = others + files + service.games()
    canaries = {text for text in seen if len(text) >= LEAST_LENGTH and text not in known}
    assert len(canaries) >= 3
    places = places_of(page)
    found = {
        (where, canary) for where, text in places.items() for canary in canaries if canary in text
    }
    assert found == set()
