"""The gRPC server: the methods of the service, health checking and reflection."""

from __future__ import annotations

import asyncio

import grpc
from grpc import aio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from tablier_service.calls.streams import Readers
from tablier_service.service import Service
from tablier_service.settings import Settings
from tablier_service.transports.grpc.call import method_handler


class GrpcServer:
    """Serves calls over gRPC."""

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


def channel_options(settings: Settings) -> list[tuple[str, int]]:
    """The limits of connections and messages, as options of gRPC."""
    age = settings.max_connection_age_seconds
    grace = settings.max_search_seconds + settings.drain_seconds
    return [
        # Twice our own limit, so that a slightly too large request gets our typed error.
        ("grpc.max_receive_message_length", 2 * settings.max_large_request_bytes),
        # The supervisor has made sure that no other program has the port.
        ("grpc.so_reuseport", int(settings.workers > 1)),
        # Between a lower soft limit and the hard limit, gRPC would reject at random.
        ("grpc.max_metadata_size", settings.max_metadata_bytes),
        ("grpc.absolute_max_metadata_size", settings.max_metadata_bytes),
        ("grpc.max_concurrent_streams", settings.max_streams_per_connection),
        ("grpc.max_connection_age_ms", round(age * 1000)),
        # An old connection accepts no new calls, but searches in progress may finish.
        ("grpc.max_connection_age_grace_ms", round(grace * 1000)),
        ("grpc.max_connection_idle_ms", round(settings.max_idle_seconds * 1000)),
        ("grpc.server_handshake_timeout_ms", round(settings.handshake_seconds * 1000)),
        # More frequent pings are abuse; the third closes the connection.
        ("grpc.http2.min_ping_interval_without_data_ms", 60_000),
        ("grpc.http2.max_ping_strikes", 2),
    ]
