"""The Connect protocol, case by case of its specification."""

from __future__ import annotations

import gzip
import json
from base64 import b64decode, urlsafe_b64encode
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from google.rpc import error_details_pb2
from tablier.v1 import advisor_service_pb2 as advisor
from tablier.v1 import game_pb2
from tablier.v1 import game_service_pb2 as pb
from tablier_core import codec
from tablier_core.registry import GAMES
from tablier_service.transports.http.envelopes import (
    COMPRESSED,
    END_OF_STREAM,
    PREFIX,
    envelope,
)

from tests.service.assembly import CallCounts
from tests.service.transports.http.clients import GAME, HttpClient, http_scope, part
from tests.service.transports.http.conftest import MakeClient

SERVICE = "/tablier.v1.GameService/"
GET_GAME = SERVICE + "GetGame"
START = SERVICE + "StartGame"
BATCH = SERVICE + "Batch"
ANALYSE = "/tablier.v1.AdvisorService/StreamAnalysis"
PROTO = "application/proto"
STREAM = "application/connect+proto"
REQUEST = pb.GetGameRequest(game=GAME).SerializeToString()
TOKEN = codec.encode(GAMES[GAME].start({"first": 0}, 7))
ANALYSIS = advisor.StreamAnalysisRequest(
    state=TOKEN, budget=advisor.Budget(iterations=60)
).SerializeToString()


def zipped(data: bytes, level: int = 9) -> bytes:
    # Without the time, which would give tests other names in every process.
    return gzip.compress(data, level, mtime=0)


def post(
    client: HttpClient, path: str, body: bytes, content_type: str = PROTO, **headers: str
) -> httpx.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    named.setdefault("accept-encoding", "identity")
    return client.ask("POST", path, content=body, headers={"content-type": content_type, **named})


def assert_error(response: httpx.Response, status: int, code: str, reason: str) -> Any:
    assert response.status_code == status, response.content
    assert response.headers["content-type"] == "application/json"
    error = response.json()
    assert_details(error, code, reason)
    return error


def assert_details(error: Any, code: str, reason: str) -> None:
    assert error["code"] == code
    assert error["message"]
    detail = error["details"][0]
    assert detail["type"] == "google.rpc.ErrorInfo"
    assert "=" not in detail["value"]
    padded = detail["value"] + "=" * (-len(detail["value"]) % 4)
    info = error_details_pb2.ErrorInfo.FromString(b64decode(padded))
    assert (info.reason, info.domain) == (reason, "tablier")
    assert detail["debug"]["reason"] == reason


def frames(body: bytes) -> list[tuple[int, bytes]]:
    """The flags and content of every envelope in a body."""
    found = []
    while body:
        flags, length = PREFIX.unpack_from(body)
        content, body = body[PREFIX.size : PREFIX.size + length], body[PREFIX.size + length :]
        assert len(content) == length
        found.append((flags, content))
    return found


def test_answers_in_protobuf(client: HttpClient) -> None:
    response = post(client, GET_GAME, REQUEST, connect_protocol_version="1", x_request_id="mine")
    assert response.status_code == 200
    assert response.headers["content-type"] == PROTO
    assert response.headers["x-request-id"] == "mine"
    assert pb.GetGameResponse.FromString(response.content).game.name == GAME


@pytest.mark.parametrize("content_type", ["application/json", "Application/JSON; charset=utf-8"])
def test_answers_in_json(client: HttpClient, content_type: str) -> None:
    response = post(client, GET_GAME, b'{"game": "%s"}' % GAME.encode(), content_type)
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    assert response.json()["game"]["name"] == GAME


def test_an_empty_body_is_an_empty_message_in_protobuf_alone(client: HttpClient) -> None:
    path = SERVICE + "ListGames"
    answer = post(client, path, b"")
    assert len(pb.ListGamesResponse.FromString(answer.content).games) == len(GAMES)
    assert_error(
        post(client, path, b"", "application/json"), 400, "invalid_argument", "INVALID_FIELD"
    )


