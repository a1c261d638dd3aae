"""The number of fields in requests that arrive in protobuf's wire format."""

from __future__ import annotations

from time import thread_time

import pytest
from google.protobuf.struct_pb2 import ListValue, Struct, Value
from tablier.v1 import game_pb2
from tablier.v1 import game_service_pb2 as pb
from tablier_core.errors import OptionError
from tablier_core.wire import write_field
from tablier_service.calls.elements import (
    MAX_ELEMENTS,
    MAX_LARGE_ELEMENTS,
    check_wire,
    most_elements,
)
from tablier_service.calls.messages import read_options
from tablier_service.errors import TooLarge
from tablier_service.lifecycle import Endpoint
from tablier_service.service import Service
from tablier_service.transports.grpc.asyncio_call import AsyncioCall

from tests.service.transports.grpc.contexts import Context

MOVE = game_pb2.Move(seat=1, notation="e1-c1", action=5)
MOST_BYTES = 4 * 1024 * 1024


def test_the_longest_requests_are_within_the_limit(service: Service) -> None:
    replay = pb.ReplayGameRequest(game="contrast", moves=[MOVE] * 16384, seed=1, match="x")
    check_wire(service.method("ReplayGame"), replay.SerializeToString())
    line = pb.ApplyMovesRequest(state=b"x" * 1000, moves=[MOVE] * 1024)
    check_wire(service.method("ApplyMoves"), line.SerializeToString())
    operation = pb.Operation(id=1, apply_moves=pb.ApplyMovesRequest(state=b"x", moves=[MOVE] * 9))
    batch = pb.BatchRequest(operations=[operation] * 1024)
    check_wire(service.method("Batch"), batch.SerializeToString())


def move_field(number: int) -> bytes:
    return write_field(number, b"") * ((MOST_BYTES - 100) // 2)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("Batch", write_field(1, b"") * (MOST_BYTES // 2)),
        ("Play", write_field(1, b"") * (MOST_BYTES // 2)),
        ("ReplayGame", move_field(4)),
        ("Batch", write_field(1, write_field(4, move_field(2)))),
        ("Batch", write_field(1, write_field(6, move_field(4)))),
        # Fields that nobody knows, and those of options.
        ("Batch", b"\x78\x01" * 100_000),
        ("ReplayGame", write_field(2, write_field(1, b"") * 100_000)),
        ("ApplyMoves", write_field(2, b"") * 30_000),
    ],
)
def test_rejects_too_many_fields_before_they_are_read(
    service: Service, name: str, data: bytes
) -> None:
    """Without building a message, which would take a hundred times as long."""
    call = AsyncioCall(Endpoint(service, service.method(name)), Context())  # type: ignore[arg-type]
    with pytest.raises(TooLarge, match=f"more than {most_elements(service.method(name))}"):
        call.parse(data)


def test_reads_as_many_fields_as_allowed_in_time(service: Service) -> None:
    """Relative to the time for a few, which depends on the machine."""

    def seconds(moves: int) -> float:
        data = write_field(4, b"") * moves
        call = AsyncioCall(Endpoint(service, service.method("ReplayGame")), Context())  # type: ignore[arg-type]
        times = []
        for _ in range(5):
            began = thread_time()
            call.parse(data)
            times.append(thread_time() - began)
        return min(times)

    assert MAX_LARGE_ELEMENTS == 81_920
    assert MAX_ELEMENTS == 5_120
    # 39 times as many take 39 times as long, or a few times that if other programs interfere.
    assert seconds(MAX_LARGE_ELEMENTS) < 200 * seconds(2_100)


def test_limits_the_values_of_options() -> None:
    few, many = (Value(struct_value=Struct()) for _ in range(2))
    assert read_options(Struct(fields={"x": few})) == {"x": {}}
    many.list_value.CopyFrom(ListValue(values=[Value()] * 4097))
    with pytest.raises(OptionError, match="too many values"):
        read_options(Struct(fields={"x": many}))
