"""Calls that are rejected before their message is received, such as those over a quota.

Rejecting a call costs nearly as much as answering one, and some clients repeat a rejected call at
once. So only a few are answered at once. The others wait for their answer, which costs little and
keeps their clients from repeating them: a connection has a limited number of calls in progress.
Callers take turns, so nobody waits for the rejections of somebody else.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from time import monotonic
from typing import NamedTuple

# How many calls are rejected between two sweeps, at once or because it is their turn: of one
# account, and in total.
PROMPT = 20
MOST_PROMPT = 60
# How many calls wait at most: of one account, and in total. The oldest makes room for another.
MOST_HELD_OF_ONE = 256
MOST_HELD = 1024
# How long before its deadline a call is rejected at the latest: the answer has to arrive.
MARGIN_SECONDS = 0.25

# Sends its error to the client of a rejected call.
Answer = Callable[[], object]


class Held(NamedTuple):
    """A call that waits to be rejected."""

    answer: Answer
    # When it must be rejected.
    due: float


class Rejections:
    """Answers rejected calls, at a limited rate. Only the polling thread uses it."""

    def __init__(self) -> None:
        # How many calls were rejected since the last sweep, by account.
        self._prompt: Counter[str] = Counter()
        # The calls that wait, by account, in the order of their turns.
        self._held: dict[str, deque[Held]] = {}
        self._count = 0

    def add(self, account: str, answer: Answer, seconds_left: float | None) -> None:
        """Reject a call of an account, now or later."""
        spare = float("inf") if seconds_left is None else seconds_left - MARGIN_SECONDS
        if spare <= 0 or (account not in self._held and self._may_answer(account)):
            self._prompt[account] += 1
            answer()
            return
        if len(self._held.get(account, ())) >= MOST_HELD_OF_ONE:
            self._take(account).answer()
        elif self._count >= MOST_HELD:
            # Of the account that has most, which therefore keeps some.
            self._take(max(self._held, key=lambda each: len(self._held[each]))).answer()
        self._held.setdefault(account, deque()).append(Held(answer, monotonic() + spare))
        self._count += 1

    def _may_answer(self, account: str) -> bool:
        return self._prompt[account] < PROMPT and self._prompt.total() < MOST_PROMPT

    def _take(self, account: str) -> Held:
        """Take the oldest call of an account, which then has its turn after all others."""
        held = self._held.pop(account)
        oldest = held.popleft()
        self._count -= 1
        if held:
            self._held[account] = held
        return oldest

    def sweep(self, *, stopping: bool) -> None:
        """Reject some of the calls that wait; all of them in a service that stops."""
        self._prompt.clear()
        if not self._held:
            return
        self._reject_due(float("inf") if stopping else monotonic())
        while account := next(filter(self._may_answer, self._held), None):
            self._prompt[account] += 1
            self._take(account).answer()

    def _reject_due(self, now: float) -> None:
        """Reject the calls that cannot wait any longer."""
        for account, held in list(self._held.items()):
            due = [each for each in held if each.due <= now]
            if not due:
                continue
            self._count -= len(due)
            kept = deque(each for each in held if each.due > now)
            if kept:
                self._held[account] = kept
            else:
                del self._held[account]
            for each in due:
                each.answer()
