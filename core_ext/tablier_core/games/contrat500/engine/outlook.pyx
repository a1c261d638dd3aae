"""The budget of the engine: one iteration is one sweep over all hands."""

from tablier_core.budget cimport STILL_RUNNING, is_cancelled, now, spent


cdef bint more_time(Outlook* o) noexcept nogil:
    o.sweeps += 1
    return spent(o.budget, o.sweeps) == STILL_RUNNING


cdef bint is_late(const Outlook* o) noexcept nogil:
    return is_cancelled(o.budget) or (o.budget.deadline > 0 and now() >= o.budget.deadline)
