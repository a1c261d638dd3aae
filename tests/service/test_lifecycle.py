"""Every call that is counted as started is also handled and billed, whatever becomes of it.

Every outcome is driven through every transport.
"""

from __future__ import annotations

import asyncio
import gc
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from grpc import aio
from tablier.v1 import game_service_pb2 as pb
from tablier_service.lifecycle import Endpoint
from tablier_service.transports.grpc import asyncio_call

from tests.service.assembly import Assemble, CallCounts
from tests.service.every_transport import (
    ALL,
    ANALYSES,
    GRPC,
    HTTP,
    KEY,
    KNOWN,
    METHODS,
    REST,
    SECONDS,
    STREAMS,
    UNARY,
    Request,
    Transport,
    metadata,
    play,
    running,
)
from tests.service.transports.grpc.contexts import Context


@dataclass(frozen=True)
class Case:
    """A mode of the handlers, a request, and the codes that count as its outcome."""

    name: str
    transports: tuple[Transport, ...]
    codes: tuple[str, ...]
    request: Request = field(default_factory=Request)
    mode: str = "succeed"
    # Whether it is known who is to be billed, and the call was within the quota.
    billed: bool = True


CASES = [
    Case("success", ALL, ("OK",)),
    Case(
        "wrong credentials",
        (*GRPC, *HTTP),
        ("Unauthenticated",),
        Request(key="wrong"),
        billed=False,
    ),
    Case("no credentials", (*GRPC, *HTTP), ("Unauthenticated",), Request(key=""), billed=False),
    Case("revoked credentials", ALL, ("Unauthenticated",), mode="revoked", billed=False),
    Case("no quota", ALL, ("ResourceExhausted",), mode="no quota", billed=False),
    Case("too many calls that wait", ALL, ("ResourceExhausted",), mode="overload"),
    Case("too large", (*GRPC, *HTTP), ("ResourceExhausted",), Request(content="too large")),
    Case("not a message", ALL, ("InvalidArgument",), Request(content="invalid")),
    Case("a bad query string", REST, ("InvalidArgument",), Request(query="?x=1")),
    Case("a long query string", REST, ("ResourceExhausted",), Request(query="?x=" + "y" * 3000)),
    Case("not JSON", REST, ("InvalidArgument",), Request(content_type="text/plain")),
    Case("a rejected request", ALL, ("InvalidArgument",), mode="reject"),
    Case("a deadline in the past", HTTP, ("DeadlineExceeded",), Request(timeout=0)),
    Case(
        "a deadline during the call",
        (*UNARY, play),
        # A client also cancels its call at the deadline.
        ("DeadlineExceeded", "Cancelled"),
        Request(timeout=0.5),
        mode="hang",
    ),
    Case(
        "a deadline during a search",
        ANALYSES,
        # A search ends before the deadline, so that its last answer arrives in time.
        ("OK", "DeadlineExceeded", "Cancelled"),
        Request(timeout=0.5),
        mode="hang",
    ),
    Case("an internal error", ALL, ("Internal",), mode="fail"),
    Case(
        "an answer that cannot be encoded",
        # The handler of Play returns bytes.
        (*UNARY, *ANALYSES),
        ("Internal",),
        mode="bad answer",
    ),
    Case(
        "an answer that is too large",
        (*UNARY, *ANALYSES),
        ("ResourceExhausted",),
        mode="large answer",
    ),
    Case("an error half-way", STREAMS, ("Internal",), mode="fail late"),
    Case("a client that disconnects", ALL, ("Cancelled",), Request(disconnects=True), mode="hang"),
    Case(
        "a client that disconnects early",
        HTTP,
        ("Cancelled",),
        Request(disconnects_early=True),
    ),
]


