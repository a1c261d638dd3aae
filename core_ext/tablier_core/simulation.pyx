"""Simulation for Python: bots play a position to the end many times, with the GIL released."""

from dataclasses import dataclass

from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from tablier_core.abi cimport MAX_SEATS, MOVE_SLACK, SETTLED, TABLE, GameOps, move_t
from tablier_core.advice cimport Cancel
from tablier_core.budget cimport Budget, is_cancelled, now
from tablier_core.playout cimport random_actor
from tablier_core.position cimport Position, new_position
from tablier_core.rng cimport SIMULATION_STREAM, Rng, rng_below, rng_next, rng_seed
from tablier_core.search.levels cimport LEVELS, level_iterations
from tablier_core.search.mcts cimport Search, close_search, open_search, think
from tablier_core.search.question cimport Question, close_question, consult, open_question

from tablier_core.errors import InvalidField

cdef enum:
    AT_RANDOM = 0               # as a level: uniformly random legal moves
    PARTS = 10                  # parts of the range of returns, for the histogram
    MAX_LENGTH = 100_000        # moves, after which a game is abandoned
    MAX_SAMPLE = 1024           # moves of the first game that are reported
    TREE_BYTES = 16 << 20

cdef struct Tally:
    uint64_t games
    uint64_t moves
    uint64_t shortest
    uint64_t longest
    double returns[MAX_SEATS]
    double scores[MAX_SEATS]
    uint64_t wins[MAX_SEATS]
    uint64_t parts[MAX_SEATS][PARTS]
    uint32_t sampled
    int seats[MAX_SAMPLE]
    move_t actions[MAX_SAMPLE]

cdef struct Table:
    const GameOps* ops
    const Budget* budget
    const int* levels
    Rng rng
    void* state
    move_t* scratch


@dataclass(frozen=True)
class Outcome:
    """The results of one seat over all games."""

    mean_return: float
    mean_score: float
    wins: int                   # games with a positive return
    histogram: tuple            # number of games by return, in ten equal parts of [-1, 1]


@dataclass(frozen=True)
class Simulation:
    """The results of the games that were finished."""

    games: int
    outcomes: tuple             # by seat
    mean_length: float          # in moves
    shortest: int
    longest: int
    sample: tuple               # the moves of the first game as (seat, action), at most 1024
    # What the viewer may be shown of the position: the world that the first game started from.
    world: Position


cdef long choose(Table* t, int seat) noexcept nogil:
    """Return the move of a bot, or -1 if it was interrupted or ran out of memory."""
    cdef Question question
    cdef Search search
    cdef Budget budget = t.budget[0]
    cdef uint64_t seed = rng_next(&t.rng)
    cdef uint32_t n
    cdef long move = -1
    if t.levels[seat] == AT_RANDOM:
        n = t.ops.moves(t.state, seat, t.scratch)
        return t.scratch[rng_below(&t.rng, n)]
    budget.iterations = level_iterations(t.levels[seat])
    if open_question(&question, t.ops, t.state, seat, seed):
        consult(&question, t.levels[seat], &budget)
        if question.verdict == SETTLED:
            move = question.moves[greatest(question.weights, question.n)]
        else:
            if open_search(&search, &question, 0, TREE_BYTES):
                think(&search, &budget)
                move = question.moves[most(search.visits, question.n)]
            close_search(&search)
    close_question(&question)
    return -1 if is_spent(t.budget) else move


cdef uint32_t greatest(const double* weights, uint32_t n) noexcept nogil:
    cdef uint32_t i, best = 0
    for i in range(n):
        if weights[i] > weights[best]:
            best = i
    return best


cdef uint32_t most(const uint32_t* visits, uint32_t n) noexcept nogil:
    cdef uint32_t i, best = 0
    for i in range(n):
        if visits[i] > visits[best]:
            best = i
    return best


cdef bint is_spent(const Budget* budget) noexcept nogil:
    return is_cancelled(budget) or (budget.deadline > 0 and now() >= budget.deadline)


