"""The choice of a turn: the value of a move is that of the best continuation of the turn."""

from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport free, malloc

from tablier_core.abi cimport MOVE_SLACK, NO_OPINION, PRIOR, Verdict, move_t
from tablier_core.budget cimport Budget, deadline_for, is_late
from tablier_core.games.contigo.sowing cimport SOWINGS, list_sowings
from tablier_core.games.contigo_capture.engine.judge cimport KING, MARGIN, WON, judge
from tablier_core.games.contigo_capture.rules cimport apply, moves as list_moves
from tablier_core.games.contigo_capture.state cimport (
    FIRST_SOWING, OVER, SOW, State, count_squares,
)
from tablier_core.rng cimport Rng

cdef enum:
    MOST_PIECE_MOVES = 320      # 36 pieces in 4 directions, to free squares and by capture; STOP
    TRIED_SOWINGS = 48          # per move of a piece, before the search for a safe one
    WORK_PER_LOOK = 64          # sowings and captures between two looks at the clock
    WORK_PER_ITERATION = 16     # sowings and captures that one iteration of a budget stands for
    LEAST_WORK = 5000           # sowings and captures in any case: nearly every turn needs fewer

cdef double SHARE = 0.5         # of the time is the engine's; the rest is for the search after it

# The budget and the memory of one consultation.
cdef struct Thought:
    const Budget* budget
    double deadline             # 0: none
    uint64_t limit              # 0: none
    uint64_t done
    bint stopped
    move_t* sowings


cdef bint begin(Thought* t, const Budget* budget) noexcept nogil:
    """Start a thought; False if there is not enough memory."""
    t.budget = budget
    t.limit = LEAST_WORK + budget.iterations * WORK_PER_ITERATION if budget.iterations else 0
    t.done = 0
    t.stopped = False
    t.deadline = deadline_for(budget, SHARE)
    t.sowings = <move_t*>malloc((SOWINGS + MOVE_SLACK) * sizeof(move_t))
    return t.sowings != NULL


cdef bint work(Thought* t) noexcept nogil:
    """Count one sowing or capture and return whether there may be more."""
    t.done += 1
    if t.limit and t.done >= t.limit:
        t.stopped = True
    elif t.done % WORK_PER_LOOK == 0:
        t.stopped = is_late(t.budget, t.deadline)
    return not t.stopped


# ---- The worth of moves --------------------------------------------------------------------------

cdef double judge_sowing(const State* s, int seat, uint32_t sowing) noexcept nogil:
    cdef State after = s[0]
    apply(&after, seat, FIRST_SOWING + sowing)
    return judge(&after, seat)


cdef double best_sowing(Thought* t, const State* s, int seat) noexcept nogil:
    """The worth of a good sowing: the best of a few, or the first that keeps the King safe."""
    cdef uint32_t i = 0, n = list_sowings(s.beads, 0, t.sowings)
    cdef double best = -WON, value
    while i < n:
        value = judge_sowing(s, seat, t.sowings[i])
        i += 1 + n // TRIED_SOWINGS
        if value > best:
            best = value
        if not work(t):
            return best
    for i in range(n):
        if best > -MARGIN:
            break
        value = judge_sowing(s, seat, t.sowings[i])
        if value > best:
            best = value
        if not work(t):
            break
    return best


cdef double worth(Thought* t, const State* s, int seat, int kings) noexcept nogil:
    """The worth of a position within a seat's turn, which began with `kings` Kings in play."""
    cdef move_t options[MOST_PIECE_MOVES + MOVE_SLACK]
    cdef State after
    cdef uint32_t i, n
    cdef double best = -2 * WON, value
    if s.phase == OVER:
        return judge(s, seat)
    if s.phase == SOW:
        return KING * (kings - count_squares(s.kings)) + best_sowing(t, s, seat)
    n = list_moves(s, seat, options)
    # From the last move, which ends the chain, so that it is always examined.
    for i in range(n, 0, -1):
        after = s[0]
        apply(&after, seat, options[i - 1])
        value = worth(t, &after, seat, kings)
        if value > best:
            best = value
        if t.stopped:
            break
    return best


# ---- The slot ------------------------------------------------------------------------------------

cdef Verdict rank(
    const void* state, int seat, const move_t* moves, uint32_t n, const Budget* budget, Rng* rng,
    double* weights, double* values,
) noexcept nogil:
    cdef const State* s = <const State*>state
    cdef State after
    cdef Thought t
    cdef double best = -2 * WON
    cdef uint32_t i
    if not begin(&t, budget):
        return NO_OPINION
    for i in range(n):
        if t.stopped and best > -MARGIN:
            # Out of time: skip the rest, unless every move so far loses the King.
            weights[i] = -2 * WON
            continue
        after = s[0]
        apply(&after, seat, moves[i])
        if s.phase == SOW:
            weights[i] = judge(&after, seat)
            work(&t)
        else:
            weights[i] = worth(&t, &after, seat, count_squares(s.kings))
        if weights[i] > best:
            best = weights[i]
    free(t.sowings)
    for i in range(n):
        # Only moves within the margin of the best are searched.
        weights[i] = weights[i] - best + MARGIN if weights[i] > best - MARGIN else 0.0
    return PRIOR
