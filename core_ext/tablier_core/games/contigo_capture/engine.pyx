"""The engine of the capture game: it takes Kings and keeps its own out of reach.

A seat's whole turn is looked at: every pawn move, every chain of captures, then the sowings. What
counts, in this order: a game won, the own King out of the next seat's reach, Kings taken, the own
King out of reach of the seats after that under the same ring, then pieces and places. In the quick
game another's King counts as the own one where its loss would end the game with its captor ahead.
What the others will change before the turn comes round is left to the search that follows.
"""

from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport abs, free, malloc

from tablier_core.abi cimport MOVE_SLACK, NO_OPINION, PRIOR, Verdict, move_t
from tablier_core.budget cimport Budget, is_cancelled, now
from tablier_core.games.contigo.board cimport (
    EAST, NORTH, SIZE, SOUTH, WEST, bit, destination, lowest, pit_towards,
)
from tablier_core.games.contigo.sowing cimport SOWINGS, list_sowings
from tablier_core.games.contigo_capture.play cimport apply, moves as list_moves
from tablier_core.games.contigo_capture.state cimport (
    COLOURS, FIRST_SOWING, NOBODY, OVER, SOW, State, all_pieces, controlled, count_in,
    count_squares, is_in,
)
from tablier_core.rng cimport Rng

cdef enum:
    MOST_PIECE_MOVES = 320      # of 36 pieces in 4 directions, to free squares and by capture; STOP
    TRIED_SOWINGS = 48          # of a pawn move, before any of them is looked for that is safe
    WORK_A_LOOK = 64            # sowings and captures between looks at the clock
    WORK_A_SEARCH = 16          # of them, that one iteration of a budget stands for
    LEAST_WORK = 5000           # of them in any case: nearly every turn needs less

# What a turn is worth. To leave the own King to the next seat costs more than another King brings;
# a King brings more than any pieces do.
cdef double WON = 100_000.0
cdef double KING = 700.0
cdef double REACH = 1_000.0
# A rival could win the quick game, the own King apart. From the next seat that is worse than the
# own King in reach of the one after it, and both together better than in reach of the next.
cdef double DEFEAT = 500.0
# The part of it for the seats that follow, one after the other. What the later ones could do under
# this ring, the earlier ones may well prevent.
cdef double[3] SOON = [1.0, 0.3, 0.2]
cdef double TASTE = 150.0       # differences below this are no reason to leave a move untried

# How near a rival's piece is to a King that it is in line with, by how many beads its pit has too
# many or too few; what part of a seat's strength that puts at risk, and what is left in any case.
cdef double[7] NEARNESS = [0.8, 0.2, 0.1, 0.05, 0.02, 0.02, 0.02]
cdef double RISK = 0.4
cdef double UNTOUCHED = 0.3

cdef struct Thought:
    const Budget* budget
    double deadline
    uint64_t limit
    uint64_t done
    bint stopped
    move_t* sowings


cdef bint work(Thought* t) noexcept nogil:
    """Count a unit of work; whether there may be more."""
    t.done += 1
    if t.limit and t.done >= t.limit:
        t.stopped = True
    elif t.done % WORK_A_LOOK == 0:
        t.stopped = is_cancelled(t.budget) or (t.deadline > 0 and now() >= t.deadline)
    return not t.stopped


# ---- Reach ---------------------------------------------------------------------------------------

cdef uint64_t attacked(const State* s, uint64_t pieces) noexcept nogil:
    """The squares on which pieces would land."""
    cdef uint64_t squares = 0
    cdef int origin, direction
    while pieces:
        origin = lowest(pieces)
        pieces &= pieces - 1
        for direction in range(4):
            squares |= bit(destination(s.beads, origin, direction))
    return squares


