"""Request bodies and query strings: formats, sizes and errors."""

from __future__ import annotations

import json

import pytest

from tests.service.transports.http.clients import (
    APPLY,
    GAME,
    START,
    HttpClient,
    assert_status,
    http_scope,
    part,
    query,
)


def test_a_body_may_be_omitted(client: HttpClient) -> None:
    assert client.ask("POST", START).json()["situation"]["game"] == GAME


@pytest.mark.parametrize(
    "kind", ["application/json; charset=utf-8", "Application/JSON", "application/json ;x=y"]
)
def test_accepts_every_spelling_of_the_json_content_type(client: HttpClient, kind: str) -> None:
    response = client.ask("POST", START, content=b"{}", headers={"Content-Type": kind})
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
def test_rejects_other_content_types(client: HttpClient, headers: dict[str, str]) -> None:
    response = client.ask("POST", START, content=b"{}", headers=headers)
    assert_status(response, 415, 3, "INVALID_FIELD")


def test_rejects_a_body_that_is_announced_as_too_large(client: HttpClient) -> None:
    response = client.ask("POST", APPLY, json={"state": "A" * 3000})
    assert_status(response, 413, 8, "TOO_LARGE")
    assert "details" in response.json()
    operation = {"applyMoves": {"state": "A" * 3000}}
    assert client.ask("POST", "/v1/batch", json={"operations": [operation]}).status_code == 200
    larger = client.ask("POST", "/v1/batch", json={"operations": [operation] * 3})
    assert_status(larger, 413, 8, "TOO_LARGE")


def test_rejects_a_body_that_becomes_too_large(client: HttpClient) -> None:
    # There is no third part: the application must not ask for it.
    start, body = client.exchange(http_scope(APPLY), part(b" " * 2000), part(b" " * 2000))
    assert start["status"] == 413
    assert json.loads(body["body"])["details"][0]["reason"] == "TOO_LARGE"


def test_rejects_a_single_part_that_is_too_large(client: HttpClient) -> None:
    start, _ = client.exchange(http_scope(APPLY), part(b" " * 2049, more=False))
    assert start["status"] == 413


def test_reads_a_body_in_parts(client: HttpClient) -> None:
    kind = (b"content-type", b"application/json")
    start, body = client.exchange(
        http_scope(START, kind), part(b'{"se'), part(b'ed":'), part(b"3}", more=False)
    )
    assert start["status"] == 200
    assert json.loads(body["body"])["seed"] == "3"


def test_does_not_answer_a_client_that_disconnected(client: HttpClient) -> None:
    assert client.exchange(http_scope(START), part(b"{"), {"type": "http.disconnect"}) == []
    assert client.exchange(http_scope(START), {"type": "http.disconnect"}) == []


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"{", "the body is not JSON: "),
        (b"\xff", "the body is not JSON: "),
        (b"NaN", "the body is not JSON: "),
        (b"[]", "the body must be a JSON object, a tablier.v1.StartGameRequest"),
        (b"null", "the body must be a JSON object, a tablier.v1.StartGameRequest"),
        (b'{"seed":1,"seed":2}', "seed: appears twice"),
        (b"[" * 1500, "the body is not JSON: "),
        (b'{"seed":%s1%s}' % (b"[" * 1000, b"]" * 1000), "the body is nested too deeply"),
    ],
)
def test_rejects_bodies_that_are_not_a_request(
    client: HttpClient, body: bytes, message: str
) -> None:
    response = client.ask("POST", START, content=body, headers={"Content-Type": "application/json"})
    assert_status(response, 400, 3, "INVALID_FIELD")
    assert response.json()["message"].startswith(message)


def test_limits_a_query_string_like_a_body(client: HttpClient) -> None:
    path = "/v1/states:describe"
    assert_status(client.ask("GET", path, params=query("A" * 2000)), 400, 3, "TOKEN_MALFORMED")
    assert_status(client.ask("GET", path, params=query("A" * 2048)), 414, 8, "TOO_LARGE")
