"""Calls of grpcio's asyncio server."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, NoReturn, TypeAlias

import grpc
from grpc import aio

from tablier_service.calls.methods import Method
from tablier_service.calls.streams import Readers
from tablier_service.lifecycle import Endpoint
from tablier_service.service import Service
from tablier_service.transports.grpc.call import STATUS_CODES, GrpcCall, connection_of

# What reading a stream returns at its end.
END = aio.EOF  # type: ignore[attr-defined]  # missing from its stub

Context: TypeAlias = "aio.ServicerContext[bytes, bytes]"
Handler: TypeAlias = Callable[[Any, Context], Awaitable[Any]]


class AsyncioCall(GrpcCall):
    """One call that the asyncio server serves."""

    __slots__ = ("_context",)

    def __init__(self, endpoint: Endpoint, context: Context) -> None:
        self._context = context
        # Without `super()`, which costs as much as the rest of this method.
        GrpcCall.__init__(self, endpoint, context.invocation_metadata() or ())

    def connection(self) -> str:
        return connection_of(self._context.peer())

    def time_left(self) -> float | None:
        return self._context.time_remaining()

    def certificate(self) -> Mapping[str, Iterable[bytes]]:
        return self._context.auth_context()

    async def abort(self) -> NoReturn:
        """Send the status of a call that has failed."""
        code, message, details = self.failure()
        await self._context.abort(STATUS_CODES[code], message, details)


def unary_handler(endpoint: Endpoint) -> Handler:
    """The coroutine that serves a method with one request and one answer."""

    async def handle(data: bytes, context: Context) -> bytes:
        call = AsyncioCall(endpoint, context)
        answer = call.start(data)
        if answer is None and call.waits:
            answer = await call.finish()
        if answer is None:
            await call.abort()
        return answer

    return handle


def streaming_handler(endpoint: Endpoint) -> Handler:
    """The coroutine that serves a method with one request and many answers."""

    async def handle(data: bytes, context: Context) -> None:
        call = AsyncioCall(endpoint, context)
        call.start(data)
        if call.waits:
            await call.stream(context.write)
        if call.status is not None:
            await call.abort()

    return handle


def conversation_handler(endpoint: Endpoint, readers: Readers) -> Handler:
    """The coroutine that serves a stream of requests."""

    async def handle(_: object, context: Context) -> None:
        call = AsyncioCall(endpoint, context)
        # `context.read` instead of the iterator, which costs a twentieth of a message.
        await call.converse(context.read, END, context.write, readers)
        if call.status is not None:
            await call.abort()

    return handle


def method_handler(
    service: Service, method: Method, readers: Readers
) -> grpc.RpcMethodHandler[bytes, bytes]:
    """A method in the form that gRPC serves."""
    endpoint = Endpoint(service, method)
    if method.descriptor.client_streaming:
        return grpc.stream_stream_rpc_method_handler(conversation_handler(endpoint, readers))
    if method.streaming:
        return grpc.unary_stream_rpc_method_handler(streaming_handler(endpoint))
    return grpc.unary_unary_rpc_method_handler(unary_handler(endpoint))
