"""The running service: both doors on one event loop, from start to a graceful stop."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
from collections.abc import Callable, Iterable
from functools import partial

import uvloop
from tablier_core.registry import GAMES

from tablier_service.calls.advisor import AdvisorServicer
from tablier_service.calls.limits import CallLimit
from tablier_service.calls.pool import SearchPool
from tablier_service.calls.servicer import GameServicer
from tablier_service.calls.use_cases import UseCases
from tablier_service.observability.call_log import Observer
from tablier_service.observability.logs import configure_logs
from tablier_service.observability.metrics import Metrics
from tablier_service.observability.tracing import make_tracing
from tablier_service.security.authentication import Gate
from tablier_service.security.sealing import PlainTokens, SealedTokens, Tokens, read_keys
from tablier_service.security.tls import Certificates
from tablier_service.security.watched_files import WatchedFiles, naming
from tablier_service.settings import Settings
from tablier_service.transports.grpc.server import GrpcDoor
from tablier_service.transports.http.application import RestDoor
from tablier_service.transports.http.server import RestServer
from tablier_service.transports.http.traced import TracedDoor


def run(settings: Settings) -> None:
    """Serve in this process until SIGTERM or SIGINT, then let calls under way end."""
    uvloop.run(serve(settings, Metrics(), partial(announce, settings)))


async def serve(
    settings: Settings,
    metrics: Metrics,
    started: Callable[[int, int], object],
    lifeline: int | None = None,
    cores: Iterable[int] | None = None,
) -> None:
    """Open the doors, tell their ports to `started`, and close them when told to stop.

    A worker also stops when there is something to read from its lifeline: the supervisor's end. Its
    searches may use all of the cores, though it has one to itself.
    """
    logger = configure_logs(settings)
    tracing = make_tracing(settings)
    observer = Observer(logger, metrics, tracing)
    files = WatchedFiles(logger)
    engine = UseCases(GAMES, choose_tokens(settings, files, metrics))
    advisor = AdvisorServicer(engine, settings.max_search_seconds, metrics.count_iterations)
    methods = (*GameServicer(engine).methods, *advisor.methods)
    slots = max(1, settings.search_slots // settings.workers)
    pool = SearchPool(slots, settings.search_queue, metrics, cores)
    calls = CallLimit(settings.max_calls, metrics)
    gate = open_gate(settings, files, metrics)
    certificates = Certificates.of(settings, files)
    grpc_door = GrpcDoor(methods, settings, observer, pool, calls, gate, certificates)
    # The service takes calls as long as one of its workers does.
    rest_door = (partial(TracedDoor, tracing) if tracing else RestDoor)(
        methods, settings, observer, pool, calls, lambda: metrics.total(metrics.serving) > 0, gate
    )
    rest_server = RestServer(rest_door, settings, certificates)
    # What is there now stays: going through it again and again would hold up calls.
    gc.collect()
    gc.freeze()
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    if lifeline is not None:
        loop.add_reader(lifeline, stop.set)
    await grpc_door.start()
    await rest_server.start()
    metrics.process.set(os.getpid())
    metrics.serving.set(1)
    started(grpc_door.port, rest_server.port)
    watching = asyncio.create_task(files.keep_looking(settings.reload_seconds))
    await stop.wait()
    watching.cancel()
    if lifeline is not None:
        loop.remove_reader(lifeline)
    logger.info("stopping")
    # First those who choose between services learn of it, while calls are still taken.
    metrics.serving.set(0)
    await grpc_door.leave()
    await asyncio.sleep(settings.leave_seconds)
    await asyncio.gather(
        grpc_door.stop(settings.drain_seconds), rest_server.stop(settings.drain_seconds)
    )
    pool.close()
    if tracing is not None:
        await asyncio.to_thread(tracing.close)
    logger.info("stopped")


def choose_tokens(settings: Settings, files: WatchedFiles, metrics: Metrics) -> Tokens:
    """Plain tokens or sealed ones, whose keys follow their file."""
    if not settings.sealed:
        return PlainTokens(GAMES)
    refused = metrics.seal_failures.inc
    if settings.seal_keys_file is None:
        keys = read_keys(settings.seal_keys.get_secret_value())
        return SealedTokens(GAMES, keys, refused)
    with naming(settings.seal_keys_file):
        tokens = SealedTokens(GAMES, read_keys(settings.seal_keys_file.read_text()), refused)
    files.add(settings.seal_keys_file, lambda content: tokens.use(read_keys(content.decode())))
    return tokens


def open_gate(settings: Settings, files: WatchedFiles, metrics: Metrics) -> Gate:
    """The gate, with the callers and keys of its files; open if there are none."""
    gate = Gate(
        metrics,
        audience=settings.jwt_audience,
        issuer=settings.jwt_issuer,
        share=settings.workers,
    )
    if settings.callers_file is not None:
        files.add(settings.callers_file, gate.read_callers)
    if settings.jwks_file is not None:
        files.add(settings.jwks_file, gate.read_jwks)
    return gate


def announce(settings: Settings, grpc_port: int, rest_port: int) -> None:
    """Tell a person, or a program that reads our output, where we are."""
    host = settings.host
    scheme = "http" if settings.tls_cert_file is None else "https"
    sys.stdout.write(f"gRPC  {host}:{grpc_port}\nREST  {scheme}://{host}:{rest_port}\n")
    sys.stdout.flush()
