"""The limits of a search: iterations, time and cancellation."""

from libc.stdint cimport uint64_t
from posix.time cimport CLOCK_MONOTONIC, clock_gettime, timespec

from tablier_core.budget cimport (
    BY_CANCEL, BY_ITERATIONS, BY_TIME, STILL_RUNNING, Budget, Stopped, is_cancelled,
)


cdef double now() noexcept nogil:
    cdef timespec t
    clock_gettime(CLOCK_MONOTONIC, &t)
    return <double>t.tv_sec + 1e-9 * <double>t.tv_nsec


cdef double deadline_for(const Budget* budget, double share) noexcept nogil:
    cdef double start
    if budget.deadline <= 0:
        return 0.0
    start = now()
    return start + share * (budget.deadline - start)


cdef bint is_late(const Budget* budget, double deadline) noexcept nogil:
    return is_cancelled(budget) or (deadline > 0 and now() >= deadline)


cdef Stopped spent(const Budget* budget, uint64_t iterations) noexcept nogil:
    if is_cancelled(budget):
        return BY_CANCEL
    if budget.iterations and iterations >= budget.iterations:
        return BY_ITERATIONS
    if budget.deadline > 0 and now() >= budget.deadline:
        return BY_TIME
    return STILL_RUNNING
