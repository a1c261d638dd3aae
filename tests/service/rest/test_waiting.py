"""Calls that take long, come too late or are too many."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest

from tests.service.rest.doors import (
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
