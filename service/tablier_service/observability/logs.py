"""Structured logs: one JSON object a line on standard error, never a token or hidden state."""

from __future__ import annotations

import logging
import sys
import traceback
from collections.abc import Callable
from typing import cast

import orjson

from tablier_service.settings import Settings

# structlog loads rich wherever it finds it, to colour tracebacks: five megabytes of every worker,
# for what the service never prints. So it does not find it, unless it is loaded already.
HIDDEN = {"rich": None} if "rich" not in sys.modules else {}
sys.modules.update(HIDDEN)  # type: ignore[arg-type]  # None is how Python marks what is not there
import structlog  # noqa: E402

for name in HIDDEN:
    del sys.modules[name]

Logger = structlog.typing.FilteringBoundLogger


def configure_logs(settings: Settings) -> Logger:
    """Set up the form of log lines and give the service's logger."""
    renderer: structlog.typing.Processor
    output: Callable[..., structlog.typing.WrappedLogger]
    if settings.log_format == "json":
        # Bytes all the way: a line takes half the time of one that goes through text.
        renderer = structlog.processors.JSONRenderer(serializer=orjson.dumps)
        output = structlog.BytesLoggerFactory(sys.stderr.buffer)
    else:
        renderer = structlog.dev.ConsoleRenderer()
        output = structlog.PrintLoggerFactory(sys.stderr)
    level = logging.getLevelNamesMapping()[settings.log_level.upper()]
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            name_exception,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=output,
        cache_logger_on_first_use=True,
    )
    return cast("Logger", structlog.get_logger())


def name_exception(
    logger: object, method: str, event: structlog.typing.EventDict
) -> structlog.typing.EventDict:
    """Replace an exception by its kind and where it came from, and so those that it came from.

    What exceptions say is left out: it can quote what they failed at, a token or a hidden card.
    """
    error = event.pop("exc_info", None)
    parts: list[str] = []
    while isinstance(error, BaseException):
        parts[:0] = [*traceback.format_tb(error.__traceback__), f"{type(error).__name__}\n"]
        error = error.__cause__ or error.__context__
    if parts:
        event["exception"] = "".join(parts)
    return event