@pytest.mark.parametrize(
    ("body", "headers", "status", "code", "reason"),
    [
        (b"\xff", {}, 400, "invalid_argument", "INVALID_FIELD"),
        (pb.GetGameRequest(game="go").SerializeToString(), {}, 404, "not_found", "UNKNOWN_GAME"),
        # HTTP has a code of its own for this; Connect has not.
        (bytes(3000), {}, 429, "resource_exhausted", "TOO_LARGE"),
        (
            REQUEST,
            {"connect_protocol_version": "2"},
            400,
            "invalid_argument",
            "INVALID_FIELD",
        ),
        (REQUEST, {"connect_timeout_ms": "0"}, 504, "deadline_exceeded", "DEADLINE_EXCEEDED"),
        (REQUEST, {"connect_timeout_ms": "soon"}, 400, "invalid_argument", "INVALID_FIELD"),
        (REQUEST, {"connect_timeout_ms": "-1"}, 400, "invalid_argument", "INVALID_FIELD"),
        (REQUEST, {"connect_timeout_ms": "12345678901"}, 400, "invalid_argument", "INVALID_FIELD"),
        (REQUEST, {"content_encoding": "br"}, 501, "unimplemented", "ENCODING_UNSUPPORTED"),
        (REQUEST, {"content_encoding": "gzip"}, 400, "invalid_argument", "INVALID_FIELD"),
        (
            zipped(REQUEST)[:-1],
            {"content_encoding": "gzip"},
            400,
            "invalid_argument",
            "INVALID_FIELD",
        ),
        (
            zipped(REQUEST) + b"more",
            {"content_encoding": "gzip"},
            400,
            "invalid_argument",
            "INVALID_FIELD",
        ),
        (
            zipped(bytes(100_000)),
            {"content_encoding": "gzip"},
            429,
            "resource_exhausted",
            "TOO_LARGE",
        ),
    ],
)
def test_errors_have_a_code_a_message_and_details(
    client: HttpClient, body: bytes, headers: dict[str, str], status: int, code: str, reason: str
) -> None:
    counts = CallCounts(client.service, "GetGame")
    before = counts.handled()
    assert_error(post(client, GET_GAME, body, **headers), status, code, reason)
    assert counts.handled() == before + 1


def test_the_field_at_fault_is_among_the_details(client: HttpClient) -> None:
    response = post(client, GET_GAME, b'{"game": "go"}', "application/json")
    error = assert_error(response, 404, "not_found", "UNKNOWN_GAME")
    assert [detail["type"] for detail in error["details"]] == [
        "google.rpc.ErrorInfo",
        "google.rpc.BadRequest",
    ]
    assert error["details"][1]["debug"]["fieldViolations"][0]["field"] == "game"


@pytest.mark.parametrize("timeout", ["60000", "9999999999"])
def test_a_timeout_in_the_future_changes_nothing(client: HttpClient, timeout: str) -> None:
    assert post(client, GET_GAME, REQUEST, connect_timeout_ms=timeout).status_code == 200


@pytest.mark.parametrize("content_type", ["text/plain", "", "application/grpc", STREAM])
def test_rejects_other_content_types(client: HttpClient, content_type: str) -> None:
    response = post(client, GET_GAME, REQUEST, content_type)
    assert response.status_code == 415
    accepted = response.headers["accept-post"].split(", ")
    assert {PROTO, "application/json", "application/grpc-web+proto"} < set(accepted)


def test_a_call_with_many_answers_is_no_unary_call(client: HttpClient) -> None:
    assert post(client, ANALYSE, ANALYSIS).status_code == 415


@pytest.mark.parametrize(("path", "allowed"), [(START, "POST"), (BATCH, "POST"), (ANALYSE, "POST")])
def test_only_pure_unary_calls_have_get(client: HttpClient, path: str, allowed: str) -> None:
    response = client.ask("GET", path)
    assert response.status_code == 405
    assert response.headers["allow"] == allowed


def test_streams_of_requests_are_left_to_grpc(client: HttpClient) -> None:
    assert post(client, SERVICE + "Play", b"", STREAM).status_code == 404


# GET


def url(message: bytes, *more: str, encoding: str = "proto", base64: bool = True) -> str:
    written = urlsafe_b64encode(message).rstrip(b"=").decode() if base64 else quote(message)
    parameters = [f"message={written}", f"encoding={encoding}", *more]
    if base64:
        parameters.append("base64=1")
    return f"{GET_GAME}?{'&'.join(parameters)}"


@pytest.mark.parametrize(
    "path",
    [
        url(REQUEST, "connect=v1"),
        url(REQUEST),
        url(REQUEST).replace("&encoding", "%3D&encoding"),
        url(REQUEST, base64=False),
        url(zipped(REQUEST), "compression=gzip"),
        url(REQUEST, "compression=identity", "unknown=1"),
        url(b'{"game":"%s"}' % GAME.encode(), encoding="json"),
        url(b'{ "game": "%s" }' % GAME.encode(), encoding="json", base64=False).replace("%20", "+"),
    ],
)
def test_pure_calls_can_be_made_by_get(client: HttpClient, path: str) -> None:
    response = client.ask("GET", path)
    assert response.status_code == 200
    if "encoding=json" in path:
        assert response.json()["game"]["name"] == GAME
    else:
        assert pb.GetGameResponse.FromString(response.content).game.name == GAME
    assert response.headers["vary"] == "accept-language"
    tag = {"if-none-match": response.headers["etag"]}
    assert client.ask("GET", path, headers=tag).status_code == 304


