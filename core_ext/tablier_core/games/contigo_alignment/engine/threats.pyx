"""Threats: the pawn moves that would win, and the sowings that prevent them."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from tablier_core.abi cimport move_t
from tablier_core.games.contigo.board cimport (
    DIRECTIONS, PIT_LIMIT, PITS, bit, free_squares, geometry, has, is_right_angle, lowest,
)
from tablier_core.games.contigo.sowing cimport changed_pits, list_sowings, sow
from tablier_core.games.contigo_alignment.lines cimport completing, holds_line
from tablier_core.games.contigo_alignment.rules cimport can_move

cdef extern from *:
    int __builtin_popcount(unsigned int) noexcept nogil

cdef enum:
    MOST_LIVE = 16              # live threats that the choice of sowings looks at

# ---- Finding -------------------------------------------------------------------------------------

cdef inline void write_need(
    Need need, int origin, int target, Need* needs, uint8_t (*ends)[2], uint32_t at
) noexcept nogil:
    """Write what a move needs and, if `ends` is given, where it begins and ends."""
    needs[at] = need
    if ends != NULL:
        ends[at][0] = <uint8_t>origin
        ends[at][1] = <uint8_t>target


cdef uint32_t list_second_legs(
    int corner, int first, uint64_t targets, Need need, Need* needs, uint8_t (*ends)[2],
    int origin,
) noexcept nogil:
    cdef int direction, distance, target
    cdef uint32_t n = 0
    for direction in range(DIRECTIONS):
        if not is_right_angle(first, direction):
            continue
        need.second_pit = geometry.pit_ahead[corner][direction]
        for distance in range(1, geometry.squares_ahead[corner][direction] + 1):
            target = geometry.landing[corner][direction][distance]
            if has(targets, target):
                need.second_beads = <uint8_t>distance
                write_need(need, origin, target, needs, ends, n)
                n += 1
    return n


cdef uint32_t list_needs(
    uint64_t own, uint64_t rivals, bint advanced, bint winning, Need* needs, uint8_t (*ends)[2]
) noexcept nogil:
    cdef uint64_t rest = own, free = free_squares(own | rivals), targets
    cdef int origin, direction, distance, target
    cdef Need need
    cdef uint32_t n = 0
    while rest:
        origin = lowest(rest)
        rest &= rest - 1
        targets = free & completing(own ^ bit(origin), rivals) if winning else free
        if not targets:
            continue
        for direction in range(DIRECTIONS):
            need.pit = need.second_pit = geometry.pit_ahead[origin][direction]
            for distance in range(1, geometry.squares_ahead[origin][direction] + 1):
                target = geometry.landing[origin][direction][distance]
                need.beads = need.second_beads = <uint8_t>distance
                if advanced:
                    if has(free, target):
                        n += list_second_legs(
                            target, direction, targets, need, needs + n,
                            ends + n if ends != NULL else NULL, origin,
                        )
                elif has(targets, target):
                    write_need(need, origin, target, needs, ends, n)
                    n += 1
    return n


cdef void find_threats(
    Threats* threats, uint64_t own, uint64_t rivals, bint advanced, Need* needs
) noexcept nogil:
    threats.own = own
    threats.rivals = rivals
    threats.advanced = advanced
    threats.held = holds_line(own, rivals)
    threats.count = list_needs(own, rivals, advanced, True, needs, NULL)
    threats.needs = needs


# ---- Meeting the needs ---------------------------------------------------------------------------

cdef bint wins_at_once(const Threats* threats, const uint8_t* beads) noexcept nogil:
    cdef uint32_t i
    for i in range(threats.count):
        if met(&threats.needs[i], beads):
            return True
    return threats.held and not can_move(threats.own, threats.rivals, beads, threats.advanced)


cdef uint32_t count_met(const Threats* threats, const uint8_t* beads) noexcept nogil:
    cdef uint32_t i, n = 0
    for i in range(threats.count):
        n += met(&threats.needs[i], beads)
    return n


cdef inline uint64_t sources_that_reach(int pit, const uint8_t* beads) noexcept nogil:
    """The sowings that can change a pit, one bit for each pit and direction they begin with."""
    cdef uint64_t sources = 0
    cdef int away, clockwise = pit, anticlockwise = pit
    for away in range(PIT_LIMIT + 1):
        # The pit itself needs one bead to give; another needs as many as it is steps away.
        sources |= <uint64_t>(beads[clockwise] >= away + (away == 0)) << clockwise
        sources |= <uint64_t>(beads[anticlockwise] >= away + (away == 0)) << (PITS + anticlockwise)
        clockwise = clockwise - 1 if clockwise else PITS - 1
        anticlockwise = anticlockwise + 1 if anticlockwise < PITS - 1 else 0
    return sources


cdef uint32_t count_live(
    const Threats* threats, const uint8_t* beads, bint* beyond_sowing
) noexcept nogil:
    cdef uint64_t sources = ~<uint64_t>0
    cdef uint32_t i, live = 0
    cdef const Need* need
    for i in range(threats.count):
        need = &threats.needs[i]
        if met(need, beads):
            live += 1
            sources &= sources_that_reach(need.pit, beads) | sources_that_reach(
                need.second_pit, beads
            )
    beyond_sowing[0] = sources == 0
    return live


cdef int count_pits(const Threats* threats) noexcept nogil:
    cdef uint32_t i, pits = 0
    for i in range(threats.count):
        pits |= <uint32_t>1 << threats.needs[i].pit | <uint32_t>1 << threats.needs[i].second_pit
    return __builtin_popcount(pits)


# ---- Parrying ------------------------------------------------------------------------------------

cdef bint shift_parries(const Threats* threats, uint8_t* beads) noexcept nogil:
    """Whether moving a single bead to the next pit is enough. Leaves `beads` as they were."""
    cdef int pit, other, way
    cdef bint lost
    for pit in range(PITS):
        if not beads[pit]:
            continue
        for way in range(2):
            other = (pit + (1 if way else PITS - 1)) % PITS
            if beads[other] == PIT_LIMIT:
                continue
            beads[pit] -= 1
            beads[other] += 1
            lost = wins_at_once(threats, beads)
            beads[pit] += 1
            beads[other] -= 1
            if not lost:
                return True
    return False


cdef bint can_parry(
    const Threats* threats, const uint8_t* beads, move_t* scratch
) noexcept nogil:
    cdef uint32_t live[MOST_LIVE]
    cdef uint32_t i, j, n, pits
    cdef int alive = 0
    cdef const Need* need
    cdef uint8_t after[PITS]
    memcpy(after, beads, PITS)
    for i in range(threats.count):
        need = &threats.needs[i]
        if met(need, beads) and alive < MOST_LIVE:
            live[alive] = <uint32_t>1 << need.pit | <uint32_t>1 << need.second_pit
            alive += 1
    if not alive and shift_parries(threats, after):
        return True
    n = list_sowings(beads, 0, scratch)
    for i in range(n):
        # A sowing must touch the pits of every live threat to parry.
        pits = changed_pits(scratch[i])
        for j in range(alive):
            if not pits & live[j]:
                break
        else:
            memcpy(after, beads, PITS)
            sow(after, scratch[i])
            if not wins_at_once(threats, after):
                return True
    return False
