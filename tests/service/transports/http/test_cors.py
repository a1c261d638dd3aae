"""Cross-origin requests: none are allowed unless a setting says so."""

from __future__ import annotations

import httpx
import pydantic
import pytest
from tablier_service.settings import Settings

from tests.service.transports.http.clients import HttpClient
from tests.service.transports.http.conftest import MakeClient

HERE = "https://here.example"
PREFLIGHT = {"Origin": HERE, "Access-Control-Request-Method": "POST"}
PAGE = "/healthz"


@pytest.fixture(scope="module")
def clients() -> dict[str, HttpClient]:
    return {}


@pytest.fixture
def allowing(make_client: MakeClient, clients: dict[str, HttpClient]) -> HttpClient:
    """A client of a service that allows two origins."""
    if not clients:
        clients["allowing"] = make_client(cors_origins=f"https://other.example, {HERE}")
    return clients["allowing"]


def cors_headers(response: httpx.Response) -> dict[str, str]:
    return {k: v for k, v in response.headers.items() if k.startswith("access-control")}


def test_is_off_by_default(client: HttpClient) -> None:
    assert Settings().cors_origins == ""
    assert not cors_headers(client.ask("GET", PAGE, headers={"Origin": HERE}))
    assert client.ask("OPTIONS", PAGE, headers=PREFLIGHT).status_code == 405


@pytest.mark.parametrize("path", [PAGE, "/v1/games", "/v1/games/go", "/nothing"])
def test_a_page_of_an_allowed_origin_may_read_answers(allowing: HttpClient, path: str) -> None:
    response = allowing.ask("GET", path, headers={"Origin": HERE})
    assert cors_headers(response) == {
        "access-control-allow-origin": HERE,
        "access-control-expose-headers": "connect-content-encoding, etag, grpc-encoding, "
        "x-request-id",
    }
    assert "origin" in response.headers["vary"]
    assert "access-control-allow-credentials" not in response.headers


def test_a_page_may_read_that_nothing_has_changed(allowing: HttpClient) -> None:
    tag = allowing.ask("GET", "/v1/games").headers["etag"]
    headers = {"Origin": HERE, "If-None-Match": tag}
    response = allowing.ask("GET", "/v1/games", headers=headers)
    assert response.status_code == 304
    assert response.headers["access-control-allow-origin"] == HERE


def test_answers_preflight_requests(allowing: HttpClient) -> None:
    response = allowing.ask("OPTIONS", "/v1/states:applyMoves", headers=PREFLIGHT)
    assert (response.status_code, response.content) == (204, b"")
    assert response.headers["access-control-allow-origin"] == HERE
    assert "POST" in response.headers["access-control-allow-methods"]
    assert "content-type" in response.headers["access-control-allow-headers"]


@pytest.mark.parametrize("origin", ["https://here.example.org", "http://here.example", "null", ""])
def test_allows_no_other_origin(allowing: HttpClient, origin: str) -> None:
    for method, headers in (("GET", {}), ("OPTIONS", PREFLIGHT)):
        response = allowing.ask(method, PAGE, headers={**headers, "Origin": origin})
        assert "access-control-allow-origin" not in response.headers
        # A cache must not give this answer to an origin that is allowed.
        assert response.headers["vary"] == "origin"


def test_can_allow_any_origin(make_client: MakeClient) -> None:
    client = make_client(cors_origins="*")
    response = client.ask("GET", PAGE, headers={"Origin": HERE})
    assert response.headers["access-control-allow-origin"] == "*"
    assert "vary" not in response.headers


CONNECT = ("connect-protocol-version", "connect-timeout-ms", "content-type", "x-api-key")
GRPC_WEB = ("content-type", "grpc-timeout", "x-grpc-web", "x-user-agent", "authorization")


@pytest.mark.parametrize(
    ("content_type", "wanted"), [("application/proto", CONNECT), ("application/grpc-web", GRPC_WEB)]
)
def test_pages_may_speak_connect_and_grpc_web(
    allowing: HttpClient, content_type: str, wanted: tuple[str, ...]
) -> None:
    path = "/tablier.v1.GameService/ListGames"
    preflight = {**PREFLIGHT, "Access-Control-Request-Headers": ",".join(wanted)}
    response = allowing.ask("OPTIONS", path, headers=preflight)
    assert response.status_code == 204
    allowed = response.headers["access-control-allow-headers"].split(", ")
    assert set(wanted) <= set(allowed)
    headers = {"Origin": HERE, "content-type": content_type}
    # Failures can be read, too: an empty body is no message of gRPC-Web.
    for more in ({}, {"connect-timeout-ms": "0"}):
        answer = allowing.ask("POST", path, headers={**headers, **more})
        assert cors_headers(answer)["access-control-allow-origin"] == HERE


def test_changes_nothing_for_clients_that_are_not_pages(allowing: HttpClient) -> None:
    assert not cors_headers(allowing.ask("GET", PAGE))
    # Without the other header of a preflight, this is an ordinary request.
    assert allowing.ask("OPTIONS", PAGE, headers={"Origin": HERE}).status_code == 405


@pytest.mark.parametrize("origins", ["here.example", "https://here.example/", "https://a, b"])
def test_rejects_settings_that_are_not_origins(origins: str) -> None:
    with pytest.raises(pydantic.ValidationError, match="not an origin"):
        Settings.model_validate({"cors_origins": origins})
