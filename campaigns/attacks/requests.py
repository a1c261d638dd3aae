"""The calls that attackers and their neighbours make, from an address of their own."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from time import monotonic

from google.protobuf.message import Message
from tablier.v1 import advisor_service_pb2
from tablier_core import codec
from tablier_core.registry import GAMES

from campaigns.attacks.stage import Figures, Stage, Target, repeat
from tests.http2 import Connection, message

GAME = "/tablier.v1.GameService/"
ADVISOR = "/tablier.v1.AdvisorService/"
STATE = codec.encode(GAMES["contigo-alignment"].start({"first": 0}, 1))
# Other callers come from 127.0.0.1.
SOURCE = "127.0.0.2"
MIB = 2**20


async def begin_call(
    connection: Connection, target: Target, path: str, request: Message, *, end: bool = True
) -> int:
    """Send the first message of a call, and by default no other; returns its stream."""
    stream = connection.call(path, target.metadata)
    await connection.send(stream, message(request.SerializeToString()), end=end)
    return stream


def analysis(milliseconds: int) -> advisor_service_pb2.StreamAnalysisRequest:
    """The request of a `StreamAnalysis` with a hundred reports per second."""
    return advisor_service_pb2.StreamAnalysisRequest(
        state=STATE,
        interval_milliseconds=10,
        budget=advisor_service_pb2.Budget(milliseconds=milliseconds),
    )


async def post(
    target: Target, path: str, body: bytes, headers: Sequence[tuple[str, str]] = ()
) -> tuple[int, int]:
    """Send a REST request; returns the status and the size of the answer."""
    host, _, port = target.rest.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port), local_addr=(SOURCE, 0))
    try:
        fields = [
            *(("host", host), ("connection", "close"), ("content-type", "application/json")),
            ("content-length", str(len(body))),
            *target.metadata,
            *headers,
        ]
        lines = [f"POST {path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields)]
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        head = await reader.readuntil(b"\r\n\r\n")
        size = 0
        while part := await reader.read(MIB):
            size += len(part)
        return int(head.split()[1]), size
    finally:
        writer.close()


async def send_bodies(target: Target, stage: Stage, body: bytes) -> Figures:
    """Send a batch over REST again and again."""
    longest = 0.0
    statuses: list[int] = []

    async def send(_: int) -> None:
        nonlocal longest
        stage.begin()
        begun = monotonic()
        status, _ = await post(target, "/v1/batch", body)
        longest = max(longest, monotonic() - begun)
        statuses.append(status)

    await repeat(stage, 1, send)
    return {"sent": len(statuses), "served": statuses.count(200), "seconds": longest}
