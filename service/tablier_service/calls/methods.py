"""What a call of the protocol is, whatever door it comes through."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from types import GeneratorType
from typing import Any, TypeAlias

from google.protobuf import message_factory
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from google.protobuf.message import Message
from tablier_core.advice import Cancel

from tablier_service.calls.slices import at_once
from tablier_service.security.callers import CALL_ROLES, require

# Calls whose requests carry many operations or moves, and so may be large.
LARGE_CALLS = frozenset({"Batch", "Play", "ReplayGame"})

# What a call answers: a message, or its bytes where those are cheaper to write than the message.
Answer: TypeAlias = Message | bytes


@dataclass(frozen=True)
class Method:
    """One call of the protocol, whatever door it comes through."""

    descriptor: MethodDescriptor
    request_type: type[Message]
    # Takes the request's message, and gives the Answer, or Work that ends with it; may raise
    # TablierError. That of a costly call only checks the request and gives the search: a function
    # from a Cancel to the answer's message, or for a streaming call to an iterator of messages.
    # That of a stream of requests takes one of them at a time.
    handler: Callable[[Any], Any]
    # Whether the call thinks, and so belongs in the search pool.
    costly: bool
    # Whether requests of this call may be as large as the service takes at all.
    large: bool

    @property
    def streaming(self) -> bool:
        """Whether the call has many answers to one request; all that do are costly."""
        return self.descriptor.server_streaming and not self.descriptor.client_streaming

    @property
    def path(self) -> str:
        """The name on the wire, e.g. `/tablier.v1.GameService/ApplyMoves`."""
        return f"/{self.descriptor.containing_service.full_name}/{self.descriptor.name}"

    @cached_property
    def response_type(self) -> type[Message]:
        """The class of the answer's message."""
        return message_factory.GetMessageClass(self.descriptor.output_type)

    def message_of(self, answer: Answer) -> Message:
        """An answer as its message."""
        return self.response_type.FromString(answer) if isinstance(answer, bytes) else answer

    def ask(self, request: Message) -> Message:
        """What the call answers, or answers first, without a pause: for where nobody else waits."""
        answer = self.handler(request)
        if self.costly:
            answer = answer(Cancel())
            if self.streaming:
                answer = next(answer)
        elif isinstance(answer, GeneratorType):
            answer = at_once(answer)
        return self.message_of(answer)


def methods_of(service: ServiceDescriptor, servicer: object, *, costly: bool) -> tuple[Method, ...]:
    """The calls of a service, served by the methods of the same names."""
    return tuple(
        Method(
            descriptor,
            message_factory.GetMessageClass(descriptor.input_type),
            guarded(descriptor.name, getattr(servicer, descriptor.name)),
            costly,
            descriptor.name in LARGE_CALLS,
        )
        for descriptor in service.methods
    )


def guarded(call: str, handler: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A call's handler behind the check of its caller's role, alone and within a batch."""
    roles = CALL_ROLES[call]

    def handle(request: Any) -> Any:
        require(roles, "", call)
        return handler(request)

    return handle


def wire_of(answer: Answer) -> bytes:
    """The bytes of an answer."""
    return answer if isinstance(answer, bytes) else answer.SerializeToString()
