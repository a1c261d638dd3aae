"""Forced wins by plain enumeration, for any game of two seats, and the bare opinion of an engine.

The enumeration uses only the rules of the game, so engines with judgement can be measured by it.
"""

from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from tablier_core.abi cimport MOVE_SLACK, NO_OPINION, PRIOR, SETTLED, GameOps, Verdict, move_t
from tablier_core.budget cimport Budget, now
from tablier_core.movelist cimport is_listed
from tablier_core.position cimport Position
from tablier_core.rng cimport SEARCH_STREAM, Rng, rng_seed

VERDICTS = {NO_OPINION: "no opinion", PRIOR: "prior", SETTLED: "settled"}


# Memory for one move of a line, and the move that decided here last time.
cdef struct Level:
    move_t* moves
    char* after
    move_t decisive
    Level* deeper


cdef Level* new_level(const GameOps* ops) noexcept nogil:
    cdef Level* level = <Level*>malloc(sizeof(Level))
    if level != NULL:
        level.moves = <move_t*>malloc((ops.max_moves + MOVE_SLACK) * sizeof(move_t))
        level.after = <char*>malloc(ops.state_size)
        level.decisive = 0
        level.deeper = NULL
        if level.moves == NULL or level.after == NULL:
            free_levels(level)
            return NULL
    return level


cdef void free_levels(Level* level) noexcept nogil:
    cdef Level* deeper
    while level != NULL:
        deeper = level.deeper
        free(level.moves)
        free(level.after)
        free(level)
        level = deeper


cdef int forces(
    const GameOps* ops, const void* state, int seat, int own_moves, Level** level
) noexcept nogil:
    """Return whether a seat can force a win with `own_moves` of its moves; -1: no memory."""
    cdef double returns[2]
    cdef uint32_t actors = ops.actors(state), i, n
    cdef int actor, found
    if not actors:
        ops.returns(state, returns)
        return returns[seat] == 1.0
    actor = 0 if actors & 1 else 1
    if actor == seat and own_moves == 0:
        return False
    if level[0] == NULL:
        level[0] = new_level(ops)
        if level[0] == NULL:
            return -1
    n = ops.moves(state, actor, level[0].moves)
    # The move that decided here last time often decides again, so try it first.
    if is_listed(level[0].moves, n, level[0].decisive):
        found = forces_after(ops, state, actor, level[0].decisive, seat, own_moves, level[0])
        if found != (actor != seat):
            return found
    for i in range(n):
        found = forces_after(ops, state, actor, level[0].moves[i], seat, own_moves, level[0])
        # The seat needs one move that forces a win, its rival one that does not.
        if found != (actor != seat):
            level[0].decisive = level[0].moves[i]
            return found
    return actor != seat


cdef int forces_after(
    const GameOps* ops, const void* state, int actor, move_t move, int seat, int own_moves,
    Level* level,
) noexcept nogil:
    memcpy(level.after, state, ops.state_size)
    ops.apply(level.after, actor, move)
    return forces(ops, level.after, seat, own_moves - (actor == seat), &level.deeper)


def can_force(Position position not None, int seat, int own_moves):
    """Return whether a seat can win with `own_moves` of its moves, whatever its rival replies.

    For games of two seats. The seat need not be to move.
    """
    cdef Level* level = NULL
    cdef int found
    with nogil:
        found = forces(position.game.ops, position.state, seat, own_moves, &level)
        free_levels(level)
    if found < 0:
        raise MemoryError
    return bool(found)


def forcing_moves(Position position not None, int seat, int own_moves):
    """Return the legal moves after which `seat` can force a win with `own_moves` of its moves."""
    cdef const GameOps* ops = position.game.ops
    cdef Level* level = new_level(ops)
    cdef int found, actor = position.actors[0]
    cdef uint32_t i, n
    forcing = []
    if level == NULL:
        raise MemoryError
    n = ops.moves(position.state, actor, level.moves)
    for i in range(n):
        with nogil:
            memcpy(level.after, position.state, ops.state_size)
            ops.apply(level.after, actor, level.moves[i])
            found = forces(ops, level.after, seat, own_moves, &level.deeper)
        if found < 0:
            free_levels(level)
            raise MemoryError
        if found:
            forcing.append(level.moves[i])
    free_levels(level)
    return forcing


def opinion(
    Position position not None, int seat, *, uint64_t iterations=0, double seconds=0.0,
    uint64_t seed=0,
):
    """Return the engine's opinion of a seat's moves: the verdict, weights and values by action."""
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
