"""Which pages of other origins may call: none, unless a setting says so."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pydantic
import pytest
from tablier_service.settings import Settings
from tablier_service.transports.http.cors import Application, allow_origins
from tablier_service.transports.http.server import RestServer

HERE = "https://here.example"
PREFLIGHT = {"Origin": HERE, "Access-Control-Request-Method": "POST"}


async def hello(scope: Any, receive: Any, send: Any) -> None:
    """Answers everything alike."""
    headers = [(b"content-type", b"text/plain"), (b"content-length", b"2")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"hi"})


def ask(application: Application, method: str, **headers: str) -> httpx.Response:
    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(app=application)
        async with httpx.AsyncClient(transport=transport, base_url="http://door") as client:
            return await client.request(method, "/", headers=headers)

    return asyncio.run(ask())


def told(response: httpx.Response) -> dict[str, str]:
    return {k: v for k, v in response.headers.items() if k.startswith("access-control")}


def test_off_by_default() -> None:
    assert Settings().cors_origins == ""
    assert allow_origins(hello, Settings().cors_origins) is hello


def test_the_setting_reaches_the_server() -> None:
    for origins, open_to in ((HERE, True), ("", False)):
        settings = Settings.model_validate({"rest_port": 0, "cors_origins": origins})
        server = RestServer(hello, settings)  # type: ignore[arg-type]
        with server._socket:
            application = server._server.config.app
            response = ask(application, "GET", Origin=HERE)  # type: ignore[arg-type]
        assert bool(told(response)) == open_to


def test_a_page_of_a_named_origin_may_read_answers() -> None:
    door = allow_origins(hello, f"https://other.example, {HERE}")
    response = ask(door, "GET", Origin=HERE)
    assert response.text == "hi"
    assert told(response) == {
        "access-control-allow-origin": HERE,
        "access-control-expose-headers": "etag, x-request-id",
    }
    assert response.headers["vary"] == "origin"
    assert "access-control-allow-credentials" not in response.headers


def test_a_browser_s_question_is_answered_at_the_door() -> None:
    response = ask(allow_origins(hello, HERE), "OPTIONS", **PREFLIGHT)
    assert (response.status_code, response.content) == (204, b"")
    assert response.headers["access-control-allow-origin"] == HERE
    assert "POST" in response.headers["access-control-allow-methods"]
    assert "content-type" in response.headers["access-control-allow-headers"]


@pytest.mark.parametrize("origin", ["https://here.example.org", "http://here.example", "null", ""])
def test_other_origins_are_told_nothing(origin: str) -> None:
    door = allow_origins(hello, HERE)
    for method, headers in (("GET", {}), ("OPTIONS", PREFLIGHT)):
        response = ask(door, method, **{**headers, "Origin": origin})
        assert "access-control-allow-origin" not in response.headers
        # A cache must not give this answer to the origin that is allowed.
        assert response.headers["vary"] == "origin"


def test_any_origin() -> None:
    door = allow_origins(hello, "*")
    assert ask(door, "GET", Origin=HERE).headers["access-control-allow-origin"] == "*"


def test_callers_that_are_no_pages_see_no_difference() -> None:
    assert not told(ask(allow_origins(hello, HERE), "GET"))
    # Without the browser's other header this is a request like all others.
    assert ask(allow_origins(hello, HERE), "OPTIONS", Origin=HERE).text == "hi"


@pytest.mark.parametrize("origins", ["here.example", "https://here.example/", "https://a, b"])
def test_what_is_no_origin_is_refused_at_the_start(origins: str) -> None:
    with pytest.raises(pydantic.ValidationError, match="no origin"):
        Settings.model_validate({"cors_origins": origins})
