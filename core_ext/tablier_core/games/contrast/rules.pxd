# The rules of Contrast: the slots of its GameOps, and what other modules of the game need.

from libc.stdint cimport uint32_t, uint64_t

from tablier_core.abi cimport move_t
from tablier_core.games.contrast.state cimport State
from tablier_core.rng cimport Rng

cdef void setup(void* state, const void* options, Rng* rng) noexcept nogil
cdef int seats(const void* state) noexcept nogil
cdef int phase(const void* state) noexcept nogil
cdef uint32_t actors(const void* state) noexcept nogil
cdef uint32_t moves(const void* state, int seat, move_t* out) noexcept nogil
cdef void apply(void* state, int seat, move_t move) noexcept nogil
cdef void scores(const void* state, double* out) noexcept nogil
cdef void returns(const void* state, double* out) noexcept nogil

cdef void deal(State* s) noexcept nogil
cdef void lay_rows(State* s) noexcept nogil
cdef uint32_t list_symbols(const State* s, int seat, move_t* out) noexcept nogil
cdef void end_round(State* s) noexcept nogil
cdef uint64_t count_votes(int seats, uint32_t choices) noexcept nogil
cdef uint64_t winning_symbols(int seats, uint64_t votes) noexcept nogil
cdef void rotate_row(State* s, int seat, uint32_t card) noexcept nogil
