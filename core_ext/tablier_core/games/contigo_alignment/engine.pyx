"""The engine of the alignment game: wins and losses that are near are proven, not guessed.

A turn is a pawn move and a sowing. What a placement of pawns threatens is found once (`threats`) and
serves for every ring, so that all sowings of a turn can be tried against all replies to it:

  1. a pawn move that wins is played;
  2. a move after which the rival wins at once is given up, if there is another;
  3. a turn after which the rival, whatever it does, cannot stop a win in the next is played;
  4. among the rest, turns that leave the rival such a win are given up, the best-looking first.

Steps 1 and 2 are always complete; 3 and 4 go as far as the budget allows, and never claim more.
"""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from tablier_core.abi cimport MOVE_SLACK, NO_OPINION, PRIOR, SETTLED, Verdict, move_t
from tablier_core.budget cimport Budget, now
from tablier_core.games.contigo.board cimport PITS, SQUARES, bit, lowest
from tablier_core.games.contigo.sowing cimport SOWINGS, list_sowings, sow
from tablier_core.games.contigo_alignment.lines cimport holds_line, promise
from tablier_core.games.contigo_alignment.state cimport (
    FIRST_SOWING, PAWN, State, pawn_origin, pawn_target,
)
from tablier_core.games.contigo_alignment.threats cimport (
    MOST_NEEDS, Need, Threats, can_parry, count_met, find_threats, list_needs, met, wins_at_once,
)
from tablier_core.rng cimport Rng

cdef enum:
    POOL = 16 << 20             # bytes for plans; a common placement's take a few hundred thousand
    WORK_A_LOOK = 64            # units of work, about 0.1 microseconds each, between looks at the clock
    WORK_A_SEARCH = 16          # units that one iteration of a budget stands for
    PARRY = 8                   # units that a list of sowings costs

cdef double SHARE = 0.5         # of the time is the engine's, the rest is for the search after it

# A pawn move that the rival may have in reply, and where what follows from it is kept.
cdef struct Reply:
    Need need
    uint16_t slot

# A placement of pawns whose owner `own` is about to sow, with `rivals` next to move; all that follows
# from it for whatever ring. Parts are made when they are first asked for.
cdef struct Plan:
    uint64_t own
    uint64_t rivals
    const Threats* dangers      # the rivals' threats
    const Threats* standing     # own threats if the rivals have no pawn move
    uint32_t replies
    Reply* reply                # those that refuted most lately first
    const Threats** threats     # own threats after a reply, by its slot
    Plan** follow               # the rivals' plans after a reply, by its slot

# An engine at work: its memory and what it may still spend.
cdef struct Thought:
    const Budget* budget
    double deadline             # 0: none
    uint64_t limit              # units of work; 0: none
    uint64_t done
    uint64_t next_look
    bint stopped
    bint advanced
    char* pool
    size_t used
    move_t* sowings             # of the ring in question
    move_t* scratch


# ---- Memory and budget ---------------------------------------------------------------------------

cdef bint begin(Thought* t, const Budget* budget, bint advanced) noexcept nogil:
    cdef double start
    memset(t, 0, sizeof(Thought))
    t.budget = budget
    t.advanced = advanced
    t.limit = budget.iterations * WORK_A_SEARCH
    if budget.deadline > 0:
        start = now()
        t.deadline = start + SHARE * (budget.deadline - start)
    t.pool = <char*>malloc(POOL)
    t.sowings = <move_t*>malloc((SOWINGS + MOVE_SLACK) * sizeof(move_t))
    t.scratch = <move_t*>malloc((SOWINGS + MOVE_SLACK) * sizeof(move_t))
    return t.pool != NULL and t.sowings != NULL and t.scratch != NULL


cdef void end(Thought* t) noexcept nogil:
    free(t.pool)
    free(t.sowings)
    free(t.scratch)


cdef bint work(Thought* t, uint64_t units) noexcept nogil:
    """Count some work; whether there may be more."""
    t.done += units
    if t.limit and t.done >= t.limit:
        t.stopped = True
    elif t.done >= t.next_look:
        t.next_look = t.done + WORK_A_LOOK
        if (<volatile const int32_t*>t.budget.cancelled)[0]:
            t.stopped = True
        elif t.deadline > 0 and now() >= t.deadline:
            t.stopped = True
    return not t.stopped


cdef void* take(Thought* t, size_t size) noexcept nogil:
    """Zeroed memory that lasts as long as the thought; NULL, and it stops, when there is none."""
    cdef char* start = t.pool + t.used
    size = (size + 7) & ~<size_t>7
    if size > POOL - t.used:
        t.stopped = True
        return NULL
    t.used += size
    memset(start, 0, size)
    return start


