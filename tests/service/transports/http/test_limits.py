"""The limits of connections: how many, how slow, and what is answered beyond them."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import time
from collections.abc import Callable
from itertools import repeat
from typing import Any

import pytest
from tablier.v1.advisor_service_pb2 import StreamAnalysisResponse, Suggestion
from tablier.v1.game_pb2 import Move
from tablier_service.calls.held import Held
from tablier_service.calls.slices import SLICE_SECONDS
from tablier_service.errors import Overloaded
from tablier_service.security.callers import Caller, Peer
from tablier_service.security.quotas import Allowance, Quotas
from tablier_service.service import Service
from tablier_service.transports.http.application import HttpApplication
from tablier_service.transports.http.open_connections import (
    SPARE,
    SPARE_PER_ADDRESS,
    OpenConnections,
)

from tests.service.assembly import Assemble, CallCounts, with_handlers
from tests.service.transports.http.connections import (
    TOKEN,
    Connection,
    Server,
    moves_request,
    post,
    run_scenario,
)

GET = "GET {} HTTP/1.1\r\nhost: here\r\n\r\n"


def get(path: str) -> bytes:
    return GET.format(path).encode()


async def until(holds: Callable[[], bool]) -> None:
    while not holds():
        await asyncio.sleep(0.001)


def test_subjects_of_jwts_do_not_share_their_part_of_the_memory(service: Service) -> None:
    application = HttpApplication(service)
    head = application.find_call(b"GET", b"/v1/games", [])
    assert head is not None

    def held_by(subject: str) -> Held:
        call = head.endpoint.call_type(head, Peer("127.0.0.1:1"))
        call.caller = Caller("jwt", frozenset(), Quotas(Allowance()), f"jwt:{subject}")
        return Held(service.buffer_limit, call)

    most = service.settings.max_buffered_bytes // 4
    with held_by("ann") as ann, held_by("ann") as again, held_by("bob") as bob:
        ann.add(most)
        with pytest.raises(Overloaded):
            again.add(1)
        bob.add(most)


class Silent:
    """A connection on which nothing happens."""

    aborted = False

    def abort(self) -> None:
        self.aborted = True


def test_counts_connections_by_address() -> None:
    connections = OpenConnections(maximum=5, per_address=2)
    first, second, third = Silent(), Silent(), Silent()
    assert [connections.enter(each, "a") for each in (first, second, third)] == [True, True, False]
    assert [connections.enter(Silent(), "b") for _ in range(3)] == [True, True, False]
    assert not connections.full
    assert connections.enter(Silent(), "c")
    assert connections.full
    assert not connections.enter(Silent(), "d")
    for each in (first, first, third):
        connections.leave(each)
    assert [connections.enter(Silent(), "a") for _ in range(2)] == [True, False]


@pytest.mark.parametrize(
    ("addresses", "most"), [(["a"] * 100, SPARE_PER_ADDRESS), (list(map(str, range(100))), SPARE)]
)
def test_a_new_spare_connection_takes_the_place_of_the_oldest(
    addresses: list[str], most: int
) -> None:
    connections = OpenConnections(maximum=1, per_address=1)
    admitted = Silent()
    connections.enter(admitted, addresses[0])
    spare = [Silent() for _ in addresses]
    for each, address in zip(spare, addresses, strict=True):
        assert not connections.enter(each, address)
    assert [each.aborted for each in spare] == [True] * (100 - most) + [False] * most
    assert not admitted.aborted


def test_answers_only_health_beyond_the_limit(assemble: Assemble) -> None:
    service = assemble(max_http_connections=3, max_http_connections_per_address=2)
    service.metrics.serving.set(1)

    async def scenario(connection: Connection, server: Server) -> None:
        connection.send(moves_request())
        assert (await connection.answer())[0] == 200
        others = [await server.connect()]
        await until(lambda: len(server.connections) == 2)
        for path, expected in (("/healthz", 200), ("/readyz", 200), ("/v1/games", 429)):
            spare = await server.connect()
            spare.send(get(path))
            status, headers, body = await spare.answer()
            assert (status, headers["connection"]) == (expected, "close")
            assert await spare.is_closed()
            if status == 429:
                assert json.loads(body)["details"][0]["reason"] == "OVERLOADED"
            await until(lambda: len(server.connections) == 2)
        # Those within the limit go on, and the end of one makes room.
        connection.send(moves_request())
        assert (await connection.answer())[0] == 200
        others[0].close()
        await until(lambda: len(server.connections) == 1)
        later = await server.connect()
        later.send(moves_request())
        assert (await later.answer())[0] == 200

    run_scenario(service, scenario)
    service.metrics.serving.set(0)


def test_is_not_ready_without_room_for_connections(assemble: Assemble) -> None:
    service = assemble(max_http_connections=1)
    service.metrics.serving.set(1)

    async def scenario(connection: Connection, server: Server) -> None:
        await until(lambda: len(server.connections) == 1)
        spare = await server.connect()
        spare.send(get("/readyz"))
        assert (await spare.answer())[0] == 503

    run_scenario(service, scenario)
    service.metrics.serving.set(0)


@pytest.mark.parametrize("kind", ["call_limit", "stream_limit"])
def test_is_not_ready_without_room_for_calls(assemble: Assemble, kind: str) -> None:
    service = assemble(max_calls=1, max_streams=1)
    service.metrics.serving.set(1)

    async def scenario(connection: Connection, server: Server) -> None:
        for path, expected in (("/healthz", 200), ("/readyz", 503)):
            connection.send(get(path))
            assert (await connection.answer())[0] == expected

    with getattr(service, kind).place("another"):
        run_scenario(service, scenario)
    assert service.ready
    service.metrics.serving.set(0)


def test_silent_connections_do_not_hide_the_health_of_the_service(assemble: Assemble) -> None:
    service = assemble(max_http_connections_per_address=1)

    async def scenario(connection: Connection, server: Server) -> None:
        for _ in range(2 * SPARE_PER_ADDRESS):
            await server.connect()
        await until(lambda: len(server.connections) == 1 + SPARE_PER_ADDRESS)
        spare = await server.connect()
        spare.send(get("/healthz"))
        assert (await spare.answer())[0] == 200

    run_scenario(service, scenario)


def test_long_work_of_one_client_is_done_one_after_the_other(assemble: Assemble) -> None:
    running = most = 0

    def count(request: Any) -> Any:
        nonlocal running, most
        # The first slice of a call needs no turn, so let it end.
        time.sleep(2 * SLICE_SECONDS)
        yield
        running += 1
        most = max(most, running)
        for _ in range(3):
            time.sleep(2 * SLICE_SECONDS)
            yield
        running -= 1
        return b""

    service, switch_on = with_handlers(assemble(), Batch=count)

    async def scenario(connection: Connection, server: Server) -> None:
        switch_on()
        clients = [await server.connect() for _ in range(8)]
        for each in clients:
            each.send(post("/v1/batch", b" " * 70_000 + b"{}"))
        for each in clients:
            assert (await each.answer())[0] == 200

    run_scenario(service, scenario)
    assert most == 1


def test_says_in_every_response_that_its_type_is_final(service: Service) -> None:
    async def scenario(connection: Connection, server: Server) -> None:
        for request in (
            moves_request(),
            moves_request(),  # its head is known now
            get("/healthz"),
            get("/docs"),
            get("/nothing"),
            moves_request("suggestMoves", "grpc-timeout: 0m"),
            b"\x00\x01\r\n\r\n",
        ):
            connection.send(request)
            _, headers, _ = await connection.answer()
            assert headers["x-content-type-options"] == "nosniff"

    run_scenario(service, scenario)


@pytest.mark.parametrize("call", ["enumerateMoves", "suggestMoves"])
def test_ends_a_request_that_dribbles(assemble: Assemble, call: str) -> None:
    """Each byte comes in time, but the request does not."""
    service = assemble(request_seconds=0.3, max_idle_seconds=600)

    async def scenario(connection: Connection, server: Server) -> None:
        request = moves_request(call)
        connection.send(request[:-40])
        answer = asyncio.ensure_future(connection.answer())
        for byte in request[-40:-1]:
            connection.send(bytes([byte]))
            await asyncio.wait((answer,), timeout=0.05)
            if answer.done():
                break
        assert (await answer)[0] == 408
        assert await connection.is_closed()

    run_scenario(service, scenario)


def slow_reader(server: Server) -> socket.socket:
    """A connection with a small window, which nobody reads."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.connect(("127.0.0.1", server.http.port))
    return client


