"""The laws of every game, checked in C during random play.

Each law is one of the contracts in abi.pxd. All buffers that slots write to lie in one block of
memory, separated by guard bytes that must not change. A broken law raises LawBroken with the seed
and the ply, so that it can be reproduced.
"""

from libc.math cimport NAN, isfinite
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy, memset

from tablier_core.abi cimport (
    MAX_NOTATION, MAX_PACKED, MAX_SEATS, MOVE_SLACK, TABLE, GameOps, move_t,
)
from tablier_core.playout cimport random_actor
from tablier_core.position cimport Game
from tablier_core.rng cimport (
    GAME_STREAM, PLAYOUT_STREAM, VIEW_STREAM, Rng, rng_below, rng_next, rng_seed,
)

cdef enum:
    GUARD = 64                          # bytes between two buffers, and before the first
    GUARD_BYTE = 0xA5
    BUFFERS = 14

cdef enum Law:
    KEPT = 0
    GUARDS
    SEATS
    ACTORS
    PHASE
    MOVES_COUNT
    MOVES_RANGE
    MOVES_ORDER
    MOVES_OVER
    NOTATION
    SCORES
    RETURNS
    ESTIMATE
    PICK
    NARROW
    FEATURES
    CONST
    PACK_SIZE
    PACK_ACCEPTED
    PACK_CANONICAL
    PACK_BEHAVIOUR
    WORLD_VALID
    WORLD_PUBLIC
    WORLD_INFOSET
    WORLD_MOVES
    WORLD_FEATURES
    WORLD_BLIND

LAWS = {
    GUARDS: "a slot wrote outside its buffer",
    SEATS: "the number of seats is out of range or changed",
    ACTORS: "an actor is not a seat of this game",
    PHASE: "a phase has no name, or `over` does not match the actors",
    MOVES_COUNT: "an actor has no moves, another seat has some, or there are too many",
    MOVES_RANGE: "a move is not below num_actions",
    MOVES_ORDER: "moves are not ascending and unique",
    MOVES_OVER: "a finished game has a move",
    NOTATION: "a notation is empty, too long, not printable, or stands for another move",
    SCORES: "a score is missing or not finite",
    RETURNS: "a return is missing or outside [-1, 1]",
    ESTIMATE: "an estimated return is missing or outside [-1, 1]",
    PICK: "the play-out policy chose an index past the end of the list",
    NARROW: "the moves for a tree are not legal, too many, or in another order",
    FEATURES: "a feature is missing or outside the bounds of its slice",
    CONST: "a slot changed a state that it may only read",
    PACK_SIZE: "the packed state is empty or too long",
    PACK_ACCEPTED: "unpack rejects what pack wrote",
    PACK_CANONICAL: "packing an unpacked state gives other bytes",
    PACK_BEHAVIOUR: "an unpacked state behaves differently",
    WORLD_VALID: "determinize made a state that unpack rejects",
    WORLD_PUBLIC: "determinize changed the phase, the actors, the scores or the returns",
    WORLD_INFOSET: "determinize changed the viewer's infoset",
    WORLD_MOVES: "determinize changed the viewer's moves",
    WORLD_FEATURES: "determinize changed the viewer's features",
    WORLD_BLIND: "determinize depends on hidden information",
}

# More moves than any sensible game has: a game that is longer does not end.
DEFAULT_LIMIT = 100_000


class LawBroken(AssertionError):
    """A game broke a contract of abi.pxd."""


cdef struct Bench:
    const GameOps* ops
    char* memory
    size_t size
    char* buffers[BUFFERS]
    size_t sizes[BUFFERS]
    void* state                         # the game that is played
    void* before                        # a copy, to check that readers do not write
    void* twin                          # rebuilt from bytes
    void* world                         # drawn for a viewer
    void* other                         # drawn for the same viewer from another state
    move_t* moves
    move_t* others
    uint8_t* packed
    uint8_t* repacked
    char* text
    double* points
    double* points_there
    float* features
    float* features_there
    float* bounds                       # the least and the greatest value of every feature
    int seats
    int phases
    Rng rng


# ---- The bench: buffers between guards -----------------------------------------------------------

