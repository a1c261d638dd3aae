"""Request bodies and query strings: their forms, their sizes, and those that are no request."""

from __future__ import annotations

import json

import pytest

from tests.service.transports.http.doors import (
    APPLY,
    GAME,
    START,
    Door,
    assert_status,
    http_scope,
    part,
    query,
)


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


def test_too_large_by_its_own_word(door: Door) -> None:
    response = door.ask("POST", APPLY, json={"state": "A" * 3000})
    assert_status(response, 413, 8, "TOO_LARGE")
    assert "details" in response.json()
    operation = {"applyMoves": {"state": "A" * 3000}}
    assert door.ask("POST", "/v1/batch", json={"operations": [operation]}).status_code == 200
    larger = door.ask("POST", "/v1/batch", json={"operations": [operation] * 3})
    assert_status(larger, 413, 8, "TOO_LARGE")


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
    ("body", "told"),
    [
        (b"{", "the body is not JSON: "),
        (b"\xff", "the body is not JSON: "),
        (b"NaN", "the body is not JSON: "),
        (b"[]", "the body must be a JSON object, a tablier.v1.StartGameRequest"),
        (b"null", "the body must be a JSON object, a tablier.v1.StartGameRequest"),
        (b'{"seed":1,"seed":2}', "seed: comes twice"),
        (b"[" * 1500, "the body is not JSON: "),
        (b'{"seed":%s1%s}' % (b"[" * 1000, b"]" * 1000), "the body is nested too deeply"),
    ],
)
def test_bodies_that_are_no_request(door: Door, body: bytes, told: str) -> None:
    response = door.ask("POST", START, content=body, headers={"Content-Type": "application/json"})
    assert_status(response, 400, 3, "INVALID_FIELD")
    assert response.json()["message"].startswith(told)


def test_a_query_string_has_the_limit_of_a_body(door: Door) -> None:
    path = "/v1/states:describe"
    assert_status(door.ask("GET", path, params=query("A" * 2000)), 400, 3, "TOKEN_MALFORMED")
    assert_status(door.ask("GET", path, params=query("A" * 2048)), 414, 8, "TOO_LARGE")
