"""What is counted and logged of calls, for every door: failures and slow ones, never content."""

from __future__ import annotations

import uuid

from google.rpc import status_pb2
from tablier_core.errors import TablierError

from tablier_service.logs import Logger
from tablier_service.metrics import Metrics, code_name


class Observer:
    """Where doors report their calls."""

    def __init__(self, logger: Logger, metrics: Metrics) -> None:
        self._logger = logger
        self.metrics = metrics

    def failed(
        self,
        door: str,
        call: str,
        error: Exception,
        status: status_pb2.Status,
        request_id: str | None,
    ) -> None:
        """A call that ended with an error; a fault of ours comes with its traceback."""
        known = isinstance(error, TablierError)
        self._logger.log(
            20 if known else 40,
            "call failed",
            door=door,
            call=call,
            code=code_name(status.code),
            reason=error.reason if isinstance(error, TablierError) else "INTERNAL",
            field=error.field if isinstance(error, TablierError) else "",
            request_id=request_id or uuid.uuid4().hex,
            exc_info=None if known else error,
        )

    def slow(self, door: str, call: str, seconds: float, request_id: str | None) -> None:
        """A call that took longer than it should."""
        self._logger.warning(
            "slow call",
            door=door,
            call=call,
            milliseconds=round(seconds * 1000, 1),
            request_id=request_id or uuid.uuid4().hex,
        )
