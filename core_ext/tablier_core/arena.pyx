"""Memory for a search tree, in chunks that grow."""

from libc.stddef cimport size_t
from libc.stdlib cimport free, malloc

cdef enum:
    FIRST_CHUNK = 1 << 16           # small: a simulation makes thousands of short searches
    LARGEST_CHUNK = 1 << 22


cdef void arena_open(Arena* arena, size_t limit) noexcept nogil:
    arena.last = NULL
    arena.left = arena.size = 0
    arena.limit = limit


cdef bint add_chunk(Arena* arena, size_t size) noexcept nogil:
    """Request a chunk with room for `size` bytes; return False if there is no memory."""
    cdef size_t wanted = min(2 * arena.size, <size_t>LARGEST_CHUNK) if arena.size else FIRST_CHUNK
    cdef Chunk* chunk
    wanted = max(wanted, size + sizeof(Chunk))
    if wanted > arena.limit:
        return False
    chunk = <Chunk*>malloc(wanted)
    if chunk == NULL:
        return False
    chunk.before = arena.last
    arena.last = chunk
    arena.size = wanted
    arena.limit -= wanted
    arena.left = wanted - sizeof(Chunk)
    return True


cdef bint arena_reserve(Arena* arena, size_t size) noexcept nogil:
    return size <= arena.left or add_chunk(arena, size)


cdef void* arena_take(Arena* arena, size_t size) noexcept nogil:
    size = (size + 7) & ~<size_t>7
    if size > arena.left and not add_chunk(arena, size):
        return NULL
    arena.left -= size
    return <char*>arena.last + (arena.size - arena.left - size)


cdef void arena_close(Arena* arena) noexcept nogil:
    cdef Chunk* chunk = arena.last
    while chunk != NULL:
        arena.last = chunk.before
        free(chunk)
        chunk = arena.last
