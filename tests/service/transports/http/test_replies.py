"""Answers as HTTP has them: tags of what can be asked for again, compression, and HEAD."""

from __future__ import annotations

import gzip

import pytest
from tablier_core.registry import GAMES
from tablier_service.calls.servicer import GameServicer
from tablier_service.calls.use_cases import UseCases
from tablier_service.security.sealing import SealedTokens
from tablier_service.transports.http.replies import GZIP_FROM, accepts_gzip

from tests.service.transports.http.doors import (
    GAME,
    SETTINGS,
    START,
    Door,
    assert_status,
    first_state,
    http_scope,
    query,
)


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


def test_the_document_has_one_tag_in_all_processes() -> None:
    """Though sealed tokens differ each time that they are written."""
    doors = []
    for _ in range(2):
        engine = UseCases(GAMES, SealedTokens(GAMES, {1: bytes(32)}))
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
