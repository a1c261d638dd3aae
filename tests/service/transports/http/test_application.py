"""The REST door: its paths, its errors, its pages, and what is told of its calls."""

from __future__ import annotations

import re
from typing import Any

import pytest
from google.rpc import status_pb2
from tablier_service.settings import Settings

from tests.service.transports.http.doors import (
    APPLY,
    GAME,
    START,
    Door,
    all_methods,
    assert_status,
    door_with,
)


def test_plays_a_move(door: Door) -> None:
    start = door.ask("POST", START, json={"seed": "7"})
    assert start.status_code == 200
    state = start.json()["state"]
    listed = door.ask("POST", "/v1/states:enumerateMoves", json={"state": state}).json()
    notation = listed["seats"][0]["notations"][0]
    after = door.ask("POST", APPLY, json={"state": state, "moves": [{"notation": notation}]})
    assert after.status_code == 200
    assert after.json()["situation"]["ply"] == 1
    again = state.replace("+", "-").replace("/", "_").rstrip("=")
    same = door.ask("POST", APPLY, json={"state": again, "moves": [{"notation": notation}]})
    assert same.json() == after.json()


def test_errors_name_the_field(door: Door) -> None:
    response = door.ask("POST", APPLY, json={"moves": [{"seat": "x"}]})
    assert_status(response, 400, 3, "INVALID_FIELD")
    violation = response.json()["details"][1]["fieldViolations"][0]
    assert violation["field"] == "moves[0].seat"
    (line,) = door.log.lines
    assert (line["door"], line["call"]) == ("rest", "/tablier.v1.GameService/ApplyMoves")
    assert line["field"] == "moves[0].seat"


def test_unknown_game(door: Door) -> None:
    assert_status(door.ask("GET", "/v1/games/go"), 404, 5, "UNKNOWN_GAME")
    assert_status(door.ask("POST", "/v1/games/go:start"), 404, 5, "UNKNOWN_GAME")


@pytest.mark.parametrize("path", ["/", "/v1", "/v1/games/", "/v1/games/x:stop", "/docs/nothing"])
def test_unknown_path(door: Door, path: str) -> None:
    for method in ("GET", "POST", "OPTIONS"):
        response = door.ask(method, path)
        assert_status(response, 404, 5, "UNKNOWN_ROUTE")
        assert "allow" not in response.headers


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("POST", "/v1/games", "GET, HEAD"),
        ("DELETE", f"/v1/games/{GAME}", "GET, HEAD"),
        ("GET", START, "POST"),
        ("HEAD", APPLY, "POST"),
        ("OPTIONS", APPLY, "POST"),
        ("PUT", "/healthz", "GET, HEAD"),
    ],
)
def test_wrong_method(door: Door, method: str, path: str, allowed: str) -> None:
    response = door.ask(method, path)
    assert response.status_code == 405
    assert response.headers["allow"] == allowed
    if method != "HEAD":
        assert_status(response, 405, 5, "UNKNOWN_ROUTE")
    assert not any(name.startswith("access-control") for name in response.headers)


def test_a_path_that_is_not_utf8(door: Door) -> None:
    assert_status(door.ask("GET", "/v1/games/%FF"), 400, 3, "INVALID_FIELD")


def test_a_fault_tells_the_caller_nothing() -> None:
    def fail(request: Any) -> Any:
        raise RuntimeError("secret")

    door = door_with("ListGames", fail)
    response = door.ask("GET", "/v1/games", headers={"X-Request-Id": "me-1"})
    assert_status(response, 500, 13, "INTERNAL")
    assert "secret" not in response.text
    (line,) = door.log.lines
    assert line["request_id"] == "me-1"
    assert str(line["exc_info"]) == "secret"


def test_an_answer_that_cannot_be_written_is_a_fault() -> None:
    door = door_with("ListGames", lambda request: None)
    assert_status(door.ask("GET", "/v1/games"), 500, 13, "INTERNAL")


def test_slow_calls_are_logged() -> None:
    listing = next(each for each in all_methods() if each.descriptor.name == "ListGames").handler
    settings = Settings.model_validate({"slow_call_ms": 0})
    door = door_with("ListGames", listing, settings)
    assert door.ask("GET", "/v1/games").status_code == 200
    assert [line["event"] for line in door.log.lines] == ["slow call"]


def test_request_ids(door: Door) -> None:
    assert (
        door.ask("GET", "/healthz", headers={"X-Request-Id": "a-1"}).headers["x-request-id"]
        == "a-1"
    )
    for strange in ("a b", "x" * 129, 'a"b', ""):
        made = door.ask("GET", "/nothing", headers={"X-Request-Id": strange})
        assert re.fullmatch("[0-9a-f]{16}", made.headers["x-request-id"])
    ids = {door.ask("GET", "/healthz").headers["x-request-id"] for _ in range(20)}
    assert len(ids) == 20


def test_health_and_readiness(door: Door) -> None:
    assert door.ask("GET", "/healthz").status_code == 200
    assert door.ask("GET", "/readyz").status_code == 200
    door.ready = False
    assert door.ask("GET", "/readyz").status_code == 503
    assert door.ask("GET", "/healthz").status_code == 200


def test_calls_are_counted(door: Door) -> None:
    def handled(code: str) -> float:
        labels = ("unary", "tablier.v1.GameService", "GetGame", code)
        return door.metrics.total(door.metrics.value(door.metrics.handled, *labels))

    before = handled("OK"), handled("NotFound")
    door.ask("GET", f"/v1/games/{GAME}")
    door.ask("GET", "/v1/games/go")
    assert (handled("OK"), handled("NotFound")) == (before[0] + 1, before[1] + 1)
    page = door.ask("GET", "/metrics")
    assert page.headers["content-type"].startswith("text/plain; version=")
    assert 'grpc_method="GetGame"' in page.text


def test_docs_load_nothing_from_elsewhere(door: Door) -> None:
    page = door.ask("GET", "/docs")
    assert page.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert "http" not in page.headers["content-security-policy"]
    links = re.findall(r'(?:src|href)="([^"]*)"', page.text)
    assert len(links) == 4
    for link in links:
        assert link.startswith("/docs/")
        assert door.ask("GET", link).status_code == 200
    bundle = door.ask("GET", "/docs/swagger-ui-bundle.js").text
    version = re.search(r'PACKAGE_VERSION:"(\d+)\.', bundle)
    # Earlier ones cannot show an OpenAPI 3.1 document.
    assert version is not None
    assert int(version[1]) >= 5


def test_lifespan(door: Door) -> None:
    sent = door.exchange(
        {"type": "lifespan"}, {"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}
    )
    assert [message["type"] for message in sent] == [
        "lifespan.startup.complete",
        "lifespan.shutdown.complete",
    ]


def test_websockets_are_closed(door: Door) -> None:
    assert door.exchange({"type": "websocket"}) == [{"type": "websocket.close"}]


def test_statuses_are_plain(door: Door) -> None:
    body = door.ask("GET", "/v1/games/go").json()
    assert body.keys() <= {field.json_name for field in status_pb2.Status.DESCRIPTOR.fields}
