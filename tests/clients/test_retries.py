"""Calls that are sent again: which, when and for how long, by both clients."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from google.rpc import code_pb2, error_details_pb2, status_pb2
from tablier.v1.game_pb2 import Situation
from tablier_client import AsyncClient, AsyncState, Client, State
from tablier_client.errors import (
    Closed,
    DeadlineExceeded,
    Overloaded,
    QuotaExceeded,
    TablierError,
    Unavailable,
)
from tablier_client.retries import FEW_TRIES, LONGEST_PAUSE, Attempts, Budget

from tests.clients.faulty import Faulty, faulty_server

Act = Callable[[Any], Any]


@pytest.fixture
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tablier_client.retries.FIRST_PAUSE", 0.001)
    monkeypatch.setattr("tablier_client.retries.LONGEST_PAUSE", 0.001)


@pytest.fixture(params=[Client, AsyncClient])
def act(request: pytest.FixtureRequest) -> Callable[..., list[Any]]:
    """Run actions with one client of either kind, in turn; returns their results."""

    def with_client(address: str, *actions: Act, **arguments: Any) -> list[Any]:
        with Client(address, **arguments) as client:
            return [action(client) for action in actions]

    async def with_async_client(address: str, *actions: Act, **arguments: Any) -> list[Any]:
        async with AsyncClient(address, **arguments) as client:
            results = []
            for action in actions:
                result = action(client)
                results.append(await result if asyncio.iscoroutine(result) else result)
            return results

    if request.param is Client:
        return with_client
    return lambda *arguments, **keywords: asyncio.run(with_async_client(*arguments, **keywords))


def games(client: Any) -> Any:
    return client.games()


def start(client: Any) -> Any:
    return client.start("contrast")


def suggest(client: Any) -> Any:
    kind: Any = State if isinstance(client, Client) else AsyncState
    return kind.read(client, b"", Situation(), None, "").suggest()


def failing(faulty: Faulty, times: int, status: status_pb2.Status | None = None) -> Act:
    """An action that lets the next calls of each kind fail so often."""

    def fail(_: object) -> None:
        faulty.calls.clear()
        faulty.failures, faulty.status = times, status

    return fail


@pytest.mark.usefixtures("short_pauses")
@pytest.mark.parametrize(
    ("call", "name"), [(games, "ListGames"), (start, "StartGame"), (suggest, "SuggestMoves")]
)
def test_repeats_every_call_once_a_service_was_reached(act: Any, call: Act, name: str) -> None:
    with faulty_server() as server:
        act(server.address, games, failing(server, 20), call)
        assert server.calls[name] == 21


def test_a_first_call_is_repeated_for_less_than_a_second(act: Any) -> None:
    with faulty_server(failures=FEW_TRIES - 1) as server:
        assert act(server.address, games) == [[]]
    with faulty_server(failures=100) as server:
        with pytest.raises(Unavailable, match="not yet"):
            act(server.address, games)
        assert server.calls["ListGames"] == FEW_TRIES


def pauses(attempts: Attempts, *errors: TablierError) -> list[float | None]:
    return [attempts.pause_after(error) for error in errors]


def unavailable(**arguments: Any) -> TablierError:
    return Unavailable("gone", code=grpc.StatusCode.UNAVAILABLE, **arguments)


def overloaded(seconds: float) -> TablierError:
    code = grpc.StatusCode.RESOURCE_EXHAUSTED
    return Overloaded("too many", code=code, reason="OVERLOADED", retry_after=seconds)


@pytest.fixture
def connection() -> Iterator[Any]:
    random.seed(1)
    with Client("127.0.0.1:1") as client:
        yield client._connection


def test_pauses_grow_to_a_limit_and_differ(connection: Any) -> None:
    found = pauses(Attempts(connection, 20), *[unavailable()] * 3)
    assert all(pause is not None for pause in found)
    # A first connection fails within a second.
    assert sum(found) < 0.9  # type: ignore[arg-type]
    assert pauses(Attempts(connection, 20), *[unavailable()] * FEW_TRIES)[-1] is None
    connection.reached = True
    many = pauses(Attempts(connection, 20), *[unavailable()] * 50)
    assert max(many) <= 1.2 * LONGEST_PAUSE  # type: ignore[type-var, operator]
    assert min(many[10:]) > 0.7 * LONGEST_PAUSE  # type: ignore[type-var, operator]
    assert len(set(many)) == 50


def test_never_comes_back_sooner_than_the_service_asks(connection: Any) -> None:
    connection.reached = True
    (pause,) = pauses(Attempts(connection, 20), overloaded(3.5))
    assert pause is not None
    assert 3.5 < pause < 4
    # There is no time left for this.
    assert pauses(Attempts(connection, 3), overloaded(3.5)) == [None]


def test_few_calls_go_back_to_an_overloaded_service(connection: Any) -> None:
    connection.reached = True
    assert pauses(Attempts(connection, 20), *[overloaded(0)] * FEW_TRIES)[-1] is None
    connection.budget = Budget(most=2, share=0.5)
    calls = [Attempts(connection, 20) for _ in range(4)]
    assert [pauses(call, overloaded(0)) == [None] for call in calls] == [False, False, True, True]
    connection.answered()
    connection.answered()
    assert pauses(Attempts(connection, 20), overloaded(0)) != [None]


def status(reason: str, seconds: int) -> status_pb2.Status:
    found = status_pb2.Status(code=code_pb2.RESOURCE_EXHAUSTED, message="too many")
    found.details.add().Pack(error_details_pb2.ErrorInfo(reason=reason, domain="tablier"))
    delay = Duration(seconds=seconds, nanos=1_000_000)
    found.details.add().Pack(error_details_pb2.RetryInfo(retry_delay=delay))
    return found


@pytest.mark.usefixtures("short_pauses")
def test_goes_back_to_an_overloaded_service_but_not_with_an_exceeded_quota(act: Any) -> None:
    with faulty_server() as server:
        overload = failing(server, 2, status("OVERLOADED", 0))
        assert act(server.address, games, overload, games)[-1] == []
        assert server.calls["ListGames"] == 3
        with pytest.raises(QuotaExceeded):
            act(server.address, failing(server, 1, status("QUOTA_EXCEEDED", 0)), games)
        assert server.calls["ListGames"] == 1


def test_waits_for_a_service_that_restarts(act: Any) -> None:
    """The call is made while there is no server at all."""
    # Longer than all attempts of a first connection.
    wait = 1.2

    def serve_later(server: Faulty) -> None:
        time.sleep(wait)
        server.serve()

    with ThreadPoolExecutor(1) as pool, faulty_server() as server:

        def restart(_: object) -> None:
            server.server.stop(None).wait()
            pool.submit(serve_later, server)

        assert act(server.address, games, restart, start)[-1] is not None
        assert server.calls["StartGame"] == 1


def outlast(act: Any, *actions: Callable[[Faulty], Act]) -> None:
    """Run actions on a server, with ever more time while it runs out before the first answer."""
    for seconds in (0.5, 2.0, 8.0, 32.0):
        with faulty_server() as server, suppress(DeadlineExceeded):
            act(server.address, *(action(server) for action in actions), timeout=seconds)


@pytest.fixture
def little_time_after_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call has half a second left after its first failure, however long that took to come."""
    pause_after = Attempts.pause_after

    def pause(attempts: Attempts, error: Exception) -> float | None:
        if not attempts._failures:
            attempts._seconds = time.monotonic() - attempts._began + 0.5
        return pause_after(attempts, error)

    monkeypatch.setattr(Attempts, "pause_after", pause)


