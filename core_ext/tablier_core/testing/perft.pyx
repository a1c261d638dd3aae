"""Perft: counting move sequences, the sharpest cheap test that two implementations agree."""

from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from tablier_core.abi cimport MAX_SEATS, MOVE_SLACK, GameOps, move_t
from tablier_core.position cimport Position


cdef uint64_t count(
    const GameOps* ops, const void* state, int depth, char* states, move_t* lists
) noexcept nogil:
    """Count sequences of exactly `depth` moves. Depth d of the recursion owns slot d - 1 of both
    buffers."""
    cdef uint32_t actors = ops.actors(state), n, i
    cdef uint64_t total = 0
    cdef void* child = states + <size_t>(depth - 1) * ops.state_size
    cdef move_t* moves = lists + <size_t>(depth - 1) * (ops.max_moves + MOVE_SLACK)
    cdef int seat
    for seat in range(MAX_SEATS):
        if not (actors >> seat) & 1:
            continue
        n = ops.moves(state, seat, moves)
        if depth == 1:
            total += n
            continue
        for i in range(n):
            memcpy(child, state, ops.state_size)
            ops.apply(child, seat, moves[i])
            total += count(ops, child, depth - 1, states, lists)
    return total


def perft(Position position not None, int depth):
    """Return the number of sequences of `depth` moves that the actors can play from here."""
    cdef const GameOps* ops = position.game.ops
    cdef uint64_t total
    if depth < 0:
        raise ValueError("depth must not be negative")
    if depth == 0:
        return 1
    cdef char* states = <char*>malloc(depth * ops.state_size)
    cdef move_t* lists = <move_t*>malloc(depth * (ops.max_moves + MOVE_SLACK) * sizeof(move_t))
    if states == NULL or lists == NULL:
        free(states)
        free(lists)
        raise MemoryError
    with nogil:
        total = count(ops, position.state, depth, states, lists)
    free(states)
    free(lists)
    return total