def test_disconnects_a_client_that_does_not_read_its_answer(assemble: Assemble) -> None:
    service = assemble(send_seconds=0.2)
    counts = CallCounts(service, "Batch")
    operations = [{"getGame": {"game": "contract"}}] * 500
    body = json.dumps({"operations": operations}).encode()

    async def scenario(connection: Connection, server: Server) -> None:
        with slow_reader(server) as client:
            await until(lambda: len(server.connections) == 2)
            client.sendall(post("/v1/batch", body))
            await until(lambda: len(server.connections) == 1)
        # Its bytes are forgotten.
        await until(lambda: service.buffer_limit.total == 0)

    run_scenario(service, scenario)
    assert counts.handled("OK") == 1


def test_a_client_that_reads_slowly_gets_everything(assemble: Assemble) -> None:
    service = assemble(send_seconds=0.5)
    operations = [{"getGame": {"game": "contract"}}] * 100
    body = json.dumps({"operations": operations}).encode()

    async def scenario(connection: Connection, server: Server) -> None:
        loop = asyncio.get_running_loop()
        with slow_reader(server) as client:
            client.setblocking(False)
            await loop.sock_sendall(client, post("/v1/batch", body, "connection: close"))
            received = b""
            while part := await loop.sock_recv(client, 65536):
                received += part
                await asyncio.sleep(0.001)
        assert len(json.loads(received.partition(b"\r\n\r\n")[2])["results"]) == 100

    run_scenario(service, scenario)


