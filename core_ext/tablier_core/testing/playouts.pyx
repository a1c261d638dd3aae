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
    # How the games ended: one of these for each game.
    uint64_t unfinished
    uint64_t wins
    uint64_t draws
    uint64_t losses
    uint64_t wins_by_seat[MAX_SEATS]
    double returns[MAX_SEATS]


cdef void play(
    const GameOps* ops, const void* options, uint64_t first, uint64_t games, uint32_t limit,
    void* state, move_t* scratch, Tally* tally,
) noexcept nogil:
    cdef double outcome[MAX_SEATS]
    cdef uint64_t game, seed
    cdef double best
    cdef int seat
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
        best = -1.0
        for seat in range(ops.seats(state)):
            tally.returns[seat] += outcome[seat]
            tally.wins_by_seat[seat] += outcome[seat] > 0
            best = max(best, outcome[seat])
        # In a draw, too, seats can have lost: those that are out, or did not share the win.
        if best > 0:
            tally.wins += 1
        elif best > -1:
            tally.draws += 1
        else:
            tally.losses += 1


def playouts(
    Game game not None, options, uint64_t seed, uint64_t games, uint32_t limit=DEFAULT_LIMIT
):
    """Play random games, game i from seed + i, and return the totals.

    generated: legal moves listed, over all moves played; unfinished: games cut at `limit` moves;
    wins: games with a positive return for some seat; losses: games that return -1 to every seat, as
    when a team misses its goal; draws: all others; wins_by_seat: games with a positive return for
    this seat (teams win together); returns: sums of returns, by seat.
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
        "wins": tally.wins,
        "draws": tally.draws,
        "losses": tally.losses,
        "wins_by_seat": [tally.wins_by_seat[seat] for seat in range(seats)],
        "returns": [tally.returns[seat] for seat in range(seats)],
    }
