"""Near wins by plain enumeration, over any game of two seats; and what an engine says, unsearched.

It is slow and as simple as can be: the measure for engines that are neither.
"""

from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from tablier_core.abi cimport MOVE_SLACK, NO_OPINION, PRIOR, SETTLED, GameOps, Verdict, move_t
from tablier_core.budget cimport Budget, now
from tablier_core.position cimport Position
from tablier_core.rng cimport SEARCH_STREAM, Rng, rng_seed

VERDICTS = {NO_OPINION: "no opinion", PRIOR: "prior", SETTLED: "settled"}


cdef int forces(const GameOps* ops, const void* state, int seat, int own_moves) noexcept nogil:
    """Whether a seat can force a win with no more than so many moves of its own; -1: no memory."""
    cdef double returns[2]
    cdef uint32_t actors = ops.actors(state), i, n
    cdef int actor, found
    cdef move_t* moves
    cdef char* after
    if not actors:
        ops.returns(state, returns)
        return returns[seat] == 1.0
    actor = 0 if actors & 1 else 1
    if actor == seat and own_moves == 0:
        return False
    moves = <move_t*>malloc((ops.max_moves + MOVE_SLACK) * sizeof(move_t))
    after = <char*>malloc(ops.state_size)
    found = -1
    if moves != NULL and after != NULL:
        n = ops.moves(state, actor, moves)
        for i in range(n):
            memcpy(after, state, ops.state_size)
            ops.apply(after, actor, moves[i])
            found = forces(ops, after, seat, own_moves - (actor == seat))
            # The seat looks for one move that forces, its rival for one that does not.
            if found != (actor != seat):
                break
    free(moves)
    free(after)
    return found


def can_force(Position position not None, int seat, int own_moves):
    """Whether a seat of a game for two can win with so many moves of its own, whatever is replied.

    It need not be to move.
    """
    cdef int found
    with nogil:
        found = forces(position.game.ops, position.state, seat, own_moves)
    if found < 0:
        raise MemoryError
    return bool(found)


def opinion(
    Position position not None, int seat, *, uint64_t iterations=0, double seconds=0.0,
    uint64_t seed=0,
):
    """What a game's engine says of a seat's moves: the verdict, weights and values by action."""
    cdef const GameOps* ops = position.game.ops
    cdef int32_t cancelled = 0
    cdef Budget budget
    cdef Rng rng
    cdef Verdict verdict
    cdef uint32_t i, n
    cdef int other, seats = ops.seats(position.state)
    budget.iterations = iterations
    budget.deadline = now() + seconds if seconds > 0 else 0.0
    budget.cancelled = &cancelled
    rng_seed(&rng, seed, SEARCH_STREAM)
    cdef move_t* moves = <move_t*>malloc((ops.max_moves + MOVE_SLACK) * sizeof(move_t))
    cdef double* weights = NULL
    cdef double* values = NULL
    try:
        if moves == NULL:
            raise MemoryError
        n = ops.moves(position.state, seat, moves)
        weights = <double*>malloc(n * sizeof(double))
        values = <double*>malloc(n * seats * sizeof(double))
        if weights == NULL or values == NULL:
            raise MemoryError
        for i in range(n):
            weights[i] = 0.0
        with nogil:
            verdict = ops.rank(
                position.state, seat, moves, n, &budget, &rng, weights, values
            )
        return (
            VERDICTS[verdict],
            {moves[i]: weights[i] for i in range(n)},
            {
                moves[i]: tuple([values[i * seats + other] for other in range(seats)])
                for i in range(n)
            } if verdict == SETTLED else {},
        )
    finally:
        free(moves)
        free(weights)
        free(values)
