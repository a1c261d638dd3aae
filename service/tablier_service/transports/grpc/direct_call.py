"""Calls of the direct server, from the metadata that arrives to the status that is sent.

The polling thread authenticates a call by its metadata, before it receives the message, and does
the whole of a cheap call. Searches, long calls and streams go on in a task on the event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from functools import partial
from time import time
from typing import Any

from google.rpc import code_pb2
from tablier_core.errors import TablierError

from tablier_service.calls.memory import LARGE_BYTES
from tablier_service.calls.streams import Readers
from tablier_service.errors import InvalidField, Overloaded, SlowReader, StreamIdle, status_of
from tablier_service.lifecycle import Endpoint
from tablier_service.transports.grpc import core
from tablier_service.transports.grpc.arrivals import Arrivals
from tablier_service.transports.grpc.call import GrpcCall, connection_of
from tablier_service.transports.grpc.conversations import Conversations
from tablier_service.transports.grpc.exchange import Exchange, ignore
from tablier_service.transports.grpc.rejections import Rejections
from tablier_service.transports.grpc.unsent import AnsweringExchange, Unsent

# A deadline this far away means that there is none.
NEVER_SECONDS = 1e8
# How long the status of a stream that was not read may take to be sent.
UNREAD_SECONDS = 1.0


class DirectCall(GrpcCall):
    """One call that the direct server serves."""

    __slots__ = ("_deadline", "wire")

    def __init__(self, endpoint: Endpoint, arrival: core.Arrival) -> None:
        # None once the call has ended.
        self.wire = arrival.call
        self._deadline = arrival.call_details.deadline
        GrpcCall.__init__(self, endpoint, arrival.invocation_metadata)

    def connection(self) -> str:
        return connection_of(core.peer_of(self.wire))

    def time_left(self) -> float | None:
        left: float = self._deadline - time()
        return left if left < NEVER_SECONDS else None

    def certificate(self) -> Mapping[str, Iterable[bytes]]:
        return core.certificate_of(self.wire)


class MethodExchange(AnsweringExchange):
    """A call of a method with one request and one answer."""

    __slots__ = ("_call",)

    def __init__(
        self,
        endpoint: Endpoint,
        loop: asyncio.AbstractEventLoop,
        arrivals: Arrivals,
        unsent: Unsent,
        rejections: Rejections,
        arrival: core.Arrival,
    ) -> None:
        Exchange.__init__(self, arrival.call, loop)
        self.unsent = unsent
        self._call = call = DirectCall(endpoint, arrival)
        if call.admit():
            self.begin(arrivals)
        else:
            # Without the metadata, which can be large.
            answer = partial(core.reject, self.wire, *call.failure(), ignore)
            rejections.add(call.owner, answer, call.time_left())
            self.drop()

    def begin(self, arrivals: Arrivals) -> None:
        """Go on with a call that was admitted."""
        try:
            arrivals.expect(self)
        except Overloaded as error:
            self.give_up(error)

    @property
    def account(self) -> str:
        return self._call.account

    @property
    def owner(self) -> str:
        return self._call.owner

    def give_up(self, error: TablierError) -> None:
        self._call.fail(error)
        self._send_failure()

    def _send_failure(self) -> None:
        self.reject(*self._call.failure())

    def received(self, data: bytes | None) -> None:
        if data is None:
            self._end_without_message()
            return
        if len(data) > LARGE_BYTES:
            self.unsent.memory.freed = True
            # Reading it takes long, and answers should not wait for that.
            self.unsent.answers.send()
        answer = self._call.start(data)
        if answer is not None:
            self.answer(answer)
        elif self._call.waits:
            self.continue_on_loop(self.run)
        else:
            self._send_failure()

    def _end_without_message(self) -> None:
        """End a call whose message never came: its client left, or sent none."""
        call = self._call
        error = InvalidField("", "the call has no message")
        status = status_of(error)

        def closed(event: Any) -> None:
            if core.was_cancelled(event):
                call.cancel()
            else:
                call.fail(error)

        core.reject(self.wire, status.code, status.message, (), closed)
        self.drop()

    def drop(self) -> None:
        Exchange.drop(self)
        self._call.wire = None

    async def run(self) -> None:
        """The part of the call that waits."""
        answer = await self._call.finish()
        if answer is None:
            core.fail(self.wire, *self._call.failure(), ignore)
        else:
            self.answer_on_loop(answer)

    def end_stream(self) -> None:
        """Send the status of a call with several answers."""
        call = self._call
        code, message, details = (code_pb2.OK, "", ()) if call.status is None else call.failure()
        core.end_stream(self.wire, code, message, details, ignore)
        if call.error_type is SlowReader:
            # Its status waits behind answers that the client does not read, perhaps for ever.
            self._loop.call_later(UNREAD_SECONDS, core.cancel, self.wire)


class AnswersExchange(MethodExchange):
    """A call with one request and many answers."""

    __slots__ = ()

    async def run(self) -> None:
        core.begin_stream(self.wire, ignore)
        await self._call.stream(self.send)
        self.end_stream()


class ConversationExchange(MethodExchange):
    """A stream of requests."""

    __slots__ = ("_conversations", "_owner", "_readers")

    def __init__(
        self,
        readers: Readers,
        conversations: Conversations,
        endpoint: Endpoint,
        loop: asyncio.AbstractEventLoop,
        arrivals: Arrivals,
        unsent: Unsent,
        rejections: Rejections,
        arrival: core.Arrival,
    ) -> None:
        self._readers = readers
        self._conversations = conversations
        MethodExchange.__init__(self, endpoint, loop, arrivals, unsent, rejections, arrival)

    @property
    def owner(self) -> str:
        return self._owner

    def begin(self, arrivals: Arrivals) -> None:
        self._owner = self._call.owner
        self._conversations.add(self)
        self.continue_on_loop(self.run)

    def drop(self) -> None:
        self._conversations.remove(self)
        MethodExchange.drop(self)
        # A part of the next message may have arrived.
        self.unsent.memory.freed = True

    async def run(self) -> None:
        core.begin_stream(self.wire, ignore)
        seconds = self._conversations.message_seconds
        silence = self._loop.call_later(seconds, self._end_silent, seconds)
        try:
            await self._call.converse(self.read, None, self.send, self._readers)
        finally:
            silence.cancel()
        self.end_stream()

    def _end_silent(self, seconds: float) -> None:
        """End the stream if no message has come yet."""
        if self._inbox is not None and self._inbox.silent:
            self._inbox.interrupt(StreamIdle.after(seconds))

    @property
    def waits(self) -> bool:
        """Whether the stream waits for a message, which may have arrived in part."""
        return self._inbox is not None and self._inbox.waits

    def cancel(self) -> None:
        """End the stream at once."""
        wire = self.wire
        if wire is not None:
            core.cancel(wire)
