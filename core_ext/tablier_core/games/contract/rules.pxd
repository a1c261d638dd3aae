# The rules of Contract: the slots of its GameOps, and the questions about a state that its bytes,
# worlds and engine ask too.

from libc.stdint cimport uint8_t, uint32_t

from tablier_core.abi cimport move_t
from tablier_core.games.contract.state cimport State
from tablier_core.rng cimport Rng

# ---- Slots ---------------------------------------------------------------------------------------

cdef void setup(void* state, const void* options, Rng* rng) noexcept nogil
cdef int seats(const void* state) noexcept nogil
cdef int phase(const void* state) noexcept nogil
cdef uint32_t actors(const void* state) noexcept nogil
cdef uint32_t moves(const void* state, int seat, move_t* out) noexcept nogil
cdef void apply(void* state, int seat, move_t move) noexcept nogil
cdef void scores(const void* state, double* out) noexcept nogil
cdef void returns(const void* state, double* out) noexcept nogil

# ---- Influence -----------------------------------------------------------------------------------

# The influence of a seat on the Mafioso at a place, in halves.
cdef int points_at(const State* s, int place, int seat) noexcept nogil
# The seat that has the most influence there; NOBODY in a tie or without any influence.
cdef int winner_at(const State* s, int place) noexcept nogil

# ---- What a seat can do --------------------------------------------------------------------------

# Whether a seat has a card to play on the Mafioso at a place.
cdef bint can_play_card(const State* s, int seat, int place) noexcept nogil
# Whether a seat can complete an influence, or else a reinforcement, that it has not begun.
cdef bint can_complete(const State* s, int seat, int place, bint influencing) noexcept nogil
# Whether a seat can pay to move Vicelard.
cdef bint can_pay_vicelard(const State* s, int seat) noexcept nogil
# Whether a hand has a card of this kind or of a later one.
cdef bint holds_from(const uint8_t* hand, int kind) noexcept nogil

# ---- What a seat has -----------------------------------------------------------------------------

# Add to `kinds` the cards that a seat has played and paid in this round, face up or face down.
cdef void add_up_now(const State* s, int seat, int* kinds) noexcept nogil
cdef void add_down_now(const State* s, int seat, int* kinds) noexcept nogil
# Return all tokens, discard everything that was played or paid, and hand over the special cards.
cdef void clear_row(State* s) noexcept nogil
# Whether a seat owns a family card of a family, and so has a column.
cdef bint holds_family(const State* s, int seat, int family) noexcept nogil
# The families that a seat has a column of: bit i for family i.
cdef int column_mask(const State* s, int seat) noexcept nogil
# Whether a seat has what a "first to" briefcase asks for.
cdef bint has_reached(const State* s, int seat, int side) noexcept nogil
# The seat that has the most of what a "most" briefcase counts; NOBODY in a tie.
cdef int most_holder(const State* s, int side) noexcept nogil
# Write the seats that win the first and the second traffic of a family; NOBODY where none does.
cdef void rank_family(const State* s, int family, int* winners) noexcept nogil
