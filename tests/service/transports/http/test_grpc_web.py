"""The gRPC-Web protocol, case by case of its specification."""

from __future__ import annotations

import gzip
import json
from base64 import b64decode, b64encode
from typing import Any
from urllib.parse import unquote

import httpx
import pytest
from google.rpc import code_pb2, error_details_pb2, status_pb2
from tablier.v1 import advisor_service_pb2 as advisor
from tablier.v1 import game_service_pb2 as pb
from tablier_service.transports.http.envelopes import (
    COMPRESSED,
    END_OF_STREAM,
    TRAILERS,
    envelope,
    from_text,
)

from tests.service.transports.http.clients import GAME, HttpClient
from tests.service.transports.http.conftest import MakeClient
from tests.service.transports.http.test_connect import (
    ANALYSE,
    ANALYSIS,
    GET_GAME,
    REQUEST,
    frames,
    zipped,
)

PROTO = "application/grpc-web+proto"
TEXT = "application/grpc-web-text+proto"
RULES = pb.GetGameRequest(game=GAME, include_rules=True).SerializeToString()


def post(
    client: HttpClient, path: str, body: bytes, content_type: str = PROTO, **headers: str
) -> httpx.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.ask(
        "POST",
        path,
        content=body,
        headers={"content-type": content_type, "x-grpc-web": "1"} | named,
    )


def read(response: httpx.Response) -> tuple[list[tuple[int, bytes]], dict[str, str]]:
    """The messages and the trailers of a response."""
    assert response.status_code == 200
    *messages, (flags, last) = frames(response.content)
    assert flags == TRAILERS
    assert last.endswith(b"\r\n")
    return messages, dict(line.split(": ", 1) for line in last.decode().splitlines())


def assert_failed(response: httpx.Response, code: str, reason: str) -> None:
    messages, trailers = read(response)
    assert not messages
    assert trailers["grpc-status"] == str(code_pb2.Code.Value(code))
    details = trailers["grpc-status-details-bin"]
    status = status_pb2.Status.FromString(b64decode(details + "=" * (-len(details) % 4)))
    assert status.code == code_pb2.Code.Value(code)
    assert unquote(trailers["grpc-message"]) == status.message
    info = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(info)
    assert info.reason == reason


@pytest.mark.parametrize("content_type", [PROTO, "application/grpc-web"])
def test_answers_with_a_message_and_trailers(client: HttpClient, content_type: str) -> None:
    response = post(client, GET_GAME, envelope(REQUEST), content_type)
    [(flags, message)], trailers = read(response)
    assert response.headers["content-type"] == PROTO
    assert flags == 0
    assert pb.GetGameResponse.FromString(message).game.name == GAME
    assert trailers == {"grpc-status": "0"}


def test_messages_can_be_json(client: HttpClient) -> None:
    body = envelope(b'{"game":"%s"}' % GAME.encode())
    response = post(client, GET_GAME, body, "application/grpc-web+json")
    assert response.headers["content-type"] == "application/grpc-web+json"
    [(_, message)], _ = read(response)
    assert json.loads(message)["game"]["name"] == GAME


@pytest.mark.parametrize(
    ("body", "headers", "code", "reason"),
    [
        (b"", {}, "INVALID_ARGUMENT", "INVALID_FIELD"),
        (envelope(REQUEST)[:-1], {}, "INVALID_ARGUMENT", "INVALID_FIELD"),
        (envelope(REQUEST) + b"x", {}, "INVALID_ARGUMENT", "INVALID_FIELD"),
        (envelope(REQUEST, TRAILERS), {}, "INVALID_ARGUMENT", "INVALID_FIELD"),
        (envelope(REQUEST, END_OF_STREAM), {}, "INVALID_ARGUMENT", "INVALID_FIELD"),
        (envelope(REQUEST, COMPRESSED), {}, "INVALID_ARGUMENT", "INVALID_FIELD"),
        (envelope(b"\xff"), {}, "INVALID_ARGUMENT", "INVALID_FIELD"),
        (envelope(bytes(2049)), {}, "RESOURCE_EXHAUSTED", "TOO_LARGE"),
        (envelope(bytes(9000)), {}, "RESOURCE_EXHAUSTED", "TOO_LARGE"),
        (
            envelope(zipped(bytes(9000)), COMPRESSED),
            {"grpc_encoding": "gzip"},
            "RESOURCE_EXHAUSTED",
            "TOO_LARGE",
        ),
        (envelope(REQUEST), {"grpc_encoding": "br"}, "UNIMPLEMENTED", "ENCODING_UNSUPPORTED"),
        (envelope(REQUEST), {"grpc_timeout": "0m"}, "DEADLINE_EXCEEDED", "DEADLINE_EXCEEDED"),
        (envelope(REQUEST), {"grpc_timeout": "1"}, "INVALID_ARGUMENT", "INVALID_FIELD"),
        (envelope(b'\n\x08"\xc3\xa9t\xc3\xa9%"'), {}, "NOT_FOUND", "UNKNOWN_GAME"),
    ],
)
@pytest.mark.parametrize("path", [GET_GAME, ANALYSE])
def test_failures_are_trailers(
    client: HttpClient, path: str, body: bytes, headers: dict[str, str], code: str, reason: str
) -> None:
    if path == ANALYSE and reason == "UNKNOWN_GAME":
        code, reason = "INVALID_ARGUMENT", "TOKEN_MALFORMED"
    assert_failed(post(client, path, body, **headers), code, reason)


