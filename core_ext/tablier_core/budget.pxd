# The limits of a search: a number of iterations, a deadline, and a switch that cancels it.

from libc.stdint cimport int32_t, uint64_t

# Why a search stopped.
cdef enum Stopped:
    STILL_RUNNING = 0
    BY_ITERATIONS = 1
    BY_TIME = 2
    BY_CANCEL = 3

ctypedef struct Budget:
    uint64_t iterations             # 0 means no limit
    double deadline                 # in seconds on the monotonic clock; 0 means none
    const int32_t* cancelled        # the search stops once this is not 0

# Return the monotonic clock, in seconds.
cdef double now() noexcept nogil


cdef inline bint is_cancelled(const Budget* budget) noexcept nogil:
    """Return whether the search was cancelled, possibly by another thread."""
    return (<volatile const int32_t*>budget.cancelled)[0] != 0


# Return when this share of the time until the deadline is over; 0 without a deadline.
cdef double deadline_for(const Budget* budget, double share) noexcept nogil
# Return whether the search was cancelled, or a deadline of its own has passed (0: none).
cdef bint is_late(const Budget* budget, double deadline) noexcept nogil
# Return why a search must stop after its latest iteration, or STILL_RUNNING. It reads the clock on
# every call: that takes a fraction of a microsecond, an iteration takes several.
cdef Stopped spent(const Budget* budget, uint64_t iterations) noexcept nogil
