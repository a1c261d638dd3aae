"""The fast path for calls over real connections, compared with uvicorn's own way."""

from __future__ import annotations

import asyncio
import json
from contextlib import ExitStack

import pytest
from tablier_service.service import Service
from tablier_service.transports.http.connection import MAX_BODY

from tests.service.assembly import Assemble, CallCounts, RecordingLogger, with_handlers
from tests.service.transports.http.connections import (
    TOKEN,
    Connection,
    Server,
    moves_request,
    post,
    run_scenario,
)

PATH = "/v1/states:enumerateMoves"


@pytest.fixture(scope="module")
def service(assemble: Assemble) -> Service:
    return assemble(
        {"logger": RecordingLogger()}, max_request_bytes=2048, search_slots=1, search_queue=4
    )


def test_answers_calls_without_a_task(service: Service) -> None:
    async def scenario(connection: Connection, server: Server) -> None:
        for _ in range(3):
            connection.send(moves_request())
            status, headers, body = await connection.answer()
            assert (status, headers["content-type"]) == (200, "application/json")
            assert json.loads(body)["situation"]["game"] == "contigo-alignment"
            assert headers["x-request-id"]
            assert headers["date"]
        connection.send(b"GET /v1/games/contract HTTP/1.1\r\nhost: here\r\n\r\n")
        assert (await connection.answer())[0] == 200
        assert server.served_by_uvicorn == 0
        connection.send(b"HEAD /v1/games HTTP/1.1\r\nhost: here\r\n\r\n")
        assert b"HTTP/1.1 200" in (await connection._reader.readuntil(b"\r\n\r\n"))
        assert server.served_by_uvicorn == 1

    run_scenario(service, scenario)


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (post(PATH, b"{}"), 400),
        (post(PATH, b"{"), 400),
        (post(PATH, b" " * 3000), 413),
        (post(PATH, b"{}", "content-encoding: gzip"), 415),
        (post(f"{PATH}?x={'y' * 3000}", b""), 414),
        (post(f"{PATH}?x=y", b""), 400),
        (moves_request("enumerateMoves", "grpc-timeout: 0m"), 504),
        (moves_request("enumerateMoves", "grpc-timeout: soon"), 400),
        (moves_request("enumerateMoves", "grpc-timeout: 10S"), 200),
    ],
)
def test_answers_failures_without_a_task(
    service: Service, request_bytes: bytes, status: int
) -> None:
    counts = CallCounts(service, "EnumerateMoves")

    async def scenario(connection: Connection, server: Server) -> None:
        connection.send(request_bytes)
        assert (await connection.answer())[0] == status
        assert server.served_by_uvicorn == 0

    before = counts.started, counts.handled()
    run_scenario(service, scenario)
    assert (counts.started, counts.handled()) == (before[0] + 1, before[1] + 1)


def test_runs_a_failing_call_once(service: Service) -> None:
    requests: list[object] = []

    def fail(request: object) -> object:
        requests.append(request)
        raise RuntimeError("secret")

    failing, switch_on = with_handlers(service, EnumerateMoves=fail)

    async def scenario(connection: Connection, server: Server) -> None:
        switch_on()
        connection.send(moves_request())
        status, _, body = await connection.answer()
        assert status == 500
        assert b"secret" not in body
        assert server.served_by_uvicorn == 0

    run_scenario(failing, scenario)
    assert len(requests) == 1


def test_leaves_targets_with_a_fragment_to_uvicorn(service: Service) -> None:
    async def scenario(connection: Connection, server: Server) -> None:
        connection.send(moves_request("enumerateMoves#x"))
        assert (await connection.answer())[0] == 200
        assert server.served_by_uvicorn == 1

    run_scenario(service, scenario)


def batch(operations: int) -> bytes:
    listed = [{"describeState": {"state": TOKEN}}] * operations
    return json.dumps({"operations": listed}).encode()


def test_answers_a_short_batch_without_a_task(service: Service) -> None:
    async def scenario(connection: Connection, server: Server) -> None:
        body = json.dumps({"operations": [{"getGame": {"game": "contrast"}}]}).encode()
        connection.send(post("/v1/batch", body))
        assert len(json.loads((await connection.answer())[2])["results"]) == 1
        # A busy machine may use up the slice.
        assert server.served_by_uvicorn <= 1

    run_scenario(service, scenario)


def test_hands_work_that_takes_longer_than_a_slice_to_uvicorn(assemble: Assemble) -> None:
    """With the call that has been started: it runs once."""
    service = assemble()
    started: list[object] = []
    original = service.method("Batch").handler

    def count(request: object) -> object:
        started.append(request)
        return original(request)

    counting, switch_on = with_handlers(service, Batch=count)

    async def scenario(connection: Connection, server: Server) -> None:
        switch_on()
        connection.send(post("/v1/batch", batch(1000)))
        assert len(json.loads((await connection.answer())[2])["results"]) == 1000
        assert server.served_by_uvicorn == 1

    run_scenario(counting, scenario)
    assert len(started) == 1
    counts = CallCounts(counting, "Batch")
    assert (counts.started, counts.by_code()) == (1, {"OK": 1})


