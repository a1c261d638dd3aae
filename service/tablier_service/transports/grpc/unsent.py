"""Answers that gRPC was given and that have not left, because their clients do not read them.

A client decides by flow control how much is sent to it. Nearly all answers leave at once. The
others take memory, so their bytes are limited, and those that are not read for long are given up.
"""

from __future__ import annotations

from abc import abstractmethod
from itertools import takewhile
from time import monotonic
from typing import Any, NamedTuple

from tablier_service.calls.limits import Limit
from tablier_service.calls.memory import LARGE_BYTES, Memory
from tablier_service.errors import Overloaded
from tablier_service.transports.grpc import core
from tablier_service.transports.grpc.arrivals import RequestExchange
from tablier_service.transports.grpc.call import failure
from tablier_service.transports.grpc.exchange import ignore

# What gRPC keeps of a call next to its answer, until the answer has left.
CALL_BYTES = 16 * 1024
# So many bytes may be on their way before we look up whose they are.
PROMPT_BYTES = 4 * 1024 * 1024


class AnsweringExchange(RequestExchange):
    """A call on the wire with one message and, unless a subclass sends several, one answer."""

    __slots__ = ("unsent",)

    unsent: Unsent

    @property
    @abstractmethod
    def owner(self) -> str:
        """Whose memory the answer takes: its caller's or, without authentication, its address's."""

    def answer(self, answer: bytes) -> None:
        """On the polling thread: send the answer, and end the call."""
        unsent = self.unsent
        try:
            unsent.add(self, len(answer) + CALL_BYTES)
        except Overloaded as error:
            self.reject(*failure(error))
        else:
            unsent.answers.add(self.wire, answer, self._left, others_come=self.arrivals.expects)

    def _left(self, event: Any) -> None:
        """An answer has left, or never will."""
        self.unsent.remove(self)

    def answer_on_loop(self, answer: bytes) -> None:
        """On the event loop: send the answer, and end a call that did `continue_on_loop`."""
        try:
            self.unsent.count(self, len(answer) + CALL_BYTES)
        except Overloaded as error:
            core.fail(self.wire, *failure(error), ignore)
        else:
            core.answer(self.wire, answer, self._left)


class Counted(NamedTuple):
    """An answer that did not leave at once, or one of the event loop."""

    since: float
    owner: str
    # 0 if it has been given up.
    size: int
    # An exchange that continued on the event loop has already dropped it.
    wire: core.CoreCall


class Unsent:
    """The answers that have not left. All but `count` is for the polling thread."""

    def __init__(self, limit: Limit, seconds: float, memory: Memory, answers: core.Answers) -> None:
        self.answers = answers
        self.limit = limit
        self.seconds = seconds
        self.memory = memory
        # The sizes of answers since the last sweep, and of those that one sweep has seen.
        self._new: dict[AnsweringExchange, int] = {}
        self._seen: dict[AnsweringExchange, int] = {}
        self._bytes = 0
        # All other answers, oldest first. Two threads add to it, so it is copied to be looked at.
        self._counted: dict[AnsweringExchange, Counted] = {}

    def add(self, exchange: AnsweringExchange, size: int) -> None:
        """Expect an answer to leave; raises Overloaded if too many of its owner have not."""
        if self._bytes + size > PROMPT_BYTES:
            self._count(self._seen)
            self._count(self._new)
            self.count(exchange, size)
        else:
            self._new[exchange] = size
            self._bytes += size

    def count(self, exchange: AnsweringExchange, size: int) -> None:
        """Count an answer for its owner before it is sent; raises Overloaded."""
        owner = exchange.owner
        self.limit.take(owner, amount=size)
        self._counted[exchange] = Counted(monotonic(), owner, size, exchange.wire)

    def _count(self, answers: dict[AnsweringExchange, int]) -> None:
        """Count answers for their owners; those beyond the limit are given up."""
        now = monotonic()
        for exchange, size in answers.items():
            self._bytes -= size
            owner = exchange.owner
            try:
                self.limit.take(owner, amount=size)
            except Overloaded:
                core.cancel(exchange.wire)
                size = 0
            self._counted[exchange] = Counted(now, owner, size, exchange.wire)
        answers.clear()

    def remove(self, exchange: AnsweringExchange) -> None:
        """Forget an answer that has left."""
        size = self._new.pop(exchange, 0) or self._seen.pop(exchange, 0)
        if size:
            self._bytes -= size
            if size > LARGE_BYTES:
                self.memory.freed = True
            return
        counted = self._counted.pop(exchange)
        if counted.size:
            self.limit.give_back(counted.owner, amount=counted.size)
        self.memory.freed = True

    def sweep(self) -> None:
        """Count the answers that two sweeps have seen, and give up those that are not read."""
        self._count(self._seen)
        self._new, self._seen = self._seen, self._new
        due = monotonic() - self.seconds
        for counted in takewhile(lambda each: each.since <= due, list(self._counted.values())):
            # Its operation then completes.
            core.cancel(counted.wire)
