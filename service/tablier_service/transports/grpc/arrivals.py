"""Calls whose message has not arrived yet: how many, and for how long.

gRPC buffers a message up to its maximum size from the moment we ask for it. Before that, it accepts
only the `LOOKAHEAD_BYTES` of options.py. So we ask for a few messages at a time; the other calls
wait, which costs little. Every caller gets its first message before others get several.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from itertools import islice, takewhile
from time import monotonic
from typing import Any

from tablier_core.errors import TablierError

from tablier_service.calls.memory import Memory
from tablier_service.errors import DeadlinePassed, Overloaded
from tablier_service.observability.metrics import Metrics
from tablier_service.settings import Settings
from tablier_service.transports.grpc import core
from tablier_service.transports.grpc.exchange import Exchange

# A message that takes longer than this may have to make room for others.
LATE_SECONDS = 0.5
# How many senders whose messages were late are remembered.
MOST_SLOW = 1024
# How many senders get a turn when a message has come: the cost of a call must not grow with them.
TURNS = 4


class Sender:
    """A caller, or a connection, that still has to send messages."""

    __slots__ = ("account", "asked", "calls", "waiting")

    def __init__(self, account: str) -> None:
        self.account = account
        # When its calls without a message came, oldest first.
        self.calls: dict[RequestExchange, float] = {}
        # How many of these messages we have asked for.
        self.asked = 0
        # The calls whose message we have not asked for. Some may have been given up since.
        self.waiting: deque[RequestExchange] = deque()


class RequestExchange(Exchange, ABC):
    """A call on the wire that begins with a message."""

    __slots__ = ("arrivals", "sender")

    arrivals: Arrivals
    sender: Sender

    def came(self, event: Any) -> None:
        """Go on when the message has come, or the client has disconnected."""
        # Without the wire, the call was given up before.
        if self.wire is not None:
            data = core.message_in(event)
            self.arrivals.remove(self)
            if data is None:
                self.arrivals.note_freed()
            self.received(data)

    @property
    @abstractmethod
    def account(self) -> str:
        """The account that the message counts for."""

    @abstractmethod
    def received(self, data: bytes | None) -> None:
        """Go on with the message; None if there is none."""

    @abstractmethod
    def give_up(self, error: TablierError) -> None:
        """End the call, because its message has not arrived."""


class Arrivals:
    """The calls whose message has not arrived. Only the polling thread uses it."""

    def __init__(
        self,
        settings: Settings,
        metrics: Metrics,
        memory: Memory,
        most: int,
        late_seconds: float | None = None,
        *,
        newest_first: bool = False,
    ) -> None:
        self._memory = memory
        self._seconds = settings.message_seconds
        # How many messages are received at the same time.
        self._most = most
        self._late_seconds = LATE_SECONDS if late_seconds is None else late_seconds
        # Whether the newest sender has the next turn, rather than the one that waits longest.
        self._newest_first = newest_first
        # When senders had to make room. For as long as a message may take, their other calls are
        # rejected: otherwise those that begin again and again would always be the newest.
        self._slow: dict[str, float] = {}
        self._most_per_sender = settings.max_awaited_messages_per_caller
        self._most_calls = settings.max_calls
        self._most_calls_per_sender = settings.max_calls_per_caller
        # As many messages can come together with their calls without exceeding any limit.
        self._most_prompt = min(
            self._most_per_sender,
            self._most // 2,
            self._most_calls,
            self._most_calls_per_sender,
        )
        self._rejected = metrics.rejected["calls"]
        # When calls came whose sender we have not looked up. Nearly all messages come with their
        # call, and then it does not matter. There are none while other calls lack their message.
        self._prompt: dict[RequestExchange, float] = {}
        # When each call came, and when we asked for its message, oldest first.
        self._since: dict[RequestExchange, float] = {}
        self._asked: dict[RequestExchange, float] = {}
        self._senders: dict[str, Sender] = {}
        # The senders that may be asked for another message, in turn.
        self._next: dict[Sender, None] = {}
        # Whether messages may be missing, and so `sweep` is needed.
        self.waits = False

    def expect(self, exchange: RequestExchange) -> None:
        """Ask for the message of a call, now or when it is its turn; raises Overloaded."""
        exchange.arrivals = self
        self.waits = True
        if not self._since and not self._slow:
            if len(self._prompt) < self._most_prompt:
                self._prompt[exchange] = monotonic()
                core.receive_message(exchange.wire, exchange.came)
                return
            self._look_up_senders()
        account = exchange.account
        if account in self._slow:
            self._rejected.inc()
            raise Overloaded("", "the last message was late, and others needed its place")
        sender = self._senders.get(account)
        if sender is not None and len(sender.calls) >= self._most_calls_per_sender:
            self._check_late(sender)
        if len(self._since) >= self._most_calls:
            # The oldest, not the newest: most messages come with their call.
            self._make_room(self._since, 0.0)
        sender = self._add(exchange, account, monotonic())
        if not sender.waiting and self._has_room(sender):
            self._ask(exchange, sender)
            return
        sender.waiting.append(exchange)
        self._next[sender] = None
        if not sender.asked and self._make_room(self._asked, self._late_seconds):
            self._take_turns(len(self._next))

    def _add(self, exchange: RequestExchange, account: str, since: float) -> Sender:
        """Count a call for its sender."""
        sender = self._senders.get(account)
        if sender is None:
            sender = self._senders[account] = Sender(account)
        exchange.sender = sender
        self._since[exchange] = sender.calls[exchange] = since
        return sender

    def _look_up_senders(self) -> None:
        """Count calls for their senders whose messages did not come at once."""
        for exchange, since in self._prompt.items():
            self._add(exchange, exchange.account, since).asked += 1
            self._asked[exchange] = since
        self._prompt.clear()

    def _check_late(self, sender: Sender) -> None:
        """Raise Overloaded if the messages of a sender at its limit are late."""
        if monotonic() - next(iter(sender.calls.values())) >= self._late_seconds:
            self._rejected.inc()
            limit = self._most_calls_per_sender
            message = f"too many messages of this caller are late; the limit is {limit} calls"
            raise Overloaded("", message)

    def _has_room(self, sender: Sender) -> bool:
        asked = len(self._asked)
        if sender.asked == 0:
            return asked < self._most
        # Half of the room is left to senders that have nothing yet.
        return sender.asked < self._most_per_sender and asked < self._most // 2

    def _ask(self, exchange: RequestExchange, sender: Sender) -> None:
        sender.asked += 1
        self._asked[exchange] = monotonic()
        core.receive_message(exchange.wire, exchange.came)

    def remove(self, exchange: RequestExchange) -> None:
        """Forget a call: its message has come, or it is given up."""
        if self._prompt.pop(exchange, None) is not None:
            return
        sender = exchange.sender
        del self._since[exchange]
        del sender.calls[exchange]
        if self._asked.pop(exchange, None) is not None:
            sender.asked -= 1
        if not sender.calls:
            del self._senders[sender.account]
            self._next.pop(sender, None)
        if self._next:
            self._take_turns(TURNS)

    def _take_turns(self, turns: int) -> None:
        """Give some senders their turn; one that still waits afterwards goes to the end."""
        order = reversed(self._next) if self._newest_first else iter(self._next)
        for sender in list(islice(order, turns)):
            if not self._newest_first:
                del self._next[sender]
            waiting = sender.waiting
            # Without those that were given up.
            while waiting and waiting[0] not in sender.calls:
                waiting.popleft()
            if waiting and self._has_room(sender):
                self._ask(waiting.popleft(), sender)
            if waiting:
                self._next[sender] = None
            else:
                self._next.pop(sender, None)

    def _make_room(self, calls: dict[RequestExchange, float], seconds: float) -> bool:
        """Give up the oldest of these calls if it is that old; whether it was."""
        exchange, since = next(iter(calls.items()))
        if monotonic() - since < seconds:
            return False
        error = Overloaded("", "the message is late, and others need its place")
        calls_to_end = [exchange]
        if self._newest_first:
            if len(self._slow) >= MOST_SLOW:
                self._slow.clear()
            self._slow[exchange.sender.account] = monotonic()
            calls_to_end = list(exchange.sender.calls)
        for each in calls_to_end:
            self._rejected.inc()
            self._give_up(each, error)
        return True

    def _give_up(self, exchange: RequestExchange, error: TablierError) -> None:
        self.note_freed()
        self.remove(exchange)
        exchange.give_up(error)

    def note_freed(self) -> None:
        """Note that a part of a message may have been freed, which leaves gaps in the memory."""
        self._memory.freed = True

    def sweep(self, *, stopping: bool) -> None:
        """Give up the calls whose message is overdue, and let others have their place.

        A service that stops does not wait for late messages.
        """
        self._look_up_senders()
        seconds = LATE_SECONDS if stopping else self._seconds
        due = monotonic() - seconds
        for account in list(takewhile(lambda each: self._slow[each] <= due, self._slow)):
            del self._slow[account]
        overdue = list(takewhile(lambda exchange: self._since[exchange] <= due, self._since))
        for exchange in overdue:
            message = f"the message did not arrive within {seconds:g} seconds"
            self._give_up(exchange, DeadlinePassed("", message))
        while self.crowded and self._make_room(self._asked, self._late_seconds):
            pass
        self._take_turns(len(self._next))
        self.waits = bool(self._since or self._slow)

    @property
    def expects(self) -> bool:
        """Whether there are calls whose message has not come."""
        return bool(self._prompt or self._since)

    @property
    def crowded(self) -> bool:
        """Whether a sender waits for its first message because others hold all of the room."""
        return len(self._asked) >= self._most and any(not sender.asked for sender in self._next)
