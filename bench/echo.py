"""A bare gRPC server of the same kind as the service: asyncio on uvloop, bytes in and bytes out.

The last part of the path is the number of bytes to answer with: /bench.Echo/Unary/120 and
/bench.Echo/Stream/120. It prints its address like the service, and serves until its standard input
closes.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from functools import cache

import grpc
import uvloop
from grpc import aio

UNARY = "/bench.Echo/Unary/"
STREAM = "/bench.Echo/Stream/"


@cache
def handler_of(path: str) -> grpc.RpcMethodHandler[bytes, bytes]:
    """The handler of a path: the coroutines of a service that does nothing."""
    reply = bytes(int(path.rpartition("/")[2]))

    async def unary(_: bytes, __: object) -> bytes:
        return reply

    async def stream(
        requests: AsyncIterator[bytes], context: aio.ServicerContext[bytes, bytes]
    ) -> None:
        async for _ in requests:
            await context.write(reply)

    if path.startswith(UNARY):
        return grpc.unary_unary_rpc_method_handler(unary)
    return grpc.stream_stream_rpc_method_handler(stream)


class Paths(grpc.GenericRpcHandler):  # type: ignore[type-arg]  # generic in its stub only
    """Handlers by path."""

    def service(
        self, handler_call_details: grpc.HandlerCallDetails
    ) -> grpc.RpcMethodHandler[bytes, bytes] | None:
        """The handler of a call."""
        return handler_of(handler_call_details.method)


async def serve() -> None:
    """Serve until standard input closes."""
    server = aio.server()
    server.add_generic_rpc_handlers([Paths()])
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    sys.stdout.write(f"gRPC  127.0.0.1:{port}\nREST  none\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.read)
    await server.stop(0)


if __name__ == "__main__":
    uvloop.run(serve())
