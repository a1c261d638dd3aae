"""HTTP responses: entity tags, compression, and HEAD."""

from __future__ import annotations

import asyncio
import gzip
from dataclasses import replace

import pytest
from tablier_service.transports.http.replies import GZIP_FROM, accepts_gzip

from tests.service.assembly import SEAL_KEYS, Assemble
from tests.service.transports.http.clients import (
    GAME,
    START,
    HttpClient,
    assert_status,
    first_state,
    http_scope,
    query,
)


@pytest.mark.parametrize("path", ["/v1/games", f"/v1/games/{GAME}", "/docs", "/openapi.json"])
def test_a_page_has_a_tag(client: HttpClient, path: str) -> None:
    whole = client.ask("GET", path)
    tag = whole.headers["etag"]
    for known in (tag, f'"x", {tag}', tag.removeprefix("W/"), "*"):
        again = client.ask("GET", path, headers={"If-None-Match": known})
        assert again.status_code == 304
        assert again.content == b""
        assert again.headers["etag"] == tag
        assert "content-type" not in again.headers
    other = client.ask("GET", path, headers={"If-None-Match": '"x"'})
    assert other.content == whole.content
    head = client.ask("HEAD", path)
    assert head.content == b""
    assert head.headers["content-length"] == whole.headers["content-length"]
    assert head.headers["etag"] == tag


@pytest.mark.parametrize("verb", ["enumerateMoves", "describe", "render"])
def test_a_state_can_be_read_by_its_url(client: HttpClient, verb: str) -> None:
    state, path = first_state(client), f"/v1/states:{verb}"
    posted = client.ask("POST", path, json={"state": state, "seat": 0})
    read = client.ask("GET", path, params=query(state, seat="0"))
    assert read.content == posted.content
    assert "etag" not in posted.headers
    known = {"If-None-Match": read.headers["etag"]}
    assert client.ask("GET", path, params=query(state, seat="0"), headers=known).status_code == 304
    other = client.ask("POST", START, json={"seed": "2"}).json()["state"]
    assert client.ask("GET", path, params=query(other, seat="0"), headers=known).status_code == 200
    wrong = client.ask("GET", path, params=query(state, seat="9"))
    assert_status(wrong, 400, 9, "WRONG_SEAT")
    assert "etag" not in wrong.headers


def test_the_openapi_document_has_the_same_tag_in_all_processes(
    assemble: Assemble, runner: asyncio.Runner
) -> None:
    """Although sealed tokens differ each time that they are written."""
    services = [assemble(seal_keys=SEAL_KEYS) for _ in range(2)]
    first, second = (
        HttpClient(service, runner).ask("GET", "/openapi.json") for service in services
    )
    assert first.content != second.content
    assert first.headers["etag"] == second.headers["etag"]
    smaller = replace(services[0], methods=services[0].methods[:-2])
    other = HttpClient(smaller, runner).ask("GET", "/openapi.json")
    assert other.headers["etag"] != first.headers["etag"]


def test_head_sends_no_body(client: HttpClient) -> None:
    start, body = client.exchange({**http_scope("/v1/games"), "method": "HEAD"})
    assert start["status"] == 200
    assert int(dict(start["headers"])[b"content-length"]) > 0
    assert body["body"] == b""


def test_calls_with_a_body_have_no_tag(client: HttpClient) -> None:
    assert "etag" not in client.ask("POST", START).headers


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
def test_compresses_large_answers_if_the_client_accepts_it(
    client: HttpClient, accepted: str, zipped: bool
) -> None:
    assert accepts_gzip(accepted.encode()) == zipped
    state = client.ask("POST", START, json={"seed": "1"}).json()["state"]
    # A drawing is large enough to be worth compressing, a description is not.
    for path, large in (("/v1/states:render", True), ("/v1/states:describe", False)):
        response = client.ask(
            "POST", path, json={"state": state}, headers={"Accept-Encoding": accepted}
        )
        assert (len(response.content) >= GZIP_FROM) == large
        assert (response.headers.get("content-encoding") == "gzip") == (zipped and large)
        assert (response.headers.get("vary") == "accept-encoding") == large


def test_a_compressed_page_has_the_same_content(client: HttpClient) -> None:
    sent = client.exchange(
        {**http_scope("/openapi.json", (b"accept-encoding", b"gzip")), "method": "GET"}
    )
    plain = client.ask("GET", "/openapi.json", headers={"Accept-Encoding": "identity"})
    assert gzip.decompress(sent[1]["body"]) == plain.content
    assert int(plain.headers["content-length"]) == len(plain.content)
    assert plain.json()["openapi"] == "3.1.0"
