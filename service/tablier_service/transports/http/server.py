"""The REST door on a socket: uvicorn on the event loop that gRPC uses too."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import uvicorn

from tablier_service.security.tls import Certificates
from tablier_service.settings import Settings
from tablier_service.transports.http.application import RestDoor
from tablier_service.transports.http.connection import Connection
from tablier_service.transports.http.cors import allow_origins

# Connections that wait to be accepted, as many as uvicorn would let wait.
BACKLOG = 2048


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, handshake_seconds: float) -> None:
        super().__init__(config)
        self._handshake_seconds = handshake_seconds

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen as uvicorn does, which would give a TLS handshake a minute whatever we say."""
        protocol: Any = self.config.http_protocol_class
        make = partial(
            protocol,
            config=self.config,
            server_state=self.server_state,
            app_state=self.lifespan.state,
        )
        tls: dict[str, Any] = {}
        if self.config.ssl is not None:
            tls = {"ssl": self.config.ssl, "ssl_handshake_timeout": self._handshake_seconds}
        loop = asyncio.get_running_loop()
        self.servers = [
            await loop.create_server(make, sock=each, backlog=BACKLOG, **tls)
            for each in sockets or ()
        ]
        self.started = True

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals are the whole service's, and reach this server as `stop`."""
        yield


class RestServer:
    """Serves a RestDoor."""

    def __init__(
        self, door: RestDoor, settings: Settings, certificates: Certificates | None = None
    ) -> None:
        config = uvicorn.Config(
            allow_origins(door, settings.cors_origins),
            loop="none",
            http=partial(Connection, settings),  # type: ignore[arg-type]
            timeout_keep_alive=round(settings.max_idle_seconds),
            ws="none",
            lifespan="off",
            log_config=None,
            # Whoever sends us what is no HTTP could fill a log with that.
            log_level="error",
            access_log=False,
            # Nothing here asks who the caller is; reading X-Forwarded-For would cost every call.
            proxy_headers=False,
            server_header=False,
        )
        self._door = door
        self._leave_seconds = settings.leave_seconds
        if certificates is not None:
            # Loaded here: uvicorn would make a context of its own, which could not be renewed.
            config.load()
            config.ssl = certificates.context
        self._server = _Server(config, settings.handshake_seconds)
        family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
        # Bound here, so that a port that is taken is an error before anything is served.
        address = (settings.host, settings.rest_port)
        try:
            self._socket = socket.create_server(
                address, family=family, backlog=BACKLOG, reuse_port=settings.workers > 1
            )
        except OSError as error:
            where = f"{settings.host}:{settings.rest_port}"
            raise OSError(f"cannot listen on {where} for REST: {error.strerror}") from None
        self.port: int = self._socket.getsockname()[1]
        self._serving: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin to serve."""
        self._serving = asyncio.create_task(self._server.serve(sockets=[self._socket]))

    async def stop(self, grace: float) -> None:
        """Refuse new connections and wait for the calls under way, up to a time."""
        for server in self._server.servers:
            server.close()
        self._socket.close()
        # The next answer of each connection is its last, and says so. Closing one that is idle
        # now could cross with a request, which would be lost.
        self._door.leave()
        loop = asyncio.get_running_loop()
        end = loop.time() + self._leave_seconds
        while self._server.server_state.connections and loop.time() < end:
            await asyncio.sleep(0.01)
        self._server.config.timeout_graceful_shutdown = max(1, round(grace))
        self._server.should_exit = True
        if self._serving is not None:
            await self._serving
