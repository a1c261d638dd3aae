"""The budget and the memory of one consultation of the engine."""

from libc.stdint cimport uint64_t
from libc.string cimport memset

from tablier_core.abi cimport MOVE_SLACK, move_t
from tablier_core.arena cimport arena_close, arena_open, arena_reserve, arena_take
from tablier_core.budget cimport Budget, deadline_for, is_late
from tablier_core.games.contigo.sowing cimport SOWINGS
from tablier_core.rng cimport Rng

cdef enum:
    LIST_BYTES = (SOWINGS + MOVE_SLACK) * sizeof(move_t)
    # For the three lists and for plans, for which a usual placement needs a few hundred thousand.
    USUAL_BYTES = 1 << 20
    MOST_BYTES = 16 << 20
    WORK_PER_LOOK = 64          # units of work between two looks at the clock
    WORK_PER_ITERATION = 64     # units of work that one iteration of a budget stands for

cdef double SHARE = 0.5         # of the time is the engine's; the rest is for the search after it


cdef bint begin(Thought* t, const Budget* budget, Rng* rng, bint advanced) noexcept nogil:
    memset(t, 0, sizeof(Thought))
    t.budget = budget
    t.rng = rng
    t.advanced = advanced
    t.limit = budget.iterations * WORK_PER_ITERATION
    t.deadline = deadline_for(budget, SHARE)
    arena_open(&t.arena, MOST_BYTES)
    # One block for all: the C library keeps a block of this size, and returns several smaller ones
    # to the system after every consultation.
    if not arena_reserve(&t.arena, USUAL_BYTES):
        return False
    t.sowings = <move_t*>arena_take(&t.arena, LIST_BYTES)
    t.replies = <move_t*>arena_take(&t.arena, LIST_BYTES)
    t.scratch = <move_t*>arena_take(&t.arena, LIST_BYTES)
    return True


cdef void end(Thought* t) noexcept nogil:
    arena_close(&t.arena)


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
    t.stopped = is_late(t.budget, t.deadline)


cdef void* allocate(Thought* t, size_t size) noexcept nogil:
    cdef void* start = arena_take(&t.arena, size)
    if start == NULL:
        t.stopped = True
        return NULL
    memset(start, 0, size)
    return start
