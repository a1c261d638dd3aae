"""The REST door, driven as the ASGI application that it is."""

from __future__ import annotations

import asyncio
import gzip
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import httpx
import pytest
from google.rpc import status_pb2
from tablier_core.registry import GAMES
from tablier_service.advisor import AdvisorServicer
from tablier_service.config import Settings
from tablier_service.engine import Engine
from tablier_service.limits import CallLimit
from tablier_service.methods import Method
from tablier_service.metrics import Metrics
from tablier_service.observer import Observer
from tablier_service.pool import SearchPool
from tablier_service.rest.door import RestDoor
from tablier_service.rest.replies import GZIP_FROM, accepts_gzip
from tablier_service.sealing import PlainTokens, SealedTokens
from tablier_service.servicer import GameServicer

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
    engine = Engine(GAMES, PlainTokens(GAMES))
    return (*GameServicer(engine).methods, *AdvisorServicer(engine, 60.0).methods)


@pytest.fixture(scope="module")
def shared() -> Door:
    return Door(all_methods(), SETTINGS)


@pytest.fixture
def door(shared: Door) -> Iterator[Door]:
    shared.log.lines.clear()
    yield shared
    shared.ready = True


@pytest.fixture(scope="module", autouse=True)
def _pools_end(shared: Door) -> Iterator[None]:
    yield
    shared.pool.close()
    RUNNER.close()


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


def test_a_body_may_be_left_out(door: Door) -> None:
    assert door.ask("POST", START).json()["situation"]["game"] == GAME


@pytest.mark.parametrize(
    "kind", ["application/json; charset=utf-8", "Application/JSON", "application/json ;x=y"]
)
def test_json_by_any_spelling(door: Door, kind: str) -> None:
    response = door.ask("POST", START, content=b"{}", headers={"Content-Type": kind})
    assert response.status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Content-Type": "text/plain"},
        {"Content-Type": "application/x-www-form-urlencoded"},
        {"Content-Type": "application/jsonp"},
        {"Content-Type": "application/json", "Content-Encoding": "gzip"},
    ],
)
def test_other_bodies_are_refused(door: Door, headers: dict[str, str]) -> None:
    response = door.ask("POST", START, content=b"{}", headers=headers)
    assert_status(response, 415, 3, "INVALID_FIELD")


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


def test_too_large_by_its_own_word(door: Door) -> None:
    response = door.ask("POST", APPLY, json={"state": "A" * 3000})
    assert_status(response, 413, 8, "TOO_LARGE")
    assert "details" in response.json()
    operation = {"applyMoves": {"state": "A" * 3000}}
    assert door.ask("POST", "/v1/batch", json={"operations": [operation]}).status_code == 200
    larger = door.ask("POST", "/v1/batch", json={"operations": [operation] * 3})
    assert_status(larger, 413, 8, "TOO_LARGE")


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


def test_too_large_while_it_comes(door: Door) -> None:
    # A third part would fail the exchange: it must not be asked for.
    start, body = door.exchange(http_scope(APPLY), part(b" " * 2000), part(b" " * 2000))
    assert start["status"] == 413
    assert json.loads(body["body"])["details"][0]["reason"] == "TOO_LARGE"


def test_one_part_that_is_too_large(door: Door) -> None:
    start, _ = door.exchange(http_scope(APPLY), part(b" " * 2049, more=False))
    assert start["status"] == 413


def test_a_body_in_parts(door: Door) -> None:
    kind = (b"content-type", b"application/json")
    start, body = door.exchange(
        http_scope(START, kind), part(b'{"se'), part(b'ed":'), part(b"3}", more=False)
    )
    assert start["status"] == 200
    assert json.loads(body["body"])["seed"] == "3"


def test_nobody_is_answered_who_left(door: Door) -> None:
    assert door.exchange(http_scope(START), part(b"{"), {"type": "http.disconnect"}) == []
    assert door.exchange(http_scope(START), {"type": "http.disconnect"}) == []


@pytest.mark.parametrize(
    "body", [b"{", b"\xff", b"[]", b"null", b'{"seed":1,"seed":2}', b"[" * 1500]
)
def test_bodies_that_are_no_request(door: Door, body: bytes) -> None:
    response = door.ask("POST", START, content=body, headers={"Content-Type": "application/json"})
    assert_status(response, 400, 3, "INVALID_FIELD")


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


def first_state(door: Door) -> str:
    return str(door.ask("POST", START, json={"seed": "1"}).json()["state"])


def test_advice(door: Door) -> None:
    request = {"state": first_state(door), "budget": {"iterations": 50}}
    response = door.ask("POST", "/v1/states:suggestMoves", json=request)
    assert response.status_code == 200
    assert response.json()["iterations"] == "50"
    wrong = door.ask("POST", "/v1/states:suggestMoves", json={**request, "seat": 9})
    assert_status(wrong, 400, 9, "WRONG_SEAT")


