"""The gRPC servers that are compared: asyncio and threads, with the real pipeline and as echoes.

Run as a program it serves one of them until its standard input closes, and says its port first.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from time import perf_counter

import grpc
import uvloop
from tablier_core.registry import GAMES
from tablier_service.calls.limits import CallLimit
from tablier_service.calls.methods import Method
from tablier_service.calls.pool import SearchPool
from tablier_service.calls.servicer import GameServicer
from tablier_service.calls.use_cases import UseCases
from tablier_service.observability.call_log import Observer
from tablier_service.observability.logs import configure_logs
from tablier_service.observability.metrics import CallMetrics, Metrics
from tablier_service.security.sealing import PlainTokens
from tablier_service.settings import Settings
from tablier_service.transports.grpc.server import GrpcDoor, parse

Handler = Callable[[bytes], bytes]
ECHO = "/bench.Echo/Echo"


def pipeline() -> tuple[tuple[Method, ...], Settings, Observer]:
    """The real methods, with the settings and observers that they are served with."""
    settings = Settings(grpc_port=0)
    observer = Observer(configure_logs(settings), Metrics())
    return GameServicer(UseCases(GAMES, PlainTokens(GAMES))).methods, settings, observer


def threaded_handlers(reply: bytes) -> dict[str, Handler]:
    """The pipeline's methods and an echo, as plain functions from bytes to bytes."""
    methods, settings, observer = pipeline()
    handlers: dict[str, Handler] = {ECHO: lambda _: reply}
    for method in methods:
        handlers[method.path] = partial(
            counted, method, CallMetrics(observer.metrics, method.descriptor), settings
        )
    return handlers


def counted(method: Method, metrics: CallMetrics, settings: Settings, data: bytes) -> bytes:
    """A call with the counting that the real door does."""
    metrics.started.inc()
    begun = perf_counter()
    request = parse(method, data, settings.max_large_request_bytes)
    out = method.ask(request).SerializeToString()
    metrics.succeeded(perf_counter() - begun)
    return out


class Paths(grpc.GenericRpcHandler):  # type: ignore[type-arg]  # generic in its stub only
    """Handlers by path."""

    def __init__(self, handlers: dict[str, grpc.RpcMethodHandler[bytes, bytes]]) -> None:
        self._handlers = handlers

    def service(
        self, handler_call_details: grpc.HandlerCallDetails
    ) -> grpc.RpcMethodHandler[bytes, bytes] | None:
        """The handler of a call."""
        return self._handlers.get(handler_call_details.method)


def serve_threads(threads: int, reply: bytes) -> None:
    """A synchronous server with a pool of threads."""
    server = grpc.server(ThreadPoolExecutor(threads))
    handlers = {
        path: grpc.unary_unary_rpc_method_handler(lambda data, _, call=call: call(data))
        for path, call in threaded_handlers(reply).items()
    }
    server.add_generic_rpc_handlers([Paths(handlers)])
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    say(port)
    sys.stdin.read()
    server.stop(None)


async def serve_asyncio(reply: bytes) -> None:
    """The service's own door, with an echo beside it."""
    methods, settings, observer = pipeline()
    calls = CallLimit(settings.max_calls, observer.metrics)
    door = GrpcDoor(methods, settings, observer, SearchPool(1, 0), calls)

    async def echo(_: bytes, __: object) -> bytes:
        return reply

    handlers = {ECHO: grpc.unary_unary_rpc_method_handler(echo)}
    door.server.add_generic_rpc_handlers([Paths(handlers)])
    await door.start()
    say(door.port)
    await asyncio.to_thread(sys.stdin.read)
    await door.stop(0)


def say(port: int) -> None:
    """Tell the parent where to call."""
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    kind, size = sys.argv[1], int(sys.argv[2])
    if kind == "aio":
        asyncio.run(serve_asyncio(bytes(size)))
    elif kind == "uvloop":
        uvloop.run(serve_asyncio(bytes(size)))
    else:
        serve_threads(int(kind.removeprefix("threads-")), bytes(size))
