"""The choice of a turn: proven wins first, then the turns that look best and are not refuted.

The list of a turn's candidates is kept sorted by how good they look. `weigh` then discards those
that leave the rivals a forced win, as far as the budget goes.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memmove, memset

from tablier_core.abi cimport NO_OPINION, PRIOR, SETTLED, Verdict, move_t
from tablier_core.budget cimport Budget
from tablier_core.games.contigo.board cimport PITS, bit
from tablier_core.games.contigo.sowing cimport list_sowings, sow
from tablier_core.games.contigo_alignment.engine.estimate cimport outlook, pressure
from tablier_core.games.contigo_alignment.engine.plans cimport Plan, forces, new_plan, rivals_force
from tablier_core.games.contigo_alignment.engine.threats cimport (
    MOST_NEEDS, Need, Threats, can_parry, count_met, find_threats, wins_at_once,
)
from tablier_core.games.contigo_alignment.engine.thought cimport Thought, begin, end
from tablier_core.games.contigo_alignment.lines cimport holds_line
from tablier_core.games.contigo_alignment.rules cimport pawn_origin, pawn_target
from tablier_core.games.contigo_alignment.state cimport FIRST_SOWING, PAWN, State, limit_within
from tablier_core.rng cimport Rng, rng_unit

cdef enum:
    MOST_CANDIDATES = 256       # turns that are examined more closely
    SOME_CANDIDATES = 8         # of them per pawn move

# A turn that could be played, and how good it looks.
cdef struct Candidate:
    double score
    Plan* plan
    uint32_t move               # the index of the move to play now
    uint32_t sowing

# ---- Candidates ----------------------------------------------------------------------------------

cdef void keep_best(
    Candidate* best, uint32_t* kept, uint32_t most, const Candidate* candidate
) noexcept nogil:
    """Insert a candidate among the best so far, which are sorted by score."""
    cdef uint32_t low = 0, high = kept[0], middle
    if high == most and candidate.score <= best[high - 1].score:
        return
    while low < high:
        middle = (low + high) // 2
        if best[middle].score < candidate.score:
            high = middle
        else:
            low = middle + 1
    if kept[0] < most:
        kept[0] += 1
    memmove(&best[low + 1], &best[low], (kept[0] - 1 - low) * sizeof(Candidate))
    best[low] = candidate[0]


cdef bint find_best_sowings(
    Thought* t, Plan* plan, const uint8_t* beads, const move_t* sowings, uint32_t n,
    Candidate* best, uint32_t* kept, uint32_t most,
) noexcept nogil:
    """Find the safe sowings that look best. Returns whether the first of them wins by force."""
    cdef uint8_t after[PITS]
    cdef Candidate candidate
    cdef double pawns = outlook(plan.standing, plan.dangers)
    cdef uint32_t i
    candidate.plan = plan
    candidate.move = 0
    for i in range(n):
        memcpy(after, beads, PITS)
        sow(after, sowings[i])
        if wins_at_once(plan.dangers, after):
            continue
        candidate.sowing = sowings[i]
        candidate.move = i
        if forces(t, plan, after):
            best[0] = candidate
            kept[0] = 1
            return True
        if t.stopped:
            return False
        candidate.score = pawns + pressure(plan.standing, after) + 0.2 * rng_unit(t.rng)
        keep_best(best, kept, most, &candidate)
    return False


cdef void weigh(
    Thought* t, const uint8_t* beads, const Candidate* best, uint32_t kept,
    double* weights, uint32_t n,
) noexcept nogil:
    """Give weights to the candidates that leave the rivals no forced win, better ones more.

    If the budget runs out before one is found, those that were not examined get the weights; if all
    were examined and refuted, all do. Unexamined candidates get none next to proven ones: a search
    sees too few of the rivals' sowings to find a forced win, and lost games that way.
    """
    cdef uint8_t after[PITS]
    cdef uint32_t i, examined = 0, proven = 0
    memset(weights, 0, n * sizeof(double))
    while examined < kept:
        memcpy(after, beads, PITS)
        sow(after, best[examined].sowing)
        if not rivals_force(t, best[examined].plan, after):
            if t.stopped:
                break
            proven += 1
            favour(weights, best, examined)
        examined += 1
    if not proven:
        for i in range(examined if examined < kept else 0, kept):
            favour(weights, best, i)


cdef inline void favour(double* weights, const Candidate* best, uint32_t place) noexcept nogil:
    """Give a candidate's move the weight of its place, unless a better candidate already did."""
    if weights[best[place].move] == 0.0:
        weights[best[place].move] = 1.0 / (1.0 + place)


# ---- Ranking sowings -----------------------------------------------------------------------------

cdef void settle(double* values, uint32_t i, int seat, double value) noexcept nogil:
    values[2 * i + seat] = value
    values[2 * i + 1 - seat] = -value


