"""The gRPC door: every method of the pipeline behind one asyncio handler.

Requests arrive as bytes and are parsed here, so that bytes which are no message get the same typed
error as everything else. Counting and logging are fused into the handler: each interceptor would
cost a tenth of the calls (docs/adr/0003).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing
from time import perf_counter
from types import GeneratorType
from typing import Any, NoReturn, TypeAlias, TypeVar

import grpc
from google.protobuf.message import DecodeError, Message
from google.rpc import code_pb2
from grpc import aio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from tablier_service.calls.limits import CallLimit, check_deadline
from tablier_service.calls.methods import Method, wire_of
from tablier_service.calls.pool import SearchPool
from tablier_service.calls.slices import in_slices
from tablier_service.calls.streams import Answers, Begun, Readers
from tablier_service.errors import InvalidField, TooLarge, status_of
from tablier_service.observability.call_log import Observer, choose_id
from tablier_service.observability.metrics import CallMetrics
from tablier_service.observability.tracing import CARRIERS, Tracing
from tablier_service.security.authentication import Gate, credential_in
from tablier_service.security.callers import ANYONE, Caller
from tablier_service.security.tls import Certificates
from tablier_service.settings import Settings

# Where gRPC carries a google.rpc.Status beside its own code and message.
STATUS_DETAILS = "grpc-status-details-bin"
REQUEST_ID = "x-request-id"
CERTIFICATE_NAMES = ("x509_common_name", "x509_subject_alternative_name")
STATUS_CODES = {code.value[0]: code for code in grpc.StatusCode}

# What a stream reads at its end.
END = aio.EOF  # type: ignore[attr-defined]  # missing from its stub

Context: TypeAlias = "aio.ServicerContext[bytes, bytes]"
Sent = TypeVar("Sent")
Answered = TypeVar("Answered")
# The codes that tell of a fault on our side, by OpenTelemetry's conventions.
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
BytesHandler = Callable[[bytes, Context], Awaitable[bytes]]
StreamHandler = Callable[[AsyncIterator[bytes], Context], Awaitable[None]]


def parse(method: Method, data: bytes, limit: int) -> Message:
    """A call's request from its bytes; raises TablierError."""
    if len(data) > limit:
        raise TooLarge("", f"the request has {len(data)} bytes; this call takes {limit}")
    try:
        return method.request_type.FromString(data)
    except DecodeError:
        name = method.descriptor.input_type.full_name
        raise InvalidField("", f"the request's bytes are no {name}") from None


def make_handler(
    method: Method,
    settings: Settings,
    observer: Observer,
    pool: SearchPool,
    calls: CallLimit,
    gate: Gate,
) -> BytesHandler:
    """The coroutine that serves one method; the answers of a streaming one it writes itself."""
    limit = settings.max_large_request_bytes if method.large else settings.max_request_bytes
    metrics = CallMetrics(observer.metrics, method.descriptor)
    slow = settings.slow_call_ms / 1000
    guarded = not gate.open
    log_calls = settings.log_calls

    async def wait_for(answer: Any, context: Context, seconds_left: float | None) -> bytes:
        """The bytes of an answer that may take its time."""
        with calls:
            if method.streaming:
                async with aclosing(pool.stream(answer, seconds_left)) as parts:
                    async for part in parts:
                        await context.write(part.SerializeToString())
                return b""
            if method.costly:
                answer = await pool.run(answer, seconds_left)
            elif isinstance(answer, GeneratorType):
                answer = await in_slices(answer)
            return wire_of(answer)

    async def handle(data: bytes, context: Context) -> bytes:
        begun = perf_counter()
        metrics.started.inc()
        caller = ANYONE
        try:
            if guarded:
                caller = gate.admit(*shown(context))
            calls.check()
            seconds_left = context.time_remaining()
            check_deadline(seconds_left)
            reply = method.handler(parse(method, data, limit))
            if type(reply) is not bytes:
                reply = await wait_for(reply, context, seconds_left)
        except asyncio.CancelledError:
            # Its caller left, or its deadline passed.
            metrics.failed(code_pb2.CANCELLED)
            raise
        except Exception as error:
            if not method.costly:
                caller.quotas.bill(perf_counter() - begun)
            await fail(error, method, metrics, observer, context)
        seconds = perf_counter() - begun
        metrics.succeeded(seconds)
        if guarded and not method.costly:
            caller.quotas.bill(seconds)
        if log_calls:
            observer.served("grpc", method.path, seconds, request_id(context), caller.name)
        if seconds > slow and not method.costly:
            observer.slow("grpc", method.path, seconds, request_id(context))
        return reply

    return handle


