"""Standard error of the service: our log, and what else libraries and the interpreter write there.

With the format `json`, every line is JSON. The log itself writes to standard error directly. Other
writers, such as gRPC's own code, write to file descriptor 2, which leads through a pipe to
`foreign_lines`. What Python can intercept becomes an entry of our log: the logs and warnings of
libraries, and uncaught exceptions. No writer ever waits for the reader of standard error.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

import tablier_service
from tablier_service.observability.lines import LineOutput
from tablier_service.observability.logs import STDERR, Logger, configure_logs

# At the end, how long the last lines may take to be written.
LAST_LINES_SECONDS = 5
# The longest message of a library that is logged.
MAX_MESSAGE = 2000
# The process that copies lines needs only the standard library and two of our own files.
ROOT = str(Path(tablier_service.__file__).parents[1])
COPY = """
import sys
sys.path.append(sys.argv[1])
from tablier_service.observability.foreign_lines import main
main()
"""

Format = Literal["json", "console"]


@contextmanager
def log_on_stderr(level: str, log_format: Format) -> Iterator[Logger]:
    """The logger of the service. Everything else on standard error is copied or logged, too."""
    with redirected_stderr(log_format) as stderr:
        logger = configure_logs(level, log_format, LineOutput(stderr))
        with logged_by_python(logger):
            try:
                yield logger
            except (Exception, KeyboardInterrupt) as error:
                logger.critical("uncaught exception", error=str(error), exc_info=error)
                raise SystemExit(1) from None


@contextmanager
def redirected_stderr(log_format: Format) -> Iterator[int]:
    """Lead descriptor 2 through `foreign_lines`; gives a descriptor of the real standard error."""
    flush_stderr()
    if sys.stderr is None:
        # The program was started without standard error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), STDERR)
    real = os.dup(STDERR)
    read, write = os.pipe()
    # In a session of its own, it does not end with Ctrl-C but after the last line.
    copier = subprocess.Popen(  # noqa: S603  # our own file
        [sys.executable, "-I", "-S", "-c", COPY, ROOT, log_format],
        stdin=read,
        stdout=real,
        start_new_session=True,
    )
    os.close(read)
    os.dup2(write, STDERR)
    os.close(write)
    try:
        yield real
    finally:
        flush_stderr()
        os.dup2(real, STDERR)
        # A worker that is still running would keep the pipe open.
        with suppress(subprocess.TimeoutExpired):
            copier.wait(LAST_LINES_SECONDS)
        os.close(real)


def flush_stderr() -> None:
    """Write what Python has buffered for standard error."""
    # There is none if the program was started without one.
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.flush()


@contextmanager
def logged_by_python(logger: Logger) -> Iterator[None]:
    """Log what Python's own logging, warnings and threads would print."""
    handler = PythonLogs(logger)
    logging.getLogger().addHandler(handler)
    logging.captureWarnings(True)
    thread_hook, object_hook = threading.excepthook, sys.unraisablehook

    def on_thread(failed: threading.ExceptHookArgs) -> None:
        if failed.exc_type is not SystemExit:
            logger.critical("uncaught exception in a thread", exc_info=failed.exc_value)

    def on_object(failed: sys.UnraisableHookArgs) -> None:
        logger.error("ignored exception", exc_info=failed.exc_value)

    threading.excepthook, sys.unraisablehook = on_thread, on_object
    try:
        yield
    finally:
        threading.excepthook, sys.unraisablehook = thread_hook, object_hook
        logging.captureWarnings(False)
        logging.getLogger().removeHandler(handler)


class PythonLogs(logging.Handler):
    """Passes the records of Python's logging to our logger."""

    def __init__(self, logger: Logger) -> None:
        super().__init__()
        self._logger = logger

    def emit(self, record: logging.LogRecord) -> None:
        """Log a record; its exception is logged like our own, without a message."""
        error = record.exc_info[1] if record.exc_info else None
        # Libraries may use levels between those that have a name.
        level = min(logging.CRITICAL, record.levelno // 10 * 10)
        try:
            message = record.getMessage()
        except Exception:
            # The arguments do not fit the message, which must not fail what the library does.
            message = str(record.msg)
        self._logger.log(level, message[:MAX_MESSAGE], logger=record.name, exc_info=error)