cdef Verdict settle_win(
    uint32_t move, uint32_t n, int seat, double* weights, double* values
) noexcept nogil:
    memset(weights, 0, n * sizeof(double))
    weights[move] = 1.0
    settle(values, move, seat, 1.0)
    return SETTLED


cdef Verdict rank_sowings(
    Thought* t, const State* s, int seat, const move_t* moves, uint32_t n,
    double* weights, double* values,
) noexcept nogil:
    cdef Plan* plan = new_plan(t, s.pawns[seat], s.pawns[1 - seat])
    cdef Candidate best[MOST_CANDIDATES]
    cdef uint8_t after[PITS]
    cdef uint32_t i, kept = 0, safe = 0
    if plan == NULL:
        return NO_OPINION
    for i in range(n):
        memcpy(after, s.beads, PITS)
        t.sowings[i] = moves[i] - FIRST_SOWING
        sow(after, t.sowings[i])
        settle(values, i, seat, -1.0)
        if not wins_at_once(plan.dangers, after):
            weights[i] = 1.0
            settle(values, i, seat, 0.0)
            safe += 1
    if not safe:
        # Lost, if the rival sees it. The fewer winning moves it has, the easier it misses them.
        for i in range(n):
            memcpy(after, s.beads, PITS)
            sow(after, t.sowings[i])
            weights[i] = 1.0 / (1 + count_met(plan.dangers, after))
        return SETTLED
    if limit_within(s, 2):
        return PRIOR
    if find_best_sowings(t, plan, s.beads, t.sowings, n, best, &kept, MOST_CANDIDATES):
        return settle_win(best[0].move, n, seat, weights, values)
    if t.stopped:
        return PRIOR
    weigh(t, s.beads, best, kept, weights, n)
    return PRIOR


# ---- Ranking pawn moves --------------------------------------------------------------------------

cdef inline uint64_t after_move(uint64_t pawns, move_t move) noexcept nogil:
    return pawns ^ bit(pawn_origin(move)) ^ bit(pawn_target(move))


cdef bint settle_pawn_moves(
    Thought* t, const State* s, int seat, const move_t* moves, uint32_t n,
    double* weights, double* values,
) noexcept nogil:
    """Find wins in one move, and losses that no sowing prevents. Returns whether these decide."""
    cdef Need needs[MOST_NEEDS]
    cdef Threats dangers
    cdef uint64_t rivals = s.pawns[1 - seat]
    cdef uint32_t i, safe = 0, wins = 0
    cdef bint last_turn = limit_within(s, 1)
    for i in range(n):
        settle(values, i, seat, 0.0)
        if holds_line(after_move(s.pawns[seat], moves[i]), rivals):
            weights[i] = 1.0
            settle(values, i, seat, 1.0)
            wins += 1
    if wins:
        return True
    for i in range(n):
        find_threats(&dangers, rivals, after_move(s.pawns[seat], moves[i]), t.advanced, needs)
        if last_turn or can_parry(&dangers, s.beads, t.scratch):
            weights[i] = 1.0
            safe += 1
        else:
            settle(values, i, seat, -1.0)
    for i in range(n):
        weights[i] = weights[i] if safe else 1.0
    return safe == 0


cdef Verdict rank_pawn_moves(
    Thought* t, const State* s, int seat, const move_t* moves, uint32_t n,
    double* weights, double* values,
) noexcept nogil:
    cdef Candidate best[MOST_CANDIDATES]
    cdef Candidate some[SOME_CANDIDATES]
    cdef Plan* plan
    cdef uint32_t i, j, count, found, kept = 0
    if settle_pawn_moves(t, s, seat, moves, n, weights, values):
        return SETTLED
    if limit_within(s, 2):
        return PRIOR
    count = list_sowings(s.beads, 0, t.sowings)
    for i in range(n):
        if weights[i] == 0.0:
            continue
        plan = new_plan(t, after_move(s.pawns[seat], moves[i]), s.pawns[1 - seat])
        if plan == NULL:
            return PRIOR
        found = 0
        if find_best_sowings(t, plan, s.beads, t.sowings, count, some, &found, SOME_CANDIDATES):
            return settle_win(i, n, seat, weights, values)
        if t.stopped:
            return PRIOR
        for j in range(found):
            some[j].move = i
            keep_best(best, &kept, MOST_CANDIDATES, &some[j])
    weigh(t, s.beads, best, kept, weights, n)
    return PRIOR


# ---- The slot ------------------------------------------------------------------------------------

cdef Verdict rank(
    const void* state, int seat, const move_t* moves, uint32_t n, const Budget* budget, Rng* rng,
    double* weights, double* values,
) noexcept nogil:
    cdef const State* s = <const State*>state
    cdef Thought t
    cdef Verdict verdict = NO_OPINION
    if begin(&t, budget, rng, s.advanced):
        if s.phase == PAWN:
            verdict = rank_pawn_moves(&t, s, seat, moves, n, weights, values)
        elif not limit_within(s, 1):
            verdict = rank_sowings(&t, s, seat, moves, n, weights, values)
    end(&t)
    return verdict
