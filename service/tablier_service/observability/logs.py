"""Structured logs: one JSON object per line on standard error, never a token or hidden state."""

from __future__ import annotations

import logging
import sys
import traceback
from collections.abc import Callable
from typing import BinaryIO, Literal, cast

import orjson

# structlog imports rich if it is installed, to colour tracebacks. That costs every worker five
# megabytes for something the service never prints, so hide rich during the import.
HIDDEN = {"rich": None} if "rich" not in sys.modules else {}
sys.modules.update(HIDDEN)  # type: ignore[arg-type]  # None marks a module that does not exist
import structlog  # noqa: E402

for name in HIDDEN:
    del sys.modules[name]

Logger = structlog.typing.FilteringBoundLogger


def configure_logs(
    level: str, log_format: Literal["json", "console"], stderr: BinaryIO | None = None
) -> Logger:
    """Set up structlog and return the logger of the service.

    `stderr` receives JSON if descriptor 2 is not the real standard error.
    """
    renderer: structlog.typing.Processor
    output: Callable[..., structlog.typing.WrappedLogger]
    if log_format == "json":
        # Bytes from end to end take half the time of text.
        renderer = structlog.processors.JSONRenderer(serializer=orjson.dumps)
        output = structlog.BytesLoggerFactory(stderr or sys.stderr.buffer)
    else:
        renderer = structlog.dev.ConsoleRenderer()
        output = structlog.PrintLoggerFactory(sys.stderr)
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            name_exception,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(
            logging.getLevelNamesMapping()[level.upper()]
        ),
        logger_factory=output,
        cache_logger_on_first_use=True,
    )
    return cast("Logger", structlog.get_logger())


def name_exception(
    logger: object, method: str, event: structlog.typing.EventDict
) -> structlog.typing.EventDict:
    """Replace an exception by its type and traceback, and by those of its causes.

    The message of an exception is left out: it may quote a token or a hidden card.
    """
    error = event.pop("exc_info", None)
    parts: list[str] = []
    while isinstance(error, BaseException):
        parts[:0] = [*traceback.format_tb(error.__traceback__), f"{type(error).__name__}\n"]
        error = error.__cause__ or error.__context__
    if parts:
        event["exception"] = "".join(parts)
    return event
