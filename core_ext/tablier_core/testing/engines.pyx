"""Games with a replaced engine, to test how a search uses `rank` and `narrow`.

A C function can only find its instructions in a module variable, so there is one such game at a
time.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from tablier_core.abi cimport (
    MAX_PACKED, NO_OPINION, PRIOR, SETTLED, GameOps, Verdict, move_t,
)
from tablier_core.budget cimport Budget
from tablier_core.packing cimport hash_bytes
from tablier_core.position cimport Game
from tablier_core.rng cimport Rng

cdef enum:
    MAX_ACTIONS = 1 << 16

cdef GameOps advised
cdef Verdict said
cdef double[MAX_ACTIONS] weight_of

VERDICTS = {"no opinion": NO_OPINION, "prior": PRIOR, "settled": SETTLED}


cdef Verdict rank_by_table(
    const void* state, int seat, const move_t* moves, uint32_t n, const Budget* budget, Rng* rng,
    double* weights, double* values,
) noexcept nogil:
    """Return the weights of the test. A seat's value is the weight, twice for the advised seat."""
    cdef int seats = advised.seats(state), other
    cdef uint32_t i
    for i in range(n):
        weights[i] = weight_of[moves[i]]
        if said == SETTLED:
            for other in range(seats):
                values[i * seats + other] = weights[i] * (2 if other == seat else 1)
    return said


cdef Verdict rank_by_truth(
    const void* state, int seat, const move_t* moves, uint32_t n, const Budget* budget, Rng* rng,
    double* weights, double* values,
) noexcept nogil:
    """Weigh moves by all bits of the state, including hidden information."""
    cdef uint8_t packed[MAX_PACKED]
    cdef uint64_t known = hash_bytes(0, packed, advised.pack(state, packed))
    cdef int seats = advised.seats(state), other
    cdef uint32_t i
    for i in range(n):
        weights[i] = 1 + <double>((known >> (8 * (i % 8))) & 255)
        for other in range(seats):
            values[i * seats + other] = weights[i] / 256
    return said


cdef uint32_t narrow_by_table(
    const void* begun, const void* state, int seat, move_t* moves, uint32_t n
) noexcept nogil:
    """Keep the moves that have a weight in the test."""
    cdef uint32_t i, kept = 0
    for i in range(n):
        if weight_of[moves[i]] > 0:
            moves[kept] = moves[i]
            kept += 1
    return kept


cdef Game advised_game(Game game):
    return Game(
        PyCapsule_New(&advised, "tablier_core.GameOps", NULL),
        title=game.title, french_title=game.french_title, summary=game.summary,
        options=game.options, notation=game.notation, pack_options=game._pack_options,
        observe=game._observe, draw_text=game._draw_text, draw_svg=game._draw_svg,
        telling=game._telling, public_moves=game.public_moves,
    )


def confine(Game game not None, actions):
    """Return the game with search trees that look only into these actions, until the next call."""
    global advised
    advised = game.ops[0]
    memset(weight_of, 0, sizeof(weight_of))
    for action in actions:
        weight_of[action] = 1.0
    advised.narrow = narrow_by_table
    return advised_game(game)


def engage(Game game not None, str verdict, weights=None):
    """Return the game with an engine that gives actions these weights, until the next call.

    Without weights, the engine weighs moves by all bits of the state that it gets.
    """
    global advised, said
    if game.ops.num_actions > MAX_ACTIONS:
        raise ValueError("too many actions")
    advised = game.ops[0]
    said = VERDICTS[verdict]
    memset(weight_of, 0, sizeof(weight_of))
    for action, weight in (weights or {}).items():
        weight_of[action] = weight
    advised.rank = rank_by_truth if weights is None else rank_by_table
    return advised_game(game)
