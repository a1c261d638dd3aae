# What is to be advised on: the moves of a seat, in a world that it cannot tell from the truth.

from libc.stdint cimport uint32_t, uint64_t

from tablier_core.abi cimport GameOps, Verdict, move_t
from tablier_core.budget cimport Budget
from tablier_core.search.arena cimport Arena

cdef struct Question:
    const GameOps* ops
    int seat
    int seats
    uint64_t seed               # of all chance here: the caller's, mixed with what the seat knows
    void* world                 # never the true state
    uint32_t n
    move_t* moves               # all legal moves of the seat
    Verdict verdict             # what the game's own engine said: see `rank` in abi.pxd
    double* weights             # of all moves; 0 without an engine
    double* values              # for SETTLED: n times the number of seats
    uint32_t candidates
    move_t* ordered             # the moves worth a try, the best first; NULL: all, in no order
    Arena arena

# Draw the world and list the moves; False if there is no memory. Always `close_question` later.
cdef bint open_question(
    Question* question, const GameOps* ops, const void* state, int seat, uint64_t seed
) noexcept nogil

# Ask the game's engine, if it has one; or let a level slip instead.
cdef void consult(Question* question, int level, const Budget* budget) noexcept nogil

cdef void close_question(Question* question) noexcept nogil
