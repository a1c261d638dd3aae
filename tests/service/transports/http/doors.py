"""A REST door of the tests' own, driven as the ASGI application that it is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import httpx
from tablier_core.registry import GAMES
from tablier_service.calls.advisor import AdvisorServicer
from tablier_service.calls.limits import CallLimit
from tablier_service.calls.methods import Method
from tablier_service.calls.pool import SearchPool
from tablier_service.calls.servicer import GameServicer
from tablier_service.calls.use_cases import UseCases
from tablier_service.observability.call_log import Observer
from tablier_service.observability.metrics import Metrics
from tablier_service.security.sealing import PlainTokens
from tablier_service.settings import Settings
from tablier_service.transports.http.application import RestDoor

GAME = "contigo-alignment"
START = f"/v1/games/{GAME}:start"
APPLY = "/v1/states:applyMoves"
SETTINGS = Settings.model_validate(
    {"max_request_bytes": 2048, "max_large_request_bytes": 8192, "slow_call_ms": 10_000}
)

# One loop for all doors, as a search may go on for a moment after its call.
RUNNER = asyncio.Runner()


class Log:
    """Remembers what the observer is told to write."""

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []

    def log(self, level: int, event: str, **values: Any) -> None:
        self.lines.append({"level": level, "event": event, **values})

    def warning(self, event: str, **values: Any) -> None:
        self.log(30, event, **values)


class Door:
    """A door, a client of it, and what it logged."""

    def __init__(self, methods: Sequence[Method], settings: Settings) -> None:
        self.log = Log()
        self.ready = True
        self.metrics = Metrics()
        observer = Observer(self.log, self.metrics)  # type: ignore[arg-type]
        self.pool = SearchPool(1, 0)
        calls = CallLimit(settings.max_calls, self.metrics)
        self.app = RestDoor(methods, settings, observer, self.pool, calls, lambda: self.ready)

    def ask(self, method: str, path: str, **more: Any) -> httpx.Response:
        async def ask() -> httpx.Response:
            transport = httpx.ASGITransport(app=self.app)
            async with httpx.AsyncClient(transport=transport, base_url="http://door") as client:
                return await client.request(method, path, **more)

        return RUNNER.run(ask())

    def exchange(self, scope: dict[str, Any], *messages: dict[str, Any]) -> list[dict[str, Any]]:
        """What the application sends when it is given these messages."""
        sent: list[dict[str, Any]] = []
        given = iter(messages)

        async def receive() -> dict[str, Any]:
            return next(given)

        async def send(message: Any) -> None:
            sent.append(message)

        RUNNER.run(self.app(scope, receive, send))
        return sent


def all_methods() -> tuple[Method, ...]:
    engine = UseCases(GAMES, PlainTokens(GAMES))
    return (*GameServicer(engine).methods, *AdvisorServicer(engine, 60.0).methods)


def door_with(name: str, handler: Callable[[Any], Any], settings: Settings = SETTINGS) -> Door:
    """A door on which one call is done by something else, once the examples are made."""
    broken = False

    def either(request: Any) -> Any:
        return handler(request) if broken else original.handler(request)

    methods = all_methods()
    original = next(method for method in methods if method.descriptor.name == name)
    made = Door(
        [replace(each, handler=either) if each is original else each for each in methods], settings
    )
    broken = True
    return made


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


def first_state(door: Door) -> str:
    return str(door.ask("POST", START, json={"seed": "1"}).json()["state"])


def query(state: str, **more: str) -> dict[str, str]:
    """A query string's values, the token in it as URLs take it."""
    return {"state": state.replace("+", "-").replace("/", "_").rstrip("="), **more}
