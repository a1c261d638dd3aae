"""Lines on a descriptor that may be full, blocked or closed: written at once, or not at all.

Standard error may lead to a full disk, to a pipe that nobody reads, or to a program that has ended.
None of them may delay or end a call, so a line that cannot be written at once is dropped.
"""

from __future__ import annotations

import os
import select
import stat
import threading
import weakref
from collections.abc import Callable
from functools import partial

# A pipe that is ready takes this much at once. POSIX promises less than Linux.
AT_ONCE = select.PIPE_BUF


class LineOutput:
    """Writes lines to a descriptor without waiting, from any thread."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._send = writer_for(self, descriptor)
        # Whether the last thing written is the beginning of a line.
        self._torn = False
        # Reentrant: a finalizer that runs during a write may log, too.
        self._lock = threading.RLock()
        # Called for every line that is dropped.
        self.on_drop: Callable[[], object] = int

    def write(self, line: bytes) -> bool:
        """Write a line, without its end; False if it was dropped."""
        with self._lock:
            data = b"\n%b\n" % line if self._torn else line + b"\n"
            try:
                written = self._send(data)
            except OSError:
                written = 0
            if written == len(data):
                self._torn = False
                return True
            if written:
                self._torn = True
            self.on_drop()
            return False

    def wait(self, seconds: float) -> None:
        """Wait until the descriptor is ready, or until the time has passed."""
        poll = select.poll()
        poll.register(self._descriptor, select.POLLOUT)
        poll.poll(seconds * 1000)


def writer_for(owner: object, descriptor: int) -> Callable[[bytes], int]:
    """A function that writes what it can without waiting, and returns the number of bytes.

    Other programs may have inherited the open file, so it must not become non-blocking for them.
    What it needs instead is closed with its owner.
    """
    try:
        mode = os.fstat(descriptor).st_mode
    except OSError:
        # The program was started with this descriptor closed.
        return lambda _: 0
    if stat.S_ISREG(mode):
        return partial(os.write, descriptor)
    if stat.S_ISSOCK(mode):
        import socket  # the process that copies lines rarely needs it

        connection = socket.socket(fileno=os.dup(descriptor))
        weakref.finalize(owner, connection.close)
        return lambda data: connection.send(data, socket.MSG_DONTWAIT)
    try:
        # Opening it again makes an open file of our own, which may be non-blocking.
        flags = os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY
        again = os.open(f"/proc/self/fd/{descriptor}", flags)
    except OSError:
        # It belongs to another user, or nobody reads it any more.
        return partial(write_if_ready, descriptor)
    weakref.finalize(owner, os.close, again)
    return partial(os.write, again)


def write_if_ready(descriptor: int, data: bytes) -> int:
    """Write to a descriptor if it is ready. This waits if another process has just filled it."""
    poll = select.poll()
    poll.register(descriptor, select.POLLOUT)
    if not poll.poll(0):
        return 0
    return os.write(descriptor, data[:AT_ONCE])