cdef bint build(Bench* b, const GameOps* ops) noexcept nogil:
    """Allocate the buffers; return False if there is no memory."""
    cdef size_t list_size = (ops.max_moves + MOVE_SLACK) * sizeof(move_t)
    cdef size_t at = GUARD, step
    cdef const char* names = ops.phases
    cdef int i
    memset(b, 0, sizeof(Bench))
    b.ops = ops
    for i in range(BUFFERS):
        b.sizes[i] = ops.state_size
    b.sizes[5] = b.sizes[6] = list_size
    b.sizes[7] = b.sizes[8] = MAX_PACKED
    b.sizes[9] = MAX_NOTATION
    b.sizes[10] = b.sizes[11] = MAX_SEATS * sizeof(double)
    b.sizes[12] = b.sizes[13] = ops.num_features * sizeof(float)
    for i in range(BUFFERS):
        at += (b.sizes[i] + GUARD + 15) // 16 * 16
    b.size = at
    # Nothing but the bounds lies behind the guards.
    b.memory = <char*>malloc(b.size + 2 * b.sizes[12])
    if b.memory == NULL:
        return False
    memset(b.memory, GUARD_BYTE, GUARD)
    at = GUARD
    for i in range(BUFFERS):
        step = (b.sizes[i] + GUARD + 15) // 16 * 16
        b.buffers[i] = b.memory + at
        memset(b.buffers[i] + b.sizes[i], GUARD_BYTE, step - b.sizes[i])
        at += step
    b.state, b.before, b.twin = b.buffers[0], b.buffers[1], b.buffers[2]
    b.world, b.other = b.buffers[3], b.buffers[4]
    b.moves, b.others = <move_t*>b.buffers[5], <move_t*>b.buffers[6]
    b.packed, b.repacked = <uint8_t*>b.buffers[7], <uint8_t*>b.buffers[8]
    b.text = b.buffers[9]
    b.points, b.points_there = <double*>b.buffers[10], <double*>b.buffers[11]
    b.features, b.features_there = <float*>b.buffers[12], <float*>b.buffers[13]
    b.bounds = <float*>(b.memory + b.size)
    b.phases = 1
    while names[0]:
        b.phases += names[0] == c" "
        names += 1
    return True


cdef void fill_bounds(Bench* b, Game game):
    """Fill in the bounds of every feature."""
    cdef uint32_t at
    for each in game.features:
        for at in range(each.offset, each.offset + each.size):
            b.bounds[2 * at] = each.low
            b.bounds[2 * at + 1] = each.high


cdef bint guards_intact(const Bench* b) noexcept nogil:
    cdef const char* cursor = b.memory
    cdef const char* end
    cdef int i
    for i in range(BUFFERS + 1):
        end = b.buffers[i] if i < BUFFERS else b.memory + b.size
        while cursor < end:
            if <uint8_t>cursor[0] != GUARD_BYTE:
                return False
            cursor += 1
        if i < BUFFERS:
            cursor = b.buffers[i] + b.sizes[i]
    return True


# ---- Laws of one position ------------------------------------------------------------------------

cdef bint points_within(Bench* b, double bound) noexcept nogil:
    cdef int seat
    for seat in range(b.seats):
        if not isfinite(b.points[seat]) or not -bound <= b.points[seat] <= bound:
            return False
    return True


cdef void blank_points(double* points) noexcept nogil:
    """Fill with NAN, so that a seat that is never written is found."""
    cdef int seat
    for seat in range(MAX_SEATS):
        points[seat] = NAN


cdef Law check_features(Bench* b, int seat) noexcept nogil:
    """Check that every feature is written, and within the bounds of its slice."""
    cdef uint32_t i
    for i in range(b.ops.num_features):
        b.features[i] = NAN
    b.ops.write_features(b.state, seat, b.features)
    for i in range(b.ops.num_features):
        # Not true of NAN.
        if not b.bounds[2 * i] <= b.features[i] <= b.bounds[2 * i + 1]:
            return FEATURES
    return KEPT


cdef bint same_features(Bench* b, const void* there, int seat) noexcept nogil:
    b.ops.write_features(b.state, seat, b.features)
    b.ops.write_features(there, seat, b.features_there)
    return memcmp(b.features, b.features_there, b.sizes[12]) == 0


