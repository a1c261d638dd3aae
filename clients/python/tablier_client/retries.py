"""Failed calls that are sent again: which, when, and for how long.

Every call is safe to send again, because the service stores nothing. `StartGame` without a seed
then starts another game; nobody has seen the first.
"""

from __future__ import annotations

import random
from time import monotonic
from typing import TYPE_CHECKING

import grpc

from tablier_client.errors import Closed, TablierError

if TYPE_CHECKING:
    from tablier_client.channel import Connection

# No server was reached, or one that is stopping: it answers CANCELLED to calls that it has not
# started. Calls that the caller cancels are never sent again.
UNANSWERED = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED)
# The reason of a service that has too much to do. Exceeded quotas are left to the caller.
OVERLOADED = "OVERLOADED"
# Seconds before the second attempt, and at most; each pause is twice as long as the last.
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 1.0
# Clients that fail together must not come back together.
JITTER = 0.2
# How often a call is sent to an overloaded service, and before any service was ever reached: within
# a second, so that a wrong address is reported soon.
FEW_TRIES = 4


class Budget:
    """Limits how often the calls of a client go back to an overloaded service.

    Without it, all callers together would send four times as many calls to a service that already
    has too many. Safe to share between threads: a lost update changes little.
    """

    def __init__(self, most: float = 50.0, share: float = 0.1) -> None:
        self._most = self._left = most
        self._share = share

    def spend(self) -> bool:
        """Whether one more call may be sent again."""
        if self._left < 1:
            return False
        self._left -= 1
        return True

    def earn(self) -> None:
        """Note an answer: ten of them allow another attempt."""
        self._left = min(self._most, self._left + self._share)


class Attempts:
    """The attempts of one call, or of a session to get its next answer."""

    def __init__(self, connection: Connection, seconds: float) -> None:
        self._connection = connection
        self._began = monotonic()
        self._seconds = seconds
        self._failures = 0
        self._failure: TablierError | None = None

    @property
    def remaining(self) -> float:
        """Seconds that the next attempt may take."""
        return self._began + self._seconds - monotonic() if self._failures else self._seconds

    @property
    def wait_for_ready(self) -> bool | None:
        """Whether the next attempt waits for a connection; None for the default of the channel.

        To wait for a service that is restarting is cheaper than to ask again and again.
        """
        return True if self._failures and self._connection.reached else None

    @property
    def failure(self) -> TablierError:
        """The error of a call without further attempts."""
        assert self._failure is not None
        return self._failure

    def pause_after(self, error: Exception) -> float | None:
        """Return the seconds between a failed attempt and the next, or None if it was the last."""
        failure, earlier = self._connection.failure(error), self._failure
        self._failures += 1
        if earlier and failure.code is grpc.StatusCode.DEADLINE_EXCEEDED and not failure.reason:
            # Why the attempts before it failed says more than that time ran out.
            return None
        self._failure = failure
        if not self._is_worth_another(failure):
            return None
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** (self._failures - 1))
        pause *= random.uniform(1 - JITTER, 1 + JITTER)
        if failure.retry_after is not None:
            # Never sooner than the service asks for.
            pause += failure.retry_after
        return pause if pause < self.remaining else None

    def _is_worth_another(self, failure: TablierError) -> bool:
        if isinstance(failure, Closed):
            return False
        few = self._failures < FEW_TRIES
        if failure.reason == OVERLOADED:
            return few and self._connection.budget.spend()
        return failure.code in UNANSWERED and (few or self._connection.reached)
