# How long a search may think: iterations, time, or until somebody cancels it.

from libc.stdint cimport int32_t, uint32_t, uint64_t
from posix.time cimport CLOCK_MONOTONIC, clock_gettime, timespec

cdef enum Stopped:
    STILL_RUNNING = 0
    BY_ITERATIONS = 1
    BY_TIME = 2
    BY_CANCEL = 3

ctypedef struct Budget:
    uint64_t iterations             # 0: no limit
    double deadline                 # on the monotonic clock, in seconds; 0: none
    const int32_t* cancelled        # not zero: stop


cdef inline double now() noexcept nogil:
    cdef timespec t
    clock_gettime(CLOCK_MONOTONIC, &t)
    return <double>t.tv_sec + 1e-9 * <double>t.tv_nsec


cdef inline bint is_cancelled(const Budget* budget) noexcept nogil:
    return (<volatile const int32_t*>budget.cancelled)[0] != 0


cdef inline Stopped spent(const Budget* budget, uint64_t iterations) noexcept nogil:
    """Why a search must stop after its last iteration, if it must.

    An iteration takes microseconds and a look at the clock a fraction of one: it looks each time.
    """
    if is_cancelled(budget):
        return BY_CANCEL
    if budget.iterations and iterations >= budget.iterations:
        return BY_ITERATIONS
    if budget.deadline > 0 and now() >= budget.deadline:
        return BY_TIME
    return STILL_RUNNING
