# The question that a search answers: which of its legal moves should a seat play?

from libc.stdint cimport uint32_t, uint64_t

from tablier_core.abi cimport GameOps, Verdict, move_t
from tablier_core.budget cimport Budget
from tablier_core.arena cimport Arena

cdef struct Question:
    const GameOps* ops
    int seat
    int seats
    uint64_t seed               # the caller's seed mixed with the seat's information set
    void* world                 # a state that the seat cannot tell from the true one
    uint32_t n
    move_t* moves               # the n legal moves of the seat
    Verdict verdict             # of the game's own engine: see `rank` in abi.pxd
    double* weights             # one per move; 0 without an engine
    double* values              # if SETTLED: one per move and seat
    uint32_t candidates
    move_t* ordered             # the moves worth trying, best first; NULL means all, unordered
    Arena arena

# Draw the world and list the moves. Return False if there is no memory. Call `close_question` in
# any case.
cdef bint open_question(
    Question* question, const GameOps* ops, const void* state, int seat, uint64_t seed
) noexcept nogil

# Ask the game's engine, if it has one, or let the level slip instead.
cdef void consult(Question* question, int level, const Budget* budget) noexcept nogil

cdef void close_question(Question* question) noexcept nogil
