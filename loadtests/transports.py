"""How requests travel: gRPC calls, Play streams and REST. Each answer is judged on the spot."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections import Counter, deque
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast
from urllib.parse import urlencode, urlsplit

import grpc
from google.api import annotations_pb2
from google.protobuf import json_format
from google.protobuf.message import DecodeError, Message
from google.rpc import code_pb2, status_pb2
from grpc import aio
from tablier.v1 import game_service_pb2 as pb
from tablier_service.calls.methods import Method

from bench.loads import Response, RestClient
from loadtests.answers import Expected, Oracle, may_retry, reason_of
from loadtests.outcomes import GOOD, LOST, REJECTED, WRONG
from loadtests.requests import Request

# A caller that has no answer after this time gives up.
TIMEOUT_SECONDS = 10.0
CHANNELS = 4
# Below the limit of the service for one address without authentication.
STREAMS = 16
STATUS_DETAILS = "grpc-status-details-bin"
# What a server whose connection broke, or that is gone, answers: nothing.
SILENT = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED)


class Address(NamedTuple):
    """Where a service is, and how to call it."""

    grpc: str
    # A URL: `https` means TLS for gRPC, too.
    rest: str
    key: str = ""
    # The authority that signed the service's certificate, with TLS.
    authority: Path | None = None

    @property
    def secure(self) -> bool:
        """Whether connections use TLS."""
        return self.rest.startswith("https:")

    def tls(self) -> ssl.SSLContext | None:
        """The TLS of REST requests."""
        return ssl.create_default_context(cafile=self.authority) if self.secure else None

    def channel(self) -> aio.Channel:
        """A gRPC connection of its own."""
        options = [
            *(("grpc.use_local_subchannel_pool", 1), ("grpc.enable_retries", 0)),
            ("grpc.max_receive_message_length", 2**26),
        ]
        if not self.secure:
            return aio.insecure_channel(self.grpc, options)
        authority = self.authority.read_bytes() if self.authority else None
        return aio.secure_channel(self.grpc, grpc.ssl_channel_credentials(authority), options)

    def rest_client(self) -> RestClient:
        """A client of the REST API."""
        return RestClient(urlsplit(self.rest).netloc, self.key, self.tls())


class HttpForm(NamedTuple):
    """A request over HTTP."""

    verb: str
    target: str
    body: bytes


class Prepared(NamedTuple):
    """A request in the form in which it is sent, and its right answer."""

    call: str
    path: str
    wire: bytes
    expected: Expected
    # The right results of a message of a Play stream, by id.
    results: dict[int, Expected]
    # None for what only gRPC can send.
    http: HttpForm | None


def prepare(request: Request, oracle: Oracle) -> Prepared:
    """Write a request, and compute its right answer."""
    method, message = oracle.method(request.call), request.message
    if isinstance(message, bytes):
        wire, http = message, None
    else:
        wire, http = message.SerializeToString(), http_form(method, message)
    results = oracle.expect_results(message) if isinstance(message, pb.PlayRequest) else {}
    expected = NOTHING if results else oracle.expect(request)
    return Prepared(request.call, method.path, wire, expected, results, http)


# For messages of streams, whose results are compared one by one.
NOTHING = Expected(False, b"", b"")


def http_form(method: Method, message: Message) -> HttpForm | None:
    """A request in JSON, as the protocol's HTTP rule says; None for streams."""
    if method.descriptor.client_streaming or method.descriptor.server_streaming:
        return None
    rule = method.descriptor.GetOptions().Extensions[annotations_pb2.http]
    fields = json_format.MessageToDict(message)
    path = rule.get or rule.post
    if "{game}" in path:
        path = path.replace("{game}", fields.pop("game", ""))
    if rule.get:
        return HttpForm("GET", f"{path}?{urlencode(fields)}" if fields else path, b"")
    return HttpForm("POST", path, json.dumps(fields).encode())


class Transport(Protocol):
    """Sends requests and judges their answers."""

    name: str

    def carries(self, request: Prepared) -> bool:
        """Whether requests of this kind can be sent this way."""
        ...

    async def ask(self, request: Prepared, check: bool) -> str:
        """Send a request; returns the outcome."""
        ...

    def duplicates(self) -> Counter[str]:
        """How many answers came twice since the last time, by call."""
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...


def outcome_of(status: status_pb2.Status, fallback: str) -> str:
    """The outcome of a request that failed, although it was right."""
    if may_retry(status):
        return REJECTED
    return reason_of(status) or fallback


class Grpc:
    """gRPC calls, and Play streams for their messages."""

    name = "gRPC"

    def __init__(self, address: Address, streams: int = STREAMS) -> None:
        self._metadata = [("authorization", f"Bearer {address.key}")] if address.key else []
        self._channels = [address.channel() for _ in range(CHANNELS)]
        self._calls: dict[tuple[int, str], Any] = {}
        self._next = 0
        self._streams = [
            PlayStream(self._channels[number % CHANNELS], self._metadata)
            for number in range(streams)
        ]

    def carries(self, request: Prepared) -> bool:
        return True

    async def ask(self, request: Prepared, check: bool) -> str:
        self._next += 1
        if request.results:
            stream = self._streams[self._next % len(self._streams)]
            return await stream.ask(request, check)
        try:
            answer = await self._call(request)
        except aio.AioRpcError as error:
            return failure(error, request.expected)
        expected = request.expected
        if check or expected.failed:
            right = not expected.failed and expected.matches_wire(answer)
            return GOOD if right else WRONG
        return GOOD

    async def _call(self, request: Prepared) -> bytes:
        number = self._next % CHANNELS
        known = number, request.path
        streaming = request.call == "StreamAnalysis"
        if known not in self._calls:
            channel = self._channels[number]
            kind = channel.unary_stream if streaming else channel.unary_unary
            self._calls[known] = kind(request.path, None, None)
        call = self._calls[known](request.wire, metadata=self._metadata, timeout=TIMEOUT_SECONDS)
        if streaming:
            # The last answer is the result.
            *_, answer = [report async for report in call]
        else:
            answer = await call
        return cast("bytes", answer)

    def duplicates(self) -> Counter[str]:
        found: Counter[str] = Counter()
        for stream in self._streams:
            found["Play"] += stream.duplicated
            stream.duplicated = 0
        return found

    async def close(self) -> None:
        for stream in self._streams:
            await stream.close()
        for channel in self._channels:
            await channel.close(None)


