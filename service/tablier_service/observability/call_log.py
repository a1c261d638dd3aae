"""The log of calls: failed and slow ones, or all of them; never their content."""

from __future__ import annotations

import logging
from random import getrandbits

from tablier_core.errors import TablierError

from tablier_service.errors import Overloaded
from tablier_service.observability.logs import Logger
from tablier_service.observability.metrics import code_name

# The characters of a request id that is repeated in headers and logs.
ID_CHARACTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:/+="
MAX_ID = 128


def choose_request_id(given: bytes) -> bytes:
    """The caller's id for a request if it is safe to print, otherwise a new one."""
    if 0 < len(given) <= MAX_ID and not given.translate(None, ID_CHARACTERS):
        return given
    # Ids need to be distinct, not secret. A secret one costs as much as reading a request.
    return b"%016x" % getrandbits(64)


class CallLog:
    """Writes log lines about calls."""

    def __init__(self, logger: Logger) -> None:
        self._logger = logger

    def failed(
        self, transport: str, call: str, error: Exception, code: int, request_id: str
    ) -> None:
        """Log a call that failed; an internal error comes with its traceback."""
        if isinstance(error, Overloaded):
            # Only counted: a line for each would add to the load.
            return
        expected = error if isinstance(error, TablierError) else None
        self._logger.log(
            logging.INFO if expected else logging.ERROR,
            "call failed",
            transport=transport,
            call=call,
            code=code_name(code),
            reason=expected.reason if expected else "INTERNAL",
            field=expected.field if expected else "",
            request_id=request_id,
            exc_info=None if expected else error,
        )

    def succeeded(
        self, transport: str, call: str, seconds: float, request_id: str, caller: str
    ) -> None:
        """Log a call that succeeded; used if every call is logged."""
        self._logger.info(
            "call",
            transport=transport,
            call=call,
            caller=caller,
            milliseconds=round(seconds * 1000, 3),
            request_id=request_id,
        )

    def slow(self, transport: str, call: str, seconds: float, request_id: str) -> None:
        """Log a call that took longer than it should."""
        self._logger.warning(
            "slow call",
            transport=transport,
            call=call,
            milliseconds=round(seconds * 1000, 1),
            request_id=request_id,
        )
