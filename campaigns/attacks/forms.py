"""Attackers whose requests are not what they seem: bombs, odd forms, and evasions of quotas."""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
import re
import zlib
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from http import HTTPStatus
from itertools import cycle
from time import monotonic

from tablier.v1 import game_service_pb2 as pb

from campaigns.attacks.requests import GAME, MIB, SOURCE, STATE, begin_call, post
from campaigns.attacks.stage import Figures, Stage, Target, repeat
from tests.http2 import connected, message

# How long an answer to a request of an odd form may take.
ANSWER_SECONDS = 5
STATUS = re.compile(rb"HTTP/1\.[01] (\d{3})")
# What a smuggled request asks for. No proxy forwards it, and no other answer is a success.
SMUGGLED = "/metrics"
# Sends a request; returns the status of the answer and its size.
Send = Callable[[], Awaitable[tuple[int, int]]]


def bodies() -> list[bytes]:
    """Bodies in JSON that cost much to read for their size."""
    depth, state = 30_000, base64.urlsafe_b64encode(STATE).decode()
    fields = ",".join(f'"{name}":1' for name in colliding(5_000))
    return [
        b"[" * depth + b"]" * depth,
        b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
        b'{"state":"' + state.encode() + b'","moves":' + b"[" * depth,
        ('{"options":{' + fields + "}}").encode(),
        b'{"seed":1' + b"0" * 60_000 + b"}",
        b'{"seed":1e' + b"9" * 60_000 + b"}",
        b'{"a":"' + b"\\u0000" * 10_000 + b'"}',
        json.dumps({"moves": [{"notation": "x" * 60_000}], "state": state}).encode(),
    ]


def colliding(count: int) -> list[str]:
    """Different names that have one hash in every table that multiplies by 31, without a secret."""
    return [
        "".join("Aa" if bit == "0" else "BB" for bit in f"{number:013b}") for number in range(count)
    ]


async def odd_json(target: Target, stage: Stage) -> Figures:
    """Deep JSON, many fields whose names collide in simple hash tables, endless numbers."""
    turns = cycle(bodies())
    paths = cycle(["/v1/states:applyMoves", "/v1/games/contrast:start", "/v1/batch"])
    return await send_forms(stage, lambda: post(target, next(paths), next(turns)))


async def bombs(target: Target, stage: Stage) -> Figures:
    """A few bytes that become many megabytes: gzip and deflate, over REST and gRPC."""
    large = bytes(16 * MIB)
    ways = cycle([("gzip", gzip.compress(large)), ("deflate", zlib.compress(large))])
    request = gzip.compress(large)

    async def send() -> tuple[int, int]:
        name, body = next(ways)
        async with connected(target.grpc, SOURCE) as connection:
            metadata = [*target.metadata, ("grpc-encoding", "gzip")]
            stream = connection.call(f"{GAME}Batch", metadata)
            # The first byte says that the message is compressed.
            await connection.send(stream, b"\x01" + message(request)[1:], end=True)
            await connection.wait(stream)
            if connection.received.get(stream):
                return HTTPStatus.OK, 0
        return await post(target, "/v1/batch", body, [("content-encoding", name)])

    return await send_forms(stage, send)


async def long_heads(target: Target, stage: Stage) -> Figures:
    """Long URLs, long headers, and very many of them."""
    host = target.rest.rpartition(":")[0]
    line = f"GET /v1/games HTTP/1.1\r\nhost: {host}\r\n"
    heads = cycle(
        [
            f"GET /v1/games?{'a' * 200_000} HTTP/1.1\r\nhost: {host}\r\n\r\n",
            f"{line}x: {'a' * 200_000}\r\n\r\n",
            line + "x: a\r\n" * 20_000 + "\r\n",
            f"{line}{'a' * 200_000}: x\r\n\r\n",
            "GET " + "/" * 200_000,
        ]
    )

    async def send() -> tuple[int, int]:
        statuses = await raw(target, next(heads).encode())
        return (statuses or [HTTPStatus.BAD_REQUEST])[0], 0

    return await send_forms(stage, send)


async def raw(target: Target, data: bytes) -> list[int]:
    """Send bytes to the REST port, and return the statuses of all answers."""
    host, _, port = target.rest.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port), local_addr=(SOURCE, 0))
    answer = b""
    try:
        with suppress(TimeoutError, ConnectionError):
            async with asyncio.timeout(ANSWER_SECONDS):
                writer.write(data)
                await writer.drain()
                writer.write_eof()
                while part := await reader.read(MIB):
                    answer += part
    finally:
        writer.close()
    return [int(status) for status in STATUS.findall(answer)]


