"""The rules of the alignment game, in the order of docs/reference/contigo-alignment.md."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from tablier_core.abi cimport move_t
from tablier_core.games.contigo.board cimport (
    DIRECTIONS, PITS, SIZE, bit, destination, free_squares, has, is_right_angle, lowest, straight,
    straight_origin, straight_target,
)
from tablier_core.games.contigo.sowing cimport list_sowings, sow
from tablier_core.games.contigo_alignment.lines cimport holds_line
from tablier_core.games.contigo_alignment.state cimport (
    FIRST_ELL, FIRST_SOWING, NOBODY, OVER, PAWN, RANDOM, SEATS, SOW, Options, State, limit_within,
)
from tablier_core.rng cimport Rng, rng_below

# ---- Seats and options ---------------------------------------------------------------------------

cdef void setup(void* state, const void* options, Rng* rng) noexcept nogil:
    cdef State* s = <State*>state
    cdef const Options* o = <const Options*>options
    memset(s, 0, sizeof(State))
    s.pawns[0] = o.pawns[0]
    s.pawns[1] = o.pawns[1]
    memcpy(s.beads, o.beads, PITS)
    s.turn_limit = o.turn_limit
    s.advanced = o.advanced
    s.winner = NOBODY
    s.to_move = <uint8_t>rng_below(rng, SEATS) if o.first == RANDOM else o.first
    begin_turn(s)


cdef int seats(const void* state) noexcept nogil:
    return SEATS


cdef int phase(const void* state) noexcept nogil:
    return (<const State*>state).phase


cdef uint32_t actors(const void* state) noexcept nogil:
    cdef const State* s = <const State*>state
    return 0 if s.phase == OVER else <uint32_t>1 << s.to_move


# ---- A turn: moves -------------------------------------------------------------------------------

cdef uint32_t moves(const void* state, int seat, move_t* out) noexcept nogil:
    cdef const State* s = <const State*>state
    if s.phase == OVER or seat != s.to_move:
        return 0
    if s.phase == SOW:
        return list_sowings(s.beads, FIRST_SOWING, out)
    return list_ells(s, seat, out) if s.advanced else list_straights(s, seat, out)


cdef uint32_t list_straights(const State* s, int seat, move_t* out) noexcept nogil:
    cdef uint64_t rest = s.pawns[seat], free = free_squares(s.pawns[0] | s.pawns[1])
    cdef int origin, direction, target
    cdef uint32_t n = 0
    while rest:
        origin = lowest(rest)
        rest &= rest - 1
        for direction in range(DIRECTIONS):
            target = destination(s.beads, origin, direction)
            # Always written, and kept if it is legal: no branch to mispredict.
            out[n] = straight(origin, target)
            n += has(free, target)
    return n


cdef uint32_t list_ells(const State* s, int seat, move_t* out) noexcept nogil:
    """List the L moves, whose two legs both end on a free square (reference: Advanced)."""
    cdef uint64_t rest = s.pawns[seat], free = free_squares(s.pawns[0] | s.pawns[1])
    cdef int origin, first, second, corner, target
    cdef uint32_t n = 0
    while rest:
        origin = lowest(rest)
        rest &= rest - 1
        for first in range(DIRECTIONS):
            corner = destination(s.beads, origin, first)
            if not has(free, corner):
                continue
            for second in range(DIRECTIONS):
                if is_right_angle(first, second):
                    target = destination(s.beads, corner, second)
                    out[n] = FIRST_ELL + ell(origin, corner, target)
                    n += has(free, target)
    return n


cdef bint can_move(
    uint64_t own, uint64_t rivals, const uint8_t* beads, bint advanced
) noexcept nogil:
    cdef uint64_t rest = own, free = free_squares(own | rivals)
    cdef int origin, first, second, corner
    while rest:
        origin = lowest(rest)
        rest &= rest - 1
        for first in range(DIRECTIONS):
            corner = destination(beads, origin, first)
            if not has(free, corner):
                continue
            if not advanced:
                return True
            for second in range(DIRECTIONS):
                if is_right_angle(first, second):
                    if has(free, destination(beads, corner, second)):
                        return True
    return False


cdef bint has_pawn_move(const State* s, int seat) noexcept nogil:
    return can_move(s.pawns[seat], s.pawns[1 - seat], s.beads, s.advanced)


# ---- A turn: what moves do -----------------------------------------------------------------------

cdef void apply(void* state, int seat, move_t move) noexcept nogil:
    cdef State* s = <State*>state
    if move >= FIRST_SOWING:
        sow_beads(s, move - FIRST_SOWING)
    else:
        move_pawn(s, seat, pawn_origin(move), pawn_target(move))


cdef void begin_turn(State* s) noexcept nogil:
    """Decide the phase at the start of a turn (reference: A turn)."""
    if limit_within(s, 0):
        s.phase = OVER
    elif has_pawn_move(s, s.to_move):
        s.phase = PAWN
    elif has_line(s, s.to_move):
        s.phase = OVER
        s.winner = s.to_move
    else:
        s.phase = SOW


cdef void move_pawn(State* s, int seat, int origin, int target) noexcept nogil:
    s.pawns[seat] ^= bit(origin) | bit(target)
    if has_line(s, seat):
        s.phase = OVER
        s.winner = <uint8_t>seat
    else:
        s.phase = SOW


cdef void sow_beads(State* s, uint32_t sowing) noexcept nogil:
    sow(s.beads, sowing)
    # Without a limit nothing depends on the count, so it may stay at its maximum.
    if s.turns < 0xFFFFFFFFu:
        s.turns += 1
    s.to_move = 1 - s.to_move
    begin_turn(s)


cdef bint has_line(const State* s, int seat) noexcept nogil:
    """Whether a seat is four in line (reference: Alignment)."""
    return holds_line(s.pawns[seat], s.pawns[1 - seat])


# ---- Moves and notation: the numbers of pawn moves -----------------------------------------------

cdef uint32_t ell(int origin, int corner, int target) noexcept nogil:
    """Number an L move: 50 x origin + 5 x slot of the corner + slot of the target."""
    cdef uint32_t slot
    if corner % SIZE == target % SIZE:
        slot = target // SIZE - (1 if target > corner else 0)
    else:
        slot = target % SIZE - (1 if target > corner else 0)
    return 5 * straight(origin, corner) + slot


cdef int ell_target(uint32_t number) noexcept nogil:
    cdef int origin = <int>(number // 50), corner = straight_target(number // 5)
    cdef int slot = <int>(number % 5)
    if corner % SIZE == origin % SIZE:
        return corner // SIZE * SIZE + slot + (1 if slot >= corner % SIZE else 0)
    return (slot + (1 if slot >= corner // SIZE else 0)) * SIZE + corner % SIZE


cdef int pawn_origin(move_t move) noexcept nogil:
    return straight_origin((move - FIRST_ELL) // 5 if move >= FIRST_ELL else move)


cdef int pawn_target(move_t move) noexcept nogil:
    return ell_target(move - FIRST_ELL) if move >= FIRST_ELL else straight_target(move)


# ---- Scoring -------------------------------------------------------------------------------------

cdef void scores(const void* state, double* out) noexcept nogil:
    cdef int winner = (<const State*>state).winner
    out[0] = 1.0 if winner == 0 else 0.0
    out[1] = 1.0 if winner == 1 else 0.0


cdef void returns(const void* state, double* out) noexcept nogil:
    cdef int winner = (<const State*>state).winner
    out[0] = 0.0 if winner == NOBODY else (1.0 if winner == 0 else -1.0)
    out[1] = -out[0] if winner != NOBODY else 0.0
