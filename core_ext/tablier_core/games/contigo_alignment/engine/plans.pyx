"""Plans: what follows from a placement of pawns, for any ring, and which sowings win by force."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from tablier_core.abi cimport move_t
from tablier_core.games.contigo.board cimport PITS, SQUARES, bit
from tablier_core.games.contigo.sowing cimport list_sowings, sow
from tablier_core.games.contigo_alignment.engine.threats cimport (
    MOST_NEEDS, Need, Threats, can_parry, find_threats, list_needs, met, wins_at_once,
)
from tablier_core.games.contigo_alignment.engine.thought cimport Thought, allocate, work

cdef enum:
    PARRY = 8                   # units of work to list the sowings of a ring

# ---- Plans ---------------------------------------------------------------------------------------

cdef const Threats* new_threats(Thought* t, uint64_t own, uint64_t rivals) noexcept nogil:
    cdef Need needs[MOST_NEEDS]
    cdef Threats found
    cdef Threats* threats
    cdef Need* kept
    find_threats(&found, own, rivals, t.advanced, needs)
    threats = <Threats*>allocate(t, sizeof(Threats))
    kept = <Need*>allocate(t, found.count * sizeof(Need))
    if threats == NULL or kept == NULL:
        return NULL
    memcpy(kept, needs, found.count * sizeof(Need))
    threats[0] = found
    threats.needs = kept
    return threats


cdef Plan* new_plan(Thought* t, uint64_t own, uint64_t rivals) noexcept nogil:
    cdef Need needs[MOST_NEEDS]
    cdef uint8_t ends[MOST_NEEDS][2]
    cdef uint32_t i, pawns = 0
    cdef Plan* plan = <Plan*>allocate(t, sizeof(Plan))
    if plan == NULL:
        return NULL
    plan.own = own
    plan.rivals = rivals
    plan.dangers = new_threats(t, rivals, own)
    plan.standing = new_threats(t, own, rivals)
    plan.replies = list_needs(rivals, own, t.advanced, False, needs, ends)
    plan.reply = <Reply*>allocate(t, plan.replies * sizeof(Reply))
    if t.stopped:
        return NULL
    for i in range(plan.replies):
        # Needs come pawn by pawn, so pawns can be counted on the way.
        if i > 0 and ends[i][0] != ends[i - 1][0]:
            pawns += 1
        plan.reply[i].need = needs[i]
        plan.reply[i].origin = ends[i][0]
        plan.reply[i].target = ends[i][1]
        plan.reply[i].slot = <uint16_t>(pawns * SQUARES + ends[i][1])
    plan.threats = <const Threats**>allocate(t, (pawns + 1) * SQUARES * sizeof(void*))
    plan.follow = <Plan**>allocate(t, (pawns + 1) * SQUARES * sizeof(void*))
    return NULL if t.stopped else plan


cdef inline uint64_t after_reply(const Plan* plan, const Reply* reply) noexcept nogil:
    """The rivals' pawns after a reply."""
    return plan.rivals ^ bit(reply.origin) ^ bit(reply.target)


cdef const Threats* threats_after(Thought* t, Plan* plan, const Reply* reply) noexcept nogil:
    if plan.threats[reply.slot] == NULL:
        plan.threats[reply.slot] = new_threats(t, plan.own, after_reply(plan, reply))
    return plan.threats[reply.slot]


cdef Plan* plan_after(Thought* t, Plan* plan, const Reply* reply) noexcept nogil:
    if plan.follow[reply.slot] == NULL:
        plan.follow[reply.slot] = new_plan(t, after_reply(plan, reply), plan.own)
    return plan.follow[reply.slot]


# ---- Proofs --------------------------------------------------------------------------------------

cdef bint is_parried(Thought* t, const Threats* threats, const uint8_t* beads) noexcept nogil:
    work(t, PARRY)
    return can_parry(threats, beads, t.scratch)


cdef bint forces(Thought* t, Plan* plan, const uint8_t* beads) noexcept nogil:
    cdef const Threats* threats
    cdef Reply refuting
    cdef uint32_t i
    cdef bint moved = False
    if not work(t, 1):
        return False
    for i in range(plan.replies):
        if not met(&plan.reply[i].need, beads):
            continue
        moved = True
        threats = threats_after(t, plan, &plan.reply[i])
        if threats == NULL:
            return False
        if is_parried(t, threats, beads):
            # What refutes one sowing refutes most others: try it first from now on.
            refuting = plan.reply[i]
            while i > 0:
                plan.reply[i] = plan.reply[i - 1]
                i -= 1
            plan.reply[0] = refuting
            return False
        if t.stopped:
            return False
    return moved or not is_parried(t, plan.standing, beads)


cdef bint can_force(
    Thought* t, Plan* plan, const uint8_t* beads, const move_t* sowings, uint32_t n
) noexcept nogil:
    """Whether one of n sowings of a ring forces a win."""
    cdef uint8_t after[PITS]
    cdef uint32_t i
    for i in range(n):
        memcpy(after, beads, PITS)
        sow(after, sowings[i])
        if not wins_at_once(plan.dangers, after) and forces(t, plan, after):
            return True
        if t.stopped:
            break
    return False


cdef bint rivals_force(Thought* t, Plan* plan, const uint8_t* beads) noexcept nogil:
    cdef uint32_t i, n = list_sowings(beads, 0, t.replies)
    cdef bint moved = False
    cdef Plan* follow
    for i in range(plan.replies):
        if met(&plan.reply[i].need, beads):
            moved = True
            follow = plan_after(t, plan, &plan.reply[i])
            if follow == NULL:
                return False
            if can_force(t, follow, beads, t.replies, n):
                return True
            if t.stopped:
                return False
    if moved:
        return False
    follow = new_plan(t, plan.rivals, plan.own)
    return follow != NULL and can_force(t, follow, beads, t.replies, n)
