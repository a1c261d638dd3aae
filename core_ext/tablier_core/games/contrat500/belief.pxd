# What can be believed of the hands that one does not see (rules page: Information).

from libc.stdint cimport uint8_t, uint64_t

from tablier_core.rng cimport Rng

cdef enum:
    TURNS_EACH = 20             # the most that a seat has in a deal

cdef struct Trace:
    # What everybody saw of a seat in this deal, by its completed turns.
    int seat
    int turns
    uint8_t contracts[2]
    uint8_t taken[TURNS_EACH]   # the discard that it took; 0: it drew from the pot
    uint8_t thrown[TURNS_EACH]
    uint8_t asked[TURNS_EACH]   # whether its tiles then made its contracts
    # After i turns it is known to hold these: taken from a discard, and none of that number thrown
    # since.
    uint64_t known[TURNS_EACH + 1]
    # For `believe`: of the tiles not known, those that a past it looks for held before turn i.
    uint64_t kept[TURNS_EACH]
    # What `believe` drew: its first six tiles, what it got from the pot, and its six tiles now.
    uint64_t dealt
    uint8_t drawn[TURNS_EACH]
    uint64_t held

# Draw the dealt tiles, the draws and the hand of every trace from a pool: the tiles that are not
# accounted for, known and thrown ones already taken out. Returns what is left of the pool. The
# traces must have happened to hands of such tiles, or there is nothing to find.
cdef uint64_t believe(Trace* traces, int n, uint64_t pool, Rng* rng) noexcept nogil