@pytest.mark.usefixtures("little_time_after_a_failure")
def test_reports_that_the_service_was_lost_and_not_that_time_ran_out(act: Any) -> None:
    with faulty_server() as server, faulty_server() as other:

        def stop(_: object) -> None:
            server.server.stop(None).wait()

        with pytest.raises(Unavailable):
            act(server.address, games, stop, games, timeout=60)
        with pytest.raises(Unavailable, match="not yet"):
            act(other.address, games, failing(other, 10_000), games, timeout=60)


def test_a_call_that_fails_while_its_client_closes_reports_that(act: Any) -> None:
    with faulty_server(failures=1) as server:

        def close(client: Any) -> Any:
            client._connection.closed = True

        with pytest.raises(Closed):
            act(server.address, close, games)
        assert server.calls["ListGames"] == 1


def test_a_client_that_is_closed_gives_up() -> None:
    with faulty_server() as server, ThreadPoolExecutor(1) as pool:
        client = Client(server.address)
        client.games()
        server.calls.clear()
        server.failures = 10_000
        call = pool.submit(client.games)
        while not server.calls["ListGames"]:
            time.sleep(0.001)
        client.close()
        with pytest.raises(Closed):
            call.result(30)


def test_an_asyncio_task_that_is_cancelled_gives_up() -> None:
    async def cancelled(address: str) -> None:
        async with AsyncClient(address) as client:
            await client.games()
            server.failures = 10_000
            task = asyncio.ensure_future(client.games())
            while server.calls["ListGames"] < 2:
                await asyncio.sleep(0.001)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    with faulty_server() as server:
        asyncio.run(cancelled(server.address))
