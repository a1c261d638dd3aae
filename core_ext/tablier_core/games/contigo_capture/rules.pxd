# The rules of the capture game: the slots of its GameOps, and what other modules ask.

from libc.stdint cimport uint32_t

from tablier_core.abi cimport move_t
from tablier_core.games.contigo_capture.state cimport State
from tablier_core.rng cimport Rng

cdef void setup(void* state, const void* options, Rng* rng) noexcept nogil
cdef int seats(const void* state) noexcept nogil
cdef int phase(const void* state) noexcept nogil
cdef uint32_t actors(const void* state) noexcept nogil
cdef uint32_t moves(const void* state, int seat, move_t* out) noexcept nogil
cdef void apply(void* state, int seat, move_t move) noexcept nogil
cdef void scores(const void* state, double* out) noexcept nogil
cdef void returns(const void* state, double* out) noexcept nogil

# Whether a seat has any move of a piece that it controls.
cdef bint has_piece_move(const State* s, int seat) noexcept nogil
# Whether the seat's piece on a square can capture something.
cdef bint can_capture(const State* s, int seat, int square) noexcept nogil
# The winner of a position after a capture, or NOBODY.
cdef int find_winner(const State* s) noexcept nogil
