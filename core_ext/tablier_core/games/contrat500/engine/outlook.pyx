"""The budget of the engine: one iteration is one sweep over all hands."""

from tablier_core.budget cimport STILL_RUNNING, spent


cdef bint more_time(Outlook* o) noexcept nogil:
    o.sweeps += 1
    return spent(o.budget, o.sweeps) == STILL_RUNNING
