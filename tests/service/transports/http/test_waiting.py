"""Calls that take long, come too late or are too many."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest
from tablier.v1 import game_service_pb2 as pb
from tablier_service.calls.slices import Work

from tests.service.assembly import CallCounts
from tests.service.transports.http.clients import (
    HttpClient,
    assert_status,
    first_state,
    http_scope,
    part,
)
from tests.service.transports.http.conftest import MakeClient


def test_gives_advice(client: HttpClient) -> None:
    request = {"state": first_state(client), "budget": {"iterations": 50}}
    response = client.ask("POST", "/v1/states:suggestMoves", json=request)
    assert response.status_code == 200
    assert response.json()["iterations"] == "50"
    wrong = client.ask("POST", "/v1/states:suggestMoves", json={**request, "seat": 9})
    assert_status(wrong, 400, 9, "WRONG_SEAT")


def test_a_search_ends_when_its_client_disconnects(client: HttpClient) -> None:
    counts = CallCounts(client.service, "SuggestMoves")
    before = counts.handled("Cancelled")
    body = json.dumps({"state": first_state(client), "budget": {"milliseconds": 30_000}}).encode()
    headers = (b"content-type", b"application/json")
    scope = http_scope("/v1/states:suggestMoves", headers)
    assert client.exchange(scope, part(body, more=False), {"type": "http.disconnect"}) == []
    # The pool has one slot, so this search would be rejected if the first one still ran.
    quick = {"state": first_state(client), "budget": {"iterations": 1}}
    timeout = {"grpc-timeout": "60S"}
    answer = client.ask("POST", "/v1/states:suggestMoves", json=quick, headers=timeout)
    assert answer.status_code == 200
    assert counts.handled("Cancelled") == before + 1


def test_rejects_too_many_searches(client: HttpClient) -> None:
    async def ask_twice() -> list[httpx.Response]:
        body = {"state": state, "budget": {"milliseconds": 300}}
        async with client.connect() as http:
            asked = [http.post("/v1/states:suggestMoves", json=body) for _ in range(2)]
            return list(await asyncio.gather(*asked))

    state = first_state(client)
    served, rejected = sorted(client.run(ask_twice()), key=lambda response: response.status_code)
    assert served.status_code == 200
    assert_status(rejected, 429, 8, "OVERLOADED")
    assert float(rejected.json()["details"][-1]["retryDelay"].rstrip("s")) >= 0.05


def test_does_not_handle_a_call_after_its_deadline(make_client: MakeClient) -> None:
    handled: list[object] = []
    client = make_client({"GetGame": handled.append})
    late = client.ask("GET", "/v1/games/contrast", headers={"grpc-timeout": "1n"})
    assert (late.status_code, late.json()["details"][0]["reason"]) == (504, "DEADLINE_EXCEEDED")
    assert handled == []


@pytest.mark.parametrize("timeout", ["", "5", "S", "1s", "-1S", "123456789S", "1.5S"])
def test_rejects_an_invalid_timeout(client: HttpClient, timeout: str) -> None:
    answer = client.ask("GET", "/v1/games/contrast", headers={"grpc-timeout": timeout})
    assert answer.status_code == 400


def test_a_search_ends_before_its_deadline(client: HttpClient) -> None:
    asked = {"state": first_state(client), "budget": {"milliseconds": 50_000}}
    answer = client.ask(
        "POST", "/v1/states:suggestMoves", json=asked, headers={"grpc-timeout": "400m"}
    )
    assert answer.status_code == 200
    assert answer.json()["stopped"] == "STOP_REASON_TIME"
    assert answer.json()["milliseconds"] < 10_000


def test_rejects_calls_beyond_the_limit_and_loses_none(make_client: MakeClient) -> None:
    held = True

    def draw(request: object) -> Work[pb.RenderStateResponse]:
        while held:
            yield
        return pb.RenderStateResponse(content="drawn")

    client = make_client({"RenderState": draw}, max_calls=3)

    async def flood() -> tuple[list[int], list[int], httpx.Response]:
        nonlocal held
        async with client.connect() as http:
            drawings = [http.post("/v1/states:render", json={}) for _ in range(3)]
            calls = [asyncio.ensure_future(drawing) for drawing in drawings]
            while client.service.call_limit.total < 3:
                await asyncio.sleep(0)
            assert (await http.get("/v1/games")).status_code == 200
            rejected = [await http.post("/v1/states:render", json={}) for _ in range(20)]
            held = False
            ended = [answer.status_code for answer in await asyncio.gather(*calls)]
            after = await http.get("/v1/games")
        details = rejected[0].json()["details"]
        assert details[0]["reason"] == "OVERLOADED"
        assert details[1]["@type"].endswith("google.rpc.RetryInfo")
        return [answer.status_code for answer in rejected], ended, after

    rejected, ended, after = client.run(flood())
    assert rejected == [429] * 20
    assert ended == [200] * 3
    assert after.status_code == 200
    metrics = client.service.metrics
    assert metrics.total(metrics.rejected["calls"]) == 20
    assert client.log == []


def test_an_incomplete_request_does_not_count_as_a_call_in_progress(
    make_client: MakeClient,
) -> None:
    """Otherwise, clients that send only the beginning of a request could lock everyone out."""
    client = make_client(max_calls=1)
    headers = (b"content-type", b"application/json")

    async def scenario() -> httpx.Response:
        parts = [part(b'{"state"', more=True)]

        async def receive() -> Any:
            return parts.pop() if parts else await asyncio.Event().wait()

        async def send(message: Any) -> None:
            raise AssertionError("an incomplete request was answered")

        half = asyncio.ensure_future(
            client.application(http_scope("/v1/states:describe", headers), receive, send)
        )
        while parts:
            await asyncio.sleep(0)
        async with client.connect() as http:
            answer = await http.get("/v1/games")
        half.cancel()
        await asyncio.wait([half])
        return answer

    assert client.run(scenario()).status_code == 200
    counts = CallCounts(client.service, "DescribeState")
    assert (counts.started, counts.by_code()) == (1, {"Cancelled": 1})
