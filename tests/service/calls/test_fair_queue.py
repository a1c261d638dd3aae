"""Whose turn it is in a queue that accounts share."""

from __future__ import annotations

from tablier_service.calls.fair_queue import FairQueue


def filled(*items: str) -> FairQueue[str]:
    """A queue of items such as "a1", whose first letter is their account."""
    queue: FairQueue[str] = FairQueue()
    for item in items:
        queue.add(item[0], item)
    return queue


def drained(queue: FairQueue[str]) -> list[str]:
    return list(iter(queue.take, None))


def test_accounts_take_turns() -> None:
    assert drained(filled("a1", "a2", "a3", "b1", "c1", "c2")) == [
        "a1", "b1", "c1", "a2", "c2", "a3",
    ]  # fmt: skip


def test_an_account_that_comes_back_does_not_overtake_one_that_waits() -> None:
    """Otherwise, two accounts with one item each could keep a third from ever having its turn."""
    queue = filled("x1", "y1", "b1", "b2")
    taken = []
    for number in range(2, 5):
        for account in ("x", "y"):
            taken.append(queue.take())
            queue.add(account, f"{account}{number}")
    assert taken[:6] == ["x1", "y1", "b1", "x2", "y2", "b2"]


def test_an_account_can_give_way() -> None:
    queue = filled("a1", "a2", "b1")
    queue.put_last("a")
    queue.put_last("c")
    assert drained(queue) == ["b1", "a1", "a2"]


def test_a_discarded_item_is_not_taken() -> None:
    queue = filled("a1", "b1", "b2")
    queue.discard("a", "a1")
    queue.discard("b", "b1")
    queue.discard("c", "c1")
    assert drained(queue) == ["b2"]


def test_counts_the_turns_before_a_new_item() -> None:
    queue = filled("a1", "a2", "a3", "b1", "b2")
    assert [queue.turns_before(account) for account in "abc"] == [5, 5, 2]
    for account, before in (("b", 5), ("c", 2)):
        queue = filled("a1", "a2", "a3", "b1", "b2")
        queue.add(account, "new")
        assert drained(queue).index("new") == before
