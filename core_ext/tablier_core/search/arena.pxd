# Memory for a search's tree: taken from chunks that grow, given back all at once.

from libc.stddef cimport size_t
from libc.stdlib cimport free, malloc

cdef enum:
    FIRST_CHUNK = 1 << 16           # small searches, of which a simulation makes thousands
    LARGEST_CHUNK = 1 << 22

cdef struct Chunk:
    Chunk* before

ctypedef struct Arena:
    Chunk* last
    size_t left                     # free bytes at the end of the last chunk
    size_t size                     # of the last chunk
    size_t limit                    # bytes that may still be asked of the system


cdef inline void arena_open(Arena* arena, size_t limit) noexcept nogil:
    arena.last = NULL
    arena.left = arena.size = 0
    arena.limit = limit


cdef inline void* arena_take(Arena* arena, size_t size) noexcept nogil:
    """Memory, aligned for doubles and not cleared; NULL when the limit is reached."""
    cdef Chunk* chunk
    cdef size_t wanted
    size = (size + 7) & ~<size_t>7
    if size > arena.left:
        wanted = min(2 * arena.size, <size_t>LARGEST_CHUNK) if arena.size else FIRST_CHUNK
        wanted = max(wanted, size + sizeof(Chunk))
        if wanted > arena.limit:
            return NULL
        chunk = <Chunk*>malloc(wanted)
        if chunk == NULL:
            return NULL
        chunk.before = arena.last
        arena.last = chunk
        arena.size = wanted
        arena.limit -= wanted
        arena.left = wanted - sizeof(Chunk)
    arena.left -= size
    return <char*>arena.last + sizeof(Chunk) + (arena.size - sizeof(Chunk) - arena.left - size)


cdef inline void arena_close(Arena* arena) noexcept nogil:
    cdef Chunk* chunk = arena.last
    while chunk != NULL:
        arena.last = chunk.before
        free(chunk)
        chunk = arena.last
