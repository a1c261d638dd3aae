"""The rules of the capture game, in the order of docs/reference/contigo-capture.md."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from tablier_core.abi cimport move_t
from tablier_core.games.contigo.board cimport (
    DIRECTIONS, PITS, bit, destination, free_squares, has, lowest, straight, straight_origin,
    straight_target,
)
from tablier_core.games.contigo.sowing cimport list_sowings, sow
from tablier_core.games.contigo_capture.state cimport (
    CHAIN, COLOURS, FIRST_CAPTURE, FIRST_SOWING, NOBODY, NOWHERE, OVER, PAWN, RANDOM, SOW, STOP,
    Options, State, all_pieces, controlled, count_in, count_squares, is_in, limit_reached,
)
from tablier_core.rng cimport Rng, rng_below

# ---- Seats and options ---------------------------------------------------------------------------

cdef void setup(void* state, const void* options, Rng* rng) noexcept nogil:
    cdef State* s = <State*>state
    cdef const Options* o = <const Options*>options
    cdef int colour
    memset(s, 0, sizeof(State))
    for colour in range(COLOURS):
        s.pieces[colour] = o.pieces[colour]
        s.owner[colour] = <uint8_t>colour
    s.kings = o.kings
    memcpy(s.beads, o.beads, PITS)
    s.turn_limit = o.turn_limit
    s.quick = o.quick
    s.winner = NOBODY
    s.chain = NOWHERE
    s.to_move = <uint8_t>rng_below(rng, COLOURS) if o.first == RANDOM else o.first
    begin_turn(s)


cdef int seats(const void* state) noexcept nogil:
    return COLOURS


cdef int phase(const void* state) noexcept nogil:
    return (<const State*>state).phase


cdef uint32_t actors(const void* state) noexcept nogil:
    cdef const State* s = <const State*>state
    return 0 if s.phase == OVER else <uint32_t>1 << s.to_move


# ---- A turn: moves -------------------------------------------------------------------------------

cdef uint32_t moves(const void* state, int seat, move_t* out) noexcept nogil:
    cdef const State* s = <const State*>state
    cdef uint32_t n
    if s.phase == OVER or seat != s.to_move:
        return 0
    if s.phase == SOW:
        return list_sowings(s.beads, FIRST_SOWING, out)
    if s.phase == PAWN:
        return list_piece_moves(s, seat, out)
    n = list_captures(s, seat, bit(s.chain), out)
    out[n] = STOP
    return n + 1


cdef uint32_t list_piece_moves(const State* s, int seat, move_t* out) noexcept nogil:
    cdef uint64_t own = controlled(s, seat), rest = own, free = free_squares(all_pieces(s))
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
    return n + list_captures(s, seat, own, out + n)


cdef uint32_t list_captures(
    const State* s, int seat, uint64_t origins, move_t* out
) noexcept nogil:
    """List the captures of the pieces on `origins`, which the seat controls."""
    cdef uint64_t prey = all_pieces(s) & ~controlled(s, seat)
    cdef int origin, direction, target
    cdef uint32_t n = 0
    while origins:
        origin = lowest(origins)
        origins &= origins - 1
        for direction in range(DIRECTIONS):
            target = destination(s.beads, origin, direction)
            out[n] = FIRST_CAPTURE + straight(origin, target)
            n += has(prey, target)
    return n


cdef bint can_land(const State* s, uint64_t origins, uint64_t targets) noexcept nogil:
    """Whether any of the pieces on `origins` has a move that ends on one of `targets`."""
    cdef int origin, direction
    while origins:
        origin = lowest(origins)
        origins &= origins - 1
        for direction in range(DIRECTIONS):
            if has(targets, destination(s.beads, origin, direction)):
                return True
    return False


cdef bint has_piece_move(const State* s, int seat) noexcept nogil:
    cdef uint64_t own = controlled(s, seat)
    return can_land(s, own, free_squares(own))


cdef bint can_capture(const State* s, int seat, int square) noexcept nogil:
    return can_land(s, bit(square), all_pieces(s) & ~controlled(s, seat))


# ---- A turn: what moves do -----------------------------------------------------------------------

cdef void apply(void* state, int seat, move_t move) noexcept nogil:
    cdef State* s = <State*>state
    if move >= FIRST_SOWING:
        sow_beads(s, move - FIRST_SOWING)
    elif move == STOP:
        s.chain = NOWHERE
        s.phase = SOW
    elif move >= FIRST_CAPTURE:
        move -= FIRST_CAPTURE
        capture(s, seat, straight_origin(move), straight_target(move))
    else:
        shift_piece(s, straight_origin(move), straight_target(move))
        s.phase = SOW


cdef void begin_turn(State* s) noexcept nogil:
    """Decide the phase at the start of a turn (reference: A turn)."""
    if limit_reached(s):
        s.phase = OVER
    elif has_piece_move(s, s.to_move):
        s.phase = PAWN
    else:
        s.phase = SOW


cdef void shift_piece(State* s, int origin, int target) noexcept nogil:
    cdef int colour
    for colour in range(COLOURS):
        if s.pieces[colour] & bit(origin):
            s.pieces[colour] ^= bit(origin) | bit(target)
    if s.kings & bit(origin):
        s.kings ^= bit(origin) | bit(target)


cdef void capture(State* s, int seat, int origin, int target) noexcept nogil:
    """Remove a piece, pass on control if it was a King, and test for the end.

    (reference: Capture)
    """
    cdef int victim = 0, colour
    while not s.pieces[victim] & bit(target):
        victim += 1
    s.pieces[victim] ^= bit(target)
    if s.kings & bit(target):
        s.kings ^= bit(target)
        # The King's seat is out, and everything that it controlled changes hands at once.
        for colour in range(COLOURS):
            if s.owner[colour] == victim:
                s.owner[colour] = <uint8_t>seat
    shift_piece(s, origin, target)
    s.chain = NOWHERE
    s.winner = <uint8_t>find_winner(s)
    if s.winner != NOBODY:
        s.phase = OVER
    elif can_capture(s, seat, target):
        s.phase = CHAIN
        s.chain = <uint8_t>target
    else:
        s.phase = SOW


cdef int find_winner(const State* s) noexcept nogil:
    """Find the last seat with a King, or in the quick game the stronger of the last two.

    (reference: Quick)
    """
    cdef int seat, count, best = NOBODY, most = 0, n = count_in(s)
    cdef bint tied = False
    if n > 2 or (n == 2 and not s.quick):
        return NOBODY
    for seat in range(COLOURS):
        if is_in(s, seat):
            count = count_squares(controlled(s, seat))
            tied = count == most
            if count > most:
                most = count
                best = seat
    return NOBODY if tied else best


cdef void sow_beads(State* s, uint32_t sowing) noexcept nogil:
    sow(s.beads, sowing)
    # Without a limit nothing depends on the count, so it may stay at its maximum.
    if s.turns < 0xFFFFFFFFu:
        s.turns += 1
    s.to_move = (s.to_move + 1) % COLOURS
    while not is_in(s, s.to_move):
        s.to_move = (s.to_move + 1) % COLOURS
    begin_turn(s)


# ---- Scoring -------------------------------------------------------------------------------------

cdef void scores(const void* state, double* out) noexcept nogil:
    cdef int seat, winner = (<const State*>state).winner
    for seat in range(COLOURS):
        out[seat] = 1.0 if seat == winner else 0.0


cdef void returns(const void* state, double* out) noexcept nogil:
    cdef const State* s = <const State*>state
    cdef int seat
    for seat in range(COLOURS):
        if s.winner == NOBODY:
            out[seat] = 0.0 if is_in(s, seat) else -1.0
        else:
            out[seat] = 1.0 if seat == s.winner else -1.0
