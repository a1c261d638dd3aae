"""Calls over gRPC: bytes to messages and back.

Requests arrive as bytes and are parsed here rather than by gRPC, so that bytes which are not a
valid message get the same typed error as everything else.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, NoReturn, TypeAlias

import grpc
from google.protobuf.message import DecodeError, Message
from google.rpc import code_pb2
from grpc import aio

from tablier_service.calls.methods import Answer, Method, wire_of
from tablier_service.calls.streams import Readers
from tablier_service.errors import InvalidField, TooLarge
from tablier_service.lifecycle import Call, Endpoint
from tablier_service.observability.call_log import choose_request_id
from tablier_service.observability.tracing import CARRIERS
from tablier_service.security.authentication import credential_in
from tablier_service.security.callers import Caller
from tablier_service.service import Service

# The metadata in which gRPC carries a google.rpc.Status next to its own code and message.
STATUS_DETAILS = "grpc-status-details-bin"
REQUEST_ID = "x-request-id"
CREDENTIALS = frozenset({"authorization", "x-api-key"})
CERTIFICATE_NAMES = ("x509_common_name", "x509_subject_alternative_name")
STATUS_CODES = {code.value[0]: code for code in grpc.StatusCode}
# The codes that mean a fault of the server, by the conventions of OpenTelemetry.
FAULTS = frozenset(
    {
        code_pb2.UNKNOWN,
        code_pb2.DEADLINE_EXCEEDED,
        code_pb2.UNIMPLEMENTED,
        code_pb2.INTERNAL,
        code_pb2.UNAVAILABLE,
        code_pb2.DATA_LOSS,
    }
)
# What reading a stream returns at its end.
END = aio.EOF  # type: ignore[attr-defined]  # missing from its stub

Context: TypeAlias = "aio.ServicerContext[bytes, bytes]"
Handler: TypeAlias = Callable[[Any, Context], Awaitable[Any]]


class GrpcCall(Call):
    """One call over gRPC."""

    __slots__ = ("_context", "_request_id")

    transport = "grpc"
    transport_seconds = 0.0001

    def __init__(self, endpoint: Endpoint, context: Context) -> None:
        self._context = context
        self._request_id = ""
        # Without `super()`, which costs as much as the rest of this method.
        Call.__init__(self, endpoint)

    def identify(self) -> Caller:
        return self.endpoint.authentication.identify(*credentials(self._context))

    def connection(self) -> str:
        return self._context.peer()

    def time_left(self) -> float | None:
        return self._context.time_remaining()

    def request_id(self) -> str:
        if not self._request_id:
            given = dict(self._context.invocation_metadata() or ()).get(REQUEST_ID, "")
            data = given.encode() if isinstance(given, str) else given
            self._request_id = choose_request_id(data).decode()
        return self._request_id

    def trace_carrier(self) -> dict[str, str]:
        metadata = dict(self._context.invocation_metadata() or ())
        return {name: str(metadata[name]) for name in CARRIERS if name in metadata}

    def trace_status(self, code: int) -> tuple[str, int, bool]:
        return "rpc.grpc.status_code", code, code in FAULTS

    def parse(self, data: bytes) -> Message:
        endpoint = self.endpoint
        if len(data) > endpoint.max_bytes:
            raise TooLarge(
                "", f"the request has {len(data)} bytes; this call accepts {endpoint.max_bytes}"
            )
        try:
            return endpoint.method.request_type.FromString(data)
        except DecodeError:
            name = endpoint.method.descriptor.input_type.full_name
            raise InvalidField("", f"the request is not a valid {name}") from None

    def encode(self, answer: Answer) -> bytes:
        return wire_of(answer)

    async def abort(self) -> NoReturn:
        """Send the status of a call that has failed."""
        status = self.status
        assert status is not None
        details = (
            (STATUS_DETAILS, status.SerializeToString()),
            (REQUEST_ID, self.request_id()),
        )
        await self._context.abort(STATUS_CODES[status.code], status.message, details)


def credentials(context: Context) -> tuple[bytes, list[str]]:
    """The credential of a call, and the names in its client certificate."""
    credential = credential_in(context.invocation_metadata() or (), CREDENTIALS)
    if credential:
        return credential, []
    certificate = context.auth_context()
    names = (certificate.get(key, ()) for key in CERTIFICATE_NAMES)
    # A name that is not UTF-8 matches no caller.
    return b"", [bytes(name).decode(errors="replace") for group in names for name in group]


def unary_handler(endpoint: Endpoint) -> Handler:
    """The coroutine that serves a method with one request and one answer."""

    async def handle(data: bytes, context: Context) -> bytes:
        call = GrpcCall(endpoint, context)
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
        call = GrpcCall(endpoint, context)
        call.start(data)
        if call.waits:
            await call.stream(context.write)
        if call.status is not None:
            await call.abort()

    return handle


def conversation_handler(endpoint: Endpoint, readers: Readers) -> Handler:
    """The coroutine that serves a stream of requests."""

    async def handle(_: object, context: Context) -> None:
        call = GrpcCall(endpoint, context)
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
