"""The memory of this process: how much it has, and returning what was freed to the system."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

# The end of a call whose request or answer is larger leaves gaps that glibc would keep.
LARGE_BYTES = 64 * 1024

_PAGE = os.sysconf("SC_PAGE_SIZE")
_STATISTICS = Path("/proc/self/statm")
# glibc has it, musl has not.
_TRIM = getattr(ctypes.CDLL(None), "malloc_trim", None)


class Memory:
    """Returns freed memory to the system. Any thread may note that there is some."""

    def __init__(self) -> None:
        # Whether enough may have been freed since the last `release`.
        self.freed = False

    def release(self) -> None:
        """Return freed memory to the system."""
        self.freed = False
        if _TRIM is not None:
            _TRIM(0)

    def resident(self) -> int:
        """The bytes of memory that this process has."""
        return int(_STATISTICS.read_bytes().split()[1]) * _PAGE
