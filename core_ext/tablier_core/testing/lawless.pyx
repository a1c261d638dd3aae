"""Games with one planted fault each, to prove that the laws notice faults.

A fault replaces one slot of a lawful game. The faulty slot calls the lawful one, which a C function
can only find in a module variable, so there is one lawless game at a time.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.math cimport NAN
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from tablier_core.abi cimport MAX_PACKED, MOVE_SLACK, GameOps, move_t
from tablier_core.playout cimport random_actor
from tablier_core.position cimport Game
from tablier_core.rng cimport Rng, rng_next

cdef GameOps lawful
cdef GameOps lawless


cdef uint32_t moves_reversed(const void* state, int seat, move_t* out) noexcept nogil:
    cdef uint32_t n = lawful.moves(state, seat, out)
    if n > 1:
        out[0], out[1] = out[1], out[0]
    return n


cdef uint32_t moves_out_of_range(const void* state, int seat, move_t* out) noexcept nogil:
    cdef uint32_t n = lawful.moves(state, seat, out)
    if n:
        out[n - 1] = lawful.num_actions
    return n


cdef uint32_t moves_of_nobody(const void* state, int seat, move_t* out) noexcept nogil:
    return 0


cdef uint32_t moves_after_the_end(const void* state, int seat, move_t* out) noexcept nogil:
    cdef uint32_t n = lawful.moves(state, seat, out)
    if lawful.actors(state):
        return n
    out[0] = 0
    return 1


cdef uint32_t moves_past_the_end(const void* state, int seat, move_t* out) noexcept nogil:
    out[lawful.max_moves + MOVE_SLACK] = 0
    return lawful.moves(state, seat, out)


cdef int seats_too_many(const void* state) noexcept nogil:
    return lawful.max_seats + 1


cdef int phase_without_end(const void* state) noexcept nogil:
    return 0


cdef uint32_t actors_of_no_seat(const void* state) noexcept nogil:
    return lawful.actors(state) | 1 << lawful.seats(state)


cdef void scores_missing(const void* state, double* out) noexcept nogil:
    lawful.scores(state, out)
    out[0] = NAN


cdef void scores_that_write(const void* state, double* out) noexcept nogil:
    lawful.scores(state, out)
    (<uint8_t*>state)[0] ^= 1


cdef void returns_too_large(const void* state, double* out) noexcept nogil:
    lawful.returns(state, out)
    out[0] = 1.5


cdef int write_nothing(move_t move, char* out) noexcept nogil:
    return 0


cdef long read_another(const char* text, size_t length) noexcept nogil:
    cdef long action = lawful.read_move(text, length)
    return action ^ 1 if action >= 0 else action


cdef size_t pack_nothing(const void* state, uint8_t* out) noexcept nogil:
    return 0


cdef size_t pack_before_the_start(const void* state, uint8_t* out) noexcept nogil:
    (out - 1)[0] = 0
    return lawful.pack(state, out)


cdef size_t pack_with_a_tail(const void* state, uint8_t* out) noexcept nogil:
    cdef size_t n = lawful.pack(state, out)
    out[n] = 0
    return n + 1


cdef int unpack_any_tail(void* state, const uint8_t* data, size_t length) noexcept nogil:
    """Accept one byte too many."""
    cdef int fault = lawful.unpack(state, data, length)
    return fault if not fault or not length else lawful.unpack(state, data, length - 1)


cdef uint32_t pick_past_the_end(
    const void* state, int seat, const move_t* moves, uint32_t n, Rng* rng
) noexcept nogil:
    return n


cdef uint32_t narrow_to_others(
    const void* begun, const void* state, int seat, move_t* moves, uint32_t n
) noexcept nogil:
    moves[0] += 1000
    return 1


cdef uint32_t narrow_to_more(
    const void* begun, const void* state, int seat, move_t* moves, uint32_t n
) noexcept nogil:
    return n + 1


cdef uint32_t narrow_reversed(
    const void* begun, const void* state, int seat, move_t* moves, uint32_t n
) noexcept nogil:
    cdef move_t first = moves[0]
    moves[0] = moves[n - 1]
    moves[n - 1] = first
    return n


cdef void evaluate_too_large(const void* state, double* out) noexcept nogil:
    cdef int seat
    for seat in range(lawful.seats(state)):
        out[seat] = -2.0


cdef void features_missing(const void* state, int seat, float* out) noexcept nogil:
    cdef float last = out[lawful.num_features - 1]
    lawful.write_features(state, seat, out)
    out[lawful.num_features - 1] = last


cdef void features_out_of_bounds(const void* state, int seat, float* out) noexcept nogil:
    lawful.write_features(state, seat, out)
    out[lawful.num_features - 1] = 2.0


cdef void features_past_the_end(const void* state, int seat, float* out) noexcept nogil:
    lawful.write_features(state, seat, out)
    out[lawful.num_features] = 0.0


cdef void features_that_write(const void* state, int seat, float* out) noexcept nogil:
    lawful.write_features(state, seat, out)
    (<uint8_t*>state)[0] += 1


cdef void features_peeking(const void* state, int seat, float* out) noexcept nogil:
    """Write a bit that depends on everything in the state."""
    cdef uint8_t packed[MAX_PACKED]
    cdef size_t i, n = lawful.pack(state, packed)
    cdef int ones = 0
    for i in range(n):
        ones += packed[i]
    lawful.write_features(state, seat, out)
    out[lawful.num_features - 1] = ones & 1


cdef void features_incomplete(const void* state, int seat, float* out) noexcept nogil:
    """Forget the last feature."""
    lawful.write_features(state, seat, out)
    out[lawful.num_features - 1] = 0.0


cdef void features_of_seat_0(const void* state, int seat, float* out) noexcept nogil:
    """Write the same for every seat: nothing begins with the seat itself."""
    lawful.write_features(state, 0, out)


cdef void determinize_peeking(void* state, int viewer, Rng* rng) noexcept nogil:
    """Draw a number of times that depends on hidden information."""
    cdef uint8_t packed[MAX_PACKED]
    cdef size_t i, n = lawful.pack(state, packed)
    for i in range(n):
        for _draw in range(packed[i]):
            rng_next(rng)
    lawful.determinize(state, viewer, rng)


cdef void determinize_for_another(void* state, int viewer, Rng* rng) noexcept nogil:
    lawful.determinize(state, 1 - viewer if viewer >= 0 else viewer, rng)


cdef void determinize_by_playing(void* state, int viewer, Rng* rng) noexcept nogil:
    """Play a move that nobody made; action 0 is always legal in the games under test."""
    cdef uint32_t actors = lawful.actors(state)
    if actors:
        lawful.apply(state, random_actor(actors, rng), 0)


cdef int confuse(const void* state, int viewer) noexcept nogil:
    """Return another viewer once the game is over."""
    return viewer if lawful.actors(state) or viewer < 0 else 1 - viewer


cdef void determinize_forgetting(void* state, int viewer, Rng* rng) noexcept nogil:
    lawful.determinize(state, confuse(state, viewer), rng)


cdef uint64_t infoset_forgetting(const void* state, int viewer) noexcept nogil:
    return lawful.infoset(state, confuse(state, viewer))


cdef void features_forgetting(const void* state, int seat, float* out) noexcept nogil:
    lawful.write_features(state, confuse(state, seat), out)


cdef void determinize_nothing(void* state, int viewer, Rng* rng) noexcept nogil:
    pass


def spoil(Game game not None, str fault):
    """Return the game with a fault, until the next call."""
    global lawful, lawless
    lawful = game.ops[0]
    lawless = lawful
    if fault == "moves reversed":
        lawless.moves = moves_reversed
    elif fault == "moves out of range":
        lawless.moves = moves_out_of_range
    elif fault == "moves of nobody":
        lawless.moves = moves_of_nobody
    elif fault == "moves after the end":
        lawless.moves = moves_after_the_end
    elif fault == "moves past the end":
        lawless.moves = moves_past_the_end
    elif fault == "seats too many":
        lawless.seats = seats_too_many
    elif fault == "phase without end":
        lawless.phase = phase_without_end
    elif fault == "actors of no seat":
        lawless.actors = actors_of_no_seat
    elif fault == "scores missing":
        lawless.scores = scores_missing
    elif fault == "scores that write":
        lawless.scores = scores_that_write
    elif fault == "returns too large":
        lawless.returns = returns_too_large
    elif fault == "write nothing":
        lawless.write_move = write_nothing
    elif fault == "read another":
        lawless.read_move = read_another
    elif fault == "pack nothing":
        lawless.pack = pack_nothing
    elif fault == "pack before the start":
        lawless.pack = pack_before_the_start
    elif fault == "pack with a tail":
        lawless.pack = pack_with_a_tail
    elif fault == "unpack any tail":
        lawless.unpack = unpack_any_tail
    elif fault == "pick past the end":
        lawless.pick = pick_past_the_end
    elif fault == "narrow to others":
        lawless.narrow = narrow_to_others
    elif fault == "narrow to more":
        lawless.narrow = narrow_to_more
    elif fault == "narrow reversed":
        lawless.narrow = narrow_reversed
    elif fault == "evaluate too large":
        lawless.evaluate = evaluate_too_large
    elif fault == "features missing":
        lawless.write_features = features_missing
    elif fault == "features out of bounds":
        lawless.write_features = features_out_of_bounds
    elif fault == "features past the end":
        lawless.write_features = features_past_the_end
    elif fault == "features that write":
        lawless.write_features = features_that_write
    elif fault == "features peeking":
        lawless.write_features = features_peeking
    elif fault == "features incomplete":
        lawless.write_features = features_incomplete
    elif fault == "features of seat 0":
        lawless.write_features = features_of_seat_0
    elif fault == "determinize peeking":
        lawless.determinize = determinize_peeking
    elif fault == "determinize for another":
        lawless.determinize = determinize_for_another
    elif fault == "determinize by playing":
        lawless.determinize = determinize_by_playing
    elif fault == "forgetting in the end":
        lawless.determinize = determinize_forgetting
        lawless.infoset = infoset_forgetting
        lawless.write_features = features_forgetting
    elif fault == "determinize nothing":
        lawless.determinize = determinize_nothing
    else:
        raise ValueError(fault)
    return Game(
        PyCapsule_New(&lawless, "tablier_core.GameOps", NULL),
        title=game.title, french_title=game.french_title, summary=game.summary,
        options=game.options, notation=game.notation, pack_options=game._pack_options,
        observe=game._observe, draw_text=game._draw_text, draw_svg=game._draw_svg,
        telling=game._telling,
        public_moves=game.public_moves,
    )
