"""The gRPC server: one thread polls grpcio's completion queue and answers cheap calls in place."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from functools import partial
from time import monotonic

from google.rpc import code_pb2
from grpc_health.v1 import health
from grpc_reflection.v1alpha import reflection

from tablier_service.calls.limits import Limit
from tablier_service.calls.methods import Method
from tablier_service.calls.streams import Readers
from tablier_service.lifecycle import Endpoint
from tablier_service.service import Service
from tablier_service.transports.grpc import core
from tablier_service.transports.grpc.arrivals import Arrivals
from tablier_service.transports.grpc.conversations import Conversations
from tablier_service.transports.grpc.direct_call import (
    AnswersExchange,
    ConversationExchange,
    MethodExchange,
)
from tablier_service.transports.grpc.exchange import ignore
from tablier_service.transports.grpc.options import channel_options
from tablier_service.transports.grpc.rejections import Rejections
from tablier_service.transports.grpc.standard_services import (
    HEALTH,
    REFLECTION,
    Health,
    HealthCheck,
    HealthWatch,
    Reflection,
    Status,
)
from tablier_service.transports.grpc.unsent import Unsent

# Serves a call that has arrived.
Serve = Callable[[core.Arrival], object]
# How often the polling thread looks for messages that are overdue and for calls to reject, and
# shows that it does not hang.
SWEEP_SECONDS = 0.1
# The same for messages of callers without credentials, while these wait for each other. Such
# messages are small and come with their call, so they are late sooner than others.
HURRY_SECONDS = 0.02
LATE_SECONDS = 0.05
# How many completed operations it handles before it looks at the clock, and how many while it has
# to watch the memory.
OPERATIONS = 16
FEW_OPERATIONS = 4
# How often freed memory is returned to the system, at most.
TRIM_SECONDS = 2.0


class DirectServer:
    """Serves calls over gRPC from a thread of its own."""

    def __init__(self, service: Service) -> None:
        core.require_core()
        settings = service.settings
        self._service = service
        self._core = core.Core(channel_options(settings))
        self._readers = Readers()
        self._methods: dict[bytes, Serve] = {}
        services = {method.descriptor.containing_service.full_name for method in service.methods}
        self._health = Health(["", *services])
        self._reflection = reflection.ReflectionServicer(
            (*services, health.SERVICE_NAME, reflection.SERVICE_NAME)
        )
        memory, most, anyone = service.memory, settings.max_awaited_messages, 0
        if service.authentication.required:
            anyone = max(1, min(settings.max_anonymous_messages, most // 2))
        self._arrivals = Arrivals(settings, service.metrics, memory, most - anyone)
        # The calls that need no credentials, if others do, and whether they wait for each other.
        self._anonymous: Arrivals | None = None
        if anyone:
            # Somebody new is not one of those whose messages are late.
            self._anonymous = Arrivals(
                settings, service.metrics, memory, anyone, LATE_SECONDS, newest_first=True
            )
        self._crowded = False
        self._unsent = Unsent(
            service.buffer_limit, settings.slow_reader_seconds, memory, self._core.answers
        )
        self._rejections = Rejections()
        self._conversations = Conversations(
            memory, service.pool, settings.max_worker_bytes, settings.message_seconds
        )
        # Whether the server accepts no more calls. The polling thread reads it.
        self._stopping = False
        # The supervisor replaces a worker whose polling thread hangs.
        self._pulse = service.metrics.watch()
        self._thread = threading.Thread(target=self._poll, name="grpc", daemon=True)
        address = f"{settings.host}:{settings.grpc_port}"
        certificates = service.certificates
        credentials = None if certificates is None else certificates.credentials()
        try:
            self.port = self._core.listen(address, credentials)
        except RuntimeError:
            raise OSError(f"cannot listen on {address} for gRPC; is the port in use?") from None

    async def start(self) -> None:
        """Start to serve, and report it to health checks."""
        loop = asyncio.get_running_loop()
        for method in self._service.methods:
            self._methods[method.path.encode()] = self._serve(method, loop)
        self._methods |= {path.encode(): serve for path, serve in self._serve_standard(loop)}
        self._health.set_all(Status.SERVING)
        self._core.start()
        self._core.request_call(self._accept)
        self._thread.start()

    def _serve(self, method: Method, loop: asyncio.AbstractEventLoop) -> Serve:
        endpoint = Endpoint(self._service, method)
        if method.descriptor.client_streaming:
            kind: Callable[..., object] = partial(
                ConversationExchange, self._readers, self._conversations
            )
        else:
            kind = AnswersExchange if method.streaming else MethodExchange
        # By position: arguments by name would cost every call more.
        return partial(kind, endpoint, loop, self._arrivals, self._unsent, self._rejections)

    def _serve_standard(self, loop: asyncio.AbstractEventLoop) -> Iterator[tuple[str, Serve]]:
        """The paths of health checking and reflection, and what serves them."""
        settings, rejected = self._service.settings, self._service.metrics.rejected["calls"]
        watches = Limit(
            "health watches",
            rejected,
            total=settings.max_calls,
            per_account=settings.max_watches_per_connection,
            per_address=settings.max_watches_per_address,
        )
        most = settings.max_reflections
        half = max(1, most // 2)
        reflections = Limit(
            "reflection streams", rejected, total=most, per_account=half, per_address=half
        )
        wire = (loop, self._anonymous or self._arrivals, self._unsent)
        yield f"{HEALTH}Check", partial(HealthCheck, self._health, *wire)
        yield f"{HEALTH}Watch", partial(HealthWatch, watches, self._health, *wire)
        yield REFLECTION, partial(Reflection, self._reflection, reflections, *wire)

    def _poll(self) -> None:
        swept = trimmed = monotonic()
        memory, anonymous = self._service.memory, self._anonymous
        conversations = self._conversations
        while not self._core.ended:
            try:
                self._handle()
                now = monotonic()
                if now - swept >= SWEEP_SECONDS:
                    swept = now
                    self._pulse.inc()
                    self._arrivals.sweep(stopping=self._stopping)
                    self._unsent.sweep()
                    self._rejections.sweep(stopping=self._stopping)
                if anonymous is not None and anonymous.waits:
                    anonymous.sweep(stopping=self._stopping)
                    self._crowded = anonymous.crowded
                if conversations.many:
                    conversations.check()
                if memory.freed and now - trimmed >= TRIM_SECONDS:
                    trimmed = now
                    memory.release()
            except Exception as error:
                # The one call is lost; it must not take this thread with it.
                self._service.logger.error("call lost", exc_info=error)
        self._pulse.set(0)

    def _handle(self) -> None:
        """Handle completed operations, until it is time to look at the clock."""
        operations, seconds = OPERATIONS, SWEEP_SECONDS
        if self._crowded:
            seconds = HURRY_SECONDS
        if self._conversations.many:
            operations, seconds = FEW_OPERATIONS, min(seconds, self._conversations.seconds)
        self._core.handle(operations, seconds)

    def _accept(self, arrival: core.Arrival) -> None:
        if not arrival.success:
            return
        self._core.request_call(self._accept)
        serve = self._methods.get(arrival.call_details.method)
        if serve is None:
            core.reject(
                arrival.call, code_pb2.UNIMPLEMENTED, "this method does not exist", (), ignore
            )
        else:
            serve(arrival)

    async def drain(self) -> None:
        """Report to health checks that no more calls should come; those that do are served."""
        self._health.set_all(Status.NOT_SERVING)

    async def stop(self, grace: float) -> None:
        """Reject new calls, end streams, and wait for the calls in progress."""
        if self._stopping:
            return
        self._stopping = True
        loop = asyncio.get_running_loop()
        ended = asyncio.Event()

        def end(_: object) -> None:
            loop.call_soon_threadsafe(ended.set)

        self._core.shut_down(end)
        # A client that reopens its stream finds this server already closed to new calls.
        self._readers.stop()
        try:
            async with asyncio.timeout(grace):
                await ended.wait()
        except TimeoutError:
            self._core.cancel_all()
            await ended.wait()
        await asyncio.to_thread(self._thread.join)
        self._core.destroy()
