"""grpcio's own core: the one file that uses what grpcio does not promise to keep.

grpcio's two servers are built on a completion queue. Operations on calls are started with a tag,
and `poll` returns them one by one as they complete. Driving that queue directly costs a third of
what the asyncio server costs (docs/adr/0014). `require_core` checks at the start of the service
that this version of grpcio has everything used here.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Protocol, TypeAlias

import grpc
from grpc._cython import cygrpc  # type: ignore[attr-defined]  # missing from its stub

# What this file uses: names in the module, with the attributes of each.
REQUIRED: Mapping[str, tuple[str, ...]] = {
    "CompletionQueue": ("poll",),
    "Server": (
        "add_http2_port",
        "cancel_all_calls",
        "destroy",
        "register_completion_queue",
        "request_call",
        "shutdown",
        "start",
    ),
    "Call": ("cancel", "peer", "start_server_batch"),
    "ReceiveCloseOnServerOperation": ("cancelled",),
    "ReceiveMessageOperation": ("message",),
    "SendInitialMetadataOperation": (),
    "SendMessageOperation": (),
    "SendStatusFromServerOperation": (),
    "auth_context": (),
}
NO_FLAGS = 0
# How many answers leave together.
MOST_ANSWERS = 8
NO_METADATA: tuple[tuple[str, str | bytes], ...] = ()

Metadata: TypeAlias = Iterable[tuple[str, str | bytes]]
# A call as grpcio's core has it.
CoreCall: TypeAlias = Any
# Called on the polling thread when an operation completes, with an event that has `success`.
Tag: TypeAlias = Callable[[Any], object]


class CoreUnsupported(OSError):
    """This version of grpcio lacks something that the direct server needs."""


def require_core() -> None:
    """Raise CoreUnsupported unless grpcio has everything that this file uses."""
    for name, attributes in REQUIRED.items():
        found = getattr(cygrpc, name, None)
        missing = [name] if found is None else []
        missing += [f"{name}.{each}" for each in attributes if not hasattr(found, each)]
        if missing:
            raise CoreUnsupported(
                f"grpcio {grpc.__version__} has no {', '.join(missing)}, which the direct gRPC "
                "server needs; set grpc_server=asyncio, or install another version of grpcio"
            )


class Arrival(Protocol):
    """A call that has arrived, with its metadata; its message is still to be received."""

    success: bool
    call: Any
    call_details: Any
    invocation_metadata: Metadata


class Answers:
    """Answers of unary calls that leave together; only the polling thread uses it.

    Sending makes the processor forget what it has learned about our code: answering several calls
    in a row and then sending the answers costs much less than to alternate.
    """

    def __init__(self) -> None:
        self._waiting: deque[tuple[CoreCall, bytes, Tag]] = deque()

    def add(self, call: CoreCall, message: bytes, tag: Tag, *, others_come: bool) -> None:
        """Send an answer, at once unless other calls are about to be answered."""
        self._waiting.append((call, message, tag))
        if not others_come or len(self._waiting) >= MOST_ANSWERS:
            self.send()

    def send(self) -> None:
        """Send the answers that wait."""
        waiting = self._waiting
        while waiting:
            answer_and_close(*waiting.popleft())

    def __bool__(self) -> bool:
        return bool(self._waiting)


class Core:
    """A server and its completion queue."""

    def __init__(self, options: Sequence[tuple[str, int]]) -> None:
        # Whether all calls have ended after `shut_down`.
        self.ended = False
        self.answers = Answers()
        self._queue = cygrpc.CompletionQueue()
        self._server = cygrpc.Server(tuple(options), False)
        self._server.register_completion_queue(self._queue)

    def listen(self, address: str, credentials: grpc.ServerCredentials | None) -> int:
        """Bind a port; returns its number. Raises RuntimeError if that is impossible."""
        if credentials is None:
            port: int = self._server.add_http2_port(address.encode())
        else:
            # grpcio's own wrapper of credentials has no other way to get at them.
            port = self._server.add_http2_port(address.encode(), credentials._credentials)  # type: ignore[attr-defined]
        if not port:
            raise RuntimeError(f"cannot bind {address}")
        return port

    def start(self) -> None:
        """Accept connections."""
        self._server.start()

    def request_call(self, tag: Callable[[Arrival], None]) -> None:
        """Ask for the next call that arrives, unless the server is stopping."""
        try:
            self._server.request_call(self._queue, self._queue, tag)
        except ValueError:
            # It is stopping. Suppressing this with a context manager would cost every call more.
            return

    def handle(self, operations: int, seconds: float) -> None:
        """Run the tags of completed operations, at most this many, for about this long at most.

        It returns early when the server has ended.
        """
        poll, end, answers = self._queue.poll, time.time() + seconds, self.answers
        for _ in range(operations):
            event = poll(0.0 if answers else end)
            tag = event.tag
            if tag is not None:
                tag(event)
                if self.ended:
                    return
            elif answers:
                answers.send()
            else:
                return
        answers.send()

    def shut_down(self, tag: Tag) -> None:
        """Accept no more calls; the tag completes when all have ended."""

        def end(event: Any) -> None:
            self.ended = True
            tag(event)

        self._server.shutdown(self._queue, end)

    def cancel_all(self) -> None:
        """Cancel the calls that are still in progress after `shut_down`."""
        self._server.cancel_all_calls()

    def destroy(self) -> None:
        """Release the server, after the tag of `shut_down`."""
        self._server.destroy()


def peer_of(call: CoreCall) -> str:
    """The other end of the connection, such as `ipv4:127.0.0.1:50051`."""
    found: bytes = call.peer()
    return found.decode()


def certificate_of(call: CoreCall) -> Mapping[str, Iterable[bytes]]:
    """What the transport knows of the client's certificate."""
    return {name.decode(): values for name, values in cygrpc.auth_context(call).items()}


