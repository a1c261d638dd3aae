"""Drawings as documents of their own, as image tags show them."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from tablier_core import png
from tablier_core.errors import FormatUnavailable

from tests.service.transports.http.clients import HttpClient, assert_status, first_state, query
from tests.service.transports.http.conftest import MakeClient

RENDER = "/v1/states:render"
# What browsers send for an image tag, and for a page.
CHROMIUM = "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8"
FIREFOX = "image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5"
SAFARI = "image/webp,image/avif,video/*;q=0.8,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5"
PAGE = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"
JSON, SVG, PNG, TEXT = "application/json", "image/svg+xml", "image/png", "text/plain; charset=utf-8"


def get(client: HttpClient, accept: str, **more: Any) -> httpx.Response:
    headers = {"Accept": accept}
    return client.ask("GET", RENDER, params=query(first_state(client), **more), headers=headers)


@pytest.mark.parametrize(
    ("accept", "media_type"),
    [
        *((images, SVG) for images in (CHROMIUM, FIREFOX, SAFARI, "image/svg+xml", "image/*")),
        ("image/png", PNG),
        ("image/png, image/svg+xml;q=0.5", PNG),
        ("text/plain", TEXT),
        *((other, JSON) for other in (PAGE, "*/*", "application/json", "", "x;q=y")),
        ("application/json, text/plain, */*", JSON),
        ("image/svg+xml;q=0.5, application/json", JSON),
        ("video/*", JSON),
    ],
)
def test_sends_what_the_client_prefers(client: HttpClient, accept: str, media_type: str):
    answer = get(client, accept, seat="0")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == media_type
    assert "accept" in answer.headers["vary"].split(", ")
    assert answer.headers["etag"]
    assert ("content-security-policy" in answer.headers) == (media_type != JSON)


def test_an_image_is_the_same_as_in_json_and_can_do_nothing(client: HttpClient):
    whole = get(client, JSON, seat="0").json()
    for answer in (get(client, CHROMIUM, seat="0"), get(client, "*/*", seat="0", alt="media")):
        assert answer.text == whole["content"]
        assert answer.headers["content-type"] == whole["mediaType"] == SVG
        policy = answer.headers["content-security-policy"].split("; ")
        assert policy == ["default-src 'none'", "style-src 'unsafe-inline'", "sandbox"]


@pytest.mark.parametrize(
    ("chosen", "media_type"),
    [("RENDER_FORMAT_PNG", PNG), ("RENDER_FORMAT_TEXT", TEXT), ("RENDER_FORMAT_SVG", SVG)],
)
def test_the_format_of_the_request_counts_more_than_the_header(
    client: HttpClient, chosen: str, media_type: str
):
    alone = get(client, CHROMIUM, format=chosen, alt="media")
    assert alone.headers["content-type"] == media_type
    assert get(client, PAGE, format=chosen).json()["mediaType"] == media_type.partition(";")[0]


def test_post_sends_documents_too(client: HttpClient):
    body, headers = {"state": first_state(client)}, {"Accept": SVG}
    answer = client.ask("POST", RENDER, json=body, headers=headers)
    assert answer.headers["content-type"] == SVG
    assert answer.text.startswith("<svg")
    assert "etag" not in answer.headers


def test_a_client_that_has_the_image_does_not_get_it_again(client: HttpClient):
    state, headers = first_state(client), {"Accept": CHROMIUM}
    tag = client.ask("GET", RENDER, params=query(state), headers=headers).headers["etag"]
    headers["If-None-Match"] = tag
    assert client.ask("GET", RENDER, params=query(state), headers=headers).status_code == 304
    headers["Accept"] = JSON
    assert client.ask("GET", RENDER, params=query(state), headers=headers).status_code == 200


def test_failures_stay_json(client: HttpClient):
    assert_status(get(client, CHROMIUM, seat="9"), 400, 9, "WRONG_SEAT")
    assert_status(get(client, CHROMIUM, format="7"), 400, 3, "INVALID_FIELD")
    assert_status(get(client, CHROMIUM, alt="xml"), 400, 3, "INVALID_FIELD")
    assert_status(get(client, PNG, width="9"), 400, 3, "INVALID_FIELD")


def test_only_drawings_are_documents(client: HttpClient):
    path, state = "/v1/states:describe", first_state(client)
    answer = client.ask("GET", path, params=query(state, alt="media"))
    assert_status(answer, 400, 3, "INVALID_FIELD")


def test_says_when_png_is_not_available(client: HttpClient, monkeypatch: pytest.MonkeyPatch):
    def missing() -> None:
        raise FormatUnavailable("format", "install it")

    monkeypatch.setattr(png, "_library", missing)
    assert_status(get(client, PNG), 501, 12, "FORMAT_UNAVAILABLE")
    assert get(client, FIREFOX).headers["content-type"] == SVG


def test_png_is_drawn_in_the_pool_and_not_in_batches(make_client: MakeClient):
    client = make_client(search_slots=1, search_queue=0)
    ended = client.service.pool._mean
    assert get(client, PNG).content.startswith(b"\x89PNG")
    assert client.service.pool._mean != ended
    state = first_state(client)
    drawing = {"renderState": {"state": state, "format": "RENDER_FORMAT_PNG"}}
    (result,) = client.ask("POST", "/v1/batch", json={"operations": [drawing]}).json()["results"]
    assert result["error"]["message"] == "format: PNG is only available in single calls"
