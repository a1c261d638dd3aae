"""What is counted and logged of calls, for every door: failures and slow ones, never content."""

from __future__ import annotations

import logging
from random import getrandbits

from google.rpc import status_pb2
from tablier_core.errors import TablierError

from tablier_service.errors import Overloaded
from tablier_service.observability.logs import Logger
from tablier_service.observability.metrics import Metrics, code_name
from tablier_service.observability.tracing import Tracing

# What a caller's request id may consist of, to be repeated in headers and logs.
ID_CHARACTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:/+="
MAX_ID = 128


def choose_id(given: bytes) -> bytes:
    """What a request is called in answers and logs: as its caller says, if that is fit to print."""
    if 0 < len(given) <= MAX_ID and not given.translate(None, ID_CHARACTERS):
        return given
    # Distinct is enough, and a secret one costs as much as reading a request.
    return b"%016x" % getrandbits(64)


class Observer:
    """Where doors report their calls."""

    def __init__(self, logger: Logger, metrics: Metrics, tracing: Tracing | None = None) -> None:
        self._logger = logger
        self.metrics = metrics
        self.tracing = tracing

    def failed(
        self,
        door: str,
        call: str,
        error: Exception,
        status: status_pb2.Status,
        request_id: str,
    ) -> None:
        """A call that ended with an error; a fault of ours comes with its traceback."""
        known = error if isinstance(error, TablierError) else None
        if isinstance(known, Overloaded):
            # Counted as sheds: a line for each would add to what there is too much of.
            return
        self._logger.log(
            logging.INFO if known else logging.ERROR,
            "call failed",
            door=door,
            call=call,
            code=code_name(status.code),
            reason=known.reason if known else "INTERNAL",
            field=known.field if known else "",
            request_id=request_id,
            exc_info=None if known else error,
        )

    def served(self, door: str, call: str, seconds: float, request_id: str, caller: str) -> None:
        """A call that succeeded, where every call is logged."""
        self._logger.info(
            "call",
            door=door,
            call=call,
            caller=caller,
            milliseconds=round(seconds * 1000, 3),
            request_id=request_id,
        )

    def slow(self, door: str, call: str, seconds: float, request_id: str) -> None:
        """A call that took longer than it should."""
        self._logger.warning(
            "slow call",
            door=door,
            call=call,
            milliseconds=round(seconds * 1000, 1),
            request_id=request_id,
        )
