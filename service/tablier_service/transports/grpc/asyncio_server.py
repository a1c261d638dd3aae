"""The fallback: grpcio's asyncio server, with health checking and reflection.

It is not hardened against callers that leave calls half-sent (docs/operations.md).
"""

from __future__ import annotations

import asyncio

import grpc
from grpc import aio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from tablier_service.calls.streams import Readers
from tablier_service.service import Service
from tablier_service.transports.grpc.asyncio_call import method_handler
from tablier_service.transports.grpc.options import channel_options


class AsyncioServer:
    """Serves calls over gRPC on the event loop."""

    def __init__(self, service: Service) -> None:
        settings = service.settings
        self._readers = Readers()
        self.server = aio.server(
            options=channel_options(settings),
            # Our own limit answers first and says when to retry. This one also covers health checks
            # and calls that the event loop has not got to yet.
            maximum_concurrent_rpcs=2 * settings.max_calls,
        )
        self._health = health.aio.HealthServicer()  # type: ignore[attr-defined]
        tables: dict[str, dict[str, grpc.RpcMethodHandler[bytes, bytes]]] = {}
        for method in service.methods:
            name = method.descriptor.containing_service.full_name
            handler = method_handler(service, method, self._readers)
            tables.setdefault(name, {})[method.descriptor.name] = handler
        self.server.add_generic_rpc_handlers(
            [grpc.method_handlers_generic_handler(name, table) for name, table in tables.items()]
        )
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self.server)
        self._names = ["", *tables]
        names = (*tables, health.SERVICE_NAME, reflection.SERVICE_NAME)
        reflection.enable_server_reflection(names, self.server)
        address = f"{settings.host}:{settings.grpc_port}"
        certificates = service.certificates
        try:
            self.port = (
                self.server.add_insecure_port(address)
                if certificates is None
                else self.server.add_secure_port(address, certificates.credentials())
            )
        except RuntimeError:
            raise OSError(f"cannot listen on {address} for gRPC; is the port in use?") from None

    async def start(self) -> None:
        """Start to serve, and report it to health checks."""
        await self.server.start()
        for name in self._names:
            await self._health.set(name, health_pb2.HealthCheckResponse.SERVING)

    async def drain(self) -> None:
        """Report to health checks that no more calls should come; those that do are served."""
        await self._health.enter_graceful_shutdown()

    async def stop(self, grace: float) -> None:
        """Reject new calls, end streams, and wait for the calls in progress."""
        stopping = asyncio.ensure_future(self.server.stop(grace))
        # A client that reopens its stream must find this server already closed to new calls.
        await asyncio.sleep(0)
        self._readers.stop()
        await stopping