@pytest.mark.parametrize(
    ("path", "status", "code", "reason"),
    [
        (url(REQUEST, "connect=v2"), 400, "invalid_argument", "INVALID_FIELD"),
        (f"{GET_GAME}?encoding=proto", 400, "invalid_argument", "INVALID_FIELD"),
        (url(REQUEST, "message="), 400, "invalid_argument", "INVALID_FIELD"),
        (url(REQUEST, "compression=br"), 501, "unimplemented", "ENCODING_UNSUPPORTED"),
        (url(REQUEST, "compression=gzip"), 400, "invalid_argument", "INVALID_FIELD"),
        (url(b"*!").replace("message=", "message=*"), 400, "invalid_argument", "INVALID_FIELD"),
        (url(bytes(3000)), 429, "resource_exhausted", "TOO_LARGE"),
        (url(REQUEST, *["x"] * 200), 400, "invalid_argument", "INVALID_FIELD"),
        (
            url(pb.GetGameRequest(game="go").SerializeToString()),
            404,
            "not_found",
            "UNKNOWN_GAME",
        ),
    ],
)
def test_errors_of_get(client: HttpClient, path: str, status: int, code: str, reason: str) -> None:
    response = client.ask("GET", path)
    assert_error(response, status, code, reason)
    assert "etag" not in response.headers


@pytest.mark.parametrize(
    "query", ["", "?message=", "?encoding=xml&message=", "?encoding=proto%3D&message="]
)
def test_get_needs_an_encoding(client: HttpClient, query: str) -> None:
    assert client.ask("GET", GET_GAME + query).status_code == 415


# Compression


def test_reads_compressed_requests(client: HttpClient) -> None:
    for body in (zipped(REQUEST), zipped(REQUEST, 0)):
        assert post(client, GET_GAME, body, content_encoding="gzip").status_code == 200
    assert post(client, GET_GAME, REQUEST, content_encoding="identity").status_code == 200


def test_reads_large_compressed_requests_in_parts(make_client: MakeClient) -> None:
    client = make_client(max_large_request_bytes=1 << 20)
    operation = pb.Operation(get_game=pb.GetGameRequest(game="x" * 300))
    batch = pb.BatchRequest(operations=[operation] * 1000).SerializeToString()
    assert len(batch) > 4 * 65536
    plain = post(client, BATCH, batch)
    assert plain.status_code == 200
    packed = post(client, BATCH, zipped(batch), content_encoding="gzip")
    assert packed.content == plain.content
    assert client.service.buffer_limit.total == 0
    cut = zipped(batch)[:-9]
    assert post(client, BATCH, cut, content_encoding="gzip").status_code == 400
    assert client.service.buffer_limit.total == 0


def test_memory_of_unpacked_requests_is_limited(make_client: MakeClient) -> None:
    client = make_client(max_large_request_bytes=1 << 20, max_buffered_bytes=400_000)
    body = zipped(bytes(500_000))
    response = post(client, BATCH, body, content_encoding="gzip")
    assert_error(response, 429, "resource_exhausted", "OVERLOADED")
    assert client.service.buffer_limit.total == 0


def test_compresses_large_answers_alone(client: HttpClient) -> None:
    rules = pb.GetGameRequest(game=GAME, include_rules=True).SerializeToString()
    large = post(client, GET_GAME, rules, accept_encoding="gzip")
    assert large.headers["content-encoding"] == "gzip"
    assert large.content == post(client, GET_GAME, rules).content
    request = pb.StartGameRequest(game=GAME, seed=1).SerializeToString()
    small = post(client, START, request, accept_encoding="gzip")
    assert "content-encoding" not in small.headers


# Streams


def end_of(response: httpx.Response) -> Any:
    *_, (flags, end) = frames(response.content)
    assert flags == END_OF_STREAM
    return json.loads(end)


@pytest.mark.parametrize("form", ["proto", "json"])
def test_streams_end_with_a_message_of_their_own(client: HttpClient, form: str) -> None:
    message = ANALYSIS
    if form == "json":
        state = urlsafe_b64encode(TOKEN).decode()
        message = json.dumps({"state": state, "budget": {"iterations": 60}}).encode()
    content_type = f"application/connect+{form}"
    response = post(client, ANALYSE, envelope(message), content_type)
    assert response.status_code == 200
    assert response.headers["content-type"] == content_type
    assert response.headers["cache-control"] == "no-store"
    first, *_ = frames(response.content)
    assert first[0] == 0
    if form == "proto":
        assert advisor.StreamAnalysisResponse.FromString(first[1]).suggestions
    else:
        assert json.loads(first[1])["suggestions"]
    assert end_of(response) == {}


