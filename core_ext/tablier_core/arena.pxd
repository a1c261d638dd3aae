# Memory that is taken piece by piece and freed all at once: for search trees and for engines.

from libc.stddef cimport size_t

cdef struct Chunk:
    Chunk* before

ctypedef struct Arena:
    Chunk* last
    size_t left                     # free bytes at the end of the last chunk
    size_t size                     # bytes of the last chunk
    size_t limit                    # bytes that may still be requested from the system

# Start with no memory. `limit` bounds what may be requested in total.
cdef void arena_open(Arena* arena, size_t limit) noexcept nogil
# Make room for `size` bytes at once; False if the limit is reached.
cdef bint arena_reserve(Arena* arena, size_t size) noexcept nogil
# Return uninitialised memory, aligned for doubles, or NULL if the limit is reached.
cdef void* arena_take(Arena* arena, size_t size) noexcept nogil
# Free everything.
cdef void arena_close(Arena* arena) noexcept nogil
