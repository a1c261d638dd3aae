"""Requests whose heads were seen before are not parsed again, and answered no differently."""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import pytest
from tablier_core import codec
from tablier_core.registry import GAMES
from tablier_service.security.authentication import digest_of
from tablier_service.service import Service
from tablier_service.transports.http.connection import MAX_HEADS

from tests.service.assembly import Assemble, CallCounts
from tests.service.transports.http.connections import (
    TOKEN,
    Connection,
    Server,
    moves_request,
    post,
    run_scenario,
)

PATH = "/v1/states:enumerateMoves"
OTHER = b64encode(codec.encode(GAMES["contigo-alignment"].start({"first": 1}, 7))).decode()


def asking(token: str, *headers: str) -> bytes:
    return post(PATH, json.dumps({"state": token}).encode(), *headers)


async def first_actor(connection: Connection) -> int:
    status, _, body = await connection.answer()
    assert status == 200
    return int(json.loads(body)["situation"].get("actors", [0])[0])


def test_answers_each_body_behind_a_known_head(service: Service) -> None:
    async def scenario(connection: Connection, server: Server) -> None:
        for token, actor in ((TOKEN, 0), (OTHER, 1), (TOKEN, 0)):
            connection.send(asking(token))
            assert await first_actor(connection) == actor
        assert len(server.application.known_heads) == 1

    run_scenario(service, scenario)


def test_a_known_head_may_arrive_in_pieces_or_with_the_next_request(service: Service) -> None:
    async def scenario(connection: Connection, server: Server) -> None:
        request = asking(TOKEN)
        connection.send(request)
        assert await first_actor(connection) == 0
        for cut in (10, request.index(b"\r\n\r\n") + 4, len(request) - 5):
            connection.send(request[:cut])
            await server.until_arriving()
            connection.send(request[cut:])
            assert await first_actor(connection) == 0
        connection.send(asking(TOKEN) + asking(OTHER) + asking(TOKEN))
        assert [await first_actor(connection) for _ in range(3)] == [0, 1, 0]

    run_scenario(service, scenario)


def test_a_connection_that_sends_a_known_head_first_stays_open(service: Service) -> None:
    async def scenario(connection: Connection, server: Server) -> None:
        other = await server.connect()
        for each in (connection, other):
            each.send(asking(TOKEN))
            assert await first_actor(each) == 0
        assert server.served_by_uvicorn == 0
        # The time for the first head to arrive is over for both.
        assert [each._handshake_timeout for each in server.connections] == [None, None]

    run_scenario(service, scenario)


def test_waits_for_the_last_byte_of_a_body(service: Service) -> None:
    async def scenario(connection: Connection, server: Server) -> None:
        request = post(PATH, json.dumps({"state": TOKEN}).encode() + b"   ")
        connection.send(request)
        assert await first_actor(connection) == 0
        connection.send(request[:-3])
        await server.until_arriving()
        connection.send(request[-3:] + asking(OTHER))
        assert [await first_actor(connection) for _ in range(2)] == [0, 1]

    run_scenario(service, scenario)


def test_answers_are_in_the_order_of_requests(service: Service) -> None:
    async def scenario(connection: Connection, server: Server) -> None:
        connection.send(asking(TOKEN))
        assert await first_actor(connection) == 0
        thinking = json.dumps({"state": TOKEN, "budget": {"milliseconds": 200}}).encode()
        connection.send(post("/v1/states:suggestMoves", thinking))
        await server.until_waiting()
        connection.send(asking(TOKEN))
        assert b'"suggestions"' in (await connection.answer())[2]
        assert await first_actor(connection) == 0

    run_scenario(service, scenario)


def test_reports_failures_behind_a_known_head(service: Service) -> None:
    async def scenario(connection: Connection, server: Server) -> None:
        connection.send(asking(TOKEN))
        assert await first_actor(connection) == 0
        wrong = asking("A" * len(TOKEN))
        connection.send(wrong)
        assert (await connection.answer())[0] == 400
        connection.send(asking(TOKEN))
        assert await first_actor(connection) == 0

    run_scenario(service, scenario)


def test_does_not_remember_heads_that_are_incomplete_or_end_the_connection(
    service: Service,
) -> None:
    async def scenario(connection: Connection, server: Server) -> None:
        chunked = (
            f"POST {PATH} HTTP/1.1\r\nhost: here\r\ncontent-type: application/json\r\n"
            "transfer-encoding: chunked\r\n\r\n"
        ).encode()
        body = json.dumps({"state": TOKEN}).encode()
        connection.send(chunked + b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body))
        assert await first_actor(connection) == 0
        connection.send(asking(TOKEN) + asking(TOKEN))
        assert [await first_actor(connection) for _ in range(2)] == [0, 0]
        assert not server.application.known_heads
        connection.send(moves_request("enumerateMoves", "connection: close"))
        assert (await connection.answer())[1]["connection"] == "close"
        assert await connection.is_closed()
        assert not server.application.known_heads

    run_scenario(service, scenario)


def test_limits_the_number_of_remembered_heads(service: Service) -> None:
    async def scenario(connection: Connection, server: Server) -> None:
        for number in range(MAX_HEADS + 3):
            connection.send(asking(TOKEN, f"x-request-id: {number}"))
            _, headers, _ = await connection.answer()
            assert headers["x-request-id"] == str(number)
        assert len(server.application.known_heads) == 3
        long = "x-long: " + "a" * 2000
        connection.send(asking(TOKEN, long))
        assert await first_actor(connection) == 0
        assert len(server.application.known_heads) == 3

    run_scenario(service, scenario)