@pytest.mark.parametrize(
    ("body", "headers", "code", "reason"),
    [
        (b"", {}, "invalid_argument", "INVALID_FIELD"),
        (envelope(ANALYSIS)[:-1], {}, "invalid_argument", "INVALID_FIELD"),
        (envelope(ANALYSIS) * 2, {}, "invalid_argument", "INVALID_FIELD"),
        (envelope(ANALYSIS, 0x80), {}, "invalid_argument", "INVALID_FIELD"),
        (envelope(ANALYSIS, COMPRESSED), {}, "invalid_argument", "INVALID_FIELD"),
        (envelope(b"\xff"), {}, "invalid_argument", "INVALID_FIELD"),
        (envelope(b""), {}, "invalid_argument", "TOKEN_MALFORMED"),
        (envelope(bytes(3000)), {}, "resource_exhausted", "TOO_LARGE"),
        (
            envelope(ANALYSIS),
            {"connect_content_encoding": "br"},
            "unimplemented",
            "ENCODING_UNSUPPORTED",
        ),
        (envelope(ANALYSIS), {"connect_timeout_ms": "0"}, "deadline_exceeded", "DEADLINE_EXCEEDED"),
    ],
)
def test_streams_fail_in_their_last_message(
    client: HttpClient, body: bytes, headers: dict[str, str], code: str, reason: str
) -> None:
    response = post(client, ANALYSE, body, STREAM, **headers)
    assert response.status_code == 200
    assert response.headers["content-type"] == STREAM
    assert len(frames(response.content)) == 1
    assert_details(end_of(response)["error"], code, reason)


def test_a_stream_can_fail_after_answers(make_client: MakeClient) -> None:
    def search(request: Any) -> Any:
        def answers(cancel: Any) -> Any:
            yield advisor.StreamAnalysisResponse(iterations=1)
            raise RuntimeError

        return answers

    client = make_client({"StreamAnalysis": search})
    response = post(client, ANALYSE, envelope(ANALYSIS), STREAM)
    assert [flags for flags, _ in frames(response.content)] == [0, END_OF_STREAM]
    assert_details(end_of(response)["error"], "internal", "INTERNAL")


def test_messages_of_streams_are_compressed_one_by_one(make_client: MakeClient) -> None:
    large = advisor.StreamAnalysisResponse(
        suggestions=[advisor.Suggestion(values=[0.5] * 1000)]
    ).SerializeToString()
    small = advisor.StreamAnalysisResponse(iterations=1).SerializeToString()
    handlers = {"StreamAnalysis": lambda request: lambda cancel: iter((large, small))}
    client = make_client(handlers)
    packed = envelope(zipped(ANALYSIS), COMPRESSED)
    response = post(
        client,
        ANALYSE,
        packed,
        STREAM,
        connect_content_encoding="gzip",
        connect_accept_encoding="gzip, br",
        accept_encoding="gzip",
    )
    assert response.headers["connect-content-encoding"] == "gzip"
    assert "content-encoding" not in response.headers
    first, second, _ = frames(response.content)
    assert first[0] == COMPRESSED
    assert (gzip.decompress(first[1]), second) == (large, (0, small))
    plain = post(client, ANALYSE, envelope(ANALYSIS), STREAM)
    assert "connect-content-encoding" not in plain.headers
    assert frames(plain.content)[0] == (0, large)


def test_bodies_that_are_too_large_are_not_read(client: HttpClient) -> None:
    announced = ((b"content-type", STREAM.encode()), (b"content-length", b"1000000"))
    scope = http_scope(ANALYSE, *announced)
    start, body = client.exchange(scope, part(b"", more=True))
    assert start["status"] == 200
    assert json.loads(body["body"][PREFIX.size :])["error"]["code"] == "resource_exhausted"


# Sizes


@pytest.mark.parametrize("content_type", [PROTO, "application/json", "application/grpc-web+proto"])
def test_elements_are_counted_before_a_message_is_built(
    make_client: MakeClient, content_type: str
) -> None:
    client = make_client(max_request_bytes=65536)
    body = pb.ApplyMovesRequest(moves=[game_pb2.Move()] * 6000).SerializeToString()
    if content_type == "application/json":
        body = b'{"moves":[%s]}' % b",".join([b"{}"] * 6000)
    if "web" in content_type:
        body = envelope(body)
    response = post(client, SERVICE + "ApplyMoves", body, content_type)
    assert b"the request has more than 5120 fields and values" in response.content