def test_the_largest_message_fits(client: HttpClient) -> None:
    """The prefix and the base64 around a message do not count."""
    largest = pb.GetGameRequest(game="x" * (2048 - 3)).SerializeToString()
    assert len(largest) == client.service.settings.max_request_bytes
    assert_failed(post(client, GET_GAME, envelope(largest)), "NOT_FOUND", "UNKNOWN_GAME")
    text = post(client, GET_GAME, b64encode(envelope(largest)), TEXT)
    assert frames(b64decode(text.content))[0][0] == TRAILERS
    assert b"UNKNOWN_GAME" in b64decode(text.content) or b"grpc-status: 5" in b64decode(
        text.content
    )


def test_compresses_messages_but_not_the_body(client: HttpClient) -> None:
    packed = envelope(zipped(RULES), COMPRESSED)
    response = post(
        client,
        GET_GAME,
        packed,
        grpc_encoding="gzip",
        grpc_accept_encoding="identity, gzip",
        accept_encoding="gzip",
    )
    assert response.headers["grpc-encoding"] == "gzip"
    assert "content-encoding" not in response.headers
    [(flags, message)], _ = read(response)
    assert flags == COMPRESSED
    plain = post(client, GET_GAME, envelope(RULES), accept_encoding="gzip")
    assert not {"grpc-encoding", "content-encoding"} & plain.headers.keys()
    assert read(plain)[0] == [(0, gzip.decompress(message))]


def test_many_answers(client: HttpClient) -> None:
    response = post(client, ANALYSE, envelope(ANALYSIS))
    messages, trailers = read(response)
    assert advisor.StreamAnalysisResponse.FromString(messages[-1][1]).suggestions
    assert trailers == {"grpc-status": "0"}


def test_a_stream_can_fail_after_answers(make_client: MakeClient) -> None:
    def search(request: Any) -> Any:
        def answers(cancel: Any) -> Any:
            yield advisor.StreamAnalysisResponse(iterations=1)
            raise RuntimeError

        return answers

    client = make_client({"StreamAnalysis": search})
    messages, trailers = read(post(client, ANALYSE, envelope(ANALYSIS)))
    assert len(messages) == 1
    assert trailers["grpc-status"] == str(code_pb2.INTERNAL)


# Text


@pytest.mark.parametrize(
    "body",
    [
        b64encode(envelope(REQUEST)),
        # In parts, each with its own padding.
        b64encode(envelope(REQUEST)[:5]) + b64encode(envelope(REQUEST)[5:]),
        b"".join(b64encode(bytes([byte])) for byte in envelope(REQUEST)),
    ],
)
@pytest.mark.parametrize("content_type", [TEXT, "application/grpc-web-text"])
def test_bodies_can_be_base64(client: HttpClient, body: bytes, content_type: str) -> None:
    response = post(client, GET_GAME, body, content_type)
    assert response.headers["content-type"] == TEXT
    (_, message), (flags, _) = frames(from_text(response.content))
    assert pb.GetGameResponse.FromString(message).game.name == GAME
    assert flags == TRAILERS


@pytest.mark.parametrize("body", [b"*", b"AAA\n", b"\xff", b"A"])
def test_bodies_that_are_no_base64_are_rejected(client: HttpClient, body: bytes) -> None:
    response = post(client, GET_GAME, body, TEXT)
    assert response.status_code == 200
    [(flags, trailers)] = frames(b64decode(response.content))
    assert flags == TRAILERS
    assert b"grpc-status: 3\r\n" in trailers


def test_many_answers_as_base64(client: HttpClient) -> None:
    response = post(client, ANALYSE, b64encode(envelope(ANALYSIS)), TEXT)
    *messages, (flags, trailers) = frames(from_text(response.content))
    assert messages
    assert (flags, trailers) == (TRAILERS, b"grpc-status: 0\r\n")