@pytest.mark.parametrize(
    ("case", "transport"),
    [
        pytest.param(case, transport, id=f"{case.name}-{transport.__name__}")  # type: ignore[attr-defined]
        for case in CASES
        for transport in case.transports
    ],
)
def test_counts_every_started_call_as_handled_and_bills_it(
    assemble: Assemble, tmp_path: Path, case: Case, transport: Transport
) -> None:
    async def test() -> None:
        async with running(assemble, tmp_path / "callers") as server:
            counts = CallCounts(server.service, METHODS[transport])
            # The call whose head is remembered counts too.
            before = Counter(["OK"] if transport in KNOWN else [])
            server.mode = case.mode
            with server.stack:
                await transport(server, case.request)
                await server.until(lambda: counts.started == counts.handled() > before.total())
            expected = [before + Counter([code]) for code in case.codes]
            assert Counter(counts.by_code()) in expected
            assert counts.started == 1 + before.total()
            assert (server.billed > server.billed_before) == case.billed

    asyncio.run(asyncio.wait_for(test(), SECONDS))


def test_counts_a_grpc_call_after_its_deadline(assemble: Assemble, tmp_path: Path) -> None:
    """A client would not send it, so the handlers are called directly."""

    async def test() -> None:
        async with running(assemble, tmp_path / "callers") as server:
            for name in ("RenderState", "StreamAnalysis"):
                method = server.service.method(name)
                make: Any = (
                    asyncio_call.streaming_handler
                    if method.streaming
                    else asyncio_call.unary_handler
                )
                handle = make(Endpoint(server.service, method))
                with pytest.raises(aio.AbortError):
                    await handle(b"", Context(0.0, (("x-api-key", KEY),)))
                counts = CallCounts(server.service, name)
                assert (counts.started, counts.by_code()) == (1, {"DeadlineExceeded": 1})

    asyncio.run(asyncio.wait_for(test(), SECONDS))


def test_counts_a_stream_that_the_service_ends(assemble: Assemble, tmp_path: Path) -> None:
    async def test() -> None:
        async with running(assemble, tmp_path / "callers") as server:
            path = "/tablier.v1.GameService/Play"
            stream: Any = server.channel.stream_stream(path, None, None)
            call = stream(metadata=metadata(Request()))
            await call.write(pb.PlayRequest(operations=[pb.Operation(id=1)]).SerializeToString())
            assert await call.read()
            await server.grpc.stop(30)
            counts = CallCounts(server.service, "Play")
            assert (counts.started, counts.by_code()) == (1, {"Unavailable": 1})

    asyncio.run(asyncio.wait_for(test(), SECONDS))


@pytest.mark.parametrize(
    ("mode", "transport"),
    [
        *((mode, transport) for mode in ("reject", "fail") for transport in ALL),
        *(
            (mode, transport)
            for mode in ("bad answer", "large answer")
            for transport in (*UNARY, *ANALYSES)
        ),
        *(("reject late", transport) for transport in UNARY),
    ],
)
def test_runs_a_failing_call_once(
    assemble: Assemble, tmp_path: Path, mode: str, transport: Transport
) -> None:
    async def test() -> None:
        async with running(assemble, tmp_path / "callers") as server:
            counts = CallCounts(server.service, METHODS[transport])
            server.mode = mode
            await transport(server, Request())
            await server.until(lambda: counts.handled() == counts.started > counts.handled("OK"))
            assert server.handlers.runs == 1

    asyncio.run(asyncio.wait_for(test(), SECONDS))


@pytest.mark.parametrize("mode", ["reject at once", "reject late"])
@pytest.mark.parametrize("transport", UNARY)
def test_frees_the_memory_of_a_failed_call_without_the_garbage_collector(
    assemble: Assemble, tmp_path: Path, transport: Transport, mode: str
) -> None:
    """Otherwise rejected calls with large answers would pile up until it runs."""

    async def test() -> None:
        async with running(assemble, tmp_path / "callers") as server:
            server.mode = mode
            await transport(server, Request())
            memory = server.handlers.memory
            assert memory is not None
            await server.until(lambda: memory() is None)

    gc.disable()
    try:
        asyncio.run(asyncio.wait_for(test(), SECONDS))
    finally:
        gc.enable()