cdef bint chain_reaches(
    const State* s, uint64_t origins, uint64_t prey, uint64_t king
) noexcept nogil:
    """Whether a piece on one of `origins` can take its way through `prey` to a King.

    Where a piece lands depends on the ring alone. So what a chain can reach is what a flood over
    the prey reaches: a way that comes back to a square has a shorter one. Taking another King on
    the way makes its seat's pieces the captor's own.
    """
    cdef uint64_t seen = 0, landed, rest, taken_kings
    cdef int colour
    while origins:
        landed = attacked(s, origins) & prey & ~seen
        if landed & king:
            return True
        seen |= landed
        origins = landed & ~s.kings
        taken_kings = landed & s.kings
        for colour in range(COLOURS):
            rest = s.pieces[colour] & taken_kings
            if rest and chain_reaches(s, rest, prey & ~controlled(s, colour), king):
                return True
    return False


cdef bint can_take_king(const State* s, int hunter, int seat) noexcept nogil:
    """Whether a seat, were it to move with this ring, could take another's King."""
    cdef uint64_t own = controlled(s, hunter)
    return chain_reaches(s, own, all_pieces(s) & ~own, s.kings & s.pieces[seat])


cdef uint64_t decisive(const State* s, int hunter, int seat) noexcept nogil:
    """The pieces of others with which a hunter would take the game from a seat: its King; and in
    the quick game what leaves two seats in, or decides between them, the hunter being ahead."""
    cdef uint64_t own = controlled(s, seat), prey = s.kings & s.pieces[seat]
    cdef int victim, gain, left = count_in(s)
    if not s.quick:
        return prey
    gain = count_squares(controlled(s, hunter)) - count_squares(own)
    if left == 2:
        return own if gain >= 0 else prey
    for victim in range(COLOURS):
        if left == 3 and victim != hunter and victim != seat and is_in(s, victim):
            # The King itself leaves the board.
            if gain + count_squares(controlled(s, victim)) - 1 > 0:
                prey |= s.kings & s.pieces[victim]
    return prey


# ---- Judgement -----------------------------------------------------------------------------------

