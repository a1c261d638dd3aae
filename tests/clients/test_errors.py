"""Failed calls raise the right exception, with reason, field and code."""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Final

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from google.rpc import code_pb2, error_details_pb2, status_pb2
from tablier.v1 import errors_pb2
from tablier.v1.game_pb2 import Situation
from tablier.v1.game_service_pb2 import OperationResult, StartGameResponse
from tablier_client import AsyncClient, AsyncState, Client, Move, State, errors
from tablier_client.call import read_result
from tablier_client.calls import Calls
from tablier_client.errors import TablierError, from_status

from tests.clients.faulty import faulty_server
from tests.live_server import wait_until

GAME: Final = "contigo-alignment"


@pytest.fixture(scope="module")
def client(address: str) -> Iterator[Client]:
    with Client(address) as client:
        yield client


@pytest.fixture(scope="module")
def state(client: Client) -> State:
    return client.start(GAME, seed=7, first=0)


def over(client: Client) -> State:
    """A finished game, limited to one turn."""
    state = client.start(GAME, seed=7, first=0, turn_limit=1)
    while not state.over:
        state = state.play(state.moves()[0])
    return state


def damaged(token: bytes) -> bytes:
    return token[:-1] + bytes([token[-1] ^ 1])


FAILURES: dict[str, tuple[Callable[[Client, State], Any], type[TablierError], str, str, str]] = {
    "unknown game": (
        lambda client, state: client.start("chess"),
        errors.UnknownGame, "UNKNOWN_GAME", "game", "NOT_FOUND",
    ),
    "option out of range": (
        lambda client, state: client.start(GAME, first=2),
        errors.InvalidOption, "INVALID_OPTION", "options.first",
        "INVALID_ARGUMENT",
    ),
    "damaged token": (
        lambda client, state: client.state(damaged(state.token)),
        errors.InvalidToken, "TOKEN_MALFORMED", "state", "INVALID_ARGUMENT",
    ),
    "view token": (
        lambda client, state: client.state(state.view_token(0)).play("a6-a4"),
        errors.ViewToken, "VIEW_TOKEN", "state", "FAILED_PRECONDITION",
    ),
    "unparsable": (
        lambda client, state: state.play("a6-a4", "nonsense"),
        errors.UnparsableMove, "MOVE_UNPARSABLE", "moves[1].notation", "INVALID_ARGUMENT",
    ),
    "wrong seat": (
        lambda client, state: state.play("a6-a4", seat=1),
        errors.WrongSeat, "WRONG_SEAT", "moves[0].seat", "FAILED_PRECONDITION",
    ),
    "game over": (
        lambda client, state: over(client).play("a6-a4"),
        errors.GameOver, "GAME_OVER", "state", "FAILED_PRECONDITION",
    ),
    "no moves": (
        lambda client, state: state.play(),
        errors.InvalidField, "INVALID_FIELD", "moves", "INVALID_ARGUMENT",
    ),
    "too large": (
        lambda client, state: client.state(bytes(200_000)),
        errors.TooLarge, "TOO_LARGE", "", "RESOURCE_EXHAUSTED",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FAILURES)
def test_each_failure_raises_its_exception(name: str, client: Client, state: State) -> None:
    call, kind, reason, field, code = FAILURES[name]
    with pytest.raises(TablierError) as caught:
        call(client, state)
    error = caught.value
    assert type(error) is kind
    assert (error.reason, error.field, error.code.name) == (reason, field, code)
    assert error.message
    assert str(error) == (f"{field}: {error.message}" if field else error.message)


def test_an_illegal_move_names_the_move(state: State) -> None:
    with pytest.raises(errors.IllegalMove) as caught:
        state.play("a6-a4", "a6-a4")
    assert caught.value.reason == "MOVE_ILLEGAL"
    assert caught.value.field.startswith("moves[1]")


def test_every_reason_of_the_protocol_has_an_exception() -> None:
    reasons = {
        name.removeprefix("ERROR_REASON_")
        for name in errors_pb2.ErrorReason.keys()  # noqa: SIM118
    }
    assert set(errors.BY_REASON) == reasons - {"UNSPECIFIED"}


def test_reads_the_retry_delay_of_an_overloaded_service() -> None:
    status = status_pb2.Status(code=code_pb2.RESOURCE_EXHAUSTED, message="too many")
    status.details.add().Pack(error_details_pb2.ErrorInfo(reason="OVERLOADED", domain="tablier"))
    status.details.add().Pack(error_details_pb2.RetryInfo(retry_delay=Duration(nanos=250_000_000)))
    error = from_status(status)
    assert type(error) is errors.Overloaded
    assert (error.retry_after, error.message) == (0.25, "too many")


def damaged_details() -> bytes:
    status = status_pb2.Status(code=code_pb2.INTERNAL, message="y")
    status.details.add(type_url="type.googleapis.com/google.rpc.ErrorInfo", value=b"\xff")
    return status.SerializeToString()


@pytest.mark.parametrize(
    "details",
    [
        status_pb2.Status(code=code_pb2.NOT_FOUND, message="x").SerializeToString(),
        b"\xff\xff",
        damaged_details(),
    ],
    ids=["another code", "not a status", "damaged"],
)
def test_ignores_details_that_a_proxy_has_changed(details: bytes) -> None:
    def fail(request: bytes, context: grpc.ServicerContext) -> bytes:
        context.set_trailing_metadata((("grpc-status-details-bin", details),))
        context.abort(grpc.StatusCode.INTERNAL, "something broke")

    with answering(fail) as address:
        for error in failures_of_both(address):
            assert type(error) is TablierError
            assert (str(error), error.code) == ("something broke", grpc.StatusCode.INTERNAL)


def test_reports_an_answer_that_cannot_be_parsed() -> None:
    with answering(lambda request, context: b"\xff\xff") as address:
        for error in failures_of_both(address):
            assert error.code is grpc.StatusCode.INTERNAL


@contextmanager
def answering(
    handle: Callable[[bytes, grpc.ServicerContext], bytes],
) -> Iterator[str]:
    """A server that answers ListGames with bytes of its own."""
    handler = grpc.unary_unary_rpc_method_handler(handle)
    server = grpc.server(ThreadPoolExecutor(1))
    server.add_generic_rpc_handlers(
        [grpc.method_handlers_generic_handler("tablier.v1.GameService", {"ListGames": handler})]
    )
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield f"127.0.0.1:{port}"
    server.stop(None).wait()


def failures_of_both(address: str) -> list[TablierError]:
    """The errors of both clients."""

    async def with_async_client() -> None:
        async with AsyncClient(address) as client:
            await client.games()

    with Client(address) as client, pytest.raises(TablierError) as first:
        client.games()
    with pytest.raises(TablierError) as second:
        asyncio.run(with_async_client())
    return [first.value, second.value]


def test_ignores_reasons_of_other_domains() -> None:
    status = status_pb2.Status(code=code_pb2.PERMISSION_DENIED, message="proxy says no")
    status.details.add().Pack(error_details_pb2.ErrorInfo(reason="GAME_OVER", domain="proxy"))
    error = from_status(status)
    assert type(error) is TablierError
    assert (error.reason, error.code) == ("", grpc.StatusCode.PERMISSION_DENIED)


ENDLESS: list[object] = []
ENDLESS.append(ENDLESS)


@pytest.mark.parametrize(
    "value",
    [ENDLESS, b"bytes", object(), {1}, {1: 2}, [[b""]], "\ud800", 10**400],
    ids=lambda v: repr(v)[:9],
)
def test_names_an_option_that_cannot_be_sent(client: Client, value: object) -> None:
    with pytest.raises(errors.InvalidOption, match="cannot be sent") as caught:
        client.calls.start(GAME, {"advanced": True, "layout": value})
    assert caught.value.reason == "INVALID_OPTION"
    assert caught.value.field == "options.layout"
    assert caught.value.code is grpc.StatusCode.INVALID_ARGUMENT


# Calls with an argument that cannot be sent, and the field that the error must name.
MISFITS: list[tuple[str, Callable[[Calls[State], State], object]]] = [
    ("game", lambda calls, state: calls.game(5)),  # type: ignore[arg-type]
    ("seed", lambda calls, state: calls.start(GAME, seed=-1)),
    ("seed", lambda calls, state: calls.replay(GAME, [], seed=2**64)),
    ("state", lambda calls, state: calls.state("text")),  # type: ignore[arg-type]
    ("seat", lambda calls, state: calls.moves(state, 2**31)),
    ("seat", lambda calls, state: calls.count_moves(state, "0")),  # type: ignore[arg-type]
    ("seat", lambda calls, state: calls.view(state, 0.5)),  # type: ignore[arg-type]
    ("seat", lambda calls, state: calls.svg(state, -(2**31) - 1)),
    ("moves[1]", lambda calls, state: calls.play(state, "a6-a4", 7)),  # type: ignore[arg-type]
    ("moves[0].action", lambda calls, state: calls.steps(state, Move("", 0, -1))),
    ("moves[1].notation", lambda calls, state: calls.play(state, "a6-a4", "\ud800")),
    ("budget.iterations", lambda calls, state: calls.suggest(state, iterations=-1)),
    ("budget.milliseconds", lambda calls, state: calls.analyze(state, milliseconds=-1)),
    ("max_suggestions", lambda calls, state: calls.suggest(state, limit=-1)),
    ("levels", lambda calls, state: calls.simulate(state, levels=[1, -1])),
    ("levels", lambda calls, state: calls.simulate(state, levels=iter([1, -1]))),
    ("levels", lambda calls, state: calls.simulate(state, levels=5)),  # type: ignore[arg-type]
    ("match", lambda calls, state: calls.start(GAME, match="\ud800")),
    ("moves", lambda calls, state: calls.replay(GAME, 5, seed=1)),  # type: ignore[call-overload]
    ("calls", lambda calls, state: calls.batch(calls.moves(state))),  # type: ignore[arg-type]
    ("calls[0]", lambda calls, state: calls.batch([state.moves])),  # type: ignore[arg-type]
    ("state", lambda calls, state: calls.play(state.token, "a6-a4")),  # type: ignore[arg-type]
    ("state", lambda calls, state: calls.svg(None)),  # type: ignore[arg-type]
    ("include_sample", lambda calls, state: calls.simulate(state, sample=2**64)),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("field", "build"), MISFITS)
def test_names_an_argument_that_cannot_be_sent(
    client: Client, state: State, field: str, build: Callable[[Calls[State], State], object]
) -> None:
    pattern = r" is not (a |bytes|one of|True or)|neither a not"
    with pytest.raises(errors.InvalidField, match=pattern) as error:
        build(client.calls, state)
    assert (error.value.reason, error.value.field) == ("INVALID_FIELD", field)
    assert error.value.code is grpc.StatusCode.INVALID_ARGUMENT


def test_none_means_the_default_of_a_limit(client: Client, state: State) -> None:
    call = client.calls.suggest(state, iterations=5, milliseconds=None)  # type: ignore[arg-type]
    assert client.send(call).iterations == 5
    assert client.calls.suggest(state, milliseconds=250).thinking == 0.25
    assert client.calls.simulate(state, milliseconds=250).thinking == 0.25


@pytest.mark.parametrize("options", [5, "first", [("first", 0)]])
def test_options_must_be_a_mapping(client: Client, options: Any) -> None:
    for call in (
        lambda: client.start(GAME, options),
        lambda: client.replay(GAME, [], options, seed=1),
        lambda: client.calls.start(GAME, options),
    ):
        with pytest.raises(errors.InvalidField, match="is not a mapping") as caught:
            call()
        assert (caught.value.reason, caught.value.field) == ("INVALID_FIELD", "options")


def test_rejects_an_option_that_is_given_twice(client: Client) -> None:
    arguments: dict[str, Any] = {"first": 1}
    with pytest.raises(errors.InvalidOption, match="in the mapping and a keyword") as caught:
        client.start(GAME, {"first": 0}, **arguments)
    assert caught.value.field == "options.first"


def test_sends_options_of_games_that_are_newer_than_the_client(client: Client) -> None:
    with pytest.raises(errors.UnknownGame) as caught:
        client.start("chess", {"clock": 5})
    assert (caught.value.reason, caught.value.field) == ("UNKNOWN_GAME", "game")


def test_rejects_a_call_of_the_other_kind(client: Client, state: State, address: str) -> None:
    with pytest.raises(errors.InvalidField, match="use `stream` for StreamAnalysis"):
        client.send(client.calls.analyze(state))
    with pytest.raises(errors.InvalidField, match="use `send` for GetGame"):
        list(client.stream(client.calls.game(GAME)))
    with pytest.raises(errors.InvalidField, match="is not one of"):
        client.send(state.moves)  # type: ignore[arg-type]

    async def main() -> None:
        async with AsyncClient(address) as other:
            with pytest.raises(errors.InvalidField, match="use `stream` for StreamAnalysis"):
                await other.send(other.calls.analyze(await other.state(state.token)))
            with pytest.raises(errors.InvalidField, match="use `send` for GetGame"):
                async for _ in other.stream(other.calls.game(GAME)):
                    pass

    asyncio.run(main())


def test_rejects_a_timeout_that_is_not_a_number(client: Client, state: State) -> None:
    for timeout in ("5", float("nan"), 1e10, 10**400):
        for call in (
            lambda: client.games(timeout=timeout),  # type: ignore[arg-type]  # noqa: B023
            lambda: list(state.analyze(timeout=timeout)),  # type: ignore[arg-type]  # noqa: B023
        ):
            with pytest.raises(errors.InvalidField) as caught:
                call()
            assert caught.value.field == "timeout"


def test_calls_on_a_closed_client(address: str) -> None:
    with Client(address) as client:
        state = client.start(GAME)
    for call in (
        client.games,
        state.moves,
        lambda: list(state.analyze()),
        lambda: client.batch([client.calls.moves(state)]),
    ):
        with pytest.raises(errors.Closed, match="the client is closed"):
            call()

    async def main() -> None:
        async with AsyncClient(address) as client:
            state = await client.start(GAME)
        for call in (client.games(), state.moves(), anext(state.analyze())):
            with pytest.raises(errors.Closed, match="the client is closed"):
                await call

    asyncio.run(main())


def test_closing_a_client_ends_its_calls() -> None:
    """The server never answers, so only closing ends them."""
    with faulty_server(stuck=True) as server:
        with ThreadPoolExecutor() as pool:
            client = Client(server.address)
            answer = pool.submit(client.games)
            wait_until(lambda: bool(server.calls), "the call has arrived")
            client.close()
            with pytest.raises(errors.Closed):
                answer.result()

        async def main() -> None:
            client = AsyncClient(server.address)
            state = AsyncState.read(client, b"", Situation(), None, "")
            calls = [asyncio.ensure_future(c) for c in (client.games(), anext(state.analyze()))]
            cancelled = asyncio.ensure_future(client.games())
            while server.calls["ListGames"] < 3:
                await asyncio.sleep(0.01)
            # A task that is cancelled stays cancelled, even if the client is closed, too.
            cancelled.cancel()
            await client.close()
            for call in calls:
                with pytest.raises(errors.Closed):
                    await call
            with pytest.raises(asyncio.CancelledError):
                await cancelled

        asyncio.run(main())


def test_an_answer_that_does_not_fit_is_a_service_fault() -> None:
    """The faulty server answers a batch without results."""
    with (
        faulty_server() as server,
        Client(server.address) as client,
        pytest.raises(errors.ServiceFault, match="the answer to Batch cannot be read"),
    ):
        client.batch([client.calls.game(GAME)])
    wrong = OperationResult(start_game=StartGameResponse())
    assert isinstance(read_result(client.calls.game(GAME), wrong), errors.ServiceFault)
    assert isinstance(read_result(client.calls.game(GAME), OperationResult()), errors.ServiceFault)


def test_takes_options_as_keywords_or_as_a_mapping(client: Client) -> None:
    in_words = client.start(GAME, seed=1, first=1, advanced=True)
    assert client.start(GAME, {"first": 1, "advanced": True}, seed=1) == in_words
    moves = in_words.moves()[:1]
    replayed = client.replay(GAME, moves, {"first": 1, "advanced": True}, seed=1)
    assert replayed == client.replay(GAME, moves, seed=1, first=1, advanced=True)
