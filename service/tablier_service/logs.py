"""Structured logs: one JSON object a line on standard error, never a token or hidden state."""

from __future__ import annotations

import logging
import sys
from typing import cast

import structlog

from tablier_service.config import Settings

Logger = structlog.typing.FilteringBoundLogger


def configure_logs(settings: Settings) -> Logger:
    """Set up the form of log lines and give the service's logger."""
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer()
        if settings.log_format == "json"
        else structlog.dev.ConsoleRenderer()
    )
    level = logging.getLevelNamesMapping()[settings.log_level.upper()]
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    return cast("Logger", structlog.get_logger())
