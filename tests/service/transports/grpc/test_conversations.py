"""The memory valve: streams that wait for a message end when the worker has too much memory."""

from __future__ import annotations

from typing import cast

import pytest
from tablier_service.calls.memory import Memory
from tablier_service.calls.pool import SEARCH_BYTES, SearchPool
from tablier_service.transports.grpc import conversations
from tablier_service.transports.grpc.conversations import (
    CHECK_SECONDS,
    RELEASE_SECONDS,
    SAFE_STREAMS,
    Conversations,
)

LIMIT = 1000


class Stream:
    """A stream that notes how it is ended."""

    def __init__(self, owner: str, *, waits: bool = True) -> None:
        self.owner = owner
        self.waits = waits
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


class Gauge(Memory):
    """Memory whose size the test decides."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size
        self.checks = 0
        self.released = 0

    def resident(self) -> int:
        self.checks += 1
        return self.size

    def release(self) -> None:
        self.released += 1


class Pool:
    """A search pool with searches in progress."""

    def __init__(self, searches: int = 0) -> None:
        self.max_bytes = searches * SEARCH_BYTES


class Clock:
    """A clock that the test sets."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(conversations, "monotonic", clock)
    return clock


def valve(memory: Gauge, streams: list[Stream], searches: int = 0) -> Conversations:
    pool = cast("SearchPool", Pool(searches))
    made = Conversations(memory, pool, LIMIT, 10.0)
    for stream in streams:
        made.add(stream)
    return made


def test_cancels_waiting_streams_of_those_who_have_most(clock: Clock) -> None:
    crowd = [Stream("crowd") for _ in range(20)]
    others = [Stream("other"), Stream("third")]
    busy = [Stream("crowd", waits=False) for _ in range(5)]
    memory = Gauge(LIMIT + 1)
    streams = valve(memory, [*crowd, *others, *busy])
    streams.check()
    assert sum(each.cancelled for each in crowd) == 22 - SAFE_STREAMS
    assert not any(each.cancelled for each in [*others, *busy])
    # The memory is returned a moment later.
    assert memory.released == 0
    clock.now += RELEASE_SECONDS
    streams.check()
    assert memory.released == 1


def test_among_equals_the_oldest_stream_stays(clock: Clock) -> None:
    callers = [Stream(f"caller {number}") for number in range(SAFE_STREAMS + 2)]
    valve(Gauge(LIMIT + 1), callers).check()
    assert [each.cancelled for each in callers] == [False] * SAFE_STREAMS + [True] * 2


def test_cancels_nothing_within_the_limit(clock: Clock) -> None:
    """Searches in progress do not count."""
    crowd = [Stream("crowd") for _ in range(40)]
    valve(Gauge(LIMIT), crowd).check()
    valve(Gauge(LIMIT + SEARCH_BYTES), crowd, searches=1).check()
    assert not any(each.cancelled for each in crowd)
    valve(Gauge(LIMIT + SEARCH_BYTES), crowd).check()
    assert sum(each.cancelled for each in crowd) == 40 - SAFE_STREAMS


def test_checks_the_memory_only_if_there_are_many_streams(clock: Clock) -> None:
    crowd = [Stream("crowd") for _ in range(SAFE_STREAMS + 1)]
    streams = valve(Gauge(0), crowd)
    assert streams.many
    streams.remove(crowd[0])
    assert not streams.many


def test_checks_more_often_the_closer_the_limit_is(clock: Clock) -> None:
    memory = Gauge(0)
    streams = Conversations(memory, cast("SearchPool", Pool()), 2**30, 10.0)
    streams.check()
    assert streams.seconds == pytest.approx(1.0)
    streams.check()
    assert memory.checks == 1
    clock.now += 1.0
    memory.size = 2**30 - 1
    streams.check()
    assert streams.seconds == pytest.approx(CHECK_SECONDS)
