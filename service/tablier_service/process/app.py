"""One worker: the service and its transports on one event loop, from start to graceful stop."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
from collections.abc import Callable, Iterable
from functools import partial

import uvloop

from tablier_service.observability.logs import Logger
from tablier_service.observability.metrics import Metrics
from tablier_service.service import Service
from tablier_service.settings import Settings
from tablier_service.transports.grpc.server import GrpcServer
from tablier_service.transports.http.server import HttpServer


def run(settings: Settings, logger: Logger) -> None:
    """Serve in this process until SIGTERM or SIGINT, then let calls in progress finish."""
    uvloop.run(serve(settings, logger, Metrics(), partial(announce, settings)))


async def serve(
    settings: Settings,
    logger: Logger,
    metrics: Metrics,
    started: Callable[[int, int], object],
    lifeline: int | None = None,
    cores: Iterable[int] | None = None,
) -> None:
    """Start the servers, pass their ports to `started`, and stop them on a signal.

    A worker also stops when its lifeline becomes readable, which means that the supervisor has
    ended. `cores` are those that searches may use.
    """
    service = Service.assemble(settings, metrics=metrics, logger=logger, cores=cores)
    grpc_server = GrpcServer(service)
    http_server = HttpServer(service)
    # Objects made so far are never freed, and examining them in every collection would delay calls.
    gc.collect()
    gc.freeze()
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    if lifeline is not None:
        loop.add_reader(lifeline, stop.set)
    await grpc_server.start()
    await http_server.start()
    metrics.process.set(os.getpid())
    metrics.serving.set(1)
    started(grpc_server.port, http_server.port)
    watching = asyncio.create_task(service.files.keep_checking(settings.reload_seconds))
    await stop.wait()
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


def announce(settings: Settings, grpc_port: int, http_port: int) -> None:
    """Print the addresses of the servers, for people and for programs that read our output."""
    host = settings.host
    scheme = "http" if settings.tls_cert_file is None else "https"
    sys.stdout.write(f"gRPC  {host}:{grpc_port}\nREST  {scheme}://{host}:{http_port}\n")
    sys.stdout.flush()
