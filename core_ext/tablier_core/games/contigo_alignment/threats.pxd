# What a pawn move needs of the ring, and which moves would win.
#
# Where a pawn may go depends on the beads of one or two pits alone, and whether that wins on the
# pawns alone. So the moves that would win are found once for a placement of pawns, and a ring is
# asked only whether it meets the needs of one of them.

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from tablier_core.abi cimport move_t

cdef enum:
    MOST_NEEDS = 1800           # pawn moves of a placement, over all rings; there are so many Ls

# The beads that a pawn move is measured by, leg by leg; a straight move names its only leg twice.
ctypedef struct Need:
    uint8_t pit
    uint8_t beads
    uint8_t second_pit
    uint8_t second_beads

# The moves by which the pawns `own` would be four in line.
ctypedef struct Threats:
    uint64_t own
    uint64_t rivals
    uint32_t count
    bint advanced
    bint held                   # four in line already: with no pawn move at all that wins, too
    const Need* needs


cdef inline bint met(const Need* need, const uint8_t* beads) noexcept nogil:
    return (
        beads[need.pit] == need.beads and beads[need.second_pit] == need.second_beads
    )


# Every move of the pawns `own` to one of `targets` that some ring allows: what each needs, where
# the pawn starts and where it ends. The arrays have room for MOST_NEEDS; `ends` may be NULL.
cdef uint32_t list_needs(
    uint64_t own, uint64_t rivals, bint advanced, bint winning, Need* needs, uint8_t (*ends)[2]
) noexcept nogil
# The threats of the pawns `own`, their needs written to `needs`, which has room for MOST_NEEDS.
cdef void find_threats(
    Threats* threats, uint64_t own, uint64_t rivals, bint advanced, Need* needs
) noexcept nogil
# Whether the owner of the threats, to begin its turn with this ring, wins by a pawn move or by
# having none.
cdef bint wins_at_once(const Threats* threats, const uint8_t* beads) noexcept nogil
# How many of the threats the ring meets.
cdef uint32_t count_met(const Threats* threats, const uint8_t* beads) noexcept nogil
# How the threats stand with a ring: how many are live, and whether no single sowing can reach all
# of these, so that only a pawn move could parry them.
cdef uint32_t count_live(
    const Threats* threats, const uint8_t* beads, bint* beyond_sowing
) noexcept nogil
# How many pits there are that some threat waits for.
cdef int count_pits(const Threats* threats) noexcept nogil
# Whether some sowing of this ring leaves the owner of the threats, whose turn is next, without a
# win at once. `scratch` has room for the sowings of a ring.
cdef bint can_parry(
    const Threats* threats, const uint8_t* beads, move_t* scratch
) noexcept nogil
