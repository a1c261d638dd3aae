"""The running service: both doors on one event loop, from start to a graceful stop."""

from __future__ import annotations

import asyncio
import signal
import sys

import uvloop
from tablier_core.registry import GAMES

from tablier_service.advisor import AdvisorServicer
from tablier_service.config import Settings
from tablier_service.engine import Engine
from tablier_service.files import WatchedFiles
from tablier_service.grpc_door import GrpcDoor
from tablier_service.logs import configure_logs
from tablier_service.metrics import Metrics
from tablier_service.observer import Observer
from tablier_service.pool import SearchPool
from tablier_service.rest.door import RestDoor
from tablier_service.rest.server import RestServer
from tablier_service.sealing import PlainTokens, SealedTokens, Tokens, read_keys
from tablier_service.servicer import GameServicer


def run(settings: Settings) -> None:
    """Serve until SIGTERM or SIGINT, then let calls under way end."""
    uvloop.run(serve(settings))


async def serve(settings: Settings) -> None:
    """Open the doors, say where they are, and close them when told to stop."""
    logger = configure_logs(settings)
    metrics = Metrics()
    observer = Observer(logger, metrics)
    files = WatchedFiles(logger)
    engine = Engine(GAMES, choose_tokens(settings, files, metrics))
    advisor = AdvisorServicer(engine, settings.max_search_seconds)
    methods = (*GameServicer(engine).methods, *advisor.methods)
    pool = SearchPool(settings.search_slots, settings.search_queue)
    grpc_door = GrpcDoor(methods, settings, observer, pool)
    stop = asyncio.Event()
    rest_door = RestDoor(methods, settings, observer, pool, lambda: not stop.is_set())
    rest_server = RestServer(rest_door, settings)
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    await grpc_door.start()
    await rest_server.start()
    announce(f"gRPC  {settings.host}:{grpc_door.port}")
    announce(f"REST  http://{settings.host}:{rest_server.port}")
    watching = asyncio.create_task(files.keep_looking(settings.reload_seconds))
    await stop.wait()
    watching.cancel()
    logger.info("stopping")
    await grpc_door.leave()
    await asyncio.gather(
        grpc_door.stop(settings.drain_seconds), rest_server.stop(settings.drain_seconds)
    )
    pool.close()
    logger.info("stopped")


def choose_tokens(settings: Settings, files: WatchedFiles, metrics: Metrics) -> Tokens:
    """Plain tokens or sealed ones, whose keys follow their file."""
    if not settings.sealed:
        return PlainTokens(GAMES)
    refused = metrics.seal_failures.inc
    if settings.seal_keys_file is None:
        keys = read_keys(settings.seal_keys.get_secret_value())
        return SealedTokens(GAMES, keys, refused)
    tokens = SealedTokens(GAMES, read_keys(settings.seal_keys_file.read_text()), refused)
    files.add(settings.seal_keys_file, lambda content: tokens.use(read_keys(content.decode())))
    return tokens


def announce(line: str) -> None:
    """Tell a person, or a program that reads our output, where we are."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
