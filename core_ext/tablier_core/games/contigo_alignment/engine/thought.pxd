# A thought: the budget and the memory of one consultation of the engine.
#
# Work is counted in units of some 0.1 microseconds, so that a budget of iterations means the same
# work on every machine.

from libc.stdint cimport uint64_t

from tablier_core.abi cimport move_t
from tablier_core.budget cimport Budget
from tablier_core.rng cimport Rng
from tablier_core.arena cimport Arena

ctypedef struct Thought:
    const Budget* budget
    double deadline             # 0: none
    uint64_t limit              # units of work; 0: none
    uint64_t done
    uint64_t next_look          # when to check the budget again, in units of work
    bint stopped
    bint advanced
    Rng* rng
    Arena arena                 # for what `allocate` returns
    move_t* sowings             # of the ring in question
    move_t* replies             # sowings of a rival in reply
    move_t* scratch

# Start a thought; False if there is not enough memory. Call `end` in either case.
cdef bint begin(Thought* t, const Budget* budget, Rng* rng, bint advanced) noexcept nogil
cdef void end(Thought* t) noexcept nogil
# Count some work and return whether there may be more.
cdef bint work(Thought* t, uint64_t units) noexcept nogil
# Zeroed memory that lasts until `end`. When none is left, stops the thought and returns NULL.
cdef void* allocate(Thought* t, size_t size) noexcept nogil