def receive_message(call: CoreCall, tag: Tag) -> None:
    """Receive the next message; `message_in` the event is None at the end of the stream."""
    call.start_server_batch((cygrpc.ReceiveMessageOperation(NO_FLAGS),), tag)


def message_in(event: Any) -> bytes | None:
    """The message that was received."""
    message: bytes | None = event.batch_operations[0].message()
    return message


def receive_close(call: CoreCall, tag: Tag) -> None:
    """Wait until the call has ended for its client; `was_cancelled` says how."""
    call.start_server_batch((cygrpc.ReceiveCloseOnServerOperation(NO_FLAGS),), tag)


def was_cancelled(event: Any) -> bool:
    """Whether the client left, or the deadline passed, before the status was sent."""
    return bool(event.batch_operations[-1].cancelled())


@cache
def _ending() -> tuple[Any, Any, Any]:
    """The operations of an answer next to its message, which all calls share.

    Only because they hold nothing: no metadata, a status without a message, and a result that
    nobody reads.
    """
    return (
        cygrpc.SendInitialMetadataOperation(NO_METADATA, NO_FLAGS),
        cygrpc.SendStatusFromServerOperation(NO_METADATA, 0, b"", NO_FLAGS),
        cygrpc.ReceiveCloseOnServerOperation(NO_FLAGS),
    )


def answer_and_close(call: CoreCall, message: bytes, tag: Tag) -> None:
    """Send everything that a successful unary call sends; the event does not say how it closed."""
    begin, status, close = _ending()
    call.start_server_batch(
        (begin, cygrpc.SendMessageOperation(message, NO_FLAGS), status, close), tag
    )


def answer(call: CoreCall, message: bytes, tag: Tag) -> None:
    """The same, if `receive_close` has been called."""
    begin, status, _ = _ending()
    call.start_server_batch((begin, cygrpc.SendMessageOperation(message, NO_FLAGS), status), tag)


def cancel(call: CoreCall) -> None:
    """End a call at once, without what is still to be sent."""
    call.cancel()


def begin_stream(call: CoreCall, tag: Tag) -> None:
    """Send the initial metadata of a call with several answers."""
    call.start_server_batch((cygrpc.SendInitialMetadataOperation(NO_METADATA, NO_FLAGS),), tag)


def send_message(call: CoreCall, message: bytes, tag: Tag) -> None:
    """Send one of several answers, after `begin_stream` and when the last one has been sent."""
    call.start_server_batch((cygrpc.SendMessageOperation(message, NO_FLAGS),), tag)


def end_stream(call: CoreCall, code: int, message: str, details: Metadata, tag: Tag) -> None:
    """Send the status of a call, after `begin_stream` and `receive_close`."""
    call.start_server_batch(
        (cygrpc.SendStatusFromServerOperation(details, code, message.encode(), NO_FLAGS),), tag
    )


def fail(call: CoreCall, code: int, message: str, details: Metadata, tag: Tag) -> None:
    """End a call that has sent nothing with an error, after `receive_close`."""
    call.start_server_batch(
        (
            cygrpc.SendInitialMetadataOperation(NO_METADATA, NO_FLAGS),
            cygrpc.SendStatusFromServerOperation(details, code, message.encode(), NO_FLAGS),
        ),
        tag,
    )


def reject(call: CoreCall, code: int, message: str, details: Metadata, tag: Tag) -> None:
    """End a call that has sent nothing with an error, without `receive_close`."""
    call.start_server_batch(
        (
            cygrpc.SendInitialMetadataOperation(NO_METADATA, NO_FLAGS),
            cygrpc.SendStatusFromServerOperation(details, code, message.encode(), NO_FLAGS),
            cygrpc.ReceiveCloseOnServerOperation(NO_FLAGS),
        ),
        tag,
    )
