# Memory for a search's tree: taken from one block, given back all at once.

from libc.stddef cimport size_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

ctypedef struct Arena:
    char* block
    size_t size
    size_t used


cdef inline bint arena_open(Arena* arena, size_t size) noexcept nogil:
    """Whether the memory could be had. The system gives pages only as they are used."""
    arena.block = <char*>malloc(size)
    arena.size = size
    arena.used = 0
    return arena.block != NULL


cdef inline void* arena_take(Arena* arena, size_t size) noexcept nogil:
    """Zeroed memory, aligned for doubles; NULL when the block is full."""
    cdef size_t start = arena.used
    size = (size + 7) & ~<size_t>7
    if size > arena.size - start:
        return NULL
    arena.used += size
    memset(arena.block + start, 0, size)
    return arena.block + start


cdef inline void arena_close(Arena* arena) noexcept nogil:
    free(arena.block)
    arena.block = NULL
