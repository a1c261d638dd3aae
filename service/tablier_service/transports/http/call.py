"""Calls over HTTP: what REST, Connect and gRPC-Web have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from time import perf_counter
from typing import ClassVar, NamedTuple

from google.rpc import status_pb2

from tablier_service.calls.language import ACCEPT_LANGUAGE
from tablier_service.calls.methods import Method
from tablier_service.calls.slices import Work
from tablier_service.errors import http_status_of, status_of
from tablier_service.lifecycle import Call, Endpoint
from tablier_service.message_json.converter import JsonConverter
from tablier_service.observability.call_log import choose_request_id
from tablier_service.observability.tracing import CARRIERS
from tablier_service.security.callers import Caller, Peer
from tablier_service.service import Service
from tablier_service.transports.http.answers import AnswerSender
from tablier_service.transports.http.cors import Header
from tablier_service.transports.http.replies import Reply
from tablier_service.transports.http.request import REQUEST_ID, TIMEOUT, Send, read_timeout

ACCEPTED = ACCEPT_LANGUAGE.encode()

write_status = JsonConverter(status_pb2.Status).to_json


class HttpEndpoint(Endpoint):
    """One HTTP form of a method."""

    call_type: type[HttpCall]

    def __init__(self, service: Service, method: Method, *, has_body: bool) -> None:
        super().__init__(service, method)
        self.has_body = has_body
        # The bytes that a body may have, with all that is around the message.
        self.max_body = self.max_bytes

    def unpacks_in_parts(self, headers: Mapping[bytes, bytes]) -> bool:
        """Whether reading a request with these headers may take too long without a pause."""
        return False


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

    __slots__ = ("_caller", "_deadline", "_peer", "head", "id", "responding")

    transport = "http"
    transport_seconds = 0.00005
    endpoint: HttpEndpoint
    # Where the time is that the caller will wait.
    timeout_header: ClassVar[bytes] = TIMEOUT

    def __init__(self, head: RequestHead, peer: Peer, caller: Caller | None = None) -> None:
        self.head = head
        self.id = choose_request_id(head.headers.get(REQUEST_ID, b""))
        # Whether a part of the response has been sent.
        self.responding = False
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
            header = self.head.headers.get(self.timeout_header)
            if header is None:
                return None
            self._deadline = perf_counter() + self.read_timeout(header)
        return self._deadline - perf_counter()

    def read_timeout(self, header: bytes) -> float:
        """The seconds in that header; raises InvalidField."""
        return read_timeout(header)

    def request_id(self) -> str:
        return self.id.decode()

    def accepted_languages(self) -> str:
        return self.head.headers.get(ACCEPTED, b"").decode("latin-1")

    def trace_carrier(self) -> dict[str, str]:
        headers = self.head.headers
        return {name: headers.get(name.encode(), b"").decode("latin-1") for name in CARRIERS}

    def unpack(self, body: bytes, hold: Callable[[int], object]) -> Work[bytes] | None:
        """The work of decompressing a large body, which holds what it needs; None if it is none."""
        return None

    @abstractmethod
    def reply(self, content: bytes | None) -> Reply:
        """The response to a call that has ended; without content, it has failed."""

    @abstractmethod
    def refusal(self, error: Exception) -> Reply:
        """The response to a call whose answer cannot be sent."""

    @abstractmethod
    def sender(self, send: Send, headers: Iterable[Header]) -> AnswerSender:
        """What sends the answers of a call that has many."""


def failure(error: Exception, *headers: Header) -> Reply:
    """The response to a request that is not a call."""
    status = status_of(error)
    return Reply(http_status_of(type(error), status.code), write_status(status), headers=headers)