cdef uint64_t lines_of(int square) noexcept nogil:
    """The file and the rank of a square."""
    return <uint64_t>0x041041041u << (square % SIZE) | <uint64_t>63 << (square // SIZE * SIZE)


cdef double exposure(const State* s, int king, uint64_t pieces) noexcept nogil:
    """How near pieces are to taking a King, now or when others have sown."""
    cdef double total = 0.0
    cdef int origin, distance, direction
    pieces &= lines_of(king) & ~bit(king)
    while pieces:
        origin = lowest(pieces)
        pieces &= pieces - 1
        distance = king - origin
        if king // SIZE == origin // SIZE:
            direction = EAST if distance > 0 else WEST
        else:
            direction = NORTH if distance > 0 else SOUTH
            distance //= SIZE
        total += NEARNESS[abs(abs(distance) - s.beads[pit_towards(origin, direction)])]
    return total


cdef double judge(const State* s, int seat) noexcept nogil:
    """What a position is worth to a seat that has just sown."""
    cdef uint64_t own = controlled(s, seat), theirs, king = s.kings & s.pieces[seat]
    cdef int rival = seat, _i, after = 0
    cdef double value
    if s.phase == OVER:
        return 0.0 if s.winner == NOBODY else (WON if s.winner == seat else -WON)
    value = 3.0 * count_squares(own)
    for _i in range(COLOURS - 1):
        rival = (rival + 1) % COLOURS
        if not is_in(s, rival):
            continue
        theirs = controlled(s, rival)
        if can_take_king(s, rival, seat):
            value -= REACH * SOON[after]
        elif s.quick and chain_reaches(
            s, theirs, all_pieces(s) & ~theirs, decisive(s, rival, seat)
        ):
            value -= DEFEAT * SOON[after]
        value -= 1.5 * SOON[after] * count_squares(attacked(s, theirs) & own)
        value -= 0.5 * count_squares(theirs & lines_of(lowest(king)))
        value += 0.3 * count_squares(own & lines_of(lowest(s.kings & s.pieces[rival])))
        value -= 1.0 * count_squares(theirs)
        after += 1
    return value


cdef double judge_sowing(const State* s, int seat, uint32_t sowing) noexcept nogil:
    cdef State after = s[0]
    apply(&after, seat, FIRST_SOWING + sowing)
    return judge(&after, seat)


cdef double best_sowing(Thought* t, const State* s, int seat) noexcept nogil:
    """The worth of a good sowing: of a few, or the first that leaves the King out of reach."""
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
        if best > -TASTE:
            break
        value = judge_sowing(s, seat, t.sowings[i])
        if value > best:
            best = value
        if not work(t):
            break
    return best


cdef double worth(Thought* t, const State* s, int seat, int kings) noexcept nogil:
    """The worth of a position within a seat's turn, which found so many Kings in play."""
    cdef move_t options[MOST_PIECE_MOVES + MOVE_SLACK]
    cdef State after
    cdef uint32_t i, n
    cdef double best = -2 * WON, value
    if s.phase == OVER:
        return judge(s, seat)
    if s.phase == SOW:
        return KING * (kings - count_squares(s.kings)) + best_sowing(t, s, seat)
    n = list_moves(s, seat, options)
    # The last is the end of the chain, which is always looked at.
    for i in range(n, 0, -1):
        after = s[0]
        apply(&after, seat, options[i - 1])
        value = worth(t, &after, seat, kings)
        if value > best:
            best = value
        if t.stopped:
            break
    return best


# ---- The slots -----------------------------------------------------------------------------------

cdef bint can_win(const State* s, int seat) noexcept nogil:
    """Whether a seat, were it to move with this ring, could take the game from all others."""
    cdef uint64_t own = controlled(s, seat), prize = all_pieces(s) & ~own
    cdef int rival
    for rival in range(COLOURS):
        if rival != seat and is_in(s, rival):
            prize &= decisive(s, seat, rival)
    return prize != 0 and chain_reaches(s, own, all_pieces(s) & ~own, prize)


cdef void evaluate(const void* state, double* out) noexcept nogil:
    """Returns by the share of the pieces, the King of a seat counting for more, but all of them for
    less where it stands near to being taken."""
    cdef const State* s = <const State*>state
    cdef double[COLOURS] strength
    cdef double total = 0.0, risk
    cdef int seat, rival, mover = s.to_move
    if s.phase != SOW and can_win(s, mover):
        for seat in range(COLOURS):
            out[seat] = 1.0 if seat == mover else -1.0
        return
    for seat in range(COLOURS):
        strength[seat] = 2.0 + count_squares(controlled(s, seat)) if is_in(s, seat) else 0.0
    # One King less, and a quick game with three seats is over; this mover would not have won it.
    if s.phase != SOW and not (s.quick and count_in(s) == 3):
        for rival in range(COLOURS):
            if rival != mover and is_in(s, rival) and can_take_king(s, mover, rival):
                strength[mover] += strength[rival]
                strength[rival] = 0.0
    for seat in range(COLOURS):
        if strength[seat] > 0.0:
            risk = RISK * exposure(
                s, lowest(s.kings & s.pieces[seat]), all_pieces(s) & ~controlled(s, seat)
            )
            strength[seat] *= max(UNTOUCHED, 1.0 - risk)
        strength[seat] *= strength[seat]
        total += strength[seat]
    for seat in range(COLOURS):
        out[seat] = 2.0 * strength[seat] / total - 1.0


cdef Verdict rank(
    const void* state, int seat, const move_t* moves, uint32_t n, const Budget* budget, Rng* rng,
    double* weights, double* values,
) noexcept nogil:
    cdef const State* s = <const State*>state
    cdef State after
    cdef Thought t
    cdef double start, best = -2 * WON
    cdef uint32_t i
    t.budget = budget
    t.limit = LEAST_WORK + budget.iterations * WORK_A_SEARCH if budget.iterations else 0
    t.done = 0
    t.stopped = False
    t.deadline = 0.0
    if budget.deadline > 0:
        start = now()
        t.deadline = start + 0.5 * (budget.deadline - start)
    t.sowings = <move_t*>malloc((SOWINGS + MOVE_SLACK) * sizeof(move_t))
    if t.sowings == NULL:
        return NO_OPINION
    for i in range(n):
        if t.stopped and best > -TASTE:
            # What was not looked at is left; but there is always time to save the King.
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
        # Of another class than the best: not worth a try.
        weights[i] = weights[i] - best + TASTE if weights[i] > best - TASTE else 0.0
    return PRIOR
