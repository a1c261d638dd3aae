"""One worker: the service and its transports on one event loop, from start to graceful stop."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from collections.abc import Callable, Iterable
from functools import partial

import uvloop

from tablier_service.calls.memory import keep_little_free
from tablier_service.observability.lines import LineOutput
from tablier_service.observability.logs import Logger, count_dropped_lines
from tablier_service.observability.metrics import Metrics
from tablier_service.observability.processes import own_cores
from tablier_service.process.stopping import (
    end_within,
    longest_stop,
    report_hangs,
    show_pulse,
    watch_signals,
)
from tablier_service.service import Service
from tablier_service.settings import Settings
from tablier_service.transports.grpc.server import make_server
from tablier_service.transports.http.server import HttpServer

STDOUT = 1


def run(settings: Settings, logger: Logger) -> None:
    """Serve in this process until SIGTERM or SIGINT, then let calls in progress finish."""
    warn_if_exposed(settings, logger)
    uvloop.run(serve(settings, logger, Metrics(), partial(announce, settings, logger)))


async def serve(
    settings: Settings,
    logger: Logger,
    metrics: Metrics,
    started: Callable[[int, int], object],
    lifeline: int | None = None,
    cores: Iterable[int] | None = None,
) -> None:
    """Start the servers, pass their ports to `started`, and stop them on a signal.

    SIGHUP reloads files. A worker also stops when its lifeline becomes readable, which means that
    the supervisor has ended. `cores` are those that searches may use.
    """
    stop, reload = asyncio.Event(), asyncio.Event()
    longest = longest_stop(settings)
    watch_signals(stop, reload, longest)
    report_hangs()
    keep_little_free()
    count_dropped_lines(metrics.log_lines_dropped.inc)
    # Searches use CPU time while the event loop is blocked, but not more than all cores have.
    supervised = lifeline is not None
    show_pulse(metrics, None if supervised else settings.watchdog_seconds * len(own_cores()))
    service = Service.assemble(settings, metrics=metrics, logger=logger, cores=cores)
    grpc_server = make_server(service)
    http_server = HttpServer(service)
    # Objects made so far are never freed, and examining them in every collection would delay calls.
    gc.collect()
    gc.freeze()
    loop = asyncio.get_running_loop()
    if lifeline is not None:
        loop.add_reader(lifeline, stop.set)
    await grpc_server.start()
    await http_server.start()
    metrics.process.set(os.getpid())
    metrics.serving.set(1)
    started(grpc_server.port, http_server.port)
    watching = asyncio.create_task(service.files.keep_checking(settings.reload_seconds, reload))
    await stop.wait()
    end_within(longest)
    watching.cancel()
    if lifeline is not None:
        loop.remove_reader(lifeline)
    service.logger.info("stopping")
    # Health checks and readiness change first, while calls are still accepted.
    metrics.serving.set(0)
    await grpc_server.drain()
    await asyncio.sleep(settings.drain_delay_seconds)
    await asyncio.gather(
        grpc_server.stop(settings.drain_seconds), http_server.stop(settings.drain_seconds)
    )
    await asyncio.to_thread(service.close)
    service.logger.info("stopped")


def announce(settings: Settings, logger: Logger, grpc_port: int, http_port: int) -> None:
    """Print the addresses of the servers, for people and for programs that read our output."""
    host = settings.host
    scheme = "http" if settings.tls_cert_file is None else "https"
    address = f"{scheme}://{host}:{http_port}"
    addresses = f"gRPC  {host}:{grpc_port}\nREST  {address}"
    if settings.web == "on":
        addresses += f"\nTable {address}/"
    # A program may be started without standard output; the descriptor then is another file's.
    if sys.stdout is None or not LineOutput(STDOUT).write(addresses.encode()):
        logger.warning("standard output cannot be written", addresses=addresses.splitlines())


def warn_if_exposed(settings: Settings, logger: Logger) -> None:
    """Warn if other machines reach gRPC directly, which can exhaust the memory of a worker."""
    if settings.exposed:
        logger.warning(
            "gRPC is exposed without a proxy, and a flood of header frames can exhaust its memory; "
            "see 'In front of it' in docs/operations.md, and set TABLIER_BEHIND_PROXY=true if "
            "there is a proxy",
            host=settings.host,
        )
