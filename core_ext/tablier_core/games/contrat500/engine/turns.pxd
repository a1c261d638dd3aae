# The value of each move in a turn.

from libc.stdint cimport uint32_t

from tablier_core.abi cimport move_t
from tablier_core.games.contrat500.engine.outlook cimport Outlook

# Compute `begin`, `later` and `sevens` of the outlook for the pair of contracts under study.
cdef void look_ahead(Outlook* o) noexcept nogil
# Write the value of each of the n moves; `look_ahead` must have run.
cdef void value_turn(Outlook* o, const move_t* moves, uint32_t n, double* shares) noexcept nogil