def test_closes_an_idle_connection_but_not_one_in_use(service: Service) -> None:
    async def scenario(connection: Connection, server: Server) -> None:
        loop = asyncio.get_running_loop()
        began = loop.time()
        while loop.time() - began < 1.5:
            connection.send(asking(TOKEN))
            assert await first_actor(connection) == 0
            await asyncio.sleep(0.01)
        assert await connection.is_closed()

    run_scenario(service, scenario, idle_seconds=1)


KEY = "key-of-the-lobby"
CREDENTIAL = f"authorization: Bearer {KEY}"


def callers_file(path: Path, key: str = KEY, quota: str = "") -> Path:
    digest = sha256(key.encode()).hexdigest()
    entry = f'[[callers]]\nname = "lobby"\nroles = ["host"]\nkey_sha256 = ["{digest}"]\n{quota}\n'
    path.write_text(entry)
    return path


def test_remembers_heads_with_credentials_but_not_the_credentials(
    assemble: Assemble, tmp_path: Path
) -> None:
    service = assemble(callers_file=callers_file(tmp_path / "callers"))

    async def scenario(connection: Connection, server: Server) -> None:
        for _ in range(3):
            connection.send(asking(TOKEN, CREDENTIAL))
            assert await first_actor(connection) == 0
        known = server.application.known_heads
        ((data, head),) = known.items()
        assert KEY.encode() not in data
        assert KEY not in str(head)
        assert head.digest == digest_of(KEY.encode())
        assert server.served_by_uvicorn == 0

    run_scenario(service, scenario)
    counts = CallCounts(service, "EnumerateMoves")
    assert (counts.started, counts.by_code()) == (3, {"OK": 3})


def test_authenticates_every_request_with_a_known_head(assemble: Assemble, tmp_path: Path) -> None:
    """A key that is removed from the callers file is rejected at once."""
    path = callers_file(tmp_path / "callers")
    service = assemble(callers_file=path)

    async def scenario(connection: Connection, server: Server) -> None:
        connection.send(asking(TOKEN, CREDENTIAL))
        assert await first_actor(connection) == 0
        callers_file(path, "another key")
        service.files.check()
        connection.send(asking(TOKEN, CREDENTIAL))
        status, _, body = await connection.answer()
        assert (status, json.loads(body)["details"][0]["reason"]) == (401, "UNAUTHENTICATED")
        callers_file(path)
        service.files.check()
        connection.send(asking(TOKEN, CREDENTIAL))
        assert await first_actor(connection) == 0
        assert server.served_by_uvicorn == 0

    run_scenario(service, scenario)


def test_takes_every_request_with_a_known_head_from_the_quota(
    assemble: Assemble, tmp_path: Path
) -> None:
    quota = "calls_per_second = 0.001\nburst = 3"
    service = assemble(callers_file=callers_file(tmp_path / "callers", quota=quota))

    async def scenario(connection: Connection, server: Server) -> None:
        for expected in (200, 200, 200, 429, 429):
            connection.send(asking(TOKEN, CREDENTIAL))
            assert (await connection.answer())[0] == expected
        assert server.served_by_uvicorn == 0

    run_scenario(service, scenario)
    counts = CallCounts(service, "EnumerateMoves")
    assert (counts.started, counts.by_code()) == (5, {"OK": 3, "ResourceExhausted": 2})


def test_another_credential_has_another_head(assemble: Assemble, tmp_path: Path) -> None:
    service = assemble(callers_file=callers_file(tmp_path / "callers"))

    async def scenario(connection: Connection, server: Server) -> None:
        connection.send(asking(TOKEN, CREDENTIAL))
        assert await first_actor(connection) == 0
        for wrong in (CREDENTIAL[:-1] + "x", "x-other: header of the same kind as it"):
            connection.send(asking(TOKEN, wrong))
            assert (await connection.answer())[0] == 401

    run_scenario(service, scenario)


def test_rejects_a_request_without_credentials_before_its_body_arrives(
    assemble: Assemble, tmp_path: Path
) -> None:
    service = assemble(callers_file=callers_file(tmp_path / "callers"))

    async def scenario(connection: Connection, server: Server) -> None:
        request = asking(TOKEN)
        connection.send(request[:-10])
        assert (await connection.answer())[0] == 401
        # The connection can still be used.
        connection.send(request[-10:] + asking(TOKEN, CREDENTIAL))
        assert await first_actor(connection) == 0

    run_scenario(service, scenario)
    counts = CallCounts(service, "EnumerateMoves")
    assert (counts.started, counts.by_code()) == (2, {"OK": 1, "Unauthenticated": 1})


@pytest.mark.parametrize("secured", [False, True])
def test_a_call_that_waits_behind_a_known_head_runs_once(
    assemble: Assemble, tmp_path: Path, secured: bool
) -> None:
    path = callers_file(tmp_path / "callers")
    service = assemble(**({"callers_file": path} if secured else {}))
    credentials = (CREDENTIAL,) if secured else ()

    async def scenario(connection: Connection, server: Server) -> None:
        def batch(operations: int) -> bytes:
            listed = [{"renderState": {"state": TOKEN, "seat": 0}}] * operations
            # Of the same length, so that the head is the same.
            body = json.dumps({"operations": listed}).encode().ljust(30_000)
            return post("/v1/batch", body, *credentials)

        for operations in (1, 60, 1):
            connection.send(batch(operations))
            status, _, body = await connection.answer()
            assert (status, len(json.loads(body)["results"])) == (200, operations)

    run_scenario(service, scenario)
    counts = CallCounts(service, "Batch")
    assert (counts.started, counts.by_code()) == (3, {"OK": 3})
