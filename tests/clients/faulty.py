"""A server that fails on purpose."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field

import grpc
from google.protobuf import message_factory
from google.protobuf.descriptor import ServiceDescriptor
from google.rpc import status_pb2
from grpc_status import rpc_status
from tablier.v1 import game_pb2
from tablier.v1 import game_service_pb2 as pb
from tablier_client.channel import SERVICES

METHODS = {method.name: method for service in SERVICES for method in service.methods}


@dataclass
class Faulty:
    """Answers every call with an empty message, after a number of failures."""

    failures: int = 0  # of each call, with UNAVAILABLE or with `status`
    status: status_pb2.Status | None = None
    stuck: bool = False  # never answer while the server runs
    # Status of every stream, which ends after the first operation of a message is answered.
    breaks: grpc.StatusCode | None = None
    address: str = ""
    calls: Counter[str] = field(default_factory=Counter)
    metadata: dict[str, str | bytes] = field(default_factory=dict)
    stopped: threading.Event = field(default_factory=threading.Event)
    server: grpc.Server = field(init=False)

    def serve(self) -> None:
        """Serve at the address, or at a free port if there is none yet."""
        self.server = grpc.server(ThreadPoolExecutor(4))
        self.server.add_generic_rpc_handlers([self.handlers(service) for service in SERVICES])
        port = self.server.add_insecure_port(self.address or "127.0.0.1:0")
        self.address = f"127.0.0.1:{port}"
        self.server.start()

    def handler(self, name: str) -> grpc.RpcMethodHandler[bytes, bytes]:
        reply = message_factory.GetMessageClass(METHODS[name].output_type)()

        def handle(request: bytes, context: grpc.ServicerContext) -> bytes:
            self.calls[name] += 1
            self.metadata = dict(context.invocation_metadata())
            if self.stuck:
                self.stopped.wait()
            if self.calls[name] <= self.failures:
                if self.status is not None:
                    context.abort_with_status(rpc_status.to_status(self.status))
                context.abort(grpc.StatusCode.UNAVAILABLE, "not yet")
            return reply.SerializeToString()

        def handle_stream(
            requests: Iterator[bytes], context: grpc.ServicerContext
        ) -> Iterator[bytes]:
            for request in requests:
                if self.breaks is None:
                    yield handle(request, context)
                else:
                    self.calls[name] += 1
                    yield answer_first(request)
                    context.abort(self.breaks, "no more")

        if METHODS[name].client_streaming:
            return grpc.stream_stream_rpc_method_handler(handle_stream)
        return grpc.unary_unary_rpc_method_handler(handle)

    def handlers(self, service: ServiceDescriptor) -> grpc.GenericRpcHandler[bytes, bytes]:
        """Handlers for all calls of a service."""
        return grpc.method_handlers_generic_handler(
            service.full_name, {name: self.handler(name) for name in service.methods_by_name}
        )


def answer_first(request: bytes) -> bytes:
    """Answer the first operation of a message; all operations are GetGame."""
    operation = pb.PlayRequest.FromString(request).operations[0]
    answer = pb.GetGameResponse(game=game_pb2.Game(name=operation.get_game.game))
    result = pb.OperationResult(id=operation.id, get_game=answer)
    return pb.PlayResponse(results=[result]).SerializeToString()


@contextmanager
def faulty_server(
    failures: int = 0, stuck: bool = False, breaks: grpc.StatusCode | None = None
) -> Iterator[Faulty]:
    """Run a faulty server on a free port."""
    faulty = Faulty(failures, stuck=stuck, breaks=breaks)
    faulty.serve()
    try:
        yield faulty
    finally:
        faulty.stopped.set()
        faulty.server.stop(None).wait()
