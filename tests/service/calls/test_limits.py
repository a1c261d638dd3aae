"""Limits: how much calls hold in total, per account, and per address."""

from __future__ import annotations

from contextlib import ExitStack

import pytest
from tablier_service.calls.limits import Limit, check_deadline
from tablier_service.errors import DeadlinePassed, Overloaded
from tablier_service.observability.metrics import Metrics, Value


@pytest.fixture
def metrics() -> Metrics:
    return Metrics()


@pytest.fixture
def rejected(metrics: Metrics) -> Value:
    """Counts the rejected calls."""
    return metrics.rejected["calls"]


def test_an_account_cannot_take_everything(rejected: Value) -> None:
    limit = Limit("calls", rejected, total=3, per_account=2)
    with limit.place("a"), limit.place("a"):
        with pytest.raises(Overloaded, match=r"too many calls of this caller.*the limit is 2"):
            limit.take("a")
        limit.take("b")


def test_the_accounts_of_an_address_have_a_limit_together(rejected: Value) -> None:
    limit = Limit("calls", rejected, per_account=2, per_address=3)
    limit.take("h:1", "h")
    limit.take("h:2", "h")
    limit.take("h:2", "h")
    with pytest.raises(Overloaded, match=r"too many calls of this address.*the limit is 3"):
        limit.take("h:3", "h")
    limit.take("i:1", "i")


def test_authenticated_callers_do_not_count_for_an_address(rejected: Value) -> None:
    limit = Limit("calls", rejected, per_address=1)
    for account in "abc":
        limit.take(account)


def test_an_account_and_an_address_of_the_same_name_are_different(rejected: Value) -> None:
    limit = Limit("calls", rejected, per_account=1, per_address=1)
    limit.take("h")
    limit.take("h:1", "h")


def test_everything_is_limited_in_total(rejected: Value) -> None:
    limit = Limit("calls", rejected, total=2)
    with ExitStack() as places:
        for account in "ab":
            assert not limit.full
            places.enter_context(limit.place(account))
        assert limit.full
        with pytest.raises(Overloaded, match="too many calls at the same time; the limit is 2"):
            limit.take("c")
    assert not limit.full


def test_a_rejected_call_holds_nothing_is_counted_and_learns_when_to_retry(
    metrics: Metrics, rejected: Value
) -> None:
    limit = Limit("calls", rejected, total=2, per_account=1, per_address=2)
    with limit.place("h:1", "h"):
        with pytest.raises(Overloaded) as error, limit.place("h:1", "h", retry_seconds=1.5):
            pass
        assert error.value.retry_seconds == 1.5
        assert limit.total == 1
    assert metrics.total(rejected) == 1
    assert limit._held == {}


def test_a_place_is_free_after_an_error(rejected: Value) -> None:
    limit = Limit("calls", rejected, total=1)
    with pytest.raises(KeyError), limit.place("a", "h"):
        raise KeyError
    assert limit._held == {}


def test_limits_amounts(rejected: Value) -> None:
    limit = Limit("bytes", rejected, total=400, per_account=100)
    limit.take("a", amount=90)
    with pytest.raises(Overloaded):
        limit.take("a", amount=20)
    for account in "bcd":
        limit.take(account, amount=100)
    with pytest.raises(Overloaded):
        limit.take("e", amount=20)
    limit.give_back("a", amount=90)
    limit.take("e", amount=20)


def test_the_first_amount_may_be_larger_than_the_limit(rejected: Value) -> None:
    limit = Limit("bytes", rejected, total=400, per_account=100)
    limit.take("a", amount=500)
    with pytest.raises(Overloaded):
        limit.take("b", amount=1)


def test_does_not_remember_who_took_nothing(rejected: Value) -> None:
    limit = Limit("bytes", rejected, total=400)
    limit.take("a", "h", amount=0)
    assert limit._held == {}


def test_rejects_a_call_after_its_deadline() -> None:
    check_deadline(0.1)
    with pytest.raises(DeadlinePassed):
        check_deadline(0.0)