# ---- Plans ---------------------------------------------------------------------------------------

cdef const Threats* new_threats(Thought* t, uint64_t own, uint64_t rivals) noexcept nogil:
    cdef Need needs[MOST_NEEDS]
    cdef Threats found
    cdef Threats* threats
    cdef Need* kept
    find_threats(&found, own, rivals, t.advanced, needs)
    threats = <Threats*>take(t, sizeof(Threats))
    kept = <Need*>take(t, found.count * sizeof(Need))
    if threats == NULL or kept == NULL:
        return NULL
    memcpy(kept, needs, found.count * sizeof(Need))
    threats[0] = found
    threats.needs = kept
    return threats


cdef Plan* new_plan(Thought* t, uint64_t own, uint64_t rivals) noexcept nogil:
    """The plan of a placement; NULL if memory is used up."""
    cdef Need needs[MOST_NEEDS]
    cdef uint8_t ends[MOST_NEEDS][2]
    cdef uint32_t i
    cdef size_t slots
    cdef Plan* plan = <Plan*>take(t, sizeof(Plan))
    if plan == NULL:
        return NULL
    plan.own = own
    plan.rivals = rivals
    plan.dangers = new_threats(t, rivals, own)
    plan.standing = new_threats(t, own, rivals)
    plan.replies = list_needs(rivals, own, t.advanced, False, needs, ends)
    slots = SQUARES * SQUARES
    plan.reply = <Reply*>take(t, plan.replies * sizeof(Reply))
    plan.threats = <const Threats**>take(t, slots * sizeof(void*))
    plan.follow = <Plan**>take(t, slots * sizeof(void*))
    if t.stopped:
        return NULL
    for i in range(plan.replies):
        plan.reply[i].need = needs[i]
        plan.reply[i].slot = <uint16_t>(ends[i][0] * SQUARES + ends[i][1])
    return plan