def test_cancels_the_search_of_a_client_that_does_not_read_its_events(assemble: Assemble) -> None:
    """Its search would last a minute, and the pool has one slot."""
    service = assemble(send_seconds=0.2, search_slots=1, search_queue=0)
    counts = CallCounts(service, "StreamAnalysis")

    suggestion = Suggestion(move=Move(notation="x" * 1000))

    def endless(request: Any) -> Any:
        return lambda cancel: repeat(StreamAnalysisResponse(suggestions=[suggestion] * 10))

    slow, switch_on = with_handlers(service, StreamAnalysis=endless)

    async def scenario(connection: Connection, server: Server) -> None:
        switch_on()
        with slow_reader(server) as client:
            client.sendall(moves_request("streamAnalysis"))
            await until(lambda: counts.handled("Cancelled") == 1)

    run_scenario(slow, scenario)


def test_requests_in_one_packet_share_the_loop(service: Service) -> None:
    """Others are served long before the last of them."""

    async def scenario(connection: Connection, server: Server) -> None:
        count = 3000
        connection.send(get("/v1/games") * count)
        await until(lambda: server.http._server.server_state.total_requests > 0)
        other = await server.connect()
        other.send(get("/healthz"))
        await other.answer()
        assert server.http._server.server_state.total_requests < count
        other.close()
        for _ in range(count):
            assert (await connection.answer())[0] == 200

    run_scenario(service, scenario)


def test_answers_many_requests_in_one_packet_in_order(service: Service) -> None:
    async def scenario(connection: Connection, server: Server) -> None:
        paths = ["describe", "enumerateMoves", "suggestMoves"] * 20
        timeout = "grpc-timeout: 60S"
        requests = [
            moves_request(path, f"x-request-id: {number}", timeout)
            for number, path in enumerate(paths)
        ]
        connection.send(b"".join(requests))
        for number in range(len(paths)):
            _, headers, _ = await connection.answer()
            assert headers["x-request-id"] == str(number)

    run_scenario(service, scenario)


def test_rejects_large_requests_that_wait_for_their_last_byte(assemble: Assemble) -> None:
    service = assemble(max_buffered_bytes=1_000_000)
    body = json.dumps({"operations": [{"getGame": {"game": "contrast"}}] * 5000}).encode()

    async def scenario(connection: Connection, server: Server) -> None:
        connection.send(post("/v1/batch", body)[:-1])
        await until(lambda: service.buffer_limit.total >= len(body) - 1)
        other = await server.connect()
        other.send(post("/v1/batch", body)[:-1])
        status, _, answer = await other.answer()
        assert (status, json.loads(answer)["details"][0]["reason"]) == (429, "OVERLOADED")
        other.close()
        # Small requests go on.
        third = await server.connect()
        third.send(moves_request())
        assert (await third.answer())[0] == 200

    run_scenario(service, scenario)


def test_sends_a_large_answer_in_parts(service: Service) -> None:
    async def scenario(connection: Connection, server: Server) -> None:
        operations = [{"renderState": {"state": TOKEN}}] * 40
        body = json.dumps({"operations": operations}).encode()
        connection.send(post("/v1/batch", body, "x-request-id: me"))
        plain = await connection.answer()
        connection.send(post("/v1/batch", body, "x-request-id: me", "accept-encoding: gzip"))
        zipped = await connection.answer()
        assert len(json.loads(plain[2])["results"]) == 40
        assert zipped[1]["content-encoding"] == "gzip"
        assert gzip.decompress(zipped[2]) == plain[2]

    run_scenario(service, scenario)
