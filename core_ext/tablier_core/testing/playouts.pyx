"""Random games in bulk, with the GIL released: to measure speed and typical results."""

from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from tablier_core.abi cimport MAX_SEATS, MOVE_SLACK, GameOps, move_t
from tablier_core.playout cimport Played, playout
from tablier_core.position cimport Game
from tablier_core.rng cimport GAME_STREAM, PLAYOUT_STREAM, Rng, rng_seed

# More moves than any sensible game has: a longer game is cut here.
DEFAULT_LIMIT = 1_000_000

cdef struct Tally:
    uint64_t games
    uint64_t moves
    uint64_t generated
    uint64_t unfinished
    uint64_t draws
    uint64_t wins[MAX_SEATS]
    double returns[MAX_SEATS]


cdef void play(
    const GameOps* ops, const void* options, uint64_t first, uint64_t games, uint32_t limit,
    void* state, move_t* scratch, Tally* tally,
) noexcept nogil:
    cdef double outcome[MAX_SEATS]
    cdef uint64_t game, seed
    cdef int seat, seats
    cdef bint drawn
    cdef Played played
    cdef Rng rng
    for game in range(games):
        seed = first + game             # may wrap around to 0
        rng_seed(&rng, seed, GAME_STREAM)
        ops.setup(state, options, &rng)
        rng_seed(&rng, seed, PLAYOUT_STREAM)
        played = playout(ops, state, scratch, limit, &rng)
        tally.moves += played.moves
        tally.generated += played.generated
        tally.games += 1
        if ops.actors(state):
            tally.unfinished += 1
            continue
        ops.returns(state, outcome)
        seats = ops.seats(state)
        drawn = True
        for seat in range(seats):
            tally.returns[seat] += outcome[seat]
            if outcome[seat] > 0:
                tally.wins[seat] += 1
            if outcome[seat] != 0:
                drawn = False
        tally.draws += drawn


def playouts(
    Game game not None, options, uint64_t seed, uint64_t games, uint32_t limit=DEFAULT_LIMIT
):
    """Play random games, game i from seed + i, and return the totals.

    generated: legal moves listed, over all moves played; unfinished: games cut at `limit` moves;
    draws: games that return 0 to every seat; wins: games with a positive return, by seat;
    returns: sums of returns, by seat.
    """
    cdef const GameOps* ops = game.ops
    cdef bytes packed = game.pack_options(options)
    cdef const char* chosen = packed
    cdef void* state = malloc(ops.state_size)
    cdef move_t* scratch = <move_t*>malloc((ops.max_moves + MOVE_SLACK) * sizeof(move_t))
    cdef Tally tally
    memset(&tally, 0, sizeof(tally))
    if state == NULL or scratch == NULL:
        free(state)
        free(scratch)
        raise MemoryError
    with nogil:
        play(ops, chosen, seed, games, limit, state, scratch, &tally)
    seats = ops.seats(state) if games else 0
    free(state)
    free(scratch)
    return {
        "games": tally.games,
        "moves": tally.moves,
        "generated": tally.generated,
        "unfinished": tally.unfinished,
        "draws": tally.draws,
        "wins": [tally.wins[seat] for seat in range(seats)],
        "returns": [tally.returns[seat] for seat in range(seats)],
    }