def test_a_search_ends_when_its_caller_leaves(door: Door) -> None:
    body = json.dumps({"state": first_state(door), "budget": {"milliseconds": 50_000}}).encode()
    headers = (b"content-type", b"application/json")
    scope = http_scope("/v1/states:suggestMoves", headers)
    assert door.exchange(scope, part(body, more=False), {"type": "http.disconnect"}) == []
    # The pool has one slot and no queue, so this one would be refused if the first still ran.
    quick = {"state": first_state(door), "budget": {"iterations": 1}}
    assert door.ask("POST", "/v1/states:suggestMoves", json=quick).status_code == 200
    labels = ("unary", "tablier.v1.AdvisorService", "SuggestMoves", "Cancelled")
    assert door.metrics.total(door.metrics.value(door.metrics.handled, *labels)) == 1


def test_too_many_searches(door: Door) -> None:
    async def ask_twice() -> list[httpx.Response]:
        transport = httpx.ASGITransport(app=door.app)
        body = {"state": state, "budget": {"milliseconds": 300}}
        async with httpx.AsyncClient(transport=transport, base_url="http://door") as client:
            asked = [client.post("/v1/states:suggestMoves", json=body) for _ in range(2)]
            return list(await asyncio.gather(*asked))

    state = first_state(door)
    served, refused = sorted(RUNNER.run(ask_twice()), key=lambda response: response.status_code)
    assert served.status_code == 200
    assert_status(refused, 429, 8, "OVERLOADED")
    assert float(refused.json()["details"][-1]["retryDelay"].rstrip("s")) >= 0.05


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


@pytest.mark.parametrize("path", ["/v1/games", f"/v1/games/{GAME}", "/docs", "/openapi.json"])
def test_reads_can_be_asked_for_again(door: Door, path: str) -> None:
    whole = door.ask("GET", path)
    tag = whole.headers["etag"]
    for known in (tag, f'"x", {tag}', tag.removeprefix("W/"), "*"):
        again = door.ask("GET", path, headers={"If-None-Match": known})
        assert again.status_code == 304
        assert again.content == b""
        assert again.headers["etag"] == tag
        assert "content-type" not in again.headers
    other = door.ask("GET", path, headers={"If-None-Match": '"x"'})
    assert other.content == whole.content
    head = door.ask("HEAD", path)
    assert head.content == b""
    assert head.headers["content-length"] == whole.headers["content-length"]
    assert head.headers["etag"] == tag


def query(state: str, **more: str) -> dict[str, str]:
    """A query string's values, the token in it as URLs take it."""
    return {"state": state.replace("+", "-").replace("/", "_").rstrip("="), **more}


@pytest.mark.parametrize("verb", ["enumerateMoves", "describe", "render"])
def test_pure_reads_of_a_state_by_its_url(door: Door, verb: str) -> None:
    state, path = first_state(door), f"/v1/states:{verb}"
    posted = door.ask("POST", path, json={"state": state, "seat": 0})
    read = door.ask("GET", path, params=query(state, seat="0"))
    assert read.content == posted.content
    assert "etag" not in posted.headers
    known = {"If-None-Match": read.headers["etag"]}
    assert door.ask("GET", path, params=query(state, seat="0"), headers=known).status_code == 304
    other = door.ask("POST", START, json={"seed": "2"}).json()["state"]
    assert door.ask("GET", path, params=query(other, seat="0"), headers=known).status_code == 200
    wrong = door.ask("GET", path, params=query(state, seat="9"))
    assert_status(wrong, 400, 9, "WRONG_SEAT")
    assert "etag" not in wrong.headers


def test_a_query_string_has_the_limit_of_a_body(door: Door) -> None:
    path = "/v1/states:describe"
    assert_status(door.ask("GET", path, params=query("A" * 2000)), 400, 3, "TOKEN_MALFORMED")
    assert_status(door.ask("GET", path, params=query("A" * 2048)), 414, 8, "TOO_LARGE")


def test_the_document_has_one_tag_in_all_processes() -> None:
    """Though sealed tokens differ each time that they are written."""
    doors = []
    for _ in range(2):
        engine = Engine(GAMES, SealedTokens(GAMES, {1: bytes(32)}))
        doors.append(Door((*GameServicer(engine).methods,), SETTINGS))
    first, second = (door.ask("GET", "/openapi.json") for door in doors)
    assert first.content != second.content
    assert first.headers["etag"] == second.headers["etag"]
    fewer = Door(GameServicer(engine).methods[:-2], SETTINGS).ask("GET", "/openapi.json")
    assert fewer.headers["etag"] != first.headers["etag"]


def test_head_sends_no_body(door: Door) -> None:
    start, body = door.exchange({**http_scope("/v1/games"), "method": "HEAD"})
    assert start["status"] == 200
    assert int(dict(start["headers"])[b"content-length"]) > 0
    assert body["body"] == b""


