"""When the answers of a stream are sent, in a time of its own that passes only by waiting."""

from __future__ import annotations

import asyncio
import gc
import selectors
from collections.abc import Callable, Coroutine
from dataclasses import replace
from time import perf_counter
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tablier_core.registry import GAMES
from tablier_service.calls.limits import CallLimit
from tablier_service.calls.servicer import GameServicer
from tablier_service.calls.slices import Work
from tablier_service.calls.streams import LINGER_SECONDS, RELEARN_MESSAGES, Answers, Begun, Readers
from tablier_service.calls.use_cases import UseCases
from tablier_service.errors import Stopping
from tablier_service.observability.metrics import Metrics
from tablier_service.security.authentication import Gate
from tablier_service.security.sealing import PlainTokens
from tablier_service.settings import Settings
from tablier_service.transports.grpc.server import END, make_stream_handler

METHODS = GameServicer(UseCases(GAMES, PlainTokens(GAMES))).methods
SETTINGS = Settings()

# What a message takes to be sent, and a request to come after the answer before it.
SENDING, COMING = 0.000_1, 0.000_1
REQUESTS = 4 * RELEARN_MESSAGES


class Waiting(selectors.DefaultSelector):
    """Knows what time it is by how long was waited."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        assert timeout is not None, "nothing is left to wait for"
        self.now += timeout
        return super().select(0)


def seconds_of(test: Callable[[], Coroutine[None, None, None]]) -> float:
    """How long something takes in that time."""
    waiting = Waiting()
    loop = asyncio.SelectorEventLoop(waiting)
    loop.time = lambda: waiting.now  # type: ignore[method-assign]
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(test())
        return waiting.now


def answer() -> Work[bytes]:
    return b"."
    yield


async def converse(messages: list[int], *windows: int) -> None:
    """A caller who keeps some requests under way, in turn; messages get their answers' numbers."""
    room = asyncio.Semaphore(0)

    async def write(message: bytes) -> None:
        await asyncio.sleep(SENDING)
        messages.append(len(message))
        for _ in message:
            room.release()

    async with Answers(write, lambda _: None) as answers:
        for window in windows:
            for _ in range(window):
                room.release()
            for _ in range(REQUESTS):
                await room.acquire()
                await asyncio.sleep(COMING)
                answers.add(answer())
            for _ in range(window):
                await room.acquire()


def test_who_waits_for_each_answer_gets_each_at_once() -> None:
    messages: list[int] = []
    seconds = seconds_of(lambda: converse(messages, 1))
    assert messages == [1] * REQUESTS
    assert seconds == pytest.approx(REQUESTS * (SENDING + COMING))


@pytest.mark.parametrize("window", [2, 3, 8, 20])
def test_who_keeps_some_requests_under_way_is_not_kept_waiting_for_more(window: int) -> None:
    messages: list[int] = []
    seconds = seconds_of(lambda: converse(messages, window))
    assert sum(messages) == REQUESTS
    # It is waited in vain once for each time that the caller's pace is learnt.
    learnt = 1 + len(messages) // RELEARN_MESSAGES
    assert seconds < REQUESTS * (SENDING + COMING) + (learnt + 1) * LINGER_SECONDS


def test_who_does_not_wait_gets_many_answers_a_message() -> None:
    messages: list[int] = []
    seconds_of(lambda: converse(messages, REQUESTS))
    assert sum(messages) == REQUESTS
    assert len(messages) < REQUESTS / (LINGER_SECONDS / COMING) * 1.5


def test_who_begins_slowly_and_does_not_wait_still_gets_many_answers_a_message() -> None:
    messages: list[int] = []

    async def write(message: bytes) -> None:
        await asyncio.sleep(SENDING)
        messages.append(len(message))

    async def hurry() -> None:
        async with Answers(write, lambda _: None) as answers:
            for number in range(REQUESTS):
                answers.add(answer())
                await asyncio.sleep(LINGER_SECONDS / 3 if 2 <= number < 20 else COMING / 2)

    seconds = seconds_of(hurry)
    assert len(messages) < seconds / LINGER_SECONDS * 1.5


def test_a_caller_who_keeps_fewer_under_way_than_before_is_not_kept_waiting_either() -> None:
    messages: list[int] = []
    seconds = seconds_of(lambda: converse(messages, 20, 2))
    assert sum(messages) == 2 * REQUESTS
    assert seconds < 2 * REQUESTS * (SENDING + COMING) + 10 * LINGER_SECONDS


