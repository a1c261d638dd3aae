# The rules of Mafia de Cuba: the slots of its GameOps, and the steps that `unpack` plays again.

from libc.stdint cimport uint16_t, uint32_t

from tablier_core.abi cimport move_t
from tablier_core.games.mafia_de_cuba.state cimport Box, State
from tablier_core.rng cimport Rng

cdef void setup(void* state, const void* options, Rng* rng) noexcept nogil
cdef int seats(const void* state) noexcept nogil
cdef int phase(const void* state) noexcept nogil
cdef uint32_t actors(const void* state) noexcept nogil
cdef uint32_t moves(const void* state, int seat, move_t* out) noexcept nogil
cdef void apply(void* state, int seat, move_t move) noexcept nogil
cdef void scores(const void* state, double* out) noexcept nogil
cdef void returns(const void* state, double* out) noexcept nogil

# The seats that have won, as a set; empty until the game is over.
cdef uint16_t winners(const State* s) noexcept nogil
# The box as a seat received it; pass `seats` for the box that came back to the Godfather. Seat 1
# receives it before filling the pouch.
cdef void box_for(const State* s, int seat, Box* box) noexcept nogil

# The theft, step by step.
cdef void hide(State* s, int count) noexcept nogil
cdef void fill_pouch(State* s, int kind) noexcept nogil
cdef bint may_take(const State* s, int taken) noexcept nogil
cdef void take_from_box(State* s, int taken) noexcept nogil

# The inquiry, step by step. The value of an answer is a claim, or NO_ANSWER + the question.
cdef void ask(State* s, int seat, int question) noexcept nogil
cdef void answer(State* s, int value) noexcept nogil
cdef void state_unasked(State* s, int seat, int claim) noexcept nogil
cdef void accuse(State* s, int seat) noexcept nogil
# Resolve the accusation of `target`, with the shot of `shooter` if that is not 0.
cdef void empty_pockets(State* s) noexcept nogil
