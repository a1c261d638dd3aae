"""Requests in protobuf's wire format, which gRPC, Connect and gRPC-Web have in common."""

from __future__ import annotations

from google.protobuf.message import DecodeError, Message

from tablier_service.calls.elements import SMALL_BYTES, check_wire
from tablier_service.errors import InvalidField, TooLarge
from tablier_service.lifecycle import Call

# What a field of a request takes in memory, next to the bytes that it has on the wire.
FIELD_BYTES = 32


def parse_wire(call: Call, data: bytes) -> Message:
    """Read the request of a call; raises TooLarge, Overloaded and InvalidField."""
    endpoint = call.endpoint
    if len(data) > endpoint.max_bytes:
        raise TooLarge.request(len(data), endpoint.max_bytes)
    if len(data) > SMALL_BYTES:
        call.request_bytes = len(data) + FIELD_BYTES * check_wire(endpoint.method, data)
        endpoint.buffer_limit.check(call.owner, call.request_bytes)
    try:
        return endpoint.method.request_type.FromString(data)
    except DecodeError:
        name = endpoint.method.descriptor.input_type.full_name
        raise InvalidField("", f"the request is not a valid {name}") from None
