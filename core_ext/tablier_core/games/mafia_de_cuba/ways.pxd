# The ways in which the box can have gone along a row of seats, counted and drawn (rules page: the
# theft). The count is exact and the draw uniform, both in closed form: see ways.pyx.

from libc.stdint cimport uint8_t, uint16_t, uint64_t

from tablier_core.abi cimport MAX_SEATS
from tablier_core.games.mafia_de_cuba.parts cimport KINDS, Box
from tablier_core.rng cimport Rng, rng_next

cdef struct Row:
    int length                          # seats in the row
    uint16_t known                      # those whose take is known
    int unknown_among[MAX_SEATS + 1]    # seats whose take is not, among the first so many
    int fewest_takers                   # the seats that found something to take are the first ones:
    int most_takers                     # so many at least, and at most
    bint last_may_pass                  # the last seat may take nothing from a box with something
    bint end_known                      # what the row left behind is known,
    bint end_empty                      # and it is nothing
    int diamonds                        # for the unknown takes: all of them if the end is known,
    int tokens                          # any number up to these otherwise; below 0: impossible
    uint8_t spare[KINDS]
    # [k][r]: sequences of r spare tokens of the first k kinds
    uint64_t words[KINDS + 1][MAX_SEATS]

# Describe a row that got `start` and left `end` (NULL: nobody knows). `takes` are the takes of its
# seats, read only where `known` has the seat's bit.
cdef void lay_out(
    Row* row, int length, const uint8_t* takes, uint16_t known,
    const Box* start, const Box* end, bint last_may_pass,
) noexcept nogil
# How many ways there are in which `fewest` to `most` of the unknown seats took diamonds, if the
# unknown takes have that many diamonds.
cdef uint64_t count_ways(const Row* row, int diamonds, int fewest, int most) noexcept nogil
# Fill in the unknown takes with one of those ways, each as likely as any other. There must be one.
cdef void draw_way(
    const Row* row, int diamonds, int fewest, int most, uint8_t* takes, Rng* rng
) noexcept nogil


cdef inline uint64_t below(Rng* rng, uint64_t bound) noexcept nogil:
    """A uniform number below a bound of up to 64 bits, which must be at least 1."""
    cdef uint64_t mask = bound - 1, number
    cdef int shift = 1
    while shift < 64:
        mask |= mask >> shift
        shift *= 2
    while True:
        number = <uint64_t>rng_next(rng) << 32
        number = (number | rng_next(rng)) & mask
        if number < bound:
            return number
