"""The gRPC server of the service: driven directly, or grpcio's asyncio server as a fallback."""

from __future__ import annotations

from typing import Protocol

from tablier_service.service import Service
from tablier_service.transports.grpc.asyncio_server import AsyncioServer
from tablier_service.transports.grpc.direct_server import DirectServer


class GrpcServer(Protocol):
    """A server of gRPC, which is used from the thread of the event loop."""

    port: int

    async def start(self) -> None:
        """Start to serve, and report it to health checks."""

    async def drain(self) -> None:
        """Report to health checks that no more calls should come; those that do are served."""

    async def stop(self, grace: float) -> None:
        """Reject new calls, end streams, and wait for the calls in progress."""


def make_server(service: Service) -> GrpcServer:
    """Make the server that the settings name; raises OSError if it cannot listen."""
    if service.settings.grpc_server == "asyncio":
        return AsyncioServer(service)
    return DirectServer(service)
