"""TLS handshakes: with the newest certificates, and limited like connections.

A server of asyncio keeps the context that it was started with, and its protocols do not know of a
client that never finishes its handshake.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from tablier_service.calls.streams import Eager
from tablier_service.security.tls import Certificates
from tablier_service.transports.http.connection import Connection


class Handshake(asyncio.Protocol):
    """Begins a connection after its TLS handshake. Until then, it is the protocol of both sides."""

    def __init__(self, make: Callable[[], Connection], certificates: Certificates) -> None:
        self._connection = make()
        self._certificates = certificates
        # Kept, because the event loop only has a weak reference.
        self._task: asyncio.Task[None] | None = None
        # The first request can arrive together with the end of the handshake.
        self._early: list[bytes] = []
        self._lost = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        connection, certificates = self._connection, self._certificates
        connection.admit(transport)
        loop = asyncio.get_running_loop()
        # At once: the next turn of the event loop may already receive the client's first message.
        handshake = Eager(
            loop.start_tls(
                transport,
                self,
                certificates.context,
                server_side=True,
                ssl_handshake_timeout=connection.settings.handshake_seconds,
            )
        )
        self._task = loop.create_task(self._begin(handshake, certificates.authorities))

    def data_received(self, data: bytes) -> None:
        self._early.append(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._lost = True
        self._connection.leave()

    async def _begin(
        self, handshake: Eager[asyncio.Transport | None], authorities: bytes | None
    ) -> None:
        connection = self._connection
        try:
            secured = await handshake
        except OSError:
            # The client gave up, took too long, or has no valid certificate.
            connection.leave()
            return
        assert secured is not None
        if self._lost or authorities is not self._certificates.authorities:
            secured.abort()
            connection.leave()
            return
        secured.set_protocol(connection)
        connection.connection_made(secured)
        for data in self._early:
            connection.data_received(data)