cdef inline uint64_t after_reply(const Plan* plan, uint32_t slot) noexcept nogil:
    """The rivals' pawns after a reply."""
    return plan.rivals ^ bit(<int>(slot // SQUARES)) ^ bit(<int>(slot % SQUARES))


cdef const Threats* threats_after(Thought* t, Plan* plan, uint32_t slot) noexcept nogil:
    if plan.threats[slot] == NULL:
        plan.threats[slot] = new_threats(t, plan.own, after_reply(plan, slot))
    return plan.threats[slot]


cdef Plan* plan_after(Thought* t, Plan* plan, uint32_t slot) noexcept nogil:
    if plan.follow[slot] == NULL:
        plan.follow[slot] = new_plan(t, after_reply(plan, slot), plan.own)
    return plan.follow[slot]


# ---- Proofs --------------------------------------------------------------------------------------

cdef bint is_parried(Thought* t, const Threats* threats, const uint8_t* beads) noexcept nogil:
    work(t, PARRY)
    return can_parry(threats, beads, t.scratch)


cdef bint forces(Thought* t, Plan* plan, const uint8_t* beads) noexcept nogil:
    """Whether `own`, who has sown this ring, wins next turn whatever `rivals` do.

    The caller knows that they do not win themselves. False, too, when the budget ends first.
    """
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
        threats = threats_after(t, plan, plan.reply[i].slot)
        if threats == NULL:
            return False
        if is_parried(t, threats, beads):
            # What refutes one sowing refutes most others: it is tried first from now on.
            refuting = plan.reply[i]
            while i > 0:
                plan.reply[i] = plan.reply[i - 1]
                i -= 1
            plan.reply[0] = refuting
            return False
        if t.stopped:
            return False
    return moved or not is_parried(t, plan.standing, beads)


cdef long find_forcing(
    Thought* t, Plan* plan, const uint8_t* beads, const move_t* sowings, uint32_t n
) noexcept nogil:
    """The first of n sowings of a ring that force a win, or -1."""
    cdef uint8_t after[PITS]
    cdef uint32_t i
    for i in range(n):
        memcpy(after, beads, PITS)
        sow(after, sowings[i])
        if not wins_at_once(plan.dangers, after) and forces(t, plan, after):
            return <long>i
        if t.stopped:
            break
    return -1


# ---- Sowings -------------------------------------------------------------------------------------

cdef void settle(double* values, uint32_t i, int seat, double value) noexcept nogil:
    values[2 * i + seat] = value
    values[2 * i + 1 - seat] = -value


cdef Verdict rank_sowings(
    Thought* t, const State* s, int seat, const move_t* moves, uint32_t n,
    double* weights, double* values,
) noexcept nogil:
    cdef Plan* plan = new_plan(t, s.pawns[seat], s.pawns[1 - seat])
    cdef uint8_t after[PITS]
    cdef uint32_t i, safe = 0
    if plan == NULL:
        return NO_OPINION
    for i in range(n):
        memcpy(after, s.beads, PITS)
        sow(after, moves[i] - FIRST_SOWING)
        settle(values, i, seat, -1.0)
        if not wins_at_once(plan.dangers, after):
            weights[i] = 1.0
            settle(values, i, seat, 0.0)
            safe += 1
    if not safe:
        # Lost, if the rival sees it. The fewer ways there are to win, the more it has to see.
        for i in range(n):
            memcpy(after, s.beads, PITS)
            sow(after, moves[i] - FIRST_SOWING)
            weights[i] = 1.0 / (1 + count_met(plan.dangers, after))
        return SETTLED
    if s.turn_limit and s.turns + 2 >= s.turn_limit:
        return PRIOR
    for i in range(n):
        if weights[i] == 0.0:
            continue
        memcpy(after, s.beads, PITS)
        sow(after, moves[i] - FIRST_SOWING)
        if forces(t, plan, after):
            memset(weights, 0, n * sizeof(double))
            weights[i] = 1.0
            settle(values, i, seat, 1.0)
            return SETTLED
        if t.stopped:
            break
    return PRIOR


# ---- Pawn moves ----------------------------------------------------------------------------------

cdef bint has_safe_sowing(
    const Threats* dangers, const uint8_t* beads, move_t* scratch
) noexcept nogil:
    return can_parry(dangers, beads, scratch)


cdef Verdict rank_pawn_moves(
    Thought* t, const State* s, int seat, const move_t* moves, uint32_t n,
    double* weights, double* values,
) noexcept nogil:
    cdef Need needs[MOST_NEEDS]
    cdef Threats dangers
    cdef Plan* plan
    cdef uint64_t own, rivals = s.pawns[1 - seat]
    cdef uint32_t i, count, safe = 0, wins = 0
    for i in range(n):
        own = s.pawns[seat] ^ bit(pawn_origin(moves[i])) ^ bit(pawn_target(moves[i]))
        settle(values, i, seat, 0.0)
        if holds_line(own, rivals):
            weights[i] = 1.0
            settle(values, i, seat, 1.0)
            wins += 1
    if wins:
        return SETTLED
    if s.turn_limit and s.turns + 1 >= s.turn_limit:
        return NO_OPINION
    for i in range(n):
        own = s.pawns[seat] ^ bit(pawn_origin(moves[i])) ^ bit(pawn_target(moves[i]))
        find_threats(&dangers, rivals, own, t.advanced, needs)
        if can_parry(&dangers, s.beads, t.scratch):
            weights[i] = 1.0
            safe += 1
        else:
            settle(values, i, seat, -1.0)
    if not safe:
        for i in range(n):
            weights[i] = 1.0
        return SETTLED
    if s.turn_limit and s.turns + 2 >= s.turn_limit:
        return PRIOR
    count = list_sowings(s.beads, 0, t.sowings)
    for i in range(n):
        if weights[i] == 0.0:
            continue
        own = s.pawns[seat] ^ bit(pawn_origin(moves[i])) ^ bit(pawn_target(moves[i]))
        plan = new_plan(t, own, rivals)
        if plan == NULL:
            break
        if find_forcing(t, plan, s.beads, t.sowings, count) >= 0:
            memset(weights, 0, n * sizeof(double))
            weights[i] = 1.0
            settle(values, i, seat, 1.0)
            return SETTLED
        if t.stopped:
            break
    return PRIOR


# ---- The slot ------------------------------------------------------------------------------------

cdef Verdict rank(
    const void* state, int seat, const move_t* moves, uint32_t n, const Budget* budget, Rng* rng,
    double* weights, double* values,
) noexcept nogil:
    cdef const State* s = <const State*>state
    cdef Thought t
    cdef Verdict verdict = NO_OPINION
    if begin(&t, budget, s.advanced):
        if s.phase == PAWN:
            verdict = rank_pawn_moves(&t, s, seat, moves, n, weights, values)
        elif not s.turn_limit or s.turns + 1 < s.turn_limit:
            verdict = rank_sowings(&t, s, seat, moves, n, weights, values)
    end(&t)
    return verdict
