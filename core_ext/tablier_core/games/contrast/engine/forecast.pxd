# Who is likely to win a round, for each symbol that the seat can choose.

from libc.stdint cimport uint8_t, uint32_t

from tablier_core.abi cimport move_t
from tablier_core.budget cimport Budget
from tablier_core.games.contrast.engine.people cimport Beliefs
from tablier_core.games.contrast.state cimport MAX_MOVES, MAX_SEATS, SYMBOLS, State
from tablier_core.rng cimport Rng

cdef enum:
    WINNER_SETS = 1 << MAX_SEATS        # a set of seats has one bit per seat

cdef struct Forecast:
    int seats
    int seat                            # the seat that chooses
    uint32_t n                          # how many symbols it can choose
    move_t own[SYMBOLS]                 # those symbols
    # By other seat: the symbols it can choose, and how likely it is to choose each.
    uint32_t counts[MAX_SEATS]
    move_t symbols[MAX_SEATS][MAX_MOVES]
    double chances[MAX_SEATS][MAX_MOVES]
    # By own symbol: how likely it is that exactly these seats win.
    double outcomes[SYMBOLS][WINNER_SETS]

cdef void predict_others(
    Forecast* f, const Beliefs* b, const State* s, const uint8_t* affinities
) noexcept nogil
cdef void fix_distant_rivals(Forecast* f, Rng* rng) noexcept nogil
cdef bint forecast_winners(Forecast* f, const Budget* budget) noexcept nogil
