# Threats: the pawn moves that would win, and what they need of the ring.
#
# Where a pawn can go depends only on the beads of one or two pits, and whether that wins depends
# only on the pawns. So the winning moves are found once for a placement of pawns; for a ring, it is
# enough to check whether it meets the needs of one of them.

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from tablier_core.abi cimport move_t

cdef enum:
    MOST_NEEDS = 1800           # pawn moves of a placement over all rings: the number of L moves

# The beads that a pawn move requires, leg by leg; a straight move names its only leg twice.
ctypedef struct Need:
    uint8_t pit
    uint8_t beads
    uint8_t second_pit
    uint8_t second_beads

# The moves that would put the pawns `own` four in line.
ctypedef struct Threats:
    uint64_t own
    uint64_t rivals
    uint32_t count
    bint advanced
    bint held                   # already four in line: then having no pawn move wins, too
    const Need* needs


cdef inline bint met(const Need* need, const uint8_t* beads) noexcept nogil:
    return beads[need.pit] == need.beads and beads[need.second_pit] == need.second_beads


# List every move of the pawns `own` that some ring allows (only those that win, if `winning`): what
# each needs, and the squares where it begins and ends. Both arrays have room for MOST_NEEDS;
# `ends` may be NULL.
cdef uint32_t list_needs(
    uint64_t own, uint64_t rivals, bint advanced, bint winning, Need* needs, uint8_t (*ends)[2]
) noexcept nogil
# Find the threats of the pawns `own`. Their needs go to `needs`, which has room for MOST_NEEDS.
cdef void find_threats(
    Threats* threats, uint64_t own, uint64_t rivals, bint advanced, Need* needs
) noexcept nogil
# Whether the owner of the threats wins if it begins its turn with this ring: by a pawn move, or by
# having none.
cdef bint wins_at_once(const Threats* threats, const uint8_t* beads) noexcept nogil
# Count the threats that the ring meets.
cdef uint32_t count_met(const Threats* threats, const uint8_t* beads) noexcept nogil
# Count the live threats, which are those that the ring meets, and find out whether no single sowing
# reaches all of them, so that only a pawn move could parry.
cdef uint32_t count_live(
    const Threats* threats, const uint8_t* beads, bint* beyond_sowing
) noexcept nogil
# Count the pits that some threat waits for.
cdef int count_pits(const Threats* threats) noexcept nogil
# Whether some sowing of this ring leaves the owner of the threats, whose turn is next, without a
# win at once. `scratch` has room for the sowings of a ring.
cdef bint can_parry(
    const Threats* threats, const uint8_t* beads, move_t* scratch
) noexcept nogil
