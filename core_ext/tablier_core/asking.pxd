# Which seat to ask for the next move where several may move.

from libc.stdint cimport uint32_t

# Return the seat that is asked, or -1 if there are no actors. `optional`: only the lowest actor has
# to move. `waited`: the seats that have waited since the last move. Both masks have a bit per seat.
cdef int next_asked(uint32_t actors, bint optional, uint32_t waited) noexcept nogil

# Return whether a seat that is asked may wait instead of moving.
cdef bint may_wait(uint32_t actors, bint optional, int seat) noexcept nogil
