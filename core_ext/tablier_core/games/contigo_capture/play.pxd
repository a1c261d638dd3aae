# The moves of the capture game and what they do (rules page: A turn, Capture).

from libc.stdint cimport uint32_t

from tablier_core.abi cimport move_t
from tablier_core.games.contigo_capture.state cimport State

# The slots `moves` and `apply` of the game's GameOps.
cdef uint32_t moves(const void* state, int seat, move_t* out) noexcept nogil
cdef void apply(void* state, int seat, move_t move) noexcept nogil

# Ask what the page asks at the beginning of a turn, and set the phase.
cdef void begin_turn(State* s) noexcept nogil
# The winner that a position has after a capture, or NOBODY.
cdef int find_winner(const State* s) noexcept nogil
cdef bint has_piece_move(const State* s, int seat) noexcept nogil
# Whether the seat's piece on a square can capture something.
cdef bint can_capture(const State* s, int seat, int square) noexcept nogil
