"""The HTTP application: paths, errors, pages, logs and metrics."""

from __future__ import annotations

import re
from typing import Any

import pytest
from google.rpc import status_pb2

from tests.service.assembly import CallCounts
from tests.service.transports.http.clients import APPLY, GAME, START, HttpClient, assert_status
from tests.service.transports.http.conftest import MakeClient


def test_plays_a_move(client: HttpClient) -> None:
    start = client.ask("POST", START, json={"seed": "7"})
    assert start.status_code == 200
    state = start.json()["state"]
    listed = client.ask("POST", "/v1/states:enumerateMoves", json={"state": state}).json()
    notation = listed["seats"][0]["notations"][0]
    after = client.ask("POST", APPLY, json={"state": state, "moves": [{"notation": notation}]})
    assert after.status_code == 200
    assert after.json()["situation"]["ply"] == 1
    again = state.replace("+", "-").replace("/", "_").rstrip("=")
    same = client.ask("POST", APPLY, json={"state": again, "moves": [{"notation": notation}]})
    assert same.json() == after.json()


def test_an_error_names_the_field(client: HttpClient) -> None:
    response = client.ask("POST", APPLY, json={"moves": [{"seat": "x"}]})
    assert_status(response, 400, 3, "INVALID_FIELD")
    violation = response.json()["details"][1]["fieldViolations"][0]
    assert violation["field"] == "moves[0].seat"
    (line,) = client.log
    assert (line["transport"], line["call"]) == ("http", "/tablier.v1.GameService/ApplyMoves")
    assert line["field"] == "moves[0].seat"


def test_reports_an_unknown_game(client: HttpClient) -> None:
    assert_status(client.ask("GET", "/v1/games/go"), 404, 5, "UNKNOWN_GAME")
    assert_status(client.ask("POST", "/v1/games/go:start"), 404, 5, "UNKNOWN_GAME")


@pytest.mark.parametrize(
    "path", ["/table", "/v1", "/v1/games/", "/v1/games/x:stop", "/docs/nothing"]
)
def test_reports_an_unknown_path(client: HttpClient, path: str) -> None:
    for method in ("GET", "POST", "OPTIONS"):
        response = client.ask(method, path)
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
def test_reports_which_methods_a_path_accepts(
    client: HttpClient, method: str, path: str, allowed: str
) -> None:
    response = client.ask(method, path)
    assert response.status_code == 405
    assert response.headers["allow"] == allowed
    if method != "HEAD":
        assert_status(response, 405, 5, "UNKNOWN_ROUTE")
    assert not any(name.startswith("access-control") for name in response.headers)


def test_rejects_a_path_that_is_not_utf8(client: HttpClient) -> None:
    assert_status(client.ask("GET", "/v1/games/%FF"), 400, 3, "INVALID_FIELD")


def test_an_internal_error_reveals_nothing(make_client: MakeClient) -> None:
    def fail(request: Any) -> Any:
        raise RuntimeError("secret")

    client = make_client({"ListGames": fail})
    response = client.ask("GET", "/v1/games", headers={"X-Request-Id": "me-1"})
    assert_status(response, 500, 13, "INTERNAL")
    assert "secret" not in response.text
    (line,) = client.log
    assert line["request_id"] == "me-1"
    assert str(line["exc_info"]) == "secret"


def test_an_answer_that_cannot_be_encoded_is_an_internal_error(make_client: MakeClient) -> None:
    client = make_client({"ListGames": lambda request: None})
    assert_status(client.ask("GET", "/v1/games"), 500, 13, "INTERNAL")


def test_logs_slow_calls(make_client: MakeClient) -> None:
    client = make_client(slow_call_ms=0)
    assert client.ask("GET", "/v1/games").status_code == 200
    assert [line["event"] for line in client.log] == ["slow call"]


def test_repeats_or_makes_request_ids(client: HttpClient) -> None:
    assert (
        client.ask("GET", "/healthz", headers={"X-Request-Id": "a-1"}).headers["x-request-id"]
        == "a-1"
    )
    for strange in ("a b", "x" * 129, 'a"b', ""):
        made = client.ask("GET", "/nothing", headers={"X-Request-Id": strange})
        assert re.fullmatch("[0-9a-f]{16}", made.headers["x-request-id"])
    ids = {client.ask("GET", "/healthz").headers["x-request-id"] for _ in range(20)}
    assert len(ids) == 20


def test_reports_health_and_readiness(client: HttpClient) -> None:
    assert client.ask("GET", "/healthz").status_code == 200
    assert client.ask("GET", "/readyz").status_code == 503
    client.service.metrics.serving.set(1)
    assert client.ask("GET", "/readyz").status_code == 200
    assert client.ask("GET", "/healthz").status_code == 200


def test_counts_calls(client: HttpClient) -> None:
    counts = CallCounts(client.service, "GetGame")
    before = counts.handled("OK"), counts.handled("NotFound")
    client.ask("GET", f"/v1/games/{GAME}")
    client.ask("GET", "/v1/games/go")
    assert (counts.handled("OK"), counts.handled("NotFound")) == (before[0] + 1, before[1] + 1)
    page = client.ask("GET", "/metrics")
    assert page.headers["content-type"].startswith("text/plain; version=")
    assert 'grpc_method="GetGame"' in page.text


def test_the_documentation_loads_nothing_from_other_hosts(client: HttpClient) -> None:
    page = client.ask("GET", "/docs")
    assert page.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert "http" not in page.headers["content-security-policy"]
    links = re.findall(r'(?:src|href)="([^"]*)"', page.text)
    assert len(links) == 6
    for link in links:
        assert link in ("/", "/rules") or link.startswith("/docs/")
        assert client.ask("GET", link).status_code == 200
    bundle = client.ask("GET", "/docs/swagger-ui-bundle.js").text
    version = re.search(r'PACKAGE_VERSION:"(\d+)\.', bundle)
    # Earlier versions cannot show OpenAPI 3.1.
    assert version is not None
    assert int(version[1]) >= 5


def test_acknowledges_the_lifespan_of_the_server(client: HttpClient) -> None:
    sent = client.exchange(
        {"type": "lifespan"}, {"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}
    )
    assert [message["type"] for message in sent] == [
        "lifespan.startup.complete",
        "lifespan.shutdown.complete",
    ]


def test_closes_websockets(client: HttpClient) -> None:
    assert client.exchange({"type": "websocket"}) == [{"type": "websocket.close"}]


def test_a_failure_is_a_plain_status(client: HttpClient) -> None:
    body = client.ask("GET", "/v1/games/go").json()
    assert body.keys() <= {field.json_name for field in status_pb2.Status.DESCRIPTOR.fields}
