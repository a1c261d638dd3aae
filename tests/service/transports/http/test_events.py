"""Calls with many answers, as server-sent events, with a method that counts."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncGenerator, Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from google.api import annotations_pb2
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.descriptor import FieldDescriptor as Field
from google.protobuf.descriptor import MethodDescriptor
from tablier_core.advice import Cancel, advise
from tablier_core.registry import GAMES
from tablier_service.calls.methods import Method
from tablier_service.errors import InvalidField, Overloaded
from tablier_service.transports.http import events
from tablier_service.transports.http.application import HttpApplication

from tests.service.assembly import Assemble, CallCounts, RecordingLogger

PATH = "/v1/count"
Search = Callable[[Cancel], Iterator[Any]]


def counting_method() -> MethodDescriptor:
    """The method `Count`, which answers with the numbers up to `limit`."""
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


class Counter:
    """An application with the method `Count`."""

    def __init__(self, assemble: Assemble, search: Search | None = None) -> None:
        self.logger = RecordingLogger()
        self.search: Search | None = None
        service = assemble({"logger": self.logger}, search_slots=1, search_queue=0)
        count = Method(COUNT, REQUEST, self._count, costly=True, large=False)
        self.service = replace(service, methods=(*service.methods, count))
        self.application = HttpApplication(self.service)
        # Not before the examples of the OpenAPI document have been made.
        self.search = search

    def _count(self, request: Any) -> Search:
        if request.limit < 0:
            raise InvalidField("limit", "must not be negative")

        def search(cancel: Cancel) -> Iterator[Any]:
            for number in range(request.limit or 3):
                yield RESPONSE(number=number + 1)

        return self.search or search

    def ask(self, body: object, disconnect: threading.Event | None = None) -> list[dict[str, Any]]:
        """What is sent to a client, which may disconnect when an event is set."""
        sent: list[dict[str, Any]] = []

        async def run() -> None:
            given = [{"type": "http.request", "body": json.dumps(body).encode()}]

            async def receive() -> dict[str, Any]:
                if given:
                    return given.pop()
                if disconnect is None:
                    await asyncio.Event().wait()
                else:
                    await asyncio.to_thread(disconnect.wait)
                return {"type": "http.disconnect"}

            async def send(message: Any) -> None:
                sent.append(message)

            headers = [(b"content-type", b"application/json"), (b"x-request-id", b"me")]
            scope = {"type": "http", "method": "POST", "path": PATH, "raw_path": PATH.encode()}
            scope |= {"query_string": b"", "headers": headers}
            await asyncio.wait_for(self.application(scope, receive, send), 60)

        asyncio.run(run())
        return sent

    def handled(self, code: str) -> float:
        return CallCounts(self.service, "Count").handled(code)


MakeCounter = Callable[..., Counter]


@pytest.fixture
def make_counter(assemble: Assemble) -> MakeCounter:
    return partial(Counter, assemble)


def text_of(sent: list[dict[str, Any]]) -> str:
    return b"".join(message["body"] for message in sent[1:]).decode()


def test_sends_every_answer_as_an_event(make_counter: MakeCounter) -> None:
    counter = make_counter()
    start, *parts = counter.ask({"limit": 2})
    assert start["status"] == 200
    headers = dict(start["headers"])
    assert headers[b"content-type"] == b"text/event-stream"
    assert headers[b"cache-control"] == b"no-store"
    # Otherwise nginx would buffer events.
    assert headers[b"x-accel-buffering"] == b"no"
    assert headers[b"x-request-id"] == b"me"
    assert [part["body"] for part in parts] == [
        b'data: {"number":1}\n\n',
        b'data: {"number":2}\n\n',
        b"",
    ]
    # Each event is sent when it is ready, and the last part says that it is the last.
    assert [part["more_body"] for part in parts] == [True, True, False]
    assert counter.handled("OK") == 1


def test_a_stream_that_cannot_begin_is_an_ordinary_failure(make_counter: MakeCounter) -> None:
    counter = make_counter()
    start, body = counter.ask({"limit": -1})
    assert start["status"] == 400
    assert dict(start["headers"])[b"content-type"] == b"application/json"
    assert json.loads(body["body"])["details"][0]["reason"] == "INVALID_FIELD"
    assert counter.ask({"limits": 1})[0]["status"] == 400
    assert counter.handled("InvalidArgument") == 2


def test_rejects_a_stream_if_the_search_queue_is_full(
    make_counter: MakeCounter, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def reject(*_: Any, **more: Any) -> AsyncGenerator[Any, None]:
        raise Overloaded("", "the search queue is full")
        yield

    counter = make_counter()
    with monkeypatch.context() as patched:
        patched.setattr(counter.service.pool, "stream", reject)
        start, body = counter.ask({})
    assert start["status"] == 429
    assert json.loads(body["body"])["details"][0]["reason"] == "OVERLOADED"
    assert counter.ask({})[0]["status"] == 200


def test_sends_a_later_failure_as_an_event(make_counter: MakeCounter) -> None:
    def search(cancel: Cancel) -> Iterator[Any]:
        yield RESPONSE(number=1)
        raise RuntimeError("secret")

    counter = make_counter(search)
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
    assert counter.logger.lines[0]["request_id"] == "me"
    assert counter.handled("Internal") == 1
    assert counter.handled("OK") == 0


def test_a_search_ends_when_its_client_disconnects(make_counter: MakeCounter) -> None:
    thinking, ended = threading.Event(), threading.Event()

    def search(cancel: Cancel) -> Iterator[Any]:
        yield RESPONSE(number=1)
        thinking.set()
        position = GAMES["contigo-alignment"].start({"first": 0}, 1)
        report = advise(position, 0, seconds=20, cancel=cancel)
        assert report.stopped == "cancelled"
        ended.set()

    counter = make_counter(search)
    sent = counter.ask({}, disconnect=thinking)
    assert sent[-1]["more_body"] is True
    assert ended.wait(30)
    assert counter.handled("Cancelled") == 1


def test_sends_heartbeats_while_an_answer_takes_long(
    make_counter: MakeCounter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "HEARTBEAT_SECONDS", 0.01)
    waiting, beaten = threading.Event(), threading.Event()

    def search(cancel: Cancel) -> Iterator[Any]:
        yield RESPONSE(number=1)
        waiting.set()
        assert beaten.wait(30)
        yield RESPONSE(number=2)

    counter = make_counter(search)
    heartbeat = events.EventSender.heartbeat

    async def beat(sender: events.EventSender) -> None:
        await heartbeat(sender)
        # On a slow machine there may be heartbeats before the first answer.
        if waiting.is_set():
            beaten.set()

    monkeypatch.setattr(events.EventSender, "heartbeat", beat)
    text = text_of(counter.ask({}))
    assert text.replace(":\n\n", "") == 'data: {"number":1}\n\ndata: {"number":2}\n\n'
    assert ':\n\ndata: {"number":2}\n\n' in text


def test_the_openapi_document_describes_events(make_counter: MakeCounter) -> None:
    counter = make_counter()
    page = counter.application._router.find("/openapi.json", b"/openapi.json")[0]["GET"]
    operation = json.loads(page.body)["paths"][PATH]["post"]  # type: ignore[union-attr]
    content = operation["responses"]["200"]["content"]
    assert content.keys() == {"text/event-stream"}
    events_of = content["text/event-stream"]
    assert events_of["example"] == {"data": '{"number":1}'}
    data = events_of["schema"]["properties"]["data"]
    assert data["contentSchema"] == {"$ref": "#/components/schemas/CountResponse"}