async def told(said: list[str], event: asyncio.Event) -> str:
    """Waits twice."""
    said.append("begun")
    await event.wait()
    await asyncio.sleep(0)
    said.append("ended")
    return "told"


def test_what_is_begun_runs_up_to_where_it_waits_and_is_awaited_later() -> None:
    async def test() -> None:
        said: list[str] = []
        event = asyncio.Event()
        begun = Begun(told(said, event))
        assert said == ["begun"]
        event.set()
        assert await begun == "told"
        begun.abandon()
        assert asyncio.all_tasks() == {asyncio.current_task()}
        assert said == ["begun", "ended"]

    asyncio.run(test())


def test_what_is_begun_and_awaited_can_be_cancelled() -> None:
    async def test() -> None:
        said: list[str] = []
        begun = Begun(told(said, asyncio.Event()))
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(begun, 0.001)
        begun.abandon()
        assert said == ["begun"]
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(test())


def test_what_is_begun_and_abandoned_ends_by_itself() -> None:
    async def test() -> None:
        said: list[str] = []
        event = asyncio.Event()
        Begun(told(said, event)).abandon()
        event.set()
        await asyncio.gather(*asyncio.all_tasks() - {asyncio.current_task()})
        assert said == ["begun", "ended"]

    asyncio.run(test())


def test_the_error_of_what_was_abandoned_is_nobodys() -> None:
    complaints: list[dict[str, object]] = []
    never = asyncio.Event()

    async def fail(event: asyncio.Event) -> None:
        await event.wait()
        raise ValueError

    async def test() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, told: complaints.append(told))
        event = asyncio.Event()
        Begun(fail(event)).abandon()
        event.set()
        # This one is cancelled when the loop ends.
        Begun(told([], never)).abandon()
        for _ in range(4):
            await asyncio.sleep(0)
        # The loop hears of an error that nobody asked for when its task is collected.
        gc.collect()
        await asyncio.sleep(0)

    asyncio.run(test())
    assert complaints == []


def test_the_next_message_is_fetched_while_one_is_answered() -> None:
    seen: list[int] = []

    class Context:
        """Of a stream of three messages."""

        reads = 0

        async def read(self) -> object:
            self.reads += 1
            await asyncio.sleep(0.000_1)
            return bytes([self.reads]) if self.reads <= 3 else END

        async def write(self, _: bytes) -> None: ...

    context = Context()

    def handler(request: bytes) -> Work[bytes]:
        seen.append(context.reads - request[0])
        return answer()

    metrics = Metrics()
    method = next(each for each in METHODS if each.descriptor.name == "Play")
    request_type = SimpleNamespace(FromString=bytes)
    serve = make_stream_handler(
        replace(method, handler=handler, request_type=cast("Any", request_type)),
        SETTINGS,
        cast("Any", SimpleNamespace(metrics=metrics)),
        CallLimit(1, metrics),
        Gate(metrics),
        Readers(),
    )
    asyncio.run(cast("Any", serve)(None, context))
    assert seen == [1, 1, 1]


async def wait_for_ever() -> None:
    await asyncio.get_running_loop().create_future()


def test_who_is_told_to_stop_reading_still_sends_what_was_begun() -> None:
    messages: list[bytes] = []

    async def write(message: bytes) -> None:
        messages.append(message)

    async def read(readers: Readers) -> None:
        async with Answers(write, lambda _: None) as answers:
            with readers.reading():
                answers.add(answer())
                answers.add(slowly())
                await wait_for_ever()

    def slowly() -> Work[bytes]:
        end = perf_counter() + 0.01
        while perf_counter() < end:
            yield
        return b"y"

    async def test() -> None:
        readers = Readers()
        reading = asyncio.ensure_future(read(readers))
        await asyncio.sleep(0)
        readers.stop()
        with pytest.raises(Stopping):
            await asyncio.wait_for(reading, 10)
        assert reading.cancelling() == 0
        assert b"".join(messages) == b".y"
        # Who comes later does not begin.
        with pytest.raises(Stopping), readers.reading():
            pytest.fail("it reads")

    asyncio.run(test())


def test_who_leaves_while_nobody_stops_is_cancelled() -> None:
    async def test() -> None:
        async def read() -> None:
            with Readers().reading():
                await wait_for_ever()

        with pytest.raises(TimeoutError):
            await asyncio.wait_for(read(), 0.001)

    asyncio.run(test())


def test_who_has_read_to_the_end_is_not_told_to_stop() -> None:
    async def test() -> None:
        readers = Readers()
        with readers.reading():
            pass
        readers.stop()
        await asyncio.sleep(0)

    asyncio.run(test())
