# The value of each bid.

from libc.stdint cimport uint32_t

from tablier_core.abi cimport move_t
from tablier_core.games.contrat500.engine.outlook cimport Outlook

# Write the value of each of the n bids.
cdef void value_bids(Outlook* o, const move_t* moves, uint32_t n, double* shares) noexcept nogil
