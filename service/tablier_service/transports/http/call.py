"""Calls over HTTP: JSON, query strings and paths to messages, and messages to JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import perf_counter
from types import GeneratorType
from typing import Any, NamedTuple, cast

from google.protobuf.message import Message
from google.rpc import code_pb2, status_pb2

from tablier_service.calls.language import ACCEPT_LANGUAGE
from tablier_service.calls.methods import Answer
from tablier_service.calls.slices import Work
from tablier_service.errors import HTTP_STATUS, TooLarge, http_status_of, status_of
from tablier_service.lifecycle import Call, Endpoint
from tablier_service.message_json.bindings import Binding
from tablier_service.message_json.converter import JsonConverter
from tablier_service.observability.call_log import choose_request_id
from tablier_service.observability.tracing import CARRIERS
from tablier_service.security.callers import Caller, Peer
from tablier_service.service import Service
from tablier_service.transports.http.cors import Header
from tablier_service.transports.http.documents import (
    DOCUMENT_HEADERS,
    choose_document,
    document_in,
    take_media,
)
from tablier_service.transports.http.replies import JSON, Reply, etag_of
from tablier_service.transports.http.request import (
    REQUEST_ID,
    TIMEOUT,
    NotJson,
    TargetTooLong,
    read_timeout,
)

ACCEPTED = ACCEPT_LANGUAGE.encode()
VARIES: tuple[Header, ...] = ((b"vary", ACCEPTED),)
DOCUMENT_VARIES: tuple[Header, ...] = (*VARIES, (b"vary", b"accept"))

write_status = JsonConverter(status_pb2.Status).to_json


class HttpEndpoint(Endpoint):
    """One HTTP form of a method."""

    def __init__(self, service: Service, binding: Binding) -> None:
        super().__init__(service, binding.method)
        self.has_body = binding.has_body
        self.has_lists = binding.has_lists
        self.has_document = binding.has_document
        self.read = binding.read
        converter = JsonConverter(binding.method.response_type)
        self.write_wire = converter.wire_to_json
        self.write_message = converter.to_json
        if self.has_lists:
            self.handler = in_pieces(self.handler, converter.to_json_in_pieces)


class JsonText(NamedTuple):
    """An answer that is written already."""

    text: bytes


def in_pieces(
    handler: Callable[[Any], Any], write: Callable[[bytes], Work[bytes]]
) -> Callable[[Any], Any]:
    """Wrap a handler of large requests, so that its work includes reading and writing.

    Its answers, or the results of its work, are bytes.
    """

    def handle(request: Message | Work[Message]) -> bytes | Work[JsonText]:
        if isinstance(request, GeneratorType):
            return finish(answer_to(request))
        answer = handler(request)
        return finish(answer) if isinstance(answer, GeneratorType) else cast("bytes", answer)

    def answer_to(reading: Work[Message]) -> Work[bytes]:
        answer = handler((yield from reading))
        if isinstance(answer, GeneratorType):
            answer = yield from answer
        return cast("bytes", answer)

    def finish(work: Work[bytes]) -> Work[JsonText]:
        answer = yield from work
        return JsonText((yield from write(answer)))

    return handle


class RequestHead(NamedTuple):
    """Everything about a call that is not in the body of its request."""

    endpoint: HttpEndpoint
    headers: Mapping[bytes, bytes]
    query: bytes
    # The values in the path, by field.
    values: Mapping[str, str]
    # The value of the header with credentials; empty if there is none.
    credential: bytes
    # Whether a body would be JSON.
    has_json: bool


class HttpCall(Call):
    """One call over HTTP."""

    __slots__ = (
        "_caller",
        "_deadline",
        "_peer",
        "head",
        "id",
        "media_type",
        "responding",
        "sends_document",
    )

    transport = "http"
    transport_seconds = 0.00005
    endpoint: HttpEndpoint

    def __init__(self, head: RequestHead, peer: Peer, caller: Caller | None = None) -> None:
        self.head = head
        self.id = choose_request_id(head.headers.get(REQUEST_ID, b""))
        # Whether a part of the response has been sent.
        self.responding = False
        # Whether to send only the document in the answer, and what that is.
        self.sends_document = False
        self.media_type = JSON
        self._peer = peer
        # The caller, if the connection has recognised its credential.
        self._caller = caller
        self._deadline: float | None = None
        # Without `super()`, which costs as much as the rest of this method.
        Call.__init__(self, head.endpoint)

    def identify(self) -> Caller:
        if self._caller is not None:
            return self._caller
        authentication = self.endpoint.authentication
        return authentication.identify(self.head.credential, self._peer.certificate_names)

    def check_certificate(self) -> None:
        """Accept the call: connections of a removed authority end at once, with all their calls."""

    def connection(self) -> str:
        return self._peer.connection

    def time_left(self) -> float | None:
        if self._deadline is None:
            header = self.head.headers.get(TIMEOUT)
            if header is None:
                return None
            self._deadline = perf_counter() + read_timeout(header)
        return self._deadline - perf_counter()

    def request_id(self) -> str:
        return self.id.decode()

    def accepted_languages(self) -> str:
        return self.head.headers.get(ACCEPTED, b"").decode("latin-1")

    def trace_carrier(self) -> dict[str, str]:
        headers = self.head.headers
        return {name: headers.get(name.encode(), b"").decode("latin-1") for name in CARRIERS}

    def trace_status(self, code: int) -> tuple[str, int, bool]:
        status = HTTP_STATUS[code_pb2.OK]
        if code != code_pb2.OK and not self.responding:
            status = http_status_of(self.error_type, code) if self.error_type else HTTP_STATUS[code]
        return "http.response.status_code", status, status >= 500

    def parse(self, data: bytes) -> Any:
        endpoint, _, query, values, _, has_json = self.head
        limit = endpoint.max_bytes
        if not endpoint.has_body:
            data = b""
        elif len(data) > limit:
            raise TooLarge("", f"the request has {len(data)} bytes; this call accepts {limit}")
        elif data and not has_json:
            raise NotJson("", "the body must be application/json, and not compressed")
        if len(query) > limit:
            raise TargetTooLong("", f"the query string has more than {limit} bytes")
        if not endpoint.has_document:
            return endpoint.read(values, query, data)
        query, wanted = take_media(query)
        request: Any = endpoint.read(values, query, data)
        preferred = choose_document(request, self.head.headers.get(b"accept", b""))
        self.sends_document = wanted or preferred
        return request

    def encode(self, answer: Answer | JsonText) -> bytes:
        if self.sends_document:
            content, self.media_type = document_in(answer)
            return content
        if isinstance(answer, bytes):
            return self.endpoint.write_wire(answer)
        if isinstance(answer, JsonText):
            return answer.text
        return self.endpoint.write_message(answer)

    def reply(self, content: bytes | None) -> Reply:
        """The response to a call that has ended; without content, it has failed."""
        if content is not None:
            endpoint = self.endpoint
            headers = DOCUMENT_HEADERS if self.sends_document else ()
            if endpoint.has_body:
                return Reply(200, content, self.media_type, headers)
            if endpoint.has_language:
                headers += DOCUMENT_VARIES if endpoint.has_document else VARIES
            return Reply(200, content, self.media_type, headers, etag_of(content))
        assert self.error_type is not None
        assert self.status is not None
        return Reply(http_status_of(self.error_type, self.status.code), write_status(self.status))


def failure(error: Exception, *headers: Header) -> Reply:
    """The response to a request that is not a call."""
    status = status_of(error)
    return Reply(http_status_of(type(error), status.code), write_status(status), headers=headers)
