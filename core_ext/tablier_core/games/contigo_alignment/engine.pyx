"""The engine of the alignment game: wins and losses that are near are proven, not guessed.

A turn is a pawn move and a sowing. What a placement of pawns threatens is found once (`threats`)
and serves for every ring, so that all sowings of a turn can be tried against all replies to it:

  1. a pawn move that wins is played;
  2. a move after which the rival wins at once is given up, if there is another;
  3. a turn after which the rival, whatever it does, cannot stop a win in the next is played;
  4. among the rest, turns that leave the rival such a win are given up, the best-looking first.

Steps 1 and 2 are always complete; 3 and 4 go as far as the budget allows, and never claim more.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from tablier_core.abi cimport MOVE_SLACK, NO_OPINION, PRIOR, SETTLED, Verdict, move_t
from tablier_core.budget cimport Budget, is_cancelled, now
from tablier_core.games.contigo.board cimport PITS, SQUARES, bit
from tablier_core.games.contigo.sowing cimport SOWINGS, list_sowings, sow
from tablier_core.games.contigo_alignment.lines cimport holds_line, promise
from tablier_core.games.contigo_alignment.state cimport (
    FIRST_SOWING, PAWN, State, pawn_origin, pawn_target,
)
from tablier_core.games.contigo_alignment.threats cimport (
    MOST_NEEDS, Need, Threats, can_parry, count_live, count_met, count_pits, find_threats,
    list_needs, met, wins_at_once,
)
from tablier_core.rng cimport Rng, rng_unit

cdef enum:
    POOL = 16 << 20             # bytes for plans; a common placement's take a few hundred thousand
    WORK_A_LOOK = 64            # units of work, some 0.1 microseconds each, from look to look
    WORK_A_SEARCH = 64          # units that one iteration of a budget stands for
    PARRY = 8                   # units that a list of sowings costs
    MOST_OPTIONS = 256          # turns that are looked at more closely
    SOME_OPTIONS = 8            # of one pawn move

# What an outlook counts, for the basic and for the advanced game: lines that are near, and pits
# that a threat waits for. The proportions follow the results of some 800 games of the engine with
# itself; the scale is larger than these would have it, so that a search tells moves apart.
cdef double[2] LINES = [0.15, 0.1]
cdef double[2] WAITING = [0.5, 0.2]
cdef double LIVE = 0.5          # a threat that the rival must parry
cdef double BEYOND_SOWING = 6.0     # threats that no single sowing reaches: hardly to be parried
cdef double SHARE = 0.5         # of the time is the engine's, the rest is for the search after it

# A pawn move that the rival may have in reply, and where what follows from it is kept.
cdef struct Reply:
    Need need
    uint8_t origin
    uint8_t target
    uint16_t slot

# A placement of pawns whose owner `own` is about to sow, with `rivals` next to move; all that
# follows from it for whatever ring. Parts are made when they are first asked for.
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
    Rng* rng
    char* pool
    size_t used
    move_t* sowings             # of the ring in question
    move_t* replies             # sowings of a rival in reply
    move_t* scratch


# ---- Memory and budget ---------------------------------------------------------------------------

cdef bint begin(Thought* t, const Budget* budget, Rng* rng, bint advanced) noexcept nogil:
    cdef double start
    memset(t, 0, sizeof(Thought))
    t.budget = budget
    t.rng = rng
    t.advanced = advanced
    t.limit = budget.iterations * WORK_A_SEARCH
    if budget.deadline > 0:
        start = now()
        t.deadline = start + SHARE * (budget.deadline - start)
    t.pool = <char*>malloc(POOL)
    t.sowings = <move_t*>malloc((SOWINGS + MOVE_SLACK) * sizeof(move_t))
    t.replies = <move_t*>malloc((SOWINGS + MOVE_SLACK) * sizeof(move_t))
    t.scratch = <move_t*>malloc((SOWINGS + MOVE_SLACK) * sizeof(move_t))
    return t.pool != NULL and t.sowings != NULL and t.replies != NULL and t.scratch != NULL


cdef void end(Thought* t) noexcept nogil:
    free(t.pool)
    free(t.sowings)
    free(t.replies)
    free(t.scratch)


cdef bint work(Thought* t, uint64_t units) noexcept nogil:
    """Count some work; whether there may be more."""
    t.done += units
    if t.limit and t.done >= t.limit:
        t.stopped = True
    elif t.done >= t.next_look:
        t.next_look = t.done + WORK_A_LOOK
        t.stopped = is_cancelled(t.budget) or (t.deadline > 0 and now() >= t.deadline)
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
    cdef uint32_t i, pawns = 0
    cdef Plan* plan = <Plan*>take(t, sizeof(Plan))
    if plan == NULL:
        return NULL
    plan.own = own
    plan.rivals = rivals
    plan.dangers = new_threats(t, rivals, own)
    plan.standing = new_threats(t, own, rivals)
    plan.replies = list_needs(rivals, own, t.advanced, False, needs, ends)
    plan.reply = <Reply*>take(t, plan.replies * sizeof(Reply))
    if t.stopped:
        return NULL
    for i in range(plan.replies):
        # Needs come pawn by pawn, so the pawns that have any can be counted on the way.
        if i > 0 and ends[i][0] != ends[i - 1][0]:
            pawns += 1
        plan.reply[i].need = needs[i]
        plan.reply[i].origin = ends[i][0]
        plan.reply[i].target = ends[i][1]
        plan.reply[i].slot = <uint16_t>(pawns * SQUARES + ends[i][1])
    plan.threats = <const Threats**>take(t, (pawns + 1) * SQUARES * sizeof(void*))
    plan.follow = <Plan**>take(t, (pawns + 1) * SQUARES * sizeof(void*))
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
        threats = threats_after(t, plan, &plan.reply[i])
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


cdef bint rivals_force(Thought* t, Plan* plan, const uint8_t* beads) noexcept nogil:
    """Whether `rivals`, next to move with this ring, can force a win in their second turn.

    False, too, when the budget ends first.
    """
    cdef uint32_t i, n = list_sowings(beads, 0, t.replies)
    cdef bint moved = False
    cdef Plan* follow
    for i in range(plan.replies):
        if met(&plan.reply[i].need, beads):
            moved = True
            follow = plan_after(t, plan, &plan.reply[i])
            if follow == NULL:
                return False
            if find_forcing(t, follow, beads, t.replies, n) >= 0:
                return True
            if t.stopped:
                return False
    if moved:
        return False
    follow = new_plan(t, plan.rivals, plan.own)
    return follow != NULL and find_forcing(t, follow, beads, t.replies, n) >= 0


# ---- Judgement -----------------------------------------------------------------------------------

# A turn that could be played, and how good it looks.
cdef struct Option:
    double score
    Plan* plan
    uint32_t move               # the place in the list of what is to be played now
    uint32_t sowing


cdef double outlook(const Threats* own, const Threats* rivals) noexcept nogil:
    """How much nearer to a line the owner of the first threats is."""
    cdef double lines = promise(own.own, own.rivals) - promise(rivals.own, rivals.rivals)
    cdef double pits = count_pits(own) - count_pits(rivals)
    return LINES[own.advanced] * lines + WAITING[own.advanced] * pits


cdef double pressure(const Threats* threats, const uint8_t* beads) noexcept nogil:
    """What the live threats of a seat count that has sown, and whose rival moves next."""
    cdef bint beyond_sowing
    cdef uint32_t live = count_live(threats, beads, &beyond_sowing)
    if beyond_sowing:
        return BEYOND_SOWING
    return LIVE * live


cdef void keep_best(
    Option* best, uint32_t* kept, uint32_t most, const Option* option
) noexcept nogil:
    """Put an option in its place among the best so far."""
    cdef uint32_t i = kept[0]
    if i == most:
        if option.score <= best[i - 1].score:
            return
        i -= 1
    else:
        kept[0] += 1
    while i > 0 and best[i - 1].score < option.score:
        best[i] = best[i - 1]
        i -= 1
    best[i] = option[0]


cdef bint look_at_sowings(
    Thought* t, Plan* plan, const uint8_t* beads, const move_t* sowings, uint32_t n,
    Option* best, uint32_t* kept, uint32_t most,
) noexcept nogil:
    """Find the best-looking safe sowings; whether one of them, then the first, wins by force."""
    cdef uint8_t after[PITS]
    cdef Option option
    cdef double pawns = outlook(plan.standing, plan.dangers)
    cdef uint32_t i
    option.plan = plan
    option.move = 0
    for i in range(n):
        memcpy(after, beads, PITS)
        sow(after, sowings[i])
        if wins_at_once(plan.dangers, after):
            continue
        option.sowing = sowings[i]
        option.move = i
        if forces(t, plan, after):
            best[0] = option
            kept[0] = 1
            return True
        if t.stopped:
            return False
        option.score = pawns + pressure(plan.standing, after) + 0.2 * rng_unit(t.rng)
        keep_best(best, kept, most, &option)
    return False


cdef void weigh(
    Thought* t, const uint8_t* beads, const Option* best, uint32_t kept,
    double* weights, uint32_t n,
) noexcept nogil:
    """Give weights to the moves of options that leave the rivals no forced win, better ones more.

    When the budget ends with none, the options count that were not looked into; when there are none
    of these either, all. To let a search try what was not looked into beside what is proven lost
    games: it sees too few of the rivals' sowings to find a forced win.
    """
    cdef uint8_t after[PITS]
    cdef uint32_t i, looked = 0, proven = 0
    memset(weights, 0, n * sizeof(double))
    while looked < kept:
        memcpy(after, beads, PITS)
        sow(after, best[looked].sowing)
        if not rivals_force(t, best[looked].plan, after):
            if t.stopped:
                break
            proven += 1
            favour(weights, best, looked)
        looked += 1
    if not proven:
        for i in range(looked if looked < kept else 0, kept):
            favour(weights, best, i)


cdef inline void favour(double* weights, const Option* best, uint32_t place) noexcept nogil:
    """Give the move of an option the weight of its place, unless a better option has done so."""
    if weights[best[place].move] == 0.0:
        weights[best[place].move] = 1.0 / (1.0 + place)


cdef void evaluate(const void* state, double* out) noexcept nogil:
    cdef const State* s = <const State*>state
    cdef Need own_needs[MOST_NEEDS]
    cdef Need rival_needs[MOST_NEEDS]
    cdef Threats own
    cdef Threats rivals
    cdef int mover = s.to_move
    cdef double value
    cdef bint beyond_sowing
    find_threats(&own, s.pawns[mover], s.pawns[1 - mover], s.advanced, own_needs)
    if s.phase == PAWN and wins_at_once(&own, s.beads):
        out[mover] = 1.0
        out[1 - mover] = -1.0
        return
    find_threats(&rivals, s.pawns[1 - mover], s.pawns[mover], s.advanced, rival_needs)
    value = outlook(&own, &rivals)
    if s.phase == PAWN:
        value -= pressure(&rivals, s.beads)
    else:
        value += 0.5 * pressure(&own, s.beads)
        count_live(&rivals, s.beads, &beyond_sowing)
        if beyond_sowing:
            value -= 2 * BEYOND_SOWING
    value = value / (2.0 + (value if value > 0 else -value))
    out[mover] = value
    out[1 - mover] = -value


# ---- Sowings -------------------------------------------------------------------------------------

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
    cdef Option best[MOST_OPTIONS]
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
        # Lost, if the rival sees it. The fewer ways there are to win, the more it has to see.
        for i in range(n):
            memcpy(after, s.beads, PITS)
            sow(after, t.sowings[i])
            weights[i] = 1.0 / (1 + count_met(plan.dangers, after))
        return SETTLED
    if s.turn_limit and s.turns + 2 >= s.turn_limit:
        return PRIOR
    if look_at_sowings(t, plan, s.beads, t.sowings, n, best, &kept, MOST_OPTIONS):
        return settle_win(best[0].move, n, seat, weights, values)
    if t.stopped:
        return PRIOR
    weigh(t, s.beads, best, kept, weights, n)
    return PRIOR


# ---- Pawn moves ----------------------------------------------------------------------------------

cdef inline uint64_t after_move(uint64_t pawns, move_t move) noexcept nogil:
    return pawns ^ bit(pawn_origin(move)) ^ bit(pawn_target(move))


cdef bint settle_pawn_moves(
    Thought* t, const State* s, int seat, const move_t* moves, uint32_t n,
    double* weights, double* values,
) noexcept nogil:
    """Wins in one, and losses that no sowing prevents; whether there is nothing more to say."""
    cdef Need needs[MOST_NEEDS]
    cdef Threats dangers
    cdef uint64_t rivals = s.pawns[1 - seat]
    cdef uint32_t i, safe = 0, wins = 0
    cdef bint last_turn = s.turn_limit != 0 and s.turns + 1 >= s.turn_limit
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
    cdef Option best[MOST_OPTIONS]
    cdef Option some[SOME_OPTIONS]
    cdef Plan* plan
    cdef uint32_t i, j, count, found, kept = 0
    if settle_pawn_moves(t, s, seat, moves, n, weights, values):
        return SETTLED
    if s.turn_limit and s.turns + 2 >= s.turn_limit:
        return PRIOR
    count = list_sowings(s.beads, 0, t.sowings)
    for i in range(n):
        if weights[i] == 0.0:
            continue
        plan = new_plan(t, after_move(s.pawns[seat], moves[i]), s.pawns[1 - seat])
        if plan == NULL:
            return PRIOR
        found = 0
        if look_at_sowings(t, plan, s.beads, t.sowings, count, some, &found, SOME_OPTIONS):
            return settle_win(i, n, seat, weights, values)
        if t.stopped:
            return PRIOR
        for j in range(found):
            some[j].move = i
            keep_best(best, &kept, MOST_OPTIONS, &some[j])
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
        elif s.turn_limit == 0 or s.turns + 1 < s.turn_limit:
            verdict = rank_sowings(&t, s, seat, moves, n, weights, values)
    end(&t)
    return verdict