def grpc_handler(
    method: Method,
    settings: Settings,
    observer: Observer,
    pool: SearchPool,
    calls: CallLimit,
    gate: Gate,
    readers: Readers,
) -> grpc.RpcMethodHandler[bytes, bytes]:
    """The handler in the form that gRPC knows the call by."""
    if method.descriptor.client_streaming:
        stream = make_stream_handler(method, settings, observer, calls, gate, readers)
        if observer.tracing is not None:
            stream = traced(stream, method, observer.tracing)
        return grpc.stream_stream_rpc_method_handler(stream)
    handler = make_handler(method, settings, observer, pool, calls, gate)
    if observer.tracing is not None:
        handler = traced(handler, method, observer.tracing)
    if method.streaming:
        return grpc.unary_stream_rpc_method_handler(handler)
    return grpc.unary_unary_rpc_method_handler(handler)


def traced(
    handler: Callable[[Sent, Context], Awaitable[Answered]], method: Method, tracing: Tracing
) -> Callable[[Sent, Context], Awaitable[Answered]]:
    """A handler whose calls have spans."""

    async def handle(sent: Sent, context: Context) -> Answered:
        metadata = dict(context.invocation_metadata() or ())
        known = {name: str(metadata[name]) for name in CARRIERS if name in metadata}
        span = tracing.begin(method.descriptor, "grpc", known)
        code: int = code_pb2.CANCELLED
        try:
            answer = await handler(sent, context)
            code = code_pb2.OK
            return answer
        except aio.AbortError:
            code = context.code().value[0]
            raise
        finally:
            tracing.end(span, "rpc.grpc.status_code", code, failed=code in FAULTS)

    return handle


def make_stream_handler(
    method: Method,
    settings: Settings,
    observer: Observer,
    calls: CallLimit,
    gate: Gate,
    readers: Readers,
) -> StreamHandler:
    """The coroutine that serves a stream of requests, whose answers come as they are ready.

    It reads on only while the answers find room, and one message ahead, so a caller who does not
    read is not read from either. When the service stops, it reads no more, and ends with an error
    once all that it has taken is answered.
    """
    limit = settings.max_large_request_bytes if method.large else settings.max_request_bytes
    metrics = CallMetrics(observer.metrics, method.descriptor)
    guarded = not gate.open
    log_calls = settings.log_calls

    async def answer_all(context: Context, caller: Caller, answers: Answers) -> None:
        # Without the iterator around it, which costs a twentieth of a message. gRPC fetches the
        # next message while we answer this one: a lone stream would else wait for each.
        coming = Begun(context.read())
        try:
            while (data := await coming) is not END:
                coming = Begun(context.read())
                metrics.received.inc()
                # Every message counts as a call; one comes with the stream.
                if guarded:
                    caller.quotas.admit()
                answers.add(method.handler(parse(method, data, limit)))
                if answers.full:
                    await answers.room()
        finally:
            coming.abandon()

    async def handle(_: AsyncIterator[bytes], context: Context) -> None:
        begun = perf_counter()
        metrics.started.inc()
        caller = ANYONE
        try:
            if guarded:
                caller = gate.admit(*shown(context))

            async def write(answer: bytes) -> None:
                await context.write(answer)
                metrics.sent.inc()

            with calls:
                async with Answers(write, caller.quotas.bill) as answers:
                    with readers.reading():
                        await answer_all(context, caller, answers)
        except asyncio.CancelledError:
            metrics.failed(code_pb2.CANCELLED)
            raise
        except Exception as error:
            await fail(error, method, metrics, observer, context)
        seconds = perf_counter() - begun
        metrics.succeeded(seconds)
        if log_calls:
            observer.served("grpc", method.path, seconds, request_id(context), caller.name)

    return handle


async def fail(
    error: Exception, method: Method, metrics: CallMetrics, observer: Observer, context: Context
) -> NoReturn:
    """End a call with an error: count it, log it and send its status."""
    status = status_of(error)
    called = request_id(context)
    metrics.failed(status.code)
    observer.failed("grpc", method.path, error, status, called)
    details = ((STATUS_DETAILS, status.SerializeToString()), (REQUEST_ID, called))
    await context.abort(STATUS_CODES[status.code], status.message, details)


def request_id(context: Context) -> str:
    """The caller's own id for a request, or one that is made here."""
    sent = dict(context.invocation_metadata() or ())
    given = sent.get(REQUEST_ID, "")
    return choose_id(given.encode() if isinstance(given, str) else given).decode()


