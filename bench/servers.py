"""The gRPC servers that are compared: asyncio and threads, with the real methods and an echo.

As a program, it serves one of them until its standard input closes, and prints its port first.
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
from tablier_service.calls.methods import Method
from tablier_service.observability.metrics import CallMetrics
from tablier_service.service import Service
from tablier_service.settings import Settings
from tablier_service.transports.grpc.asyncio_server import AsyncioServer

Handler = Callable[[bytes], bytes]
ECHO = "/bench.Echo/Echo"


def threaded_handlers(reply: bytes) -> dict[str, Handler]:
    """The methods of the service and an echo, as plain functions from bytes to bytes."""
    service = Service.assemble(Settings(grpc_port=0))
    handlers: dict[str, Handler] = {ECHO: lambda _: reply}
    for method in service.methods:
        handlers[method.path] = partial(
            counted, method, CallMetrics(service.metrics, method.descriptor)
        )
    return handlers


def counted(method: Method, metrics: CallMetrics, data: bytes) -> bytes:
    """Answer a call, and count it as the service does."""
    metrics.started.inc()
    began = perf_counter()
    out = method.ask(method.request_type.FromString(data)).SerializeToString()
    metrics.succeeded(perf_counter() - began)
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
    """Run a synchronous server with a pool of threads."""
    server = grpc.server(ThreadPoolExecutor(threads))
    handlers = {
        path: grpc.unary_unary_rpc_method_handler(lambda data, _, call=call: call(data))
        for path, call in threaded_handlers(reply).items()
    }
    server.add_generic_rpc_handlers([Paths(handlers)])
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print_port(port)
    sys.stdin.read()
    server.stop(None)


async def serve_asyncio(reply: bytes) -> None:
    """Run the gRPC server of the service, with an echo."""
    service = Service.assemble(Settings(grpc_port=0))
    server = AsyncioServer(service)

    async def echo(_: bytes, __: object) -> bytes:
        return reply

    handlers = {ECHO: grpc.unary_unary_rpc_method_handler(echo)}
    server.server.add_generic_rpc_handlers([Paths(handlers)])
    await server.start()
    print_port(server.port)
    await asyncio.to_thread(sys.stdin.read)
    await server.stop(0)
    service.close()


def print_port(port: int) -> None:
    """Print the port for the parent process."""
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
