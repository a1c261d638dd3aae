# Values of contracts and the payments after an announcement (reference: Settlement).

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from tablier_core.games.contrat500.state cimport CONTRACTS_END, Settlement

# Points by contract; filled at import and only read afterwards.
cdef uint32_t[CONTRACTS_END] value_of

# The contract that a loser with this hand realises; 0 for none.
cdef int realised(uint64_t hand, const uint8_t* contracts) noexcept nogil
# The scores after a settlement.
cdef void settle(const Settlement* deal, int seats, uint32_t* scores) noexcept nogil
# Whether a match can reach the scores that a settlement starts from.
cdef bint before_valid(const Settlement* deal, int seats, uint32_t target) noexcept nogil
