# Reach: what a seat could capture, were it to move with the ring as it is.

from libc.stdint cimport uint64_t

from tablier_core.games.contigo_capture.state cimport State

# The squares where pieces would land.
cdef uint64_t attacked(const State* s, uint64_t pieces) noexcept nogil
# Whether a hunter could capture one of `targets`, after a chain of other captures if need be.
cdef bint can_take(const State* s, int hunter, uint64_t targets) noexcept nogil
# Whether a hunter could capture another seat's King.
cdef bint can_take_king(const State* s, int hunter, int seat) noexcept nogil
# The pieces whose capture by a hunter would cost a seat the game: its King, and in the quick game
# every piece whose loss ends the game with the hunter ahead of the seat.
cdef uint64_t decisive(const State* s, int hunter, int seat) noexcept nogil
# Whether a hunter could win the game against all others by captures.
cdef bint can_win(const State* s, int hunter) noexcept nogil