def failure(error: aio.AioRpcError, expected: Expected) -> str:
    """The outcome of a gRPC call that failed."""
    metadata: Any = error.trailing_metadata() or ()
    details = dict(metadata).get(STATUS_DETAILS, b"")
    if not isinstance(details, bytes) or not details:
        return LOST if error.code() in SILENT else str(error.code().name)
    if expected.failed and details == expected.wire:
        return GOOD
    outcome = outcome_of(status_pb2.Status.FromString(details), error.code().name)
    return WRONG if expected.failed and outcome != REJECTED else outcome


class Waiting:
    """A message of a stream whose results have not all arrived."""

    def __init__(self, request: Prepared, check: bool) -> None:
        self.request = request
        self.check = check
        self.missing = len(request.results)
        self.outcome = GOOD
        self.done: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def take(self, result: pb.OperationResult) -> None:
        """Judge one result."""
        if self.check:
            wire = result.SerializeToString(deterministic=True)
            if not self.request.results[result.id].matches_wire(wire):
                self.outcome = WRONG
        self.missing -= 1
        if not self.missing and not self.done.done():
            self.done.set_result(self.outcome)


class PlayStream:
    """A Play stream with any number of messages under way; it is opened again when it ends."""

    def __init__(self, channel: aio.Channel, metadata: list[tuple[str, str]]) -> None:
        self._open: Any = channel.stream_stream("/tablier.v1.GameService/Play", None, None)
        self._metadata = metadata
        self._call: Any = None
        self._reader: asyncio.Task[None] | None = None
        # By the id of an operation; the same request may be under way twice.
        self._waiting: dict[int, deque[Waiting]] = {}
        self.duplicated = 0

    async def ask(self, request: Prepared, check: bool) -> str:
        """Send a message; returns the outcome of all its operations together."""
        if self._call is None:
            self._call = self._open(metadata=self._metadata)
            self._reader = asyncio.ensure_future(self._read(self._call))
        waiting = Waiting(request, check)
        for number in request.results:
            self._waiting.setdefault(number, deque()).append(waiting)
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                with suppress(aio.AioRpcError, asyncio.InvalidStateError):
                    # If the stream has ended, its reader says how.
                    await self._call.write(request.wire)
                return await waiting.done
        except TimeoutError:
            # Whatever arrives later has nobody that waits for it.
            self._end(LOST)
            return LOST

    async def _read(self, call: Any) -> None:
        try:
            async for data in call:
                for result in pb.PlayResponse.FromString(data).results:
                    self._take(result)
            outcome = LOST
        except aio.AioRpcError as error:
            outcome = failure(error, NOTHING)
        except DecodeError:
            outcome = WRONG
        if call is self._call:
            self._end(outcome)

    def _take(self, result: pb.OperationResult) -> None:
        queue = self._waiting.get(result.id)
        if not queue:
            self.duplicated += 1
            return
        queue.popleft().take(result)
        if not queue:
            del self._waiting[result.id]

    def _end(self, outcome: str) -> None:
        """Give up all messages under way; the next one opens the stream again."""
        call, self._call = self._call, None
        if call is not None:
            call.cancel()
        unanswered, self._waiting = self._waiting, {}
        for queue in unanswered.values():
            for waiting in queue:
                if not waiting.done.done():
                    waiting.done.set_result(outcome)

    async def close(self) -> None:
        """End the stream."""
        self._end(LOST)
        if self._reader is not None:
            # grpcio would still tell an event loop that is closed by then, and fail at it.
            await asyncio.wait([self._reader])


class Rest:
    """Calls over HTTP/1.1 with JSON."""

    name = "REST"

    def __init__(self, address: Address) -> None:
        self._client = address.rest_client()
        self._reported = 0

    def carries(self, request: Prepared) -> bool:
        return request.http is not None

    async def ask(self, request: Prepared, check: bool) -> str:
        assert request.http is not None
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                response = await self._client.fetch(*request.http)
        except (OSError, TimeoutError):
            return LOST
        return judge_http(response, request.expected, check)

    def duplicates(self) -> Counter[str]:
        new = self._client.surplus - self._reported
        self._reported += new
        return Counter({"any call": new})

    async def close(self) -> None:
        self._client.close()


def judge_http(response: Response, expected: Expected, check: bool) -> str:
    """The outcome of a call over HTTP that was answered."""
    if response.status == 200:
        if not (check or expected.failed):
            return GOOD
        right = not expected.failed and expected.matches_json(response.body)
        return GOOD if right else WRONG
    if expected.failed and response.body == expected.json:
        return GOOD
    try:
        status = json_format.Parse(response.body, status_pb2.Status())
    except json_format.ParseError:
        return f"HTTP {response.status}"
    outcome = outcome_of(status, code_pb2.Code.Name(cast("Any", status.code)))
    return WRONG if expected.failed and outcome != REJECTED else outcome


TRANSPORTS = {"grpc": Grpc, "rest": Rest}
