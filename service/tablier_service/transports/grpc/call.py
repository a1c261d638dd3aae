"""Calls over gRPC: bytes to messages and back.

Requests arrive as bytes and are parsed here rather than by gRPC, so that bytes which are not a
valid message get the same typed error as everything else.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias
from urllib.parse import unquote

import grpc
from tablier_core.errors import TablierError

from tablier_service.calls.language import ACCEPT_LANGUAGE
from tablier_service.calls.methods import Answer, wire_of
from tablier_service.errors import Unauthenticated, status_of
from tablier_service.lifecycle import Call, Endpoint
from tablier_service.observability.call_log import choose_request_id
from tablier_service.observability.tracing import CARRIERS, FAULTS
from tablier_service.security.authentication import credential_in
from tablier_service.security.callers import Caller
from tablier_service.transports.wire_requests import parse_wire

# The metadata in which gRPC carries a google.rpc.Status next to its own code and message.
STATUS_DETAILS = "grpc-status-details-bin"
REQUEST_ID = "x-request-id"
CREDENTIALS = frozenset({"authorization", "x-api-key"})
CERTIFICATE_NAMES = ("x509_common_name", "x509_subject_alternative_name")
STATUS_CODES = {code.value[0]: code for code in grpc.StatusCode}
Metadata: TypeAlias = Iterable[tuple[str, str | bytes]]


class GrpcCall(Call):
    """One call over gRPC."""

    __slots__ = ("_request_id", "metadata")

    transport = "grpc"
    transport_seconds = 0.0001

    def __init__(self, endpoint: Endpoint, metadata: Metadata) -> None:
        self.metadata = metadata
        self._request_id = ""
        # Without `super()`, which costs as much as the rest of this method.
        Call.__init__(self, endpoint)

    @abstractmethod
    def certificate(self) -> Mapping[str, Iterable[bytes]]:
        """What the transport knows of the client's certificate."""

    def identify(self) -> Caller:
        authentication = self.endpoint.authentication
        credential = credential_in(self.metadata, CREDENTIALS)
        if credential:
            return authentication.identify(credential)
        return authentication.identify(b"", names_in(self.certificate()))

    def check_certificate(self) -> None:
        certificates = self.endpoint.certificates
        if certificates is not None and not certificates.trusts(self.certificate()):
            raise Unauthenticated("", "the authority of this client certificate was removed")

    def request_id(self) -> str:
        if not self._request_id:
            given = dict(self.metadata).get(REQUEST_ID, "")
            data = given.encode() if isinstance(given, str) else given
            self._request_id = choose_request_id(data).decode()
        return self._request_id

    def accepted_languages(self) -> str:
        # Faster than a dictionary: there are few headers, and nearly all calls come here.
        for name, value in self.metadata:
            if name == ACCEPT_LANGUAGE:
                return str(value)
        return ""

    def trace_carrier(self) -> dict[str, str]:
        metadata = dict(self.metadata)
        return {name: str(metadata[name]) for name in CARRIERS if name in metadata}

    def trace_status(self, code: int) -> tuple[str, int, bool]:
        return "rpc.grpc.status_code", code, code in FAULTS

    parse = parse_wire

    def encode(self, answer: Answer) -> bytes:
        return wire_of(answer)

    def failure(self) -> tuple[int, str, Sequence[tuple[str, str | bytes]]]:
        """The code, message and metadata to send for a call that has failed."""
        status = self.status
        assert status is not None
        details = (
            (STATUS_DETAILS, status.SerializeToString()),
            (REQUEST_ID, self.request_id()),
        )
        return status.code, status.message, details


def failure(error: TablierError) -> tuple[int, str, Sequence[tuple[str, str | bytes]]]:
    """The code, message and metadata to send for an error outside of the lifecycle of a call."""
    status = status_of(error)
    return status.code, status.message, ((STATUS_DETAILS, status.SerializeToString()),)


def names_in(certificate: Mapping[str, Iterable[bytes]]) -> list[str]:
    """The names in a client certificate."""
    groups = (certificate.get(key, ()) for key in CERTIFICATE_NAMES)
    # A name that is not UTF-8 matches no caller.
    return [bytes(name).decode(errors="replace") for group in groups for name in group]


def connection_of(peer: str) -> str:
    """The address and port in what gRPC calls the peer, such as `ipv6:%5B::1%5D:50051`."""
    connection = peer.partition(":")[2]
    return unquote(connection) if "%" in connection else connection