def shown(context: Context) -> tuple[bytes, list[str]]:
    """What a call shows to say who makes it: a credential, and the names of its certificate."""
    credential = credential_in(context.invocation_metadata() or (), ("authorization", "x-api-key"))
    if credential:
        return credential, []
    certificate = context.auth_context()
    names = (certificate.get(key, ()) for key in CERTIFICATE_NAMES)
    # A name that is no text is nobody's.
    return b"", [bytes(name).decode(errors="replace") for group in names for name in group]


def connection_limits(settings: Settings) -> list[tuple[str, int]]:
    """How much and how long a connection may ask of us, as gRPC's options."""
    age = settings.max_connection_age_seconds
    grace = settings.max_search_seconds + settings.drain_seconds
    return [
        # The soft limit refuses by chance what is between the two: one limit is one answer.
        ("grpc.max_metadata_size", settings.max_metadata_bytes),
        ("grpc.absolute_max_metadata_size", settings.max_metadata_bytes),
        ("grpc.max_concurrent_streams", settings.max_streams_per_connection),
        ("grpc.max_connection_age_ms", round(age * 1000)),
        # A connection that is too old takes no new calls; those under way may think to the end.
        ("grpc.max_connection_age_grace_ms", round(grace * 1000)),
        ("grpc.max_connection_idle_ms", round(settings.max_idle_seconds * 1000)),
        ("grpc.server_handshake_timeout_ms", round(settings.handshake_seconds * 1000)),
        # Pings more often than this are abuse; the third closes the connection.
        ("grpc.http2.min_ping_interval_without_data_ms", 60_000),
        ("grpc.http2.max_ping_strikes", 2),
    ]


class GrpcDoor:
    """A gRPC server with the service's methods, health and reflection."""

    def __init__(
        self,
        methods: Sequence[Method],
        settings: Settings,
        observer: Observer,
        pool: SearchPool,
        calls: CallLimit,
        gate: Gate | None = None,
        certificates: Certificates | None = None,
    ) -> None:
        gate = gate or Gate(observer.metrics)
        self._readers = Readers()
        # Twice our own limit, so that what is too large by a little gets our typed error.
        largest = 2 * settings.max_large_request_bytes
        self.server = aio.server(
            options=[
                ("grpc.max_receive_message_length", largest),
                # The supervisor has made sure that the port is ours alone.
                ("grpc.so_reuseport", int(settings.workers > 1)),
                *connection_limits(settings),
            ],
            # Our own limit answers first and says when to try again; this one also holds for what
            # is not a call of ours, and for calls that the event loop has not come to.
            maximum_concurrent_rpcs=2 * settings.max_calls,
        )
        self._health = health.aio.HealthServicer()  # type: ignore[attr-defined]
        services: dict[str, dict[str, grpc.RpcMethodHandler[bytes, bytes]]] = {}
        for method in methods:
            service = method.descriptor.containing_service.full_name
            services.setdefault(service, {})[method.descriptor.name] = grpc_handler(
                method, settings, observer, pool, calls, gate, self._readers
            )
        self.server.add_generic_rpc_handlers(
            [grpc.method_handlers_generic_handler(name, table) for name, table in services.items()]
        )
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self.server)
        self._names = ["", *services]
        names = (*services, health.SERVICE_NAME, reflection.SERVICE_NAME)
        reflection.enable_server_reflection(names, self.server)
        address = f"{settings.host}:{settings.grpc_port}"
        try:
            self.port = (
                self.server.add_insecure_port(address)
                if certificates is None
                else self.server.add_secure_port(address, certificates.credentials())
            )
        except RuntimeError:
            raise OSError(f"cannot listen on {address} for gRPC; is the port taken?") from None

    async def start(self) -> None:
        """Begin to serve, and say so to health checks."""
        await self.server.start()
        for name in self._names:
            await self._health.set(name, health_pb2.HealthCheckResponse.SERVING)

    async def leave(self) -> None:
        """Tell health checks that no more calls should come; those that do are still served."""
        await self._health.enter_graceful_shutdown()

    async def stop(self, grace: float) -> None:
        """Refuse new calls and wait for those under way; streams end with what they have taken."""
        stopping = asyncio.ensure_future(self.server.stop(grace))
        # Who opens its stream anew is to find that this server takes no calls any more.
        await asyncio.sleep(0)
        self._readers.stop()
        await stopping
