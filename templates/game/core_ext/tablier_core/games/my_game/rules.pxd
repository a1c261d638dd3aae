# The rules of My Game.

from libc.stdint cimport uint16_t, uint32_t

from tablier_core.abi cimport move_t
from tablier_core.games.my_game.state cimport State
from tablier_core.rng cimport Rng

cdef void setup(void* state, const void* options, Rng* rng) noexcept nogil
cdef int seats(const void* state) noexcept nogil
cdef int phase(const void* state) noexcept nogil
cdef uint32_t actors(const void* state) noexcept nogil
cdef uint32_t moves(const void* state, int seat, move_t* out) noexcept nogil
cdef void apply(void* state, int seat, move_t move) noexcept nogil
cdef void scores(const void* state, double* out) noexcept nogil
cdef void returns(const void* state, double* out) noexcept nogil

# Start the stream of future draws at a random place.
cdef void load_chance(State* s, Rng* rng) noexcept nogil
# Return the set of cards played in completed rounds.
cdef uint16_t played_cards(const State* s) noexcept nogil
# Return how many rounds end with a draw, from the first one on.
cdef int draws(const State* s) noexcept nogil
# Give the winner of a completed round its points.
cdef void score_round(State* s, int number) noexcept nogil
