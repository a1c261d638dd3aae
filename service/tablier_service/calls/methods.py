"""The methods of the protocol, independent of any transport."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from types import GeneratorType
from typing import Any, TypeAlias

from google.protobuf import message_factory
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from google.protobuf.message import Message
from tablier_core.advice import Cancel

from tablier_service.calls.slices import run_all
from tablier_service.security.callers import CALL_ROLES, CALLER, require

# Methods whose requests carry many operations or moves, and so may be large.
LARGE_CALLS = frozenset({"Batch", "Play", "ReplayGame"})

# An answer: a message, or its bytes if those are cheaper to write than the message.
Answer: TypeAlias = Message | bytes


@dataclass(frozen=True)
class Method:
    """One method of the protocol."""

    descriptor: MethodDescriptor
    request_type: type[Message]
    # Takes a request and returns an Answer, Work that results in one, or a function from a Cancel
    # to the answer, which runs in the search pool; may raise TablierError. The handler of a costly
    # method always returns such a function, and one to an iterator of answers if the method is
    # streaming. The handler of a stream of requests takes one request at a time.
    handler: Callable[[Any], Any]
    # Whether the method searches, and so belongs in the search pool.
    costly: bool
    # Whether requests may have up to `max_large_request_bytes`.
    large: bool

    @property
    def streaming(self) -> bool:
        """Whether one request has many answers; all such methods are costly."""
        return self.descriptor.server_streaming and not self.descriptor.client_streaming

    @property
    def path(self) -> str:
        """The name on the wire, e.g. `/tablier.v1.GameService/ApplyMoves`."""
        return f"/{self.descriptor.containing_service.full_name}/{self.descriptor.name}"

    @cached_property
    def response_type(self) -> type[Message]:
        """The message class of the answer."""
        return message_factory.GetMessageClass(self.descriptor.output_type)

    def message_of(self, answer: Answer) -> Message:
        """Turn an answer into its message."""
        return self.response_type.FromString(answer) if isinstance(answer, bytes) else answer

    def answers(self, request: Message) -> Iterator[Answer]:
        """Answer a request without a pause and without a transport; only streams answer twice."""
        answer = self.handler(request)
        if callable(answer):
            answer = answer(Cancel())
            if self.streaming:
                yield from answer
                return
        elif isinstance(answer, GeneratorType):
            answer = run_all(answer)
        yield answer

    def ask(self, request: Message) -> Message:
        """Answer a request, or give its first answer, as a message."""
        return self.message_of(next(self.answers(request)))


def methods_of(service: ServiceDescriptor, servicer: object, *, costly: bool) -> tuple[Method, ...]:
    """The methods of a service, served by the methods of the servicer with the same names."""
    return tuple(
        Method(
            descriptor,
            message_factory.GetMessageClass(descriptor.input_type),
            with_role_check(descriptor.name, getattr(servicer, descriptor.name)),
            costly,
            descriptor.name in LARGE_CALLS,
        )
        for descriptor in service.methods
    )


def with_role_check(call: str, handler: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Wrap a handler in the check of the caller's role, for single calls and within batches."""
    roles = CALL_ROLES[call]

    def handle(request: Any) -> Any:
        if roles.isdisjoint(CALLER.get().roles):
            require(roles, "", call)
        return handler(request)

    return handle


def wire_of(answer: Answer) -> bytes:
    """Turn an answer into its bytes, the same ones for equal answers."""
    return answer if isinstance(answer, bytes) else answer.SerializeToString(deterministic=True)
