"""One call as a value: its request, and how to read the answer, alone or in a batch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import grpc
from google.protobuf.message import DecodeError, Message
from tablier.v1 import game_service_pb2 as pb

from tablier_client.channel import SERVICES
from tablier_client.errors import ServiceFault, TablierError, from_status
from tablier_client.fields import invalid

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

# The field of an Operation that carries each type of request.
OPERATIONS = {
    field.message_type.full_name: field.name
    for field in pb.Operation.DESCRIPTOR.oneofs_by_name["call"].fields
    if field.message_type
}

# Methods with a stream of answers.
STREAMS = {
    method.name for service in SERVICES for method in service.methods if method.server_streaming
}


@dataclass(frozen=True)
class Call(Generic[T_co]):
    """A call that can be sent alone or in a batch."""

    method: str
    """Name in the service, such as "ApplyMoves"."""
    request: Message = field(repr=False)
    read: Callable[[Any], T_co] = field(repr=False)
    """Reads the answer; see `answer`."""
    thinking: float = field(default=0.0, repr=False)
    """Seconds that the service may search; added to the timeout of the client."""

    def answer(self, reply: object) -> T_co:
        """Read an answer; raises ServiceFault if it does not fit the call."""
        try:
            # gRPC's asyncio version returns None for an answer that it cannot parse.
            if reply is None:
                raise ValueError("it is not a message")
            return self.read(reply)
        except (DecodeError, ValueError) as error:
            raise ServiceFault(
                f"the answer to {self.method} cannot be read: {error}",
                code=grpc.StatusCode.INTERNAL,
            ) from error


def check_call(call: Call[object], field: str = "call") -> None:
    """Raise InvalidField unless the argument is a call."""
    if not isinstance(call, Call):
        raise invalid(field, f"{call!r} is not one of `client.calls`")


def check_streams(call: Call[object], streams: bool) -> None:
    """Raise InvalidField unless the argument is a call with a stream of answers, or with one."""
    check_call(call)
    if (call.method in STREAMS) is not streams:
        other = "send" if streams else "stream"
        raise invalid("call", f"use `{other}` for {call.method}")


def write_operation(call: Call[object], field: str) -> pb.Operation:
    """Convert a call to an operation; raises InvalidField if the protocol has none for it."""
    check_call(call, field)
    member = OPERATIONS.get(call.request.DESCRIPTOR.full_name)
    if member is None:
        raise invalid(field, f"{call.method} cannot be part of a batch or a session")
    operation = pb.Operation()
    getattr(operation, member).CopyFrom(call.request)
    return operation


def read_result(call: Call[T], result: pb.OperationResult) -> T | TablierError:
    """Return the result or the exception of a call that was sent as an operation."""
    outcome, member = result.WhichOneof("outcome"), OPERATIONS[call.request.DESCRIPTOR.full_name]
    if outcome == "error":
        return from_status(result.error)
    if outcome != member:
        return ServiceFault(
            f"the service answered {call.method} with {outcome}", code=grpc.StatusCode.INTERNAL
        )
    return call.answer(getattr(result, member))