def smuggling(host: str) -> Sequence[bytes]:
    """Requests that two readers may divide differently; the second one is hidden in the first."""
    hidden = f"GET {SMUGGLED} HTTP/1.1\r\nhost: {host}\r\n\r\n"
    chunked = f"0\r\n\r\n{hidden}"
    heads = [
        # Both lengths, in either order, and one of them in disguise.
        (f"content-length: {len(chunked)}\r\ntransfer-encoding: chunked", chunked),
        (
            "transfer-encoding: chunked\r\ncontent-length: 4",
            f"{len(hidden):x}\r\n{hidden}\r\n0\r\n\r\n",
        ),
        *(
            (f"content-length: {len(chunked)}\r\n{disguise}", chunked)
            for disguise in (
                "transfer-encoding : chunked",
                "transfer-encoding: xchunked",
                "transfer-encoding:\tchunked",
                "transfer-encoding: identity, chunked",
                "x: y\r\n transfer-encoding: chunked",
                "transfer-encoding: chunked\r\ntransfer-encoding: identity",
            )
        ),
        (f"content-length: 0\r\ncontent-length: {len(hidden)}", hidden),
        (f"content-length: +{len(hidden)}", hidden),
        (f"content-length: 0x{len(hidden):x}", hidden),
        (f"content-length: {len(hidden)}, 0", hidden),
        ("content-length: -1", hidden),
        (f"content-length: 0\n\n{hidden}", ""),
        ("transfer-encoding: chunked", f"0_1\r\n\r\n{hidden}"),
        ("transfer-encoding: chunked", f"0\n\n{hidden}"),
        ("transfer-encoding: chunked", f"1;\n{hidden}"),
    ]
    return [
        f"POST /v1/states:applyMoves HTTP/1.1\r\nhost: {host}\r\n{head}\r\n\r\n{body}".encode()
        for head, body in heads
    ]


async def smuggle(target: Target, stage: Stage) -> Figures:
    """Requests with another one hidden in their body, which must not be answered by itself."""
    sent = answered = 0
    turns = cycle(smuggling(target.rest.rpartition(":")[0]))

    async def send(_: int) -> None:
        nonlocal sent, answered
        statuses = await raw(target, next(turns))
        sent += 1
        answered += HTTPStatus.OK in statuses
        stage.begin()

    await repeat(stage, 4, send)
    return {"expected": sent - answered, "other": answered}


async def send_forms(stage: Stage, send: Send) -> Figures:
    """Send requests that must be rejected by their own errors, on several connections."""
    expected = other = 0
    longest = 0.0

    async def one(_: int) -> None:
        nonlocal expected, other, longest
        begun = monotonic()
        status, _size = await send()
        longest = max(longest, monotonic() - begun)
        rejected = HTTPStatus.BAD_REQUEST <= status < HTTPStatus.INTERNAL_SERVER_ERROR
        expected, other = expected + rejected, other + (not rejected)
        stage.begin()

    await repeat(stage, 2, one)
    return {"expected": expected, "other": other, "seconds": longest}


async def evade_quota(target: Target, stage: Stage) -> Figures:
    """A caller that uses every transport and many connections to get more than its quota."""
    served = rejected = 0
    begun = monotonic()
    game = pb.GetGameRequest(game="contrast")
    batch = pb.BatchRequest(operations=[pb.Operation(get_game=game)] * 10)
    in_json = json.dumps({"operations": [{"getGame": {"game": "contrast"}}] * 10}).encode()

    def count(*, success: bool, calls: int) -> None:
        nonlocal served, rejected
        served, rejected = served + success * calls, rejected + (not success)
        stage.begin()

    async def evade(number: int) -> None:
        if number % 2:
            status, _ = await post(target, "/v1/batch", in_json)
            count(success=status == HTTPStatus.OK, calls=10)
            return
        # A new connection for every call.
        async with connected(target.grpc, SOURCE) as connection:
            request, calls = ((game, 1), (batch, 10))[number // 2 % 2]
            path = f"{GAME}GetGame" if calls == 1 else f"{GAME}Batch"
            stream = await begin_call(connection, target, path, request)
            await connection.wait(stream)
            count(success=stream in connection.received, calls=calls)

    await repeat(stage, 12, evade)
    return {"served": served, "rejected": rejected, "lasted": monotonic() - begun}
