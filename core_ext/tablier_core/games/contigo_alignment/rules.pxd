# The rules of the alignment game: the slots of its GameOps, and what other modules ask.

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from tablier_core.abi cimport move_t
from tablier_core.games.contigo_alignment.state cimport State
from tablier_core.rng cimport Rng

cdef void setup(void* state, const void* options, Rng* rng) noexcept nogil
cdef int seats(const void* state) noexcept nogil
cdef int phase(const void* state) noexcept nogil
cdef uint32_t actors(const void* state) noexcept nogil
cdef uint32_t moves(const void* state, int seat, move_t* out) noexcept nogil
cdef void apply(void* state, int seat, move_t move) noexcept nogil
cdef void scores(const void* state, double* out) noexcept nogil
cdef void returns(const void* state, double* out) noexcept nogil

# The number of an L move, and the square where a numbered one ends. Its first leg is the straight
# move number // 5.
cdef uint32_t ell(int origin, int corner, int target) noexcept nogil
cdef int ell_target(uint32_t number) noexcept nogil
# The squares where a pawn move begins and ends.
cdef int pawn_origin(move_t move) noexcept nogil
cdef int pawn_target(move_t move) noexcept nogil
# Whether a seat with the pawns `own` has any pawn move.
cdef bint can_move(
    uint64_t own, uint64_t rivals, const uint8_t* beads, bint advanced
) noexcept nogil
cdef bint has_pawn_move(const State* s, int seat) noexcept nogil
# Whether a seat is four in line.
cdef bint has_line(const State* s, int seat) noexcept nogil