cdef Law check_moves(Bench* b, int seat, uint32_t actors, bint costly) noexcept nogil:
    """Check the move list of a seat and leave it in b.moves."""
    cdef const GameOps* ops = b.ops
    cdef uint32_t i, n = ops.moves(b.state, seat, b.moves)
    cdef int length
    if actors == 0 and n:
        return MOVES_OVER
    if n > ops.max_moves or (seat != TABLE and (n > 0) != ((actors >> seat) & 1)):
        return MOVES_COUNT
    for i in range(n):
        if b.moves[i] >= ops.num_actions:
            return MOVES_RANGE
        if i and b.moves[i] <= b.moves[i - 1]:
            return MOVES_ORDER
    if costly:
        for i in range(n):
            length = ops.write_move(b.moves[i], b.text)
            if not 0 < length <= MAX_NOTATION or not printable(b.text, length):
                return NOTATION
            if ops.read_move(b.text, length) != <long>b.moves[i]:
                return NOTATION
    return KEPT


cdef Law check_narrow(Bench* b, uint32_t actors) noexcept nogil:
    """Check that `narrow` selects some of the legal moves, as in a search that began here."""
    cdef uint32_t i, j, n, kept
    cdef int seat
    for seat in range(b.seats):
        if not actors >> seat & 1:
            continue
        n = b.ops.moves(b.state, seat, b.moves)
        memcpy(b.others, b.moves, n * sizeof(move_t))
        kept = b.ops.narrow(b.state, b.state, seat, b.others, n)
        if kept > n:
            return NARROW
        j = 0
        for i in range(kept):
            while j < n and b.moves[j] != b.others[i]:
                j += 1
            if j == n:
                return NARROW
            j += 1
    return KEPT


cdef bint printable(const char* text, int length) noexcept nogil:
    cdef int i
    for i in range(length):
        if not 32 <= text[i] < 127:
            return False
    return True


cdef Law check_points(Bench* b, uint32_t actors) noexcept nogil:
    blank_points(b.points)
    b.ops.scores(b.state, b.points)
    if not points_within(b, 1e12):
        return SCORES
    blank_points(b.points)
    if actors == 0:
        b.ops.returns(b.state, b.points)
        if not points_within(b, 1.0):
            return RETURNS
    elif b.ops.evaluate != NULL:
        b.ops.evaluate(b.state, b.points)
        if not points_within(b, 1.0):
            return ESTIMATE
    return KEPT


cdef bint same_moves(Bench* b, const void* there, int seat) noexcept nogil:
    cdef uint32_t n = b.ops.moves(b.state, seat, b.moves)
    return b.ops.moves(there, seat, b.others) == n and not memcmp(
        b.moves, b.others, n * sizeof(move_t)
    )


cdef bint same_public(Bench* b, const void* there) noexcept nogil:
    """Return whether everything public is the same in another state."""
    cdef uint32_t actors = b.ops.actors(b.state)
    cdef size_t size = b.seats * sizeof(double)
    if b.ops.actors(there) != actors or b.ops.phase(there) != b.ops.phase(b.state):
        return False
    b.ops.scores(b.state, b.points)
    b.ops.scores(there, b.points_there)
    if memcmp(b.points, b.points_there, size):
        return False
    if actors == 0:
        b.ops.returns(b.state, b.points)
        b.ops.returns(there, b.points_there)
        return memcmp(b.points, b.points_there, size) == 0
    return True


cdef Law check_bytes(Bench* b) noexcept nogil:
    """Check pack and unpack, and leave the rebuilt state in b.twin."""
    cdef size_t length = b.ops.pack(b.state, b.packed)
    cdef int seat
    if not 0 < length <= MAX_PACKED:
        return PACK_SIZE
    if b.ops.unpack(b.twin, b.packed, length):
        return PACK_ACCEPTED
    if b.ops.pack(b.twin, b.repacked) != length or memcmp(b.packed, b.repacked, length):
        return PACK_CANONICAL
    if not same_public(b, b.twin):
        return PACK_BEHAVIOUR
    for seat in range(TABLE, b.seats):
        if not same_moves(b, b.twin, seat):
            return PACK_BEHAVIOUR
        if seat != TABLE and not same_features(b, b.twin, seat):
            return PACK_BEHAVIOUR
    return KEPT


