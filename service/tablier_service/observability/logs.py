"""Structured logs: one JSON object per line on standard error, never a token or hidden state.

Logging neither raises nor waits: a line that cannot be written is dropped and counted.
"""

from __future__ import annotations

import json
import logging
import sys
import traceback
from collections.abc import Callable
from typing import Any, Literal, cast

import orjson

from tablier_service.observability.lines import LineOutput

# structlog imports rich if it is installed, to colour tracebacks. That costs every worker five
# megabytes for something the service never prints, so hide rich during the import.
HIDDEN = {"rich": None} if "rich" not in sys.modules else {}
sys.modules.update(HIDDEN)  # type: ignore[arg-type]  # None marks a module that does not exist
import structlog  # noqa: E402

for name in HIDDEN:
    del sys.modules[name]

Logger = structlog.typing.FilteringBoundLogger
STDERR = 2
# The innermost frames of an exception are enough to find it. A deep recursion has thousands.
MAX_FRAMES = 20


class LineLogger:
    """Writes the lines that structlog has made."""

    def __init__(self, output: LineOutput) -> None:
        self.output = output

    def msg(self, line: str | bytes) -> None:
        """Write a line."""
        self.output.write(line if isinstance(line, bytes) else line.encode(errors="replace"))

    debug = info = warning = error = critical = msg


def configure_logs(
    level: str, log_format: Literal["json", "console"], output: LineOutput | None = None
) -> Logger:
    """Set up structlog and return the logger of the service.

    Without an output, lines go to standard error.
    """
    logger = LineLogger(output or LineOutput(STDERR))
    renderer: structlog.typing.Processor
    if log_format == "json":
        # Bytes from end to end take half the time of text.
        renderer = structlog.processors.JSONRenderer(serializer=to_json)
    else:
        renderer = structlog.dev.ConsoleRenderer()
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
        logger_factory=lambda *_: logger,
        cache_logger_on_first_use=True,
    )
    return cast("Logger", structlog.get_logger())


def count_dropped_lines(count: Callable[[], object]) -> None:
    """From now on, call this for every line that the log of this process drops."""
    structlog.get_config()["logger_factory"]().output.on_drop = count


def to_json(event: structlog.typing.EventDict, **options: Any) -> bytes:
    """An entry as JSON, whatever it contains."""
    try:
        return orjson.dumps(event)
    except TypeError:
        # Text that is not Unicode, such as the name of a file, or an object of a library.
        return json.dumps(event, default=repr).encode()


def name_exception(
    logger: object, method: str, event: structlog.typing.EventDict
) -> structlog.typing.EventDict:
    """Replace an exception by its type and traceback, and by those of its causes.

    The message of an exception is left out: it may quote a token or a hidden card.
    """
    error = event.pop("exc_info", None)
    parts: list[str] = []
    while isinstance(error, BaseException):
        frames = traceback.format_tb(error.__traceback__, limit=-MAX_FRAMES)
        parts[:0] = [*frames, f"{type(error).__name__}\n"]
        error = error.__cause__ or error.__context__
    if parts:
        event["exception"] = "".join(parts)
    return event
