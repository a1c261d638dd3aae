"""Calls that take long, come too late or are too many."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest
from tablier.v1 import game_service_pb2 as pb
from tablier_service.calls.slices import Work

from tests.service.transports.http.doors import (
    RUNNER,
    SETTINGS,
    Door,
    all_methods,
    assert_status,
    door_with,
    first_state,
    http_scope,
    part,
)


def test_advice(door: Door) -> None:
    request = {"state": first_state(door), "budget": {"iterations": 50}}
    response = door.ask("POST", "/v1/states:suggestMoves", json=request)
    assert response.status_code == 200
    assert response.json()["iterations"] == "50"
    wrong = door.ask("POST", "/v1/states:suggestMoves", json={**request, "seat": 9})
    assert_status(wrong, 400, 9, "WRONG_SEAT")


def test_a_search_ends_when_its_caller_leaves(door: Door) -> None:
    body = json.dumps({"state": first_state(door), "budget": {"milliseconds": 30_000}}).encode()
    headers = (b"content-type", b"application/json")
    scope = http_scope("/v1/states:suggestMoves", headers)
    assert door.exchange(scope, part(body, more=False), {"type": "http.disconnect"}) == []
    # The pool has one slot: this one would wait, and be refused, if the first still ran.
    quick = {"state": first_state(door), "budget": {"iterations": 1}}
    hurry = {"grpc-timeout": "10S"}
    answer = door.ask("POST", "/v1/states:suggestMoves", json=quick, headers=hurry)
    assert answer.status_code == 200
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
    held = True
    under_way: list[object] = []

    def draw(request: object) -> Work[pb.RenderStateResponse]:
        under_way.append(request)
        while held:
            yield
        return pb.RenderStateResponse(content="drawn")

    door = door_with("RenderState", draw, SETTINGS.model_copy(update={"max_calls": 3}))

    async def flood() -> tuple[list[int], list[int], httpx.Response]:
        nonlocal held
        transport = httpx.ASGITransport(app=door.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://door") as client:
            drawings = [client.post("/v1/states:render", json={}) for _ in range(3)]
            calls = [asyncio.ensure_future(drawing) for drawing in drawings]
            while len(under_way) < 3:
                await asyncio.sleep(0)
            refused = [await client.get("/v1/games") for _ in range(20)]
            held = False
            ended = [answer.status_code for answer in await asyncio.gather(*calls)]
            after = await client.get("/v1/games")
        details = refused[0].json()["details"]
        assert details[0]["reason"] == "OVERLOADED"
        assert details[1]["@type"].endswith("google.rpc.RetryInfo")
        return [answer.status_code for answer in refused], ended, after

    refused, ended, after = RUNNER.run(asyncio.wait_for(flood(), 30))
    assert refused == [429] * 20
    assert ended == [200] * 3
    assert after.status_code == 200
    assert door.metrics.total(door.metrics.sheds["calls"]) == 20
    assert door.log.lines == [line for line in door.log.lines if line["reason"] != "OVERLOADED"]


def test_half_a_request_takes_nobodys_place() -> None:
    """Whoever sends no more than the beginning of bodies could else shut everybody out."""
    door = Door(all_methods(), SETTINGS.model_copy(update={"max_calls": 1}))
    headers = (b"content-type", b"application/json")

    async def scenario() -> httpx.Response:
        parts = [part(b'{"state"', more=True)]

        async def receive() -> Any:
            return parts.pop() if parts else await asyncio.Event().wait()

        async def send(message: Any) -> None:
            raise AssertionError("half a request is not answered")

        half = asyncio.ensure_future(
            door.app(http_scope("/v1/states:describe", headers), receive, send)
        )
        while parts:
            await asyncio.sleep(0)
        transport = httpx.ASGITransport(app=door.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://door") as client:
            answer = await client.get("/v1/games")
        half.cancel()
        return answer

    assert RUNNER.run(scenario()).status_code == 200