cdef Law check_worlds(Bench* b, int viewer) noexcept nogil:
    """Check the worlds that determinize draws for a viewer."""
    cdef const GameOps* ops = b.ops
    cdef uint64_t first = rng_next(&b.rng), second = rng_next(&b.rng)
    cdef size_t length
    cdef Rng rng
    memcpy(b.world, b.state, ops.state_size)
    rng_seed(&rng, first, VIEW_STREAM)
    ops.determinize(b.world, viewer, &rng)
    length = ops.pack(b.world, b.packed)
    if not 0 < length <= MAX_PACKED or ops.unpack(b.twin, b.packed, length):
        return WORLD_VALID
    if not same_public(b, b.world):
        return WORLD_PUBLIC
    if ops.infoset(b.world, viewer) != ops.infoset(b.state, viewer):
        return WORLD_INFOSET
    if not same_moves(b, b.world, viewer):
        return WORLD_MOVES
    if viewer != TABLE and not same_features(b, b.world, viewer):
        return WORLD_FEATURES
    # Draw with the same random numbers from the world and from the true state.
    rng_seed(&rng, second, VIEW_STREAM)
    ops.determinize(b.world, viewer, &rng)
    memcpy(b.other, b.state, ops.state_size)
    rng_seed(&rng, second, VIEW_STREAM)
    ops.determinize(b.other, viewer, &rng)
    length = ops.pack(b.world, b.packed)
    if ops.pack(b.other, b.repacked) != length or memcmp(b.packed, b.repacked, length):
        return WORLD_BLIND
    return KEPT


cdef Law check_position(Bench* b, bint costly) noexcept nogil:
    cdef const GameOps* ops = b.ops
    cdef uint32_t actors = ops.actors(b.state)
    cdef int seat, phase = ops.phase(b.state)
    cdef Law law
    memcpy(b.before, b.state, ops.state_size)
    if ops.seats(b.state) != b.seats:
        return SEATS
    if actors >> b.seats:
        return ACTORS
    if not 0 <= phase < b.phases or (phase == b.phases - 1) != (actors == 0):
        return PHASE
    for seat in range(TABLE, b.seats):
        law = check_moves(b, seat, actors, costly)
        if law == KEPT and seat != TABLE:
            law = check_features(b, seat)
        if law != KEPT:
            return law
    law = check_points(b, actors)
    if law == KEPT and ops.narrow != NULL:
        law = check_narrow(b, actors)
    if law == KEPT and memcmp(b.before, b.state, ops.state_size):
        law = CONST
    if law != KEPT:
        return law
    if costly and ops.determinize != NULL:
        for seat in range(TABLE, b.seats):
            law = check_worlds(b, seat)
            if law != KEPT:
                return law
    # Last, because it leaves the twin for the next move.
    law = check_bytes(b)
    if law == KEPT and memcmp(b.before, b.state, ops.state_size):
        return CONST
    return law


# ---- Play ----------------------------------------------------------------------------------------

cdef Law step(Bench* b) noexcept nogil:
    """Play a random move of a random actor, sometimes of the table, here and in the twin."""
    cdef const GameOps* ops = b.ops
    cdef int seat = random_actor(ops.actors(b.state), &b.rng)
    cdef uint32_t chosen, n
    cdef size_t length
    if rng_below(&b.rng, 8) == 0 and ops.moves(b.state, TABLE, b.moves):
        seat = TABLE
    n = ops.moves(b.state, seat, b.moves)
    chosen = rng_below(&b.rng, n)
    if ops.pick != NULL and seat != TABLE and rng_below(&b.rng, 2):
        chosen = ops.pick(b.state, seat, b.moves, n, &b.rng)
        if chosen >= n:
            return PICK
    ops.apply(b.state, seat, b.moves[chosen])
    ops.apply(b.twin, seat, b.moves[chosen])
    length = ops.pack(b.state, b.packed)
    if ops.pack(b.twin, b.repacked) != length or memcmp(b.packed, b.repacked, length):
        return PACK_BEHAVIOUR
    return KEPT


