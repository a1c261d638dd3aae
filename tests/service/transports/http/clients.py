"""A client that drives the HTTP application as the ASGI application that it is."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

import httpx
from tablier_service.service import Service
from tablier_service.transports.http.application import HttpApplication

from tests.service.assembly import RecordingLogger

GAME = "contigo-alignment"
START = f"/v1/games/{GAME}:start"
APPLY = "/v1/states:applyMoves"
SMALL = {"max_request_bytes": 2048, "max_large_request_bytes": 8192, "search_slots": 1}

T = TypeVar("T")


class HttpClient:
    """An application, a client of it, and what the service logged."""

    def __init__(self, service: Service, runner: asyncio.Runner) -> None:
        self.service = service
        self.application = HttpApplication(service)
        self._runner = runner

    @property
    def log(self) -> list[dict[str, Any]]:
        """What was logged, if the service has a recording logger."""
        logger: Any = self.service.logger
        assert isinstance(logger, RecordingLogger)
        return logger.lines

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on the event loop of the application, with a generous time limit."""
        return self._runner.run(asyncio.wait_for(coroutine, 60))

    def connect(self) -> httpx.AsyncClient:
        """An asynchronous client, for requests at the same time."""
        transport = httpx.ASGITransport(app=self.application)
        return httpx.AsyncClient(transport=transport, base_url="http://test")

    def ask(self, method: str, path: str, **more: Any) -> httpx.Response:
        """Make one request."""

        async def ask() -> httpx.Response:
            async with self.connect() as client:
                return await client.request(method, path, **more)

        return self.run(ask())

    def exchange(self, scope: dict[str, Any], *messages: dict[str, Any]) -> list[dict[str, Any]]:
        """What the application sends when it receives these messages."""
        sent: list[dict[str, Any]] = []
        given = iter(messages)

        async def receive() -> dict[str, Any]:
            return next(given)

        async def send(message: Any) -> None:
            sent.append(message)

        self.run(self.application(scope, receive, send))
        return sent


def assert_status(response: httpx.Response, http_status: int, code: int, reason: str) -> None:
    assert response.status_code == http_status
    assert response.headers["content-type"] == "application/json"
    body = response.json()
    assert body["code"] == code
    assert body["message"]
    info = body["details"][0]
    assert info["@type"] == "type.googleapis.com/google.rpc.ErrorInfo"
    assert (info["reason"], info["domain"]) == (reason, "tablier")


def http_scope(path: str, *headers: tuple[bytes, bytes]) -> dict[str, Any]:
    return {
        "type": "http",
        "method": "POST",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": list(headers),
    }


def part(body: bytes, more: bool = True) -> dict[str, Any]:
    return {"type": "http.request", "body": body, "more_body": more}


def first_state(client: HttpClient) -> str:
    return str(client.ask("POST", START, json={"seed": "1"}).json()["state"])


def query(state: str, **more: str) -> dict[str, str]:
    """The values of a query string, with the token in the form for URLs."""
    return {"state": state.replace("+", "-").replace("/", "_").rstrip("="), **more}
