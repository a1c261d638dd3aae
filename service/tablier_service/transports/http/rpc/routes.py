"""The routes of Connect and gRPC-Web: the protocol of a call is in its content type."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from google.protobuf.descriptor_pb2 import MethodOptions

from tablier_service.calls.methods import Method
from tablier_service.errors import InvalidField
from tablier_service.message_json.bindings import whole_message
from tablier_service.service import Service
from tablier_service.transports.http.call import failure
from tablier_service.transports.http.replies import Reply
from tablier_service.transports.http.rpc.call import RpcCall, RpcEndpoint
from tablier_service.transports.http.rpc.connect import ConnectCall, ConnectGet, ConnectStream
from tablier_service.transports.http.rpc.grpc_web import GrpcWebCall, GrpcWebTextCall

ENCODING = re.compile(rb"(?:^|&)encoding=(proto|json)(?:&|$)")


class UnknownType(InvalidField):
    """No protocol has this content type."""

    http_status = 415


class RpcRoute:
    """The path of one method, in all protocols."""

    def __init__(self, service: Service, method: Method) -> None:
        binding = whole_message(method)

        def endpoint(kind: type[RpcCall], answers: bytes, in_json: bool) -> RpcEndpoint:
            return RpcEndpoint(service, binding, kind, answers, in_json=in_json)

        self._by_type: dict[bytes, RpcEndpoint] = {}
        for kind, prefix in protocols(method):
            for in_json in (False, True):
                media_type = prefix + (b"json" if in_json else b"proto")
                self._by_type[media_type] = endpoint(kind, media_type, in_json)
        for short in (b"application/grpc-web", b"application/grpc-web-text"):
            self._by_type[short] = self._by_type[short + b"+proto"]
        self._by_encoding: dict[bytes, RpcEndpoint] = {}
        if is_pure(method):
            self._by_encoding = {
                b"proto": endpoint(ConnectGet, b"application/proto", False),
                b"json": endpoint(ConnectGet, b"application/json", True),
            }

    @property
    def http_methods(self) -> Iterator[str]:
        """The HTTP methods that this path accepts."""
        yield "POST"
        if self._by_encoding:
            yield "GET"

    def choose(
        self, http_method: str, headers: Mapping[bytes, bytes], query: bytes
    ) -> RpcEndpoint | Reply:
        """The endpoint that a request is for, or why there is none."""
        if http_method != "POST":
            found = ENCODING.search(query)
            if found is not None:
                return self._by_encoding[found[1]]
            return failure(UnknownType("", "the parameter encoding must be proto or json"))
        given = headers.get(b"content-type", b"")
        endpoint = self._by_type.get(given)
        if endpoint is None:
            endpoint = self._by_type.get(given.partition(b";")[0].strip().lower())
        if endpoint is None:
            types = b", ".join(self._by_type)
            error = UnknownType("", f"the content type must be one of {types.decode()}")
            return failure(error, (b"accept-post", types))
        return endpoint


def protocols(method: Method) -> Iterator[tuple[type[RpcCall], bytes]]:
    """The protocols of a method, and what their content types begin with."""
    if method.streaming:
        yield ConnectStream, b"application/connect+"
    else:
        yield ConnectCall, b"application/"
    yield GrpcWebCall, b"application/grpc-web+"
    yield GrpcWebTextCall, b"application/grpc-web-text+"


def is_pure(method: Method) -> bool:
    """Whether a method can be called by GET: it has one answer, and changes nothing."""
    level = method.descriptor.GetOptions().idempotency_level
    return level == MethodOptions.NO_SIDE_EFFECTS and not method.streaming
