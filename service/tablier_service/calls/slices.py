"""Long calls run in slices of about a millisecond, so that other calls are served in between.

All calls are served on one event loop. A long one is a generator that yields wherever it may pause
and returns its answer; its runner decides when to pause, and closes it when the caller leaves.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Iterable
from time import perf_counter
from typing import TypeAlias, TypeVar

T = TypeVar("T")

# Work that may pause at every `yield` and returns its result.
Work: TypeAlias = Generator[None, None, T]

SLICE_SECONDS = 0.001


def run_slice(work: Work[T]) -> T | None:
    """Run work for one slice; returns its result, or None if there is more to do."""
    end = perf_counter() + SLICE_SECONDS
    try:
        while perf_counter() < end:
            next(work)
    except StopIteration as done:
        result: T = done.value
        return result
    return None


async def in_slices(work: Work[T]) -> T:
    """Run work in slices, letting the event loop serve other calls in between."""
    while (result := run_slice(work)) is None:
        await asyncio.sleep(0)
    return result


def collect(items: Iterable[T]) -> Work[list[T]]:
    """Collect items, with a possible pause after each."""
    collected = []
    for item in items:
        collected.append(item)
        yield
    return collected


def run_all(work: Work[T]) -> T:
    """Run work without a pause: for callers with a thread of their own."""
    try:
        while True:
            next(work)
    except StopIteration as done:
        result: T = done.value
        return result
