# Reach: what a seat could capture if it moved now.

from libc.stdint cimport uint64_t

from tablier_core.games.contigo_capture.state cimport State

# The squares where pieces would land.
cdef uint64_t attacked(const State* s, uint64_t pieces) noexcept nogil
# Whether a attacker could capture one of `targets`, at once or at the end of a chain of captures.
cdef bint can_take(const State* s, int attacker, uint64_t targets) noexcept nogil
# Whether a attacker could capture another seat's King.
cdef bint can_take_king(const State* s, int attacker, int seat) noexcept nogil
# The pieces whose capture by a attacker would cost a seat the game: its King, and in the quick game
# every piece whose loss ends the game with the attacker ahead of the seat.
cdef uint64_t decisive(const State* s, int attacker, int seat) noexcept nogil
# Whether a attacker could win the game against all others by captures.
cdef bint can_win(const State* s, int attacker) noexcept nogil
