"""The HTTP server: uvicorn, on the event loop that gRPC uses too."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import uvicorn

from tablier_service.security.tls import Certificates
from tablier_service.service import Service
from tablier_service.transports.http.application import HttpApplication
from tablier_service.transports.http.connection import Connection
from tablier_service.transports.http.handshake import Handshake
from tablier_service.transports.http.replies import EVERY_RESPONSE

# Connections that wait to be accepted; the default of uvicorn.
BACKLOG = 2048


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, certificates: Certificates | None) -> None:
        super().__init__(config)
        self._certificates = certificates

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen as uvicorn does, but with handshakes of our own."""
        protocol: Any = self.config.http_protocol_class
        make = partial(
            protocol,
            config=self.config,
            server_state=self.server_state,
            app_state=self.lifespan.state,
        )
        if self._certificates is not None:
            make = partial(Handshake, make, self._certificates)
        loop = asyncio.get_running_loop()
        self.servers = [
            await loop.create_server(make, sock=each, backlog=BACKLOG) for each in sockets or ()
        ]
        self.started = True

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to the process, which calls `HttpServer.stop`."""
        yield


class HttpServer:
    """Serves calls over HTTP."""

    def __init__(self, service: Service) -> None:
        settings = service.settings
        self.application = HttpApplication(service)
        config = uvicorn.Config(
            self.application,
            loop="none",
            http=partial(Connection, self.application),  # type: ignore[arg-type]
            timeout_keep_alive=round(settings.max_idle_seconds),
            ws="none",
            lifespan="off",
            log_config=None,
            # Don't let malformed requests flood the log.
            log_level="error",
            access_log=False,
            # The address of the client is not used, and X-Forwarded-For would cost every call.
            proxy_headers=False,
            server_header=False,
            headers=[(name.decode(), value.decode()) for name, value in EVERY_RESPONSE],
        )
        self._drain_delay_seconds = settings.drain_delay_seconds
        self._server = _Server(config, service.certificates)
        if service.certificates is not None:
            service.certificates.on_new_authorities = self._distrust
        family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
        address = (settings.host, settings.http_port)
        # Bound here, so that a port in use is an error before anything is served.
        try:
            self._socket = socket.create_server(
                address, family=family, backlog=BACKLOG, reuse_port=settings.workers > 1
            )
        except OSError as error:
            where = f"{settings.host}:{settings.http_port}"
            raise OSError(f"cannot listen on {where} for HTTP: {error.strerror}") from None
        self.port: int = self._socket.getsockname()[1]
        self._serving: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Start to serve."""
        self._serving = asyncio.create_task(self._server.serve(sockets=[self._socket]))

    def _distrust(self) -> None:
        """End the connections of clients that an authority let in which may be removed by now."""
        for connection in list(self._server.server_state.connections):
            assert isinstance(connection, Connection)
            connection.distrust()

    async def stop(self, grace: float) -> None:
        """Reject new connections, and wait up to `grace` seconds for the calls in progress."""
        for server in self._server.servers:
            server.close()
        self._socket.close()
        # The next response on each connection is the last, and says so. Closing an idle connection
        # could cross with a request, which would be lost.
        self.application.draining = True
        loop = asyncio.get_running_loop()
        end = loop.time() + self._drain_delay_seconds
        while self._server.server_state.connections and loop.time() < end:
            await asyncio.sleep(0.01)
        self._server.config.timeout_graceful_shutdown = max(1, round(grace))
        self._server.should_exit = True
        if self._serving is not None:
            await self._serving