cdef bint play(Table* t, Tally* tally) noexcept nogil:
    """Play one game to its end and count it; return False if it was interrupted."""
    cdef double values[MAX_SEATS]
    cdef uint32_t actors
    cdef uint64_t length = 0
    cdef int seat, part
    cdef long move
    while True:
        actors = t.ops.actors(t.state)
        if not actors or length == MAX_LENGTH:
            break
        if length % 64 == 0 and is_spent(t.budget):
            return False
        seat = random_actor(actors, &t.rng)
        move = choose(t, seat)
        if move < 0:
            return False
        if tally.games == 0 and length < MAX_SAMPLE:
            tally.seats[length] = seat
            tally.actions[length] = <move_t>move
            tally.sampled = <uint32_t>length + 1
        t.ops.apply(t.state, seat, <move_t>move)
        length += 1
    if actors:
        memset(values, 0, sizeof(values))       # an abandoned game counts as a draw
    else:
        t.ops.returns(t.state, values)
    for seat in range(t.ops.seats(t.state)):
        tally.returns[seat] += values[seat]
        tally.wins[seat] += values[seat] > 0
        part = <int>((values[seat] + 1) * (PARTS / 2))
        tally.parts[seat][part if part < PARTS else PARTS - 1] += 1
    t.ops.scores(t.state, values)
    for seat in range(t.ops.seats(t.state)):
        tally.scores[seat] += values[seat]
    if tally.games == 0 or length < tally.shortest:
        tally.shortest = length
    tally.longest = max(tally.longest, length)
    tally.moves += length
    tally.games += 1
    return True


cdef void draw_world(
    Table* t, const void* start, int viewer, uint64_t seed, uint64_t game
) noexcept nogil:
    """Start a game from a world of its own."""
    # One stream per game: the first games of a long simulation are those of a short one.
    rng_seed(&t.rng, seed, SIMULATION_STREAM | game << 32)
    memcpy(t.state, start, t.ops.state_size)
    if t.ops.determinize != NULL:
        t.ops.determinize(t.state, viewer, &t.rng)


cdef void play_all(
    Table* t, const void* start, int viewer, uint64_t seed, uint64_t games, Tally* tally,
    void* first_world,
) noexcept nogil:
    cdef uint64_t game
    draw_world(t, start, viewer, seed, 0)
    memcpy(first_world, t.state, t.ops.state_size)
    for game in range(games):
        if game > 0:
            draw_world(t, start, viewer, seed, game)
        if not play(t, tally):
            return


def simulate(
    Position position not None, levels, *, int viewer=TABLE, uint64_t games, uint64_t seed=0,
    double seconds=0.0, Cancel cancel=None,
):
    """Let bots play games to the end and report the results.

    Every game starts from a fresh world that the viewer cannot tell from the position. For the
    referee (-1) only future chance is redrawn. `levels` has one level per seat: 1 to 10, or 0 for
    random moves. Games that are interrupted by time or by the switch do not count.

    Raises GameOver, WrongSeat for the viewer, or InvalidField for the levels.
    """
    cdef const GameOps* ops = position.game.ops
    cdef Cancel switch = cancel or Cancel()
    cdef int[MAX_SEATS] level_of
    cdef Budget budget
    cdef Table t
    cdef Tally tally
    cdef int seats = ops.seats(position.state)
    position.check_running()
    position.check_viewer(viewer)
    if len(levels) != seats or not all(AT_RANDOM <= level <= LEVELS for level in levels):
        raise InvalidField("levels", f"must be from 0 to {LEVELS}, one for each of {seats} seats")
    for seat, level in enumerate(levels):
        level_of[seat] = level
    cdef Position world = new_position(position.game, position.ply, viewer)
    memset(&tally, 0, sizeof(tally))
    budget.iterations = 0
    budget.deadline = now() + seconds if seconds > 0 else 0.0
    budget.cancelled = &switch.raised
    t.ops = ops
    t.budget = &budget
    t.levels = level_of
    if ops.infoset != NULL:
        seed ^= ops.infoset(position.state, viewer)
    t.state = malloc(ops.state_size)
    t.scratch = <move_t*>malloc((ops.max_moves + MOVE_SLACK) * sizeof(move_t))
    if t.state == NULL or t.scratch == NULL:
        free(t.state)
        free(t.scratch)
        raise MemoryError
    with nogil:
        play_all(&t, position.state, viewer, seed, games, &tally, world.state)
    free(t.state)
    free(t.scratch)
    return write_simulation(&tally, seats, world)


cdef object write_simulation(const Tally* tally, int seats, Position world):
    cdef uint64_t games = tally.games
    return Simulation(
        games=games,
        outcomes=tuple([
            Outcome(
                mean_return=tally.returns[seat] / games if games else 0.0,
                mean_score=tally.scores[seat] / games if games else 0.0,
                wins=tally.wins[seat],
                histogram=tuple([tally.parts[seat][part] for part in range(PARTS)]),
            )
            for seat in range(seats)
        ]),
        mean_length=<double>tally.moves / games if games else 0.0,
        shortest=tally.shortest,
        longest=tally.longest,
        sample=tuple(
            [(tally.seats[i], tally.actions[i]) for i in range(tally.sampled)] if games else ()
        ),
        world=world,
    )
