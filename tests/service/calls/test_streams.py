"""When the answers of a stream are sent, measured on a clock that only advances by waiting."""

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
from tablier_core.errors import TablierError
from tablier_service.calls.slices import Slices, Work
from tablier_service.calls.streams import (
    LINGER_SECONDS,
    REMEASURE_MESSAGES,
    Answers,
    Eager,
    Readers,
    StreamTimeouts,
)
from tablier_service.errors import SlowReader, Stopping, StreamIdle
from tablier_service.lifecycle import Endpoint
from tablier_service.service import Service
from tablier_service.transports.grpc.asyncio_call import END, conversation_handler

# How long a message takes to send, and a request to arrive after the previous answer.
SENDING, COMING = 0.000_1, 0.000_1
REQUESTS = 4 * REMEASURE_MESSAGES
TIMEOUTS = StreamTimeouts(idle=300.0, slow_reader=30.0)


class Waiting(selectors.DefaultSelector):
    """A clock that advances by the time that was waited."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        assert timeout is not None, "there is nothing to wait for"
        self.now += timeout
        return super().select(0)


def seconds_of(test: Callable[[], Coroutine[None, None, None]]) -> float:
    """How long a test takes on that clock."""
    waiting = Waiting()
    loop = asyncio.SelectorEventLoop(waiting)
    loop.time = lambda: waiting.now  # type: ignore[method-assign]
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(test())
        return waiting.now


def answer() -> Work[bytes]:
    return b"."
    yield


async def run_long(work: Work[bytes]) -> bytes:
    return await Slices().run(work, "a", lambda _: None)


async def converse(messages: list[int], *windows: int) -> None:
    """Keep requests in flight; `messages` gets the number of answers of each message."""
    room = asyncio.Semaphore(0)

    async def write(message: bytes) -> None:
        await asyncio.sleep(SENDING)
        messages.append(len(message))
        for _ in message:
            room.release()

    async with Answers(write, run_long, TIMEOUTS) as answers:
        for window in windows:
            for _ in range(window):
                room.release()
            for _ in range(REQUESTS):
                await room.acquire()
                await asyncio.sleep(COMING)
                answers.add(answer())
            for _ in range(window):
                await room.acquire()


def test_sends_each_answer_at_once_to_a_caller_that_waits_for_it() -> None:
    messages: list[int] = []
    seconds = seconds_of(lambda: converse(messages, 1))
    assert messages == [1] * REQUESTS
    assert seconds == pytest.approx(REQUESTS * (SENDING + COMING))


@pytest.mark.parametrize("window", [2, 3, 8, 20])
def test_does_not_delay_a_caller_that_keeps_some_requests_in_flight(window: int) -> None:
    messages: list[int] = []
    seconds = seconds_of(lambda: converse(messages, window))
    assert sum(messages) == REQUESTS
    # One wait is wasted for each time that the pace of the caller is measured.
    measured = 1 + len(messages) // REMEASURE_MESSAGES
    assert seconds < REQUESTS * (SENDING + COMING) + (measured + 1) * LINGER_SECONDS


def test_sends_many_answers_per_message_to_a_caller_that_does_not_wait() -> None:
    messages: list[int] = []
    seconds_of(lambda: converse(messages, REQUESTS))
    assert sum(messages) == REQUESTS
    assert len(messages) < REQUESTS / (LINGER_SECONDS / COMING) * 1.5


def test_adapts_to_a_caller_that_becomes_faster() -> None:
    messages: list[int] = []

    async def write(message: bytes) -> None:
        await asyncio.sleep(SENDING)
        messages.append(len(message))

    async def accelerate() -> None:
        async with Answers(write, run_long, TIMEOUTS) as answers:
            for number in range(REQUESTS):
                answers.add(answer())
                await asyncio.sleep(LINGER_SECONDS / 3 if 2 <= number < 20 else COMING / 2)

    seconds = seconds_of(accelerate)
    assert len(messages) < seconds / LINGER_SECONDS * 1.5


def test_adapts_to_a_caller_that_keeps_fewer_requests_in_flight() -> None:
    messages: list[int] = []
    seconds = seconds_of(lambda: converse(messages, 20, 2))
    assert sum(messages) == 2 * REQUESTS
    assert seconds < 2 * REQUESTS * (SENDING + COMING) + 10 * LINGER_SECONDS


async def wait_twice(steps: list[str], event: asyncio.Event) -> str:
    steps.append("begun")
    await event.wait()
    await asyncio.sleep(0)
    steps.append("ended")
    return "result"


def test_an_eager_coroutine_runs_up_to_its_first_wait() -> None:
    async def test() -> None:
        steps: list[str] = []
        event = asyncio.Event()
        begun = Eager(wait_twice(steps, event))
        assert steps == ["begun"]
        event.set()
        assert await begun == "result"
        begun.abandon()
        assert asyncio.all_tasks() == {asyncio.current_task()}
        assert steps == ["begun", "ended"]

    asyncio.run(test())


def test_an_eager_coroutine_can_be_cancelled() -> None:
    async def test() -> None:
        steps: list[str] = []
        begun = Eager(wait_twice(steps, asyncio.Event()))
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(begun, 0.001)
        begun.abandon()
        assert steps == ["begun"]
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(test())


def test_an_abandoned_coroutine_ends_by_itself() -> None:
    async def test() -> None:
        steps: list[str] = []
        event = asyncio.Event()
        Eager(wait_twice(steps, event)).abandon()
        event.set()
        await asyncio.gather(*asyncio.all_tasks() - {asyncio.current_task()})
        assert steps == ["begun", "ended"]

    asyncio.run(test())


def test_the_error_of_an_abandoned_coroutine_is_ignored() -> None:
    complaints: list[dict[str, object]] = []
    never = asyncio.Event()

    async def fail(event: asyncio.Event) -> None:
        await event.wait()
        raise ValueError

    async def test() -> None:
        asyncio.get_running_loop().set_exception_handler(
            lambda _, context: complaints.append(context)
        )
        event = asyncio.Event()
        Eager(fail(event)).abandon()
        event.set()
        # This one is cancelled at the end of the loop.
        Eager(wait_twice([], never)).abandon()
        for _ in range(4):
            await asyncio.sleep(0)
        # The loop reports an error that nobody retrieved when its task is collected.
        gc.collect()
        await asyncio.sleep(0)

    asyncio.run(test())
    assert complaints == []


def test_fetches_the_next_message_while_one_is_answered(service: Service) -> None:
    seen: list[int] = []

    class Context:
        """The context of a stream of three messages."""

        reads = 0

        async def read(self) -> object:
            self.reads += 1
            await asyncio.sleep(0.000_1)
            return bytes([self.reads]) if self.reads <= 3 else END

        async def write(self, _: bytes) -> None: ...

        def time_remaining(self) -> None: ...

        def peer(self) -> str:
            return "ipv4:127.0.0.1:1"

        def invocation_metadata(self) -> None: ...

    context = Context()

    def handler(request: bytes) -> Work[bytes]:
        seen.append(context.reads - request[0])
        return answer()

    request_type = SimpleNamespace(FromString=bytes)
    method = replace(
        service.method("Play"), handler=handler, request_type=cast("Any", request_type)
    )
    serve = conversation_handler(Endpoint(service, method), Readers())
    asyncio.run(cast("Any", serve)(None, context))
    assert seen == [1, 1, 1]


async def wait_for_ever() -> None:
    await asyncio.get_running_loop().create_future()


def test_a_reader_that_has_to_stop_still_sends_its_answers() -> None:
    messages: list[bytes] = []

    async def write(message: bytes) -> None:
        messages.append(message)

    async def read(readers: Readers) -> None:
        async with Answers(write, run_long, TIMEOUTS) as answers:
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
        # Later readers do not begin.
        with pytest.raises(Stopping), readers.reading():
            pytest.fail("it reads")

    asyncio.run(test())


def test_a_reader_whose_caller_leaves_is_cancelled() -> None:
    async def test() -> None:
        async def read() -> None:
            with Readers().reading():
                await wait_for_ever()

        with pytest.raises(TimeoutError):
            await asyncio.wait_for(read(), 0.001)

    asyncio.run(test())


def test_a_reader_at_the_end_of_its_stream_does_not_stop() -> None:
    async def test() -> None:
        readers = Readers()
        with readers.reading():
            pass
        readers.stop()
        await asyncio.sleep(0)

    asyncio.run(test())


def test_a_long_operation_that_fails_ends_the_stream() -> None:
    """Even while the reader waits for a request that never comes."""
    messages: list[bytes] = []

    async def write(message: bytes) -> None:
        messages.append(message)

    def fail() -> Work[bytes]:
        end = perf_counter() + 0.01
        while perf_counter() < end:
            yield
        raise ValueError("failed")

    async def read() -> None:
        async with Answers(write, run_long, TIMEOUTS) as answers:
            answers.add(answer())
            answers.add(fail())
            await wait_for_ever()

    async def test() -> None:
        reading = asyncio.ensure_future(read())
        with pytest.raises(ValueError, match="failed"):
            await asyncio.wait_for(reading, 30)
        assert reading.cancelling() == 0
        assert messages == [b"."]

    asyncio.run(test())


class Caller:
    """A caller that takes a message after some seconds, or never."""

    def __init__(self, seconds: float | None = 0.0) -> None:
        self.seconds = seconds
        self.taken = b""

    async def take(self, message: bytes) -> None:
        if self.seconds is None:
            await wait_for_ever()
        else:
            await asyncio.sleep(self.seconds)
        self.taken += message


def ending(
    caller: Caller, talk: Callable[[Answers], Coroutine[None, None, None]]
) -> tuple[object, float]:
    """How a stream ends, and after how many seconds of the clock."""
    ended: type[TablierError] | None = None

    async def main() -> None:
        nonlocal ended
        try:
            async with Answers(caller.take, run_long, TIMEOUTS) as answers:
                await talk(answers)
        except TablierError as error:
            ended = type(error)
        task = asyncio.current_task()
        assert task is not None
        assert task.cancelling() == 0

    seconds = seconds_of(main)
    return ended, seconds


def test_ends_an_idle_stream() -> None:
    async def send_nothing(answers: Answers) -> None:
        await wait_for_ever()

    ended, seconds = ending(Caller(), send_nothing)
    assert (ended, round(seconds, 3)) == (StreamIdle, 300)


def test_a_stream_is_idle_only_after_its_last_answer() -> None:
    async def send_sometimes(answers: Answers) -> None:
        for _ in range(3):
            await asyncio.sleep(299)
            answers.add(answer())
        await wait_for_ever()

    caller = Caller()
    ended, seconds = ending(caller, send_sometimes)
    assert (ended, round(seconds, 3)) == (StreamIdle, 3 * 299 + 300)
    assert caller.taken == b"..."


def test_a_stream_with_a_long_operation_is_not_idle() -> None:
    released = asyncio.Event()

    async def wait_for_release(work: Work[bytes]) -> bytes:
        await released.wait()
        return b"y"

    def endless() -> Work[bytes]:
        while True:
            yield

    caller = Caller()

    async def main() -> None:
        async with Answers(caller.take, wait_for_release, TIMEOUTS) as answers:
            answers.add(endless())
            await asyncio.sleep(1000)
            released.set()

    assert seconds_of(main) == pytest.approx(1000)
    assert caller.taken == b"y"


def test_ends_the_stream_of_a_caller_that_does_not_read() -> None:
    async def send_one(answers: Answers) -> None:
        await asyncio.sleep(100)
        answers.add(answer())
        await wait_for_ever()

    ended, seconds = ending(Caller(None), send_one)
    assert (ended, round(seconds, 3)) == (SlowReader, 130)


def test_a_caller_that_has_sent_everything_must_read_too() -> None:
    async def send_one(answers: Answers) -> None:
        answers.add(answer())

    ended, seconds = ending(Caller(None), send_one)
    assert (ended, round(seconds, 3)) == (SlowReader, 30)


def test_the_failure_of_a_stream_is_not_held_back_by_a_caller_that_does_not_read() -> None:
    async def fail(answers: Answers) -> None:
        answers.add(answer())
        await asyncio.sleep(0)
        raise Stopping("", "")

    ended, seconds = ending(Caller(None), fail)
    assert (ended, round(seconds, 3)) == (Stopping, 30)


def test_a_caller_may_read_slowly() -> None:
    async def send_many(answers: Answers) -> None:
        for _ in range(100):
            answers.add(answer())
            await asyncio.sleep(LINGER_SECONDS)

    caller = Caller(29)
    ended, seconds = ending(caller, send_many)
    assert (ended, caller.taken) == (None, b"." * 100)
    assert seconds >= 58
