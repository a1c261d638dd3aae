"""The short way of plain requests, over real sockets: beside uvicorn's own, and alike."""

from __future__ import annotations

import asyncio
import json
from contextlib import ExitStack
from typing import Any

import pytest
from tablier_service.transports.http.connection import MAX_BODY
from tablier_service.transports.http.server import RestServer

from tests.service.transports.http.connections import (
    CALLS,
    CODES,
    DOOR,
    METRICS,
    SETTINGS,
    TOKEN,
    Caller,
    moves_request,
    post,
    served,
)


def test_quick_calls_need_no_task() -> None:
    async def scenario(caller: Caller, server: RestServer) -> None:
        for _ in range(3):
            caller.send(moves_request())
            status, headers, body = await caller.answer()
            assert (status, headers["content-type"]) == (200, "application/json")
            assert json.loads(body)["situation"]["game"] == "contigo-alignment"
            assert headers["x-request-id"]
            assert headers["date"]
        assert DOOR.asked == 0
        caller.send(b"GET /v1/games/contract HTTP/1.1\r\nhost: here\r\n\r\n")
        assert (await caller.answer())[0] == 200
        assert DOOR.asked == 1

    served(scenario)


def counted(code: str) -> float:
    labels = ("unary", "tablier.v1.GameService", "EnumerateMoves", code)
    return METRICS.total(METRICS.value(METRICS.handled, *labels))


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (post("/v1/states:enumerateMoves", b"{}"), 400),
        (post("/v1/states:enumerateMoves", b"{"), 400),
        (post("/v1/states:enumerateMoves", b" " * 3000), 413),
        (post("/v1/states:enumerateMoves", b"{}", "content-encoding: gzip"), 415),
        (post(f"/v1/states:enumerateMoves?x={'y' * 3000}", b""), 414),
        (moves_request("enumerateMoves", "grpc-timeout: 0m"), 504),
        (moves_request("enumerateMoves", "grpc-timeout: 10S"), 200),
        (moves_request("enumerateMoves#x"), 200),
    ],
)
def test_what_is_not_plain_goes_uvicorn_s_way(request_bytes: bytes, status: int) -> None:
    async def scenario(caller: Caller, server: RestServer) -> None:
        caller.send(request_bytes)
        assert (await caller.answer())[0] == status
        assert DOOR.asked == 1

    before = sum(map(counted, CODES))
    served(scenario)
    # Looked at twice, but counted once.
    assert sum(map(counted, CODES)) == before + 1


def test_work_in_slices_goes_uvicorn_s_way() -> None:
    async def scenario(caller: Caller, server: RestServer) -> None:
        operations = [{"enumerateMoves": {"state": TOKEN}}] * 5
        caller.send(post("/v1/batch", json.dumps({"operations": operations}).encode()))
        assert len(json.loads((await caller.answer())[2])["results"]) == 5
        assert DOOR.asked == 1

    served(scenario)


def test_the_limit_of_calls_holds() -> None:
    async def scenario(caller: Caller, server: RestServer) -> None:
        caller.send(moves_request())
        assert (await caller.answer())[0] == 429

    with ExitStack() as under_way:
        for _ in range(SETTINGS.max_calls):
            under_way.enter_context(CALLS)
        served(scenario)


def test_both_ways_answer_alike() -> None:
    """Byte for byte; the header makes uvicorn's way necessary."""

    async def scenario(caller: Caller, server: RestServer) -> None:
        for path in ("enumerateMoves", "applyMoves", "describe", "render"):
            answers = []
            for more in ((), ("expect: 100-continue",)):
                caller.send(moves_request(path, "x-request-id: me", *more))
                if more:
                    assert (await caller.answer())[0] == 100
                answers.append(await caller.answer())
            for _, headers, _ in answers:
                del headers["date"]
            assert answers[0] == answers[1]
        # Of each two that with the header, and both of the one that fails.
        assert DOOR.asked == 5

    served(scenario)


def test_a_request_in_pieces() -> None:
    async def scenario(caller: Caller, server: RestServer) -> None:
        data = moves_request()
        for start in range(0, len(data), 40):
            caller.send(data[start : start + 40])
            await asyncio.sleep(0)
        assert (await caller.answer())[0] == 200
        assert DOOR.asked == 0

    served(scenario)


@pytest.mark.parametrize("framing", ["content-length: 500000", "transfer-encoding: chunked"])
def test_too_large_is_known_before_all_of_it_has_come(framing: str) -> None:
    async def scenario(caller: Caller, server: RestServer) -> None:
        head = "POST /v1/states:applyMoves HTTP/1.1\r\nhost: here\r\n"
        part = b" " * (MAX_BODY + 1)
        chunk = b"%x\r\n%s\r\n" % (len(part), part) if "chunked" in framing else part
        caller.send(f"{head}{framing}\r\n\r\n".encode() + chunk)
        status, _, body = await caller.answer()
        assert status == 413
        assert json.loads(body)["details"][0]["reason"] == "TOO_LARGE"

    served(scenario)


def test_pipelined_requests_are_answered_in_order() -> None:
    async def scenario(caller: Caller, server: RestServer) -> None:
        paths = ("describe", "suggestMoves", "enumerateMoves", "describe")
        requests = [moves_request(path, f"x-request-id: {n}") for n, path in enumerate(paths)]
        caller.send(b"".join(requests))
        for number in range(4):
            status, headers, _ = await caller.answer()
            assert (status, headers["x-request-id"]) == (200, str(number))

    served(scenario)


@pytest.mark.parametrize(("version", "header"), [("1.1", "connection: close"), ("1.0", "x: y")])
def test_connections_end_when_the_caller_says_so(version: str, header: str) -> None:
    async def scenario(caller: Caller, server: RestServer) -> None:
        caller.send(moves_request("enumerateMoves", header, version=version))
        status, headers, _ = await caller.answer()
        assert (status, headers["connection"]) == (200, "close")
        assert await caller.is_closed()

    served(scenario)


def test_a_request_that_is_coming_in_survives_the_stop() -> None:
    async def scenario(caller: Caller, server: RestServer) -> None:
        data = moves_request()
        caller.send(data[:-10])
        # Until the server has read what was sent.
        connections: Any = server._server.server_state.connections
        while not any(each._parts for each in connections):
            await asyncio.sleep(0.001)
        stopping = asyncio.ensure_future(server.stop(5))
        while not any(each._last for each in connections):
            await asyncio.sleep(0.001)
        caller.send(data[-10:])
        status, headers, _ = await caller.answer()
        assert (status, headers["connection"]) == (200, "close")
        await stopping

    served(scenario)


def test_bytes_that_are_no_request() -> None:
    async def scenario(caller: Caller, server: RestServer) -> None:
        caller.send(b"\x00\x01\r\n\r\n")
        status, headers, body = await caller.answer()
        assert (status, headers["content-type"]) == (400, "application/json")
        assert json.loads(body)["details"][0]["reason"] == "INVALID_FIELD"
        assert await caller.is_closed()

    served(scenario)
