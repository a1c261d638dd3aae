"""The lifecycle of a call: one object carries it from start to finish, on every transport.

A call is counted as started, authenticated, checked against the limits and its deadline, parsed,
run (inline, in slices, or in the search pool), billed, logged, traced, and counted as handled. Each
transport subclasses `Call` to translate between its bytes and messages. Everything else is here:

    call = GrpcCall(endpoint, context)          # counted as started
    answer = call.start(data)                   # everything that needs no waiting
    if call.waits:
        answer = await call.finish()            # the rest, in slices or in the pool
    if answer is None:
        ...                                     # failed: send call.status

All of this but `finish`, `stream` and `converse` is synchronous. None of it reads or writes bytes:
that is left to the subclass of the transport.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import aclosing, contextmanager
from time import perf_counter, thread_time
from types import GeneratorType, TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar
from weakref import WeakKeyDictionary

from google.protobuf.message import Message
from google.rpc import code_pb2, status_pb2

from tablier_service.calls.held import Held
from tablier_service.calls.language import has_language, prefer
from tablier_service.calls.limits import check_deadline
from tablier_service.calls.methods import Answer, Method
from tablier_service.calls.slices import SLICE_SECONDS, Work, run_slice
from tablier_service.calls.streams import Answers, Eager, Readers, StreamTimeouts
from tablier_service.errors import AnswerTooLarge, DeadlinePassed, SlowReader, status_of
from tablier_service.observability.metrics import CallMetrics
from tablier_service.security.callers import ANYONE, CALLER, Caller
from tablier_service.service import Service

if TYPE_CHECKING:
    from opentelemetry.trace import Span

T = TypeVar("T")


class ClientGone(Exception):
    """The client disconnected before its call was complete."""


class Endpoint:
    """A method as a transport serves it: everything that its calls share."""

    def __init__(self, service: Service, method: Method) -> None:
        settings = service.settings
        self.method = method
        self.handler = method.handler
        # Whether requests name the language of their answers.
        self.has_language = has_language(method.descriptor.input_type)
        self.max_bytes = (
            settings.max_large_request_bytes if method.large else settings.max_request_bytes
        )
        self.metrics = CallMetrics(service.metrics, method.descriptor)
        self.authentication = service.authentication
        self.certificates = service.certificates
        # Play streams have their own limit: each may hold an unfinished large message.
        streams = method.descriptor.client_streaming
        self.limit = service.stream_limit if streams else service.call_limit
        self.memory = service.memory
        self.buffer_limit = service.buffer_limit
        self.turns = service.turns
        self.pool = service.pool
        self.slices = service.slices
        self.max_response_bytes = settings.max_response_bytes
        self.timeouts = StreamTimeouts(
            settings.max_stream_idle_seconds, settings.slow_reader_seconds
        )
        self.log = service.call_log
        self.tracing = service.tracing
        self.log_calls = settings.log_calls
        self.slow_seconds = settings.slow_call_ms / 1000
        # Whether a call that does not wait is billed for the time from start to finish. Streams of
        # requests are billed for each request, and calls that wait for each part of their work.
        self.timed = not method.descriptor.client_streaming


class Call(ABC):
    """One call. Subclasses translate between the bytes of a transport and messages.

    Every call ends with exactly one of `succeed`, `fail` and `cancel`. As a context manager, a call
    ends with the exception that leaves the block, and suppresses it unless the call was cancelled.
    """

    __slots__ = (
        "admitted",
        "began",
        "caller",
        "endpoint",
        "error_type",
        "request_bytes",
        "span",
        "status",
        "work",
    )

    # The name of the transport in logs and traces.
    transport: ClassVar[str]
    # The CPU time of a call outside of this class, in the transport. It is billed as well, because
    # a caller that cancels calls before they begin uses nothing else.
    transport_seconds: ClassVar[float]

    def __init__(self, endpoint: Endpoint) -> None:
        endpoint.metrics.started.inc()
        self.endpoint = endpoint
        self.caller = ANYONE
        self.admitted = False
        # When the request was complete and the work began; 0 before that.
        self.began = 0.0
        # What `start` left to do: Work, or a search for the pool.
        self.work: Any = None
        # What a large request takes in memory, unless the transport itself counts it; the last one
        # of a stream.
        self.request_bytes = 0
        # How the call failed. The exception itself would keep the memory of the call until the
        # garbage collector runs: its traceback refers to frames, which refer to the call.
        self.error_type: type[Exception] | None = None
        self.status: status_pb2.Status | None = None
        self.span: Span | None = None
        if endpoint.tracing is not None:
            descriptor = endpoint.method.descriptor
            self.span = endpoint.tracing.begin(descriptor, self.transport, self.trace_carrier())

    # What a transport translates.

    @abstractmethod
    def identify(self) -> Caller:
        """Find the caller from the credentials of the request; raises Unauthenticated."""

    @abstractmethod
    def check_certificate(self) -> None:
        """Raise Unauthenticated if the authority of the client's certificate was removed."""

    @abstractmethod
    def connection(self) -> str:
        """The connection of the call: the address and port of its other end."""

    @abstractmethod
    def time_left(self) -> float | None:
        """Seconds until the deadline; None without one. May raise InvalidField."""

    @abstractmethod
    def request_id(self) -> str:
        """The id of the request in logs and answers."""

    @abstractmethod
    def accepted_languages(self) -> str:
        """The languages that the headers of the request accept; empty if they name none."""

    @abstractmethod
    def trace_carrier(self) -> Mapping[str, str]:
        """The headers that name the trace of the caller."""

    @abstractmethod
    def trace_status(self, code: int) -> tuple[str, int, bool]:
        """The attribute and status of the span, and whether the service is at fault."""

    @abstractmethod
    def parse(self, data: bytes) -> Message:
        """Read a request; raises TablierError."""

    @abstractmethod
    def encode(self, answer: Answer) -> bytes:
        """Write an answer."""

    @property
    def account(self) -> str:
        """Who the call counts for: its caller or, without authentication, its connection."""
        return self.caller.account or self.connection()

    @property
    def address(self) -> str:
        """The peer address of a call without authentication; empty for an authenticated caller."""
        return "" if self.caller.account else self.connection().rpartition(":")[0]

    @property
    def owner(self) -> str:
        """Whose memory the call takes: its caller's or, without authentication, its address's."""
        return self.caller.account or self.connection().rpartition(":")[0]

    @contextmanager
    def place(self) -> Iterator[None]:
        """Hold one of the places for calls that wait; raises Overloaded if there is none."""
        with self.endpoint.limit.place(self.account, self.address):
            try:
                yield
            finally:
                # Their work may have taken much memory.
                self.endpoint.memory.freed = True

    # The way from start to finish.

    def admit(self) -> bool:
        """Authenticate the caller and check the deadline; False if that failed.

        For transports that do this before they read the message. `start` does it otherwise.
        """
        try:
            self._admit()
        except Exception as error:
            self.fail(error)
        return self.admitted

    def _admit(self) -> None:
        endpoint = self.endpoint
        certificates, authentication = endpoint.certificates, endpoint.authentication
        if certificates is not None and certificates.changed:
            self.check_certificate()
        if authentication.required:
            self.caller = authentication.admit(self.identify())
        left = self.time_left()
        if left is not None:
            check_deadline(left)
        self.admitted = True

    def start(self, data: bytes) -> bytes | None:
        """Do everything that needs no waiting; returns the encoded answer if that was all.

        None means that there is more to do, if `waits`, or that the call has failed.
        """
        self.began = perf_counter()
        try:
            if not self.admitted:
                self._admit()
            if self.caller is ANYONE:
                encoded = self._run(data)
            else:
                # Reset afterwards: calls of other callers may share this context.
                token = CALLER.set(self.caller)
                try:
                    encoded = self._run(data)
                finally:
                    CALLER.reset(token)
        except Exception as error:
            self.fail(error)
            return None
        if encoded is not None:
            self.succeed()
        elif self.caller is not ANYONE:
            # The rest is billed as it is done.
            self._bill(perf_counter() - self.began)
        return encoded

    def _run(self, data: bytes) -> bytes | None:
        endpoint = self.endpoint
        request = self.parse(data)
        if endpoint.has_language:
            accepted = self.accepted_languages()
            if accepted:
                request = prefer(request, accepted)
        answer = endpoint.handler(request)
        if type(answer) is not bytes:
            if callable(answer):
                self.work = answer
                return None
            if isinstance(answer, GeneratorType):
                work, answer = answer, run_slice(answer)
                if answer is None:
                    self.work = work
                    return None
        encoded = self.encode(answer)
        if len(encoded) > endpoint.max_response_bytes:
            raise AnswerTooLarge.of(endpoint.max_response_bytes)
        return encoded

    @property
    def waits(self) -> bool:
        """Whether `start` left something to do: `finish` it, or `stream` the answers."""
        return self.work is not None and self.status is None

    async def finish(self) -> bytes | None:
        """Wait for the work that `start` left; returns the encoded answer, or None on failure."""
        endpoint = self.endpoint
        with self, self.place():
            CALLER.set(self.caller)
            left = self.time_left()
            if callable(self.work):
                answer = await endpoint.pool.run(
                    self.work, self.account, left, address=self.address
                )
            else:
                try:
                    async with asyncio.timeout(left):
                        answer = await self._run_long(self.work, self.request_bytes)
                except TimeoutError:
                    raise DeadlinePassed("", "the deadline passed during the call") from None
            encoded = self._encode_billed(answer)
            self.succeed()
            return encoded
        return None

    async def _run_long(self, work: Work[T], request_bytes: int) -> T:
        """Do work in slices, when it is its turn; raises Overloaded if too much waits."""
        endpoint = self.endpoint
        with Held(endpoint.buffer_limit, self) as held:
            held.add(request_bytes)
            async with endpoint.turns.turn(self.owner):
                return await endpoint.slices.run(work, self.account, self.caller.quotas.bill)

    async def stream(self, send: Callable[[bytes], Awaitable[object]]) -> None:
        """Send the encoded answers of the search that `start` left, one by one."""
        endpoint = self.endpoint
        with self, self.place():
            CALLER.set(self.caller)
            endpoint.metrics.received.inc()
            seconds = endpoint.timeouts.slow_reader
            search = endpoint.pool.stream(
                self.work, self.account, self.time_left(), address=self.address
            )
            async with aclosing(search) as answers:
                async for answer in answers:
                    encoded = self._encode_billed(answer)
                    try:
                        async with asyncio.timeout(seconds):
                            await send(encoded)
                    except TimeoutError:
                        raise SlowReader.after(seconds) from None
                    endpoint.metrics.sent.inc()
            self.succeed()

    def _encode_billed(self, answer: Answer) -> bytes:
        """Encode the answer of a call that has waited."""
        began = thread_time()
        try:
            encoded = self.encode(answer)
        finally:
            self.caller.quotas.bill(thread_time() - began)
        if len(encoded) > self.endpoint.max_response_bytes:
            raise AnswerTooLarge.of(self.endpoint.max_response_bytes)
        return encoded

    async def converse(
        self,
        read: Callable[[], Any],
        end: object,
        write: Callable[[bytes], Awaitable[object]],
        readers: Readers,
    ) -> None:
        """Answer a stream of requests, until `read` returns `end`, as answers become ready.

        It reads on only while there is room for answers, so the service does not read from a caller
        that does not read its answers. When the service stops, it reads no more, and fails once
        everything it has begun is answered. It also fails if the caller is silent or does not read
        for too long.
        """
        endpoint = self.endpoint
        metrics = endpoint.metrics
        self.began = perf_counter()

        async def send(answers: bytes) -> None:
            await write(answers)
            metrics.sent.inc()
            if unread.size:
                unread.release(len(answers))

        async def run_long(work: Work[bytes]) -> bytes:
            answer = await self._run_long(work, sizes.pop(work, 0))
            unread.add(len(answer))
            return answer

        # The memory of requests whose work may be long.
        sizes = WeakKeyDictionary[Work[bytes], int]()
        with self:
            if not self.admitted:
                self._admit()
            CALLER.set(self.caller)
            with self.place(), Held(endpoint.buffer_limit, self) as unread:
                async with Answers(send, run_long, endpoint.timeouts) as answers:
                    with readers.reading():
                        await self._answer_all(read, end, answers, sizes)
            self.succeed()

    async def _answer_all(
        self,
        read: Callable[[], Any],
        end: object,
        answers: Answers,
        sizes: WeakKeyDictionary[Work[bytes], int],
    ) -> None:
        endpoint = self.endpoint
        received, handler = endpoint.metrics.received, endpoint.handler
        certificates, slices, account = endpoint.certificates, endpoint.slices, self.account
        bill = self.caller.quotas.bill
        # Until when the stream may begin work because it is its turn.
        turn_end = 0.0
        accepted = self.accepted_languages() if endpoint.has_language else ""
        # Fetch the next message while this one is answered: a lone stream would otherwise wait for
        # each.
        coming = Eager(read())
        try:
            while (data := await coming) is not end:
                coming = Eager(read())
                received.inc()
                if certificates is not None and certificates.changed:
                    self.check_certificate()
                # Every message counts as a call; the stream itself counts as one as well.
                if self.caller is not ANYONE:
                    endpoint.authentication.admit(self.caller)
                began = perf_counter()
                if began >= turn_end and not slices.has_time:
                    await slices.turn(account)
                    began = perf_counter()
                    turn_end = began + SLICE_SECONDS
                try:
                    work = handler(prefer(self.parse(data), accepted))
                    if self.request_bytes:
                        sizes[work], self.request_bytes = self.request_bytes, 0
                    answers.add(work)
                finally:
                    seconds = perf_counter() - began
                    bill(seconds)
                    if began >= turn_end:
                        slices.spend(seconds)
                if answers.full:
                    await answers.room()
        finally:
            coming.abandon()

    # How a call ends.

    def __enter__(self) -> Call:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        if error is None:
            return False
        if isinstance(error, Exception) and not isinstance(error, ClientGone):
            self.fail(error)
            return True
        self.cancel()
        return False

    def succeed(self) -> None:
        """End the call with success: count, bill, log and trace it."""
        endpoint = self.endpoint
        seconds = perf_counter() - self.began
        endpoint.metrics.succeeded(seconds)
        if self.work is None and self.caller is not ANYONE:
            self._bill(seconds if endpoint.timed else 0.0)
        if seconds > endpoint.slow_seconds and endpoint.timed and not callable(self.work):
            path = endpoint.method.path
            endpoint.log.slow(self.transport, path, seconds, self.request_id())
        if endpoint.log_calls:
            path, caller = endpoint.method.path, self.caller.name
            endpoint.log.succeeded(self.transport, path, seconds, self.request_id(), caller)
        if self.span is not None:
            self._end_span(code_pb2.OK)

    def fail(self, error: Exception) -> None:
        """End the call with an error, for the transport to send as `status`."""
        endpoint = self.endpoint
        self.error_type = type(error)
        self.status = status_of(error)
        code = self.status.code
        self._end(code)
        endpoint.log.failed(self.transport, endpoint.method.path, error, code, self.request_id())

    def cancel(self) -> None:
        """End a call whose caller has disconnected, or whose deadline has passed."""
        left = self.time_left()
        late = left is not None and left <= 0
        self._end(code_pb2.DEADLINE_EXCEEDED if late else code_pb2.CANCELLED)

    def _end(self, code: int) -> None:
        """Count, bill and trace a call that did not succeed."""
        endpoint = self.endpoint
        endpoint.metrics.failed(code)
        if self.work is None and self.caller is not ANYONE:
            timed = self.began and endpoint.timed
            self._bill(perf_counter() - self.began if timed else 0.0)
        if self.span is not None:
            self._end_span(code)

    def _bill(self, seconds: float) -> None:
        """Charge a call for its transport and its first seconds; once, however it ends."""
        self.caller.quotas.bill(seconds + self.transport_seconds)

    def _end_span(self, code: int) -> None:
        tracing = self.endpoint.tracing
        assert tracing is not None
        assert self.span is not None
        attribute, status, failed = self.trace_status(code)
        tracing.end(self.span, attribute, status, failed=failed)
