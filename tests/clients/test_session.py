"""Sessions: many concurrent calls on one stream."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final
from unittest.mock import Mock

import grpc
import pytest
from tablier.v1 import game_pb2
from tablier.v1 import game_service_pb2 as pb
from tablier_client import AsyncClient, Client, TablierError
from tablier_client.call import Call
from tablier_client.errors import (
    Closed,
    InvalidField,
    ServiceFault,
    Unavailable,
    UnknownGame,
    UnparsableMove,
)
from tablier_client.session import Outstanding, Session

from tests.clients.faulty import faulty_server

GAME: Final = "contigo-alignment"


async def outcome(session: Any, call: Call[Any]) -> Any:
    """Return the result or the exception of a call in either kind of session."""
    try:
        future = session.submit(call)
        if not isinstance(future, asyncio.Future):
            return await asyncio.to_thread(future.result, 30)
        return await asyncio.wait_for(future, 30)
    except TablierError as error:
        return error


def run_both(test: Any, address: str) -> None:
    """Run a test with a session of either client."""

    async def main() -> None:
        with Client(address) as client, client.session() as session:
            await test(client, session)
        async with AsyncClient(address) as other, other.session() as stream:
            await test(other, stream)

    asyncio.run(main())


def test_concurrent_calls_get_their_own_answers(address: str) -> None:
    async def test(client: Any, session: Any) -> None:
        state = await outcome(session, client.calls.start(GAME, seed=7, first=0))
        moves = await outcome(session, client.calls.moves(state))
        calls = [client.calls.play(state, move) for move in moves for _ in range(200)]
        states = await asyncio.gather(*(outcome(session, call) for call in calls))
        listed = client.calls.batch(calls[::200])
        alone = client.send(listed)
        assert states[::200] == (alone if isinstance(alone, list) else await alone)

    run_both(test, address)


def test_a_failed_call_does_not_affect_the_session(address: str) -> None:
    async def test(client: Any, session: Any) -> None:
        state = await outcome(session, client.calls.start(GAME, seed=7, first=0))
        wrong, unknown, right = await asyncio.gather(
            outcome(session, client.calls.play(state, "nonsense")),
            outcome(session, client.calls.game("chess")),
            outcome(session, client.calls.game(GAME)),
        )
        assert isinstance(wrong, UnparsableMove)
        assert isinstance(unknown, UnknownGame)
        assert right.name == GAME
        with pytest.raises(InvalidField, match="SuggestMoves cannot be part of"):
            session.submit(client.calls.suggest(state))

    run_both(test, address)


def test_a_broken_stream_fails_all_its_calls() -> None:
    async def test(client: Any, session: Any) -> None:
        call = client.calls.game(GAME)
        assert isinstance(await outcome(session, call), Unavailable)
        assert isinstance(await outcome(session, call), Unavailable)

    with faulty_server(failures=100) as server:
        run_both(test, server.address)


@pytest.mark.parametrize("code", [grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED])
def test_sends_unanswered_calls_again_on_another_stream(code: grpc.StatusCode) -> None:
    """Without limit, because every stream brings an answer."""

    async def test(client: Any, session: Any) -> None:
        names = [f"game-{number}" for number in range(6)]
        games = await asyncio.gather(*(outcome(session, client.calls.game(name)) for name in names))
        assert [game.name for game in games] == names

    with faulty_server(breaks=code) as server:
        run_both(test, server.address)
        assert server.calls["Play"] == 12


def test_does_not_reopen_a_rejected_stream() -> None:
    async def test(client: Any, session: Any) -> None:
        first, second = await asyncio.gather(
            *(outcome(session, client.calls.game(name)) for name in ("one", "two"))
        )
        assert first.name == "one"
        assert isinstance(second, TablierError)
        assert second.code is grpc.StatusCode.PERMISSION_DENIED

    with faulty_server(breaks=grpc.StatusCode.PERMISSION_DENIED) as server:
        run_both(test, server.address)
        assert server.calls["Play"] == 2


def test_reopens_a_stream_that_broke_while_idle_when_it_is_needed() -> None:
    async def test(client: Any, session: Any) -> None:
        for name in ("one", "two"):
            game = await outcome(session, client.calls.game(name))
            assert game.name == name
            # Longer than all retries would take.
            await asyncio.sleep(0.8)

    with faulty_server(breaks=grpc.StatusCode.UNAVAILABLE) as server:
        run_both(test, server.address)
        assert server.calls["Play"] == 4


def test_closing_the_client_ends_calls_of_its_session(address: str) -> None:
    async def test(client: Any, session: Any) -> None:
        closing = client.close()
        if closing is not None:
            await closing
        assert isinstance(await outcome(session, client.calls.game(GAME)), Closed)

    run_both(test, address)


def test_leaving_the_context_waits_for_answers_and_closes(address: str) -> None:
    with Client(address) as client:
        with client.session() as session:
            futures = [session.submit(client.calls.game(GAME)) for _ in range(3000)]
        assert all(future.done() for future in futures)
        assert futures[-1].result().name == GAME
        with pytest.raises(Closed, match="session is closed"):
            session.submit(client.calls.game(GAME))

    async def main() -> None:
        async with AsyncClient(address) as client:
            async with client.session() as session:
                futures = [session.submit(client.calls.game(GAME)) for _ in range(3000)]
            assert all(future.done() for future in futures)
            with pytest.raises(Closed, match="session is closed"):
                session.submit(client.calls.game(GAME))

    asyncio.run(main())


def test_leaving_the_context_by_an_exception_does_not_wait() -> None:
    """The server never answers, so waiting would never end."""
    with faulty_server(stuck=True) as server:
        with Client(server.address) as client:
            with suppress(ZeroDivisionError), client.session() as session:
                future = session.submit(client.calls.game(GAME))
                raise ZeroDivisionError
            with pytest.raises(Closed):
                future.result()

        async def main() -> None:
            async with AsyncClient(server.address) as client:
                with suppress(ZeroDivisionError):
                    async with client.session() as session:
                        future = session.submit(client.calls.game(GAME))
                        raise ZeroDivisionError
                with pytest.raises(Closed):
                    await future

        asyncio.run(main())


class Cancelled(grpc.RpcError):
    """The error of a cancelled stream."""

    def code(self) -> grpc.StatusCode:
        return grpc.StatusCode.CANCELLED

    def details(self) -> str:
        return "cancelled"

    def trailing_metadata(self) -> tuple[()]:
        return ()


class Silent:
    """A stream that never answers."""

    def __init__(self) -> None:
        self._cancelled = threading.Event()

    def __iter__(self) -> Iterator[Any]:
        assert self._cancelled.wait(30)
        raise Cancelled

    def cancel(self) -> None:
        self._cancelled.set()


def test_leaving_by_an_exception_opens_no_other_stream() -> None:
    opened = Mock(side_effect=lambda *_, **__: Silent())
    with (
        Client("127.0.0.1:1") as client,
        suppress(ZeroDivisionError),
        Session(opened, client._connection, 1.0) as session,
    ):
        session.submit(client.calls.game(GAME))
        raise ZeroDivisionError
    assert opened.call_count == 1


def test_sends_waiting_calls_in_one_message() -> None:
    outstanding: Outstanding[Any] = Outstanding()
    with Client("127.0.0.1:1") as client:
        for _ in range(1025):
            outstanding.add(client.calls.game(GAME), asyncio.Future)
    first, second = outstanding.next_message(), outstanding.next_message()
    assert first is not None
    assert second is not None
    assert [len(first.operations), len(second.operations)] == [1024, 1]
    assert [operation.id for operation in first.operations] == list(range(1, 1025))
    assert outstanding.next_message() is None


def test_an_answer_to_an_unknown_call_is_a_service_fault() -> None:
    outstanding: Outstanding[Any] = Outstanding()
    with pytest.raises(ServiceFault, match="unknown operation"):
        outstanding.settle(pb.PlayResponse(results=[pb.OperationResult(id=7)]))


def test_an_unreadable_answer_fails_all_calls() -> None:
    """Including calls whose answers precede it in the same message."""
    answer = pb.OperationResult(id=1, get_game=pb.GetGameResponse(game=game_pb2.Game(name=GAME)))
    unread = pb.OperationResult(id=2, get_game=pb.GetGameResponse())
    for second in (pb.OperationResult(id=7), answer, unread):
        outstanding: Outstanding[Any] = Outstanding()
        futures = ["first", "second"]
        with Client("127.0.0.1:1") as client:
            for future in futures:
                outstanding.add(Call("GetGame", client.calls.game(GAME).request, read_game), future)
        with pytest.raises(ServiceFault) as failure:
            outstanding.settle(pb.PlayResponse(results=[answer, second]))
        assert outstanding.fail(failure.value) == [(future, failure.value) for future in futures]


def read_game(reply: pb.GetGameResponse) -> str:
    """Fail for an answer without a game."""
    if not reply.HasField("game"):
        raise ValueError
    return reply.game.name


def test_a_stream_that_ends_early_fails_its_calls() -> None:
    """The server sends messages without results and then ends the stream normally."""
    with faulty_server() as server:
        with Client(server.address) as client:
            with client.session() as session:
                future = session.submit(client.calls.game(GAME))
            with pytest.raises(ServiceFault, match="without an answer"):
                future.result(timeout=30)

        async def main() -> None:
            async with AsyncClient(server.address) as client:
                async with client.session() as session:
                    future = session.submit(client.calls.game(GAME))
                with pytest.raises(ServiceFault, match="without an answer"):
                    await asyncio.wait_for(future, 30)

        asyncio.run(main())
