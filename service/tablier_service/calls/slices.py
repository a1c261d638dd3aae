"""Long calls give way: they work in slices of about a millisecond, and others go in between.

Calls are served on one event loop. A long one is a generator that yields wherever it could pause
and returns its answer; whoever runs it decides when to pause. A caller who leaves ends it there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Iterable
from time import perf_counter
from typing import TypeAlias, TypeVar

T = TypeVar("T")

# Work that can pause at every `yield`, and returns what it was for.
Work: TypeAlias = Generator[None, None, T]

SLICE_SECONDS = 0.001


def begin(work: Work[T]) -> T | None:
    """The result of work that ends within a slice; None, with the rest to do, if it does not."""
    end = perf_counter() + SLICE_SECONDS
    try:
        while perf_counter() < end:
            next(work)
    except StopIteration as done:
        result: T = done.value
        return result
    return None


async def in_slices(work: Work[T]) -> T:
    """The result of work that lets the event loop serve others meanwhile."""
    while (result := begin(work)) is None:
        await asyncio.sleep(0)
    return result


def gathered(items: Iterable[T]) -> Work[list[T]]:
    """All items, with a pause possible after each."""
    found = []
    for item in items:
        found.append(item)
        yield
    return found


def at_once(work: Work[T]) -> T:
    """The result of work, without a pause: for where nobody waits."""
    try:
        while True:
            next(work)
    except StopIteration as done:
        result: T = done.value
        return result
