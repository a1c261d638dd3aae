"""When the answers of a stream are sent, in a time of its own that passes only by waiting."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine

import pytest
from tablier_service.slices import Work
from tablier_service.streams import LINGER_SECONDS, RELEARN_MESSAGES, Answers

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
