"""The budget and the memory of one consultation of the engine."""

from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from tablier_core.abi cimport MOVE_SLACK, move_t
from tablier_core.budget cimport Budget, is_cancelled, now
from tablier_core.games.contigo.sowing cimport SOWINGS
from tablier_core.rng cimport Rng

cdef enum:
    POOL = 16 << 20             # bytes for plans; a usual placement needs a few hundred thousand
    WORK_PER_LOOK = 64          # units of work between two looks at the clock
    WORK_PER_ITERATION = 64     # units of work that one iteration of a budget stands for

cdef double SHARE = 0.5         # of the time is the engine's; the rest is for the search after it


cdef bint begin(Thought* t, const Budget* budget, Rng* rng, bint advanced) noexcept nogil:
    cdef double start
    memset(t, 0, sizeof(Thought))
    t.budget = budget
    t.rng = rng
    t.advanced = advanced
    t.limit = budget.iterations * WORK_PER_ITERATION
    if budget.deadline > 0:
        start = now()
        t.deadline = start + SHARE * (budget.deadline - start)
    t.pool = <char*>malloc(POOL)
    t.sowings = <move_t*>malloc((SOWINGS + MOVE_SLACK) * sizeof(move_t))
    t.replies = <move_t*>malloc((SOWINGS + MOVE_SLACK) * sizeof(move_t))
    t.scratch = <move_t*>malloc((SOWINGS + MOVE_SLACK) * sizeof(move_t))
    return t.pool != NULL and t.sowings != NULL and t.replies != NULL and t.scratch != NULL


cdef void end(Thought* t) noexcept nogil:
    free(t.pool)
    free(t.sowings)
    free(t.replies)
    free(t.scratch)


cdef bint work(Thought* t, uint64_t units) noexcept nogil:
    t.done += units
    if t.done >= t.next_look:
        look(t)
    return not t.stopped


cdef void look(Thought* t) noexcept nogil:
    """Stop the thought if its budget is spent, and decide when to look again."""
    if t.limit and t.done >= t.limit:
        t.stopped = True
        return
    t.next_look = t.done + WORK_PER_LOOK
    if t.limit and t.next_look > t.limit:
        t.next_look = t.limit
    t.stopped = is_cancelled(t.budget) or (t.deadline > 0 and now() >= t.deadline)


cdef void* allocate(Thought* t, size_t size) noexcept nogil:
    cdef char* start = t.pool + t.used
    size = (size + 7) & ~<size_t>7
    if size > POOL - t.used:
        t.stopped = True
        return NULL
    t.used += size
    memset(start, 0, size)
    return start
