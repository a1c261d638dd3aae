"""Disconnecting clients that do not read what is sent to them."""

from __future__ import annotations

import asyncio
import socket

# The bytes that a client must read in time, unless fewer are left.
LEAST_READ = 32 * 1024
# A client that does not read is noticed once this much waits for it in the kernel.
MAX_UNSENT = 64 * 1024


class UnreadTimeout:
    """Runs while a client has to read. If it does not, the connection ends, and so do its calls."""

    def __init__(self, transport: asyncio.Transport, seconds: float) -> None:
        self._transport = transport
        self._seconds = seconds
        self._timer: asyncio.TimerHandle | None = None
        # The bytes that were unread when the timer was started.
        self._unread = 0
        self._bounded = False

    def bound(self) -> None:
        """Let only little wait in the kernel: before anything large is sent.

        Not for every connection, because the kernel's check costs cheap calls 2%.
        """
        if not self._bounded:
            self._bounded = True
            connected = self._transport.get_extra_info("socket")
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, MAX_UNSENT)

    def start(self) -> None:
        """Give the client time to read a part of what waits for it."""
        self.stop()
        self._unread = self._transport.get_write_buffer_size()
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(self._seconds, self._check)

    def stop(self) -> None:
        """Wait no more: the client has read enough, or is gone."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def close(self) -> None:
        """End the connection once the client has read everything, but do not wait for ever."""
        self._transport.close()
        if self._timer is None and self._transport.get_write_buffer_size():
            self.start()

    def _check(self) -> None:
        if self._unread - self._transport.get_write_buffer_size() < LEAST_READ:
            self._transport.abort()
        else:
            self.start()
