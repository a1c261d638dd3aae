"""The memory of this process: how much it has, and returning what was freed to the system."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

# The end of a call whose request or answer is larger leaves gaps that glibc would keep.
LARGE_BYTES = 64 * 1024

# How many freed bytes glibc keeps at the end of each of its heaps. By default, this becomes twice
# the size of the largest block that was freed, and `release` cannot reach them. Searches use a
# few MB again and again, and getting those from the system each time would slow short ones down.
KEPT_BYTES = 4 * 1024 * 1024

# Larger blocks are not in the heaps: they are returned when they are freed. Setting any option ends
# glibc's own adjustment of this one, which begins at only 128 KB.
LARGEST_HEAP_BLOCK = 3 * 1024 * 1024

_PAGE = os.sysconf("SC_PAGE_SIZE")
_STATISTICS = Path("/proc/self/statm")
# glibc has them, musl has not.
_LIBRARY = ctypes.CDLL(None)
_TRIM = getattr(_LIBRARY, "malloc_trim", None)
_SET_OPTION = getattr(_LIBRARY, "mallopt", None)
# From malloc.h.
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3


def keep_little_free() -> None:
    """Let the C library of this process return freed memory early."""
    if _SET_OPTION is not None:
        _SET_OPTION(_M_TRIM_THRESHOLD, KEPT_BYTES)
        _SET_OPTION(_M_MMAP_THRESHOLD, LARGEST_HEAP_BLOCK)


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
