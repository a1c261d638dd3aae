"""The question that a search answers, and the opinion of the game's own engine.

Advice never peeks, by construction. First of all, the true state is replaced by a world that the
seat cannot tell from it, and all random numbers come from the seat's information set and the
caller's seed. Whatever the engine and the search then read, hidden information cannot reach the
answer.
"""

from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memcpy, memset

from tablier_core.abi cimport MOVE_SLACK, NO_OPINION, PRIOR, GameOps, move_t
from tablier_core.budget cimport Budget
from tablier_core.rng cimport (
    ENGINE_STREAM, LEVEL_STREAM, WORLD_STREAM, Rng, rng_below, rng_seed,
)
from tablier_core.arena cimport arena_close, arena_open, arena_take
from tablier_core.search.levels cimport FULL_STRENGTH, level_slips


cdef bint open_question(
    Question* question, const GameOps* ops, const void* state, int seat, uint64_t seed
) noexcept nogil:
    cdef Question* q = question
    cdef size_t most = ops.max_moves + MOVE_SLACK
    cdef Rng rng
    q.ops = ops
    q.seat = seat
    q.seats = ops.seats(state)
    q.seed = seed if ops.infoset == NULL else seed ^ ops.infoset(state, seat)
    q.verdict = NO_OPINION
    q.ordered = NULL
    arena_open(&q.arena, <size_t>1 << 32)
    q.world = arena_take(&q.arena, ops.state_size)
    q.moves = <move_t*>arena_take(&q.arena, most * sizeof(move_t))
    if q.world == NULL or q.moves == NULL:
        return False
    memcpy(q.world, state, ops.state_size)
    if ops.determinize != NULL:
        rng_seed(&rng, q.seed, WORLD_STREAM)
        ops.determinize(q.world, seat, &rng)
    q.n = q.candidates = ops.moves(q.world, seat, q.moves)
    q.weights = <double*>arena_take(&q.arena, q.n * sizeof(double))
    q.values = <double*>arena_take(&q.arena, q.n * q.seats * sizeof(double))
    if q.weights == NULL or q.values == NULL:
        return False
    memset(q.weights, 0, q.n * sizeof(double))
    memset(q.values, 0, q.n * q.seats * sizeof(double))
    return True


cdef void order(Question* q, double* kept) noexcept nogil:
    """Keep the moves that have a weight, the heaviest first; equal ones stay in list order."""
    cdef uint32_t i, j
    cdef double weight
    q.candidates = 0
    for i in range(q.n):
        weight = q.weights[i]
        if weight <= 0:
            continue
        j = q.candidates
        while j > 0 and kept[j - 1] < weight:
            kept[j] = kept[j - 1]
            q.ordered[j] = q.ordered[j - 1]
            j -= 1
        kept[j] = weight
        q.ordered[j] = q.moves[i]
        q.candidates += 1
    if q.candidates == 0:               # no move has a weight, so there is no order
        q.candidates = q.n
        q.ordered = NULL


cdef void consult(Question* question, int level, const Budget* budget) noexcept nogil:
    cdef Question* q = question
    cdef Rng rng
    if level != FULL_STRENGTH:
        rng_seed(&rng, q.seed, LEVEL_STREAM)
        if rng_below(&rng, 100) < level_slips(level):
            # A slip is the only candidate: the search just estimates its value.
            q.ordered = &q.moves[rng_below(&rng, q.n)]
            q.candidates = 1
            return
    if q.ops.rank == NULL:
        return
    rng_seed(&rng, q.seed, ENGINE_STREAM)
    q.verdict = q.ops.rank(q.world, q.seat, q.moves, q.n, budget, &rng, q.weights, q.values)
    if q.verdict == PRIOR:
        q.ordered = <move_t*>arena_take(&q.arena, q.n * sizeof(move_t))
        # The values of a PRIOR are unused, so their memory serves for sorting the weights.
        if q.ordered != NULL:
            order(q, q.values)


cdef void close_question(Question* question) noexcept nogil:
    arena_close(&question.arena)
