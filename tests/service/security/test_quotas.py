"""Quotas: what counts, what is rejected, and when there is room again."""

from __future__ import annotations

import asyncio
import time
from contextvars import copy_context
from typing import Any

import pytest
from google.rpc import error_details_pb2
from tablier.v1.game_service_pb2 import BatchRequest, GetGameRequest, Operation, PlayRequest
from tablier_core.advice import Cancel
from tablier_service.calls.pool import SearchPool
from tablier_service.calls.slices import run_all
from tablier_service.errors import QuotaExceeded, status_of
from tablier_service.security.callers import CALLER, Caller, Role
from tablier_service.security.quotas import Allowance, Quotas
from tablier_service.service import Service


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def rejection(quotas: Quotas) -> QuotaExceeded | None:
    try:
        quotas.admit()
    except QuotaExceeded as error:
        return error
    return None


def test_limits_the_rate_of_calls_after_a_burst(clock: Clock):
    quotas = Quotas(Allowance(calls_per_second=2, burst=3), clock=clock)
    assert [rejection(quotas) is None for _ in range(4)] == [True, True, True, False]
    clock.now += 0.51
    assert rejection(quotas) is None
    assert rejection(quotas) is not None
    clock.now += 3600
    assert [rejection(quotas) is None for _ in range(4)] == [True, True, True, False]


def test_a_batch_counts_as_its_operations_and_may_overdraw_the_quota(clock: Clock):
    quotas = Quotas(Allowance(calls_per_second=10), clock=clock)
    quotas.admit()
    quotas.count(29)
    error = rejection(quotas)
    assert error is not None
    assert error.wait == pytest.approx(2.1, abs=0.01)
    clock.now += error.wait + 0.001
    assert rejection(quotas) is None


@pytest.mark.parametrize(("call", "request_type"), [("Batch", BatchRequest), ("Play", PlayRequest)])
def test_every_operation_counts_as_a_call(
    clock: Clock, service: Service, call: str, request_type: Any
):
    quotas = Quotas(Allowance(calls_per_second=10), clock=clock)
    operation = Operation(get_game=GetGameRequest(game="contrast"))
    request = request_type(operations=[operation] * 8)
    handler = service.method(call).handler

    def serve() -> None:
        CALLER.set(Caller("bot", frozenset(Role), quotas))
        # As the lifecycle of a call does.
        quotas.admit()
        run_all(handler(request))

    copy_context().run(serve)
    assert [rejection(quotas) is None for _ in range(3)] == [True, True, False]


def test_bills_cpu_time_afterwards(clock: Clock):
    billed: list[float] = []
    quotas = Quotas(Allowance(cpu_ms_per_second=100), meter=billed.append, clock=clock)
    quotas.admit()
    quotas.bill(0.350)
    error = rejection(quotas)
    assert error is not None
    assert error.quota == "cpu"
    assert error.wait == pytest.approx(2.5, abs=0.01)
    assert billed == [0.350]


def test_a_process_enforces_its_share(clock: Clock):
    quotas = Quotas(Allowance(calls_per_second=8, searches=3), share=4, clock=clock)
    assert [rejection(quotas) is None for _ in range(3)] == [True, True, False]
    clock.now += 0.51
    assert [rejection(quotas) is None for _ in range(2)] == [True, False]
    with quotas.searching(), pytest.raises(QuotaExceeded), quotas.searching():
        pass


def test_omitted_quotas_are_unlimited(clock: Clock):
    quotas = Quotas(Allowance(), clock=clock)
    for _ in range(10_000):
        quotas.admit()
        quotas.bill(1.0)


def test_the_error_names_the_quota_and_when_to_retry():
    status = status_of(QuotaExceeded.of("cpu", 2.5))
    failure, retry = error_details_pb2.QuotaFailure(), error_details_pb2.RetryInfo()
    assert status.details[1].Unpack(failure)
    assert failure.violations[0].subject == "cpu"
    assert status.details[2].Unpack(retry)
    assert retry.retry_delay.ToMilliseconds() == 2500


def busy(cancel: Cancel) -> float:
    """Use ten milliseconds of CPU time, and sleep for much longer."""
    end = time.thread_time() + 0.01
    while time.thread_time() < end:
        pass
    time.sleep(0.5)
    return end


def test_bills_searches_by_their_thread_and_limits_their_number():
    billed: list[float] = []
    caller = Caller("bot", frozenset(Role), Quotas(Allowance(searches=1), meter=billed.append))

    async def search() -> tuple[object, object]:
        CALLER.set(caller)
        pool = SearchPool(2, 2)
        try:
            return await asyncio.gather(
                pool.run(busy, "a"), pool.run(busy, "a"), return_exceptions=True
            )
        finally:
            pool.close()

    first, second = asyncio.run(search())
    assert isinstance(first, float)
    assert isinstance(second, QuotaExceeded)
    assert second.quota == "searches"
    # CPU time, not elapsed time.
    assert len(billed) == 1
    assert 0.01 <= billed[0] < 0.5
    # There is room again after it has ended.
    assert isinstance(asyncio.run(search())[0], float)
