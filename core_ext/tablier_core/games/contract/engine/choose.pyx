"""Chooses the moves that a search should try, and leaves out those that bring nothing.

`rank` weighs the moves of the position that the search starts from, `narrow` those of positions
behind it (reference: Engine).
"""

from libc.stdint cimport uint32_t

from tablier_core.abi cimport PRIOR, Verdict, move_t
from tablier_core.budget cimport Budget
from tablier_core.games.contract.rules cimport points_at
from tablier_core.games.contract.state cimport (
    ACTION, BLACKMAT, CONTRACT, DOLLAR, DOLLAR_UP, DONE, MOST_MAFIOSI, NOBODY, NOTHING, NOWHERE, ON,
    PASS, PAY, PAY_DOLLAR, PAY_DOWN, PIECES, PLACE_DOWN, PLACE_TOKEN, TOKEN, VICELARD_TO,
    State, can_play_copper, family_at, family_of, index_of, round_count, row_length,
)
from tablier_core.rng cimport Rng

# ---- Moves that change nothing -------------------------------------------------------------------

cdef int most_to_bring(const State* s, int seat, int place, bint own) noexcept nogil:
    """Return how many halves a seat can still add on a Mafioso.

    `own`: the seat is the one to move, so the kinds of its cards count. Of others only the number
    of cards is known.
    """
    cdef int family = family_at(s, place), best = 2 if family == BLACKMAT else 4
    cdef int halves = 2 * s.supply[seat]
    if s.tokens[place][seat] == 0 and s.supply[seat] == 0:
        return 0
    if not own:
        halves += best * s.cards[seat]
    elif family == BLACKMAT:
        halves += s.cards[seat] + s.hand[seat][DOLLAR]
    else:
        halves += s.cards[seat] + s.hand[seat][DOLLAR] + 3 * s.hand[seat][family]
    if can_play_copper(s, seat):
        halves += s.copper_points
    # The seat can still move the pawn here.
    if s.vicelard_holder == seat and s.vicelard_on == NOWHERE:
        halves += best
    return halves


cdef bint is_settled(const State* s, int seat, int place) noexcept nogil:
    """Whether nothing that a seat adds on a Mafioso can change who takes it.

    Either the seat leads and nobody can draw level, or it cannot draw level with the leader.
    """
    cdef int other, mine = points_at(s, place, seat), points, ahead = 0
    cdef bint locked = True
    for other in range(s.seats):
        if other == seat:
            continue
        points = points_at(s, place, other)
        ahead = max(ahead, points)
        if points + most_to_bring(s, other, place, False) >= mine:
            locked = False
    return locked or mine + most_to_bring(s, seat, place, True) < ahead


cdef bint is_idle_vicelard(const State* s, int place) noexcept nogil:
    """Whether moving Vicelard to a place brings nothing.

    That is the case if there is no next round, his card can no longer be played, and Copper does
    not stand there.
    """
    if s.round + 1 < round_count(s) or place == s.copper_pawn:
        return False
    return s.vicelard_holder == NOBODY or s.vicelard_on != NOWHERE


# ---- Weights of moves ----------------------------------------------------------------------------

cdef double use_of_kind(const State* s, int kind) noexcept nogil:
    """Return how useful a card is: for a contract, how many Mafiosi of its family are left."""
    cdef int i, use = 0
    if kind == DOLLAR:
        return MOST_MAFIOSI
    for i in range(index_of(s, 0), row_length(s) * round_count(s)):
        use += family_of(s.mafiosi[i]) == kind
    return use


cdef double weigh_piece(const State* s, int seat, move_t move) noexcept nogil:
    cdef int kind
    cdef bint complete = s.stage > (TOKEN if s.influencing else NOTHING)
    if move == DONE:
        return 2.0
    # A settled Mafioso needs no more pieces.
    if complete and is_settled(s, seat, s.target):
        return 0.0
    if move < PLACE_DOWN:
        return 1.0
    kind = <int>(move - PLACE_DOWN)
    # The same card counts more face up.
    if kind == DOLLAR and s.stage <= DOLLAR_UP:
        return 0.0
    if kind == family_at(s, s.target) and s.stage <= CONTRACT:
        return 0.0
    return 1.0 / (1.0 + use_of_kind(s, kind))


cdef double weigh_move(const State* s, int seat, move_t move) noexcept nogil:
    if s.phase == PIECES:
        return weigh_piece(s, seat, move)
    if s.phase == PAY:
        if move == PAY_DOLLAR:
            return 1.0
        return 1.0 / (1.0 + use_of_kind(s, <int>(move - PAY_DOWN)))
    if s.phase == ACTION:
        if move < PLACE_TOKEN:
            return 0.0 if is_settled(s, seat, <int>(move - ON)) else 3.0
        if VICELARD_TO <= move < PAY_DOLLAR:
            return 0.0 if is_idle_vicelard(s, <int>(move - VICELARD_TO)) else 1.0
        return 2.0 if move == PASS else 1.0
    return 1.0


# ---- Slots ---------------------------------------------------------------------------------------

cdef Verdict rank(
    const void* state, int seat, const move_t* moves, uint32_t n, const Budget* budget, Rng* rng,
    double* weights, double* values,
) noexcept nogil:
    """Weigh the moves that a search should try; those that bring nothing weigh 0."""
    cdef const State* s = <const State*>state
    cdef uint32_t i
    cdef int best = -1
    for i in range(n):
        weights[i] = weigh_move(s, seat, moves[i])
    # Any card pays for Copper, so only the least useful one is tried.
    if s.phase == PAY and not s.paying_vicelard:
        for i in range(n):
            if best < 0 or weights[i] > weights[best]:
                best = <int>i
        for i in range(n):
            if <int>i != best:
                weights[i] = 0.0
    return PRIOR


cdef bint is_hidden_card(int phase, move_t move) noexcept nogil:
    """Whether a move puts a card face down, on a Mafioso or as payment."""
    if phase == PIECES:
        return PLACE_DOWN <= move < DONE
    return phase == PAY and move >= PAY_DOWN


cdef uint32_t narrow(
    const void* begun, const void* state, int seat, move_t* moves, uint32_t n
) noexcept nogil:
    """Keep the moves that bring something, and of cards to put face down only the least useful.

    A new round ends the tree, because its row and hands differ in every world.
    """
    cdef const State* s = <const State*>state
    cdef uint32_t i, kept = 0, hidden = n
    cdef double weight, most = 0.0
    if s.round != (<const State*>begun).round:
        return 0
    for i in range(n):
        weight = weigh_move(s, seat, moves[i])
        if weight <= 0.0:
            continue
        if is_hidden_card(s.phase, moves[i]):
            # These moves are adjacent, so the list ascends whichever one stays.
            if hidden < n:
                if weight > most:
                    most = weight
                    moves[hidden] = moves[i]
                continue
            most = weight
            hidden = kept
        moves[kept] = moves[i]
        kept += 1
    return kept if kept else n