def test_calls_with_a_body_have_no_tag(door: Door) -> None:
    assert "etag" not in door.ask("POST", START).headers


@pytest.mark.parametrize(
    ("accepted", "zipped"),
    [
        ("gzip", True),
        ("deflate, GZIP;q=0.5", True),
        ("*", True),
        ("", False),
        ("identity", False),
        ("gzip;q=0, *", False),
        ("gzip; q=0", False),
        ("gzip;q=x", False),
    ],
)
def test_large_answers_are_compressed_for_those_who_accept_it(
    door: Door, accepted: str, zipped: bool
) -> None:
    assert accepts_gzip(accepted.encode()) == zipped
    state = door.ask("POST", START, json={"seed": "1"}).json()["state"]
    # The length of a drawing is far above what is worth compressing, that of a situation below.
    for path, large in (("/v1/states:render", True), ("/v1/states:describe", False)):
        response = door.ask(
            "POST", path, json={"state": state}, headers={"Accept-Encoding": accepted}
        )
        assert (len(response.content) >= GZIP_FROM) == large
        assert (response.headers.get("content-encoding") == "gzip") == (zipped and large)
        assert (response.headers.get("vary") == "accept-encoding") == large


def test_compressed_pages_are_the_same(door: Door) -> None:
    sent = door.exchange(
        {**http_scope("/openapi.json", (b"accept-encoding", b"gzip")), "method": "GET"}
    )
    plain = door.ask("GET", "/openapi.json", headers={"Accept-Encoding": "identity"})
    assert gzip.decompress(sent[1]["body"]) == plain.content
    assert int(plain.headers["content-length"]) == len(plain.content)
    assert plain.json()["openapi"] == "3.1.0"


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


def test_a_call_whose_deadline_has_passed_is_not_worked_on() -> None:
    worked: list[object] = []
    door = door_with("GetGame", worked.append)
    late = door.ask("GET", "/v1/games/contrast", headers={"grpc-timeout": "1n"})
    assert (late.status_code, late.json()["details"][0]["reason"]) == (504, "DEADLINE_EXCEEDED")
    assert worked == []


@pytest.mark.parametrize("timeout", ["", "5", "S", "1s", "-1S", "123456789S", "1.5S"])
def test_a_timeout_that_cannot_be_read_is_refused(door: Door, timeout: str) -> None:
    answer = door.ask("GET", "/v1/games/contrast", headers={"grpc-timeout": timeout})
    assert answer.status_code == 400


def test_a_search_ends_in_time_for_its_callers_deadline(door: Door) -> None:
    asked = {"state": first_state(door), "budget": {"milliseconds": 50_000}}
    answer = door.ask(
        "POST", "/v1/states:suggestMoves", json=asked, headers={"grpc-timeout": "400m"}
    )
    assert answer.status_code == 200
    assert answer.json()["stopped"] == "STOP_REASON_TIME"
    assert answer.json()["milliseconds"] < 10_000


def test_more_calls_than_the_limit_are_refused_and_none_is_lost() -> None:
    door = Door(all_methods(), SETTINGS.model_copy(update={"max_calls": 3}))
    # Their bodies have not all come, and so they are under way.
    gates = [asyncio.Event() for _ in range(3)]
    body = b'{"state": "AAAA"}'
    headers = (b"content-type", b"application/json")

    async def call(gate: asyncio.Event) -> int:
        parts = iter((part(body[:5], more=True), part(body[5:], more=False)))
        sent: list[Any] = []

        async def receive() -> Any:
            await gate.wait()
            return next(parts)

        async def send(message: Any) -> None:
            sent.append(message)

        await door.app(http_scope("/v1/states:enumerateMoves", headers), receive, send)
        return int(sent[0]["status"])

    async def flood() -> tuple[list[int], list[int], httpx.Response]:
        held = [asyncio.ensure_future(call(gate)) for gate in gates]
        await asyncio.sleep(0)
        transport = httpx.ASGITransport(app=door.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://door") as client:
            refused = [await client.get("/v1/games") for _ in range(20)]
            for gate in gates:
                gate.set()
            ended = await asyncio.gather(*held)
            after = await client.get("/v1/games")
        details = refused[0].json()["details"]
        assert details[0]["reason"] == "OVERLOADED"
        assert details[1]["@type"].endswith("google.rpc.RetryInfo")
        return [answer.status_code for answer in refused], ended, after

    refused, ended, after = RUNNER.run(flood())
    assert refused == [429] * 20
    # The token is none, but the calls were taken up and answered.
    assert ended == [400] * 3
    assert after.status_code == 200
    assert door.metrics.total(door.metrics.sheds["calls"]) == 20
    assert door.log.lines == [line for line in door.log.lines if line["reason"] != "OVERLOADED"]