def test_answers_cheap_calls_while_no_more_may_wait(service: Service) -> None:
    async def scenario(connection: Connection, server: Server) -> None:
        connection.send(moves_request())
        assert (await connection.answer())[0] == 200
        assert server.served_by_uvicorn == 0

    with ExitStack() as in_progress:
        for number in range(service.settings.max_calls):
            in_progress.enter_context(service.call_limit.place(str(number)))
        run_scenario(service, scenario)


def test_both_ways_answer_alike(service: Service) -> None:
    """Byte for byte. The header `expect` makes uvicorn's way necessary."""

    async def scenario(connection: Connection, server: Server) -> None:
        for path in ("enumerateMoves", "applyMoves", "describe", "render"):
            answers = []
            for more in ((), ("expect: 100-continue",)):
                connection.send(moves_request(path, "x-request-id: me", *more))
                if more:
                    assert (await connection.answer())[0] == 100
                answers.append(await connection.answer())
            for _, headers, _ in answers:
                del headers["date"]
            assert answers[0] == answers[1]
        assert server.served_by_uvicorn == 4

    run_scenario(service, scenario)


def test_reads_a_request_in_pieces(service: Service) -> None:
    async def scenario(connection: Connection, server: Server) -> None:
        data = moves_request()
        for start in range(0, len(data), 40):
            connection.send(data[start : start + 40])
            await asyncio.sleep(0)
        assert (await connection.answer())[0] == 200
        assert server.served_by_uvicorn == 0

    run_scenario(service, scenario)


@pytest.mark.parametrize("framing", ["content-length: 500000", "transfer-encoding: chunked"])
def test_rejects_a_large_body_before_all_of_it_has_arrived(service: Service, framing: str) -> None:
    async def scenario(connection: Connection, server: Server) -> None:
        head = "POST /v1/states:applyMoves HTTP/1.1\r\nhost: here\r\n"
        part = b" " * (MAX_BODY + 1)
        chunk = b"%x\r\n%s\r\n" % (len(part), part) if "chunked" in framing else part
        connection.send(f"{head}{framing}\r\n\r\n".encode() + chunk)
        status, _, body = await connection.answer()
        assert status == 413
        assert json.loads(body)["details"][0]["reason"] == "TOO_LARGE"

    run_scenario(service, scenario)


def test_answers_pipelined_requests_in_order(service: Service) -> None:
    async def scenario(connection: Connection, server: Server) -> None:
        paths = ("describe", "suggestMoves", "enumerateMoves", "describe")
        requests = [moves_request(path, f"x-request-id: {n}") for n, path in enumerate(paths)]
        connection.send(b"".join(requests))
        for number in range(4):
            status, headers, _ = await connection.answer()
            assert (status, headers["x-request-id"]) == (200, str(number))

    run_scenario(service, scenario)


@pytest.mark.parametrize(("version", "header"), [("1.1", "connection: close"), ("1.0", "x: y")])
def test_closes_the_connection_if_the_client_asks_for_it(
    service: Service, version: str, header: str
) -> None:
    async def scenario(connection: Connection, server: Server) -> None:
        connection.send(moves_request("enumerateMoves", header, version=version))
        status, headers, _ = await connection.answer()
        assert (status, headers["connection"]) == (200, "close")
        assert await connection.is_closed()

    run_scenario(service, scenario)


def test_answers_a_request_that_is_arriving_when_the_server_stops(service: Service) -> None:
    async def scenario(connection: Connection, server: Server) -> None:
        data = moves_request()
        connection.send(data[:-10])
        await server.until(lambda connection: bool(connection._parts))
        stopping = asyncio.ensure_future(server.http.stop(5))
        await server.until(lambda connection: bool(connection._closing))
        connection.send(data[-10:])
        status, headers, _ = await connection.answer()
        assert (status, headers["connection"]) == (200, "close")
        await stopping

    run_scenario(service, scenario)


def test_answers_bytes_that_are_not_a_request(service: Service) -> None:
    async def scenario(connection: Connection, server: Server) -> None:
        connection.send(b"\x00\x01\r\n\r\n")
        status, headers, body = await connection.answer()
        assert (status, headers["content-type"]) == (400, "application/json")
        assert json.loads(body)["details"][0]["reason"] == "INVALID_FIELD"
        assert await connection.is_closed()

    run_scenario(service, scenario)


def test_allows_pages_of_other_origins_without_a_task(assemble: Assemble) -> None:
    async def scenario(connection: Connection, server: Server) -> None:
        # The second request has a head that is remembered.
        for _ in range(2):
            connection.send(moves_request("enumerateMoves", "origin: https://here.example"))
            _, headers, _ = await connection.answer()
            assert headers["access-control-allow-origin"] == "https://here.example"
        connection.send(moves_request("enumerateMoves", "origin: https://evil.example"))
        _, headers, _ = await connection.answer()
        assert "access-control-allow-origin" not in headers
        assert server.served_by_uvicorn == 0

    run_scenario(assemble(cors_origins="https://here.example"), scenario)
