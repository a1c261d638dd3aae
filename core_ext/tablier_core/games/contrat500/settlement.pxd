# What an announcement is worth (rules page: Scoring).

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

cdef enum:
    SEATS = 4                   # the most; every array by seat has room for them
    LOWEST_CONTRACT = 3
    CONTRACTS = 28
    START_SCORE = 50

# The points that each contract is worth, by contract; filled once at import.
cdef uint32_t[LOWEST_CONTRACT + CONTRACTS] value_of

# The last announcement, with all that decided what was paid: everything in it is public.
cdef struct Settlement:
    uint64_t hands[SEATS]
    uint32_t before[SEATS]  # scores
    uint16_t deal           # counted from 1; 0 while nobody has announced
    uint8_t winner
    uint8_t contracts[SEATS][2]

# The contract that a loser realises; 0 for none.
cdef int realised(uint64_t hand, const uint8_t* contracts) noexcept nogil
# The scores that a settlement leaves.
cdef void settle(const Settlement* deal, int seats, uint32_t* scores) noexcept nogil
# Whether a match can have had the scores from which the settlement starts.
cdef bint before_valid(const Settlement* deal, int seats, uint32_t target) noexcept nogil
