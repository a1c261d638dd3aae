# The public history of a seat: what everybody saw it do in the current deal.

from libc.stdint cimport uint8_t, uint64_t

from tablier_core.games.contrat500.state cimport TURNS_EACH, State

cdef struct History:
    int seat
    uint8_t contracts[2]
    int turns                           # completed turns; the arrays below have one entry per turn
    uint8_t taken[TURNS_EACH]           # the discard that the seat took; 0: it drew from the pot
    uint8_t discarded[TURNS_EACH]
    uint8_t asked[TURNS_EACH]           # whether its tiles then made its contracts
    # The tiles that the seat is known to hold after i turns: it took them from discards and has not
    # discarded a tile of that number since.
    uint64_t known[TURNS_EACH + 1]

# Read the history of a seat from the log of the deal.
cdef void read_history(const State* s, int seat, History* history) noexcept nogil
