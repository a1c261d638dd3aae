"""Calls over REST: JSON, query strings and paths to messages, and messages to JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from google.rpc import code_pb2

from tablier_service.errors import HTTP_STATUS, TooLarge, http_status_of
from tablier_service.message_json.bindings import Binding
from tablier_service.service import Service
from tablier_service.transports.http.call import (
    ACCEPTED,
    HttpCall,
    HttpEndpoint,
    failure,
    write_status,
)
from tablier_service.transports.http.cors import Header
from tablier_service.transports.http.documents import (
    DOCUMENT_HEADERS,
    choose_document,
    document_in,
    take_media,
)
from tablier_service.transports.http.events import EventSender
from tablier_service.transports.http.json_answers import JsonAnswer, JsonAnswers, JsonText
from tablier_service.transports.http.replies import JSON, Reply, etag_of
from tablier_service.transports.http.request import NotJson, Send, TargetTooLong

VARIES: tuple[Header, ...] = ((b"vary", ACCEPTED),)
DOCUMENT_VARIES: tuple[Header, ...] = (*VARIES, (b"vary", b"accept"))


class RestEndpoint(HttpEndpoint):
    """One REST form of a method."""

    def __init__(self, service: Service, binding: Binding) -> None:
        super().__init__(service, binding.method, has_body=binding.has_body)
        self.call_type = RestCall
        self.has_document = binding.has_document
        self.read = binding.read
        answers = JsonAnswers(binding)
        self.handler = answers.handler
        self.write = answers.write


class RestCall(HttpCall):
    """One call over REST."""

    __slots__ = ("media_type", "sends_document")

    endpoint: RestEndpoint

    def trace_status(self, code: int) -> tuple[str, int, bool]:
        status = HTTP_STATUS[code_pb2.OK]
        if code != code_pb2.OK and not self.responding:
            status = http_status_of(self.error_type, code) if self.error_type else HTTP_STATUS[code]
        return "http.response.status_code", status, status >= 500

    def parse(self, data: bytes) -> Any:
        endpoint = self.endpoint
        _, _, query, values, _, has_json = self.head
        limit = endpoint.max_bytes
        # Whether to send only the document in the answer, and what that is.
        self.sends_document = False
        self.media_type = JSON
        if not endpoint.has_body:
            data = b""
        elif len(data) > limit:
            raise TooLarge.request(len(data), limit)
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

    def encode(self, answer: JsonAnswer) -> bytes:
        if self.sends_document:
            # Only answers to large requests are written early, and none of those is a document.
            assert not isinstance(answer, JsonText)
            content, self.media_type = document_in(self.endpoint.method.message_of(answer))
            return content
        return self.endpoint.write(answer)

    def reply(self, content: bytes | None) -> Reply:
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

    def refusal(self, error: Exception) -> Reply:
        return failure(error)

    def sender(self, send: Send, headers: Iterable[Header]) -> EventSender:
        return EventSender(self, send, headers)
