"""Calls with many answers, as server-sent events: a call of the tests' own that counts."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncGenerator, Callable, Iterator
from typing import Any

import pytest
from google.api import annotations_pb2
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.descriptor import FieldDescriptor as Field
from google.protobuf.descriptor import MethodDescriptor
from tablier_core.advice import Cancel, advise
from tablier_core.registry import GAMES
from tablier_service.calls.limits import CallLimit
from tablier_service.calls.methods import Method
from tablier_service.calls.pool import SearchPool
from tablier_service.calls.servicer import GameServicer
from tablier_service.calls.use_cases import UseCases
from tablier_service.errors import InvalidField, Overloaded
from tablier_service.observability.call_log import Observer
from tablier_service.observability.metrics import Metrics
from tablier_service.security.sealing import PlainTokens
from tablier_service.settings import Settings
from tablier_service.transports.http import events
from tablier_service.transports.http.application import RestDoor

PATH = "/v1/count"
Search = Callable[[Cancel], Iterator[Any]]


def counting_method() -> MethodDescriptor:
    """`Count`, which answers with numbers up to `limit`."""
    file = descriptor_pb2.FileDescriptorProto(
        name="tests/count.proto", package="tests", syntax="proto3"
    )
    for name, field in (("CountRequest", "limit"), ("CountResponse", "number")):
        added = file.message_type.add(name=name).field.add(name=field, number=1)
        added.type = Field.TYPE_INT32  # type: ignore[assignment]
        added.label = Field.LABEL_OPTIONAL  # type: ignore[assignment]
    service = file.service.add(name="Counter")
    method = service.method.add(
        name="Count",
        input_type=".tests.CountRequest",
        output_type=".tests.CountResponse",
        server_streaming=True,
    )
    rule = method.options.Extensions[annotations_pb2.http]
    rule.post, rule.body = PATH, "*"
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    return pool.FindServiceByName("tests.Counter").methods_by_name["Count"]


COUNT = counting_method()
REQUEST: Any = message_factory.GetMessageClass(COUNT.input_type)
RESPONSE: Any = message_factory.GetMessageClass(COUNT.output_type)


class Log:
    """Remembers what is logged."""

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []

    def log(self, level: int, event: str, **values: Any) -> None:
        self.lines.append({"event": event, **values})


class Counter:
    """A door with `Count`, and what happened in it."""

    def __init__(self, search: Search | None = None) -> None:
        self.log = Log()
        self.metrics = Metrics()
        self.pool = SearchPool(1, 0)
        self.search: Search | None = None
        count = Method(COUNT, REQUEST, self._count, costly=True, large=False)
        methods = [*GameServicer(UseCases(GAMES, PlainTokens(GAMES))).methods, count]
        observer = Observer(self.log, self.metrics)  # type: ignore[arg-type]
        calls = CallLimit(16, self.metrics)
        self.door = RestDoor(methods, Settings(), observer, self.pool, calls, lambda: True)
        # Set when the examples have been made.
        self.search = search

    def _count(self, request: Any) -> Search:
        if request.limit < 0:
            raise InvalidField("limit", "must not be negative")

        def search(cancel: Cancel) -> Iterator[Any]:
            for number in range(request.limit or 3):
                yield RESPONSE(number=number + 1)

        return self.search or search

    def ask(self, body: object, leave: threading.Event | None = None) -> list[dict[str, Any]]:
        """What is sent to a caller, who may leave at some moment."""
        sent: list[dict[str, Any]] = []

        async def run() -> None:
            given = [{"type": "http.request", "body": json.dumps(body).encode()}]

            async def receive() -> dict[str, Any]:
                if given:
                    return given.pop()
                if leave is None:
                    await asyncio.Event().wait()
                else:
                    await asyncio.to_thread(leave.wait)
                return {"type": "http.disconnect"}

            async def send(message: Any) -> None:
                sent.append(message)

            headers = [(b"content-type", b"application/json"), (b"x-request-id", b"me")]
            scope = {"type": "http", "method": "POST", "path": PATH, "raw_path": PATH.encode()}
            scope |= {"query_string": b"", "headers": headers}
            await asyncio.wait_for(self.door(scope, receive, send), 30)

        asyncio.run(run())
        return sent

    def handled(self, code: str) -> float:
        labels = ("server_stream", "tests.Counter", "Count", code)
        return self.metrics.total(self.metrics.value(self.metrics.handled, *labels))


@pytest.fixture
def made() -> Iterator[Callable[..., Counter]]:
    counters: list[Counter] = []

    def make(search: Search | None = None) -> Counter:
        counters.append(Counter(search))
        return counters[-1]

    yield make
    for counter in counters:
        counter.pool.close()


def text_of(sent: list[dict[str, Any]]) -> str:
    return b"".join(message["body"] for message in sent[1:]).decode()


def test_every_answer_is_an_event(made: Callable[..., Counter]) -> None:
    counter = made()
    start, *parts = counter.ask({"limit": 2})
    assert start["status"] == 200
    headers = dict(start["headers"])
    assert headers[b"content-type"] == b"text/event-stream"
    assert headers[b"cache-control"] == b"no-store"
    # Else nginx would keep events back.
    assert headers[b"x-accel-buffering"] == b"no"
    assert headers[b"x-request-id"] == b"me"
    assert [part["body"] for part in parts] == [
        b'data: {"number":1}\n\n',
        b'data: {"number":2}\n\n',
        b"",
    ]
    # Each is sent when it is there, and the last part says that it is the last.
    assert [part["more_body"] for part in parts] == [True, True, False]
    assert counter.handled("OK") == 1


def test_a_stream_that_cannot_begin_is_an_ordinary_failure(made: Callable[..., Counter]) -> None:
    counter = made()
    start, body = counter.ask({"limit": -1})
    assert start["status"] == 400
    assert dict(start["headers"])[b"content-type"] == b"application/json"
    assert json.loads(body["body"])["details"][0]["reason"] == "INVALID_FIELD"
    assert counter.ask({"limits": 1})[0]["status"] == 400
    assert counter.handled("InvalidArgument") == 2


def test_a_stream_that_does_not_fit_is_refused(
    made: Callable[..., Counter], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*_: Any) -> AsyncGenerator[Any, None]:
        raise Overloaded("", "all searches that fit are under way")
        yield

    counter = made()
    with monkeypatch.context() as patched:
        patched.setattr(counter.pool, "stream", refuse)
        start, body = counter.ask({})
    assert start["status"] == 429
    assert json.loads(body["body"])["details"][0]["reason"] == "OVERLOADED"
    assert counter.ask({})[0]["status"] == 200


def test_a_later_failure_is_an_event(made: Callable[..., Counter]) -> None:
    def search(cancel: Cancel) -> Iterator[Any]:
        yield RESPONSE(number=1)
        raise RuntimeError("secret")

    counter = made(search)
    sent = counter.ask({})
    assert sent[0]["status"] == 200
    first, last, end = text_of(sent).split("\n\n")
    assert (first, end) == ('data: {"number":1}', "")
    kind, data = last.split("\n")
    assert kind == "event: error"
    status = json.loads(data.removeprefix("data: "))
    assert (status["code"], status["details"][0]["reason"]) == (13, "INTERNAL")
    assert "secret" not in data
    assert sent[-1]["more_body"] is False
    assert counter.log.lines[0]["request_id"] == "me"
    assert counter.handled("Internal") == 1
    assert counter.handled("OK") == 0


def test_a_caller_who_leaves_ends_the_search(made: Callable[..., Counter]) -> None:
    thinking, ended = threading.Event(), threading.Event()

    def search(cancel: Cancel) -> Iterator[Any]:
        yield RESPONSE(number=1)
        thinking.set()
        position = GAMES["contigo-alignment"].start({"first": 0}, 1)
        report = advise(position, 0, seconds=20, cancel=cancel)
        assert report.stopped == "cancelled"
        ended.set()

    counter = made(search)
    sent = counter.ask({}, leave=thinking)
    assert sent[-1]["more_body"] is True
    assert ended.wait(30)
    assert counter.handled("Cancelled") == 1


def test_heartbeats_while_an_answer_takes_long(
    made: Callable[..., Counter], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "HEARTBEAT_SECONDS", 0.01)
    waiting, beaten = threading.Event(), threading.Event()

    def search(cancel: Cancel) -> Iterator[Any]:
        yield RESPONSE(number=1)
        waiting.set()
        assert beaten.wait(30)
        yield RESPONSE(number=2)

    counter = made(search)
    heartbeat = events.EventSender.heartbeat

    async def beat(sender: events.EventSender) -> None:
        await heartbeat(sender)
        # A slow machine may need one before the first answer too.
        if waiting.is_set():
            beaten.set()

    monkeypatch.setattr(events.EventSender, "heartbeat", beat)
    text = text_of(counter.ask({}))
    assert text.replace(":\n\n", "") == 'data: {"number":1}\n\ndata: {"number":2}\n\n'
    assert text.endswith(':\n\ndata: {"number":2}\n\n')


def test_the_document_says_so(made: Callable[..., Counter]) -> None:
    counter = made()
    page = counter.door._router.find("/openapi.json", b"/openapi.json")[0]["GET"]
    operation = json.loads(page.body)["paths"][PATH]["post"]  # type: ignore[union-attr]
    content = operation["responses"]["200"]["content"]
    assert content.keys() == {"text/event-stream"}
    events_of = content["text/event-stream"]
    assert events_of["example"] == {"data": '{"number":1}'}
    data = events_of["schema"]["properties"]["data"]
    assert data["contentSchema"] == {"$ref": "#/components/schemas/CountResponse"}