cdef Law play_on(Bench* b, uint32_t limit, uint32_t stride, uint32_t* played) noexcept nogil:
    """Play from b.state to the end, at most `limit` moves, checking laws at every position."""
    cdef Law law
    b.seats = b.ops.seats(b.state)
    played[0] = 0
    if not b.ops.min_seats <= b.seats <= b.ops.max_seats:
        return SEATS
    while True:
        law = check_position(b, rng_below(&b.rng, stride) == 0)
        if law == KEPT and not guards_intact(b):
            law = GUARDS
        if law != KEPT or played[0] == limit or b.ops.actors(b.state) == 0:
            return law
        law = step(b)
        if law != KEPT:
            return law
        played[0] += 1


def check_games(
    Game game not None, options, uint64_t seed, uint64_t games=1,
    uint32_t limit=DEFAULT_LIMIT, uint32_t stride=1,
):
    """Play random games under every law, game i from seed + i, and return the number of moves.

    The most costly laws (notation, hidden information) are checked in one of `stride` positions. A
    game that is not over after `limit` moves also breaks a law.
    """
    cdef bytes packed = game.pack_options(options)
    cdef const char* chosen = packed
    cdef Law law = KEPT
    cdef uint64_t number = seed, moves = 0
    cdef uint32_t played = 0
    cdef bint over = True
    cdef Bench bench
    if not build(&bench, game.ops):
        raise MemoryError
    fill_bounds(&bench, game)
    with nogil:
        for number in range(seed, seed + games):
            rng_seed(&bench.rng, number, GAME_STREAM)
            game.ops.setup(bench.state, chosen, &bench.rng)
            rng_seed(&bench.rng, number, PLAYOUT_STREAM)
            law = play_on(&bench, limit, stride, &played)
            moves += played
            over = game.ops.actors(bench.state) == 0
            if law != KEPT or not over:
                break
    free(bench.memory)
    if law != KEPT:
        raise LawBroken(f"{game.name} {options}, seed {number}, ply {played}: {LAWS[law]}")
    if not over:
        raise LawBroken(f"{game.name} {options}, seed {number}: no end after {limit} moves")
    return moves


cdef int try_unpack(
    const GameOps* ops, uint8_t* room, const uint8_t* data, size_t length
) noexcept nogil:
    """Return the error code of `unpack`; -1 if it wrote outside its state.

    `room` has space for two guards, a state and the bytes. The bytes are at its very end, so that
    the address sanitizer notices any read past them.
    """
    cdef size_t i, size = GUARD + ops.state_size + GUARD
    cdef int fault
    memset(room, GUARD_BYTE, size)
    if length:
        memcpy(room + size, data, length)
    fault = ops.unpack(room + GUARD, room + size, length)
    for i in range(GUARD):
        if room[i] != GUARD_BYTE or room[GUARD + ops.state_size + i] != GUARD_BYTE:
            return -1
    return fault


def check_packed(
    Game game not None, const uint8_t[::1] data, uint64_t seed=0,
    uint32_t limit=1000, uint32_t stride=8,
):
    """Return whether `unpack` accepts the bytes. If so, all laws must hold from there on.

    A state built by hand may never end (no pieces, no turn limit), so `limit` simply stops play.
    """
    cdef const uint8_t* start = &data[0] if data.shape[0] else NULL
    cdef size_t length = data.shape[0]
    cdef Law law = KEPT
    cdef uint32_t played = 0
    cdef Bench bench
    cdef int fault
    # Most bytes are rejected, and finding that out costs much less than setting up a bench.
    cdef uint8_t* room = <uint8_t*>malloc(2 * GUARD + game.ops.state_size + length)
    if room == NULL:
        raise MemoryError
    fault = try_unpack(game.ops, room, start, length)
    free(room)
    if fault > 0:
        return False
    if not build(&bench, game.ops):
        raise MemoryError
    fill_bounds(&bench, game)
    with nogil:
        if fault < 0:
            law = GUARDS
        else:
            game.ops.unpack(bench.state, start, length)
            if game.ops.pack(bench.state, bench.packed) != length or memcmp(
                bench.packed, start, length
            ):
                law = PACK_CANONICAL
            else:
                rng_seed(&bench.rng, seed, PLAYOUT_STREAM)
                law = play_on(&bench, limit, stride, &played)
    free(bench.memory)
    if law != KEPT:
        raise LawBroken(f"{game.name} {bytes(data).hex()}, ply {played}: {LAWS[law]}")
    return True
