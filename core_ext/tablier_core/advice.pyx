"""Advice for Python: searches a position with the GIL released and reports the result."""

from dataclasses import dataclass

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memcpy

from tablier_core.abi cimport SETTLED, move_t
from tablier_core.budget cimport BY_CANCEL, BY_ITERATIONS, BY_TIME, Budget, Stopped, now
from tablier_core.position cimport Position, new_position
from tablier_core.search.levels cimport FULL_STRENGTH, LEVELS, level_iterations
from tablier_core.search.mcts cimport (
    MAX_TREES, Edge, Node, Search, close_search, open_search, think_together,
)
from tablier_core.search.question cimport (
    Question, close_question, consult, open_question,
)

from tablier_core.errors import InvalidField

cdef enum:
    MAX_LINE = 16

STOPPED = {BY_ITERATIONS: "iterations", BY_TIME: "time", BY_CANCEL: "cancelled"}
STRONGEST = LEVELS
MOST_THREADS = MAX_TREES


cdef class Cancel:
    """A switch that stops a search from another thread."""

    def set(self):
        self.raised = 1


@dataclass(frozen=True)
class Suggestion:
    """A move with its assessment by the search, or by the engine if that settled the choice."""

    action: int
    visits: int                 # 0 if the engine settled the choice
    values: tuple               # mean return of every seat
    spread: float               # standard deviation of the advised seat's return; 0 if settled
    line: tuple                 # the expected moves as (seat, action), this one first
    weight: float               # the engine's weight, in its own unit; 0 without an engine


@dataclass(frozen=True)
class Report:
    """The result: moves from the most to the least visited, or in the engine's order."""

    suggestions: tuple
    iterations: int
    seconds: float
    stopped: str                # iterations, time, cancelled or settled
    # What the seat may be shown of the position: the world that the advice started from.
    world: Position


cdef class Analysis:
    """A search for the best move of a seat: each `think` continues where the last one stopped.

    With a number of iterations, the result depends only on what the seat knows, the seed, the level
    and the number of threads. Levels 1 to 10 play like people: they use no more iterations than
    the level has, and sometimes slip.
    """

    cdef Question question
    cdef Position world
    cdef Search* searches
    cdef int trees
    cdef int level
    cdef bint asked
    cdef double seconds

    def __cinit__(
        self, Position position not None, int seat, *, uint64_t seed=0, int level=FULL_STRENGTH,
        int threads=1, size_t memory=64 << 20,
    ):
        position.check_running()
        position.check_actor(seat)
        if not FULL_STRENGTH <= level <= LEVELS:
            raise InvalidField("level", f"must be from 1 to {LEVELS}, or 0 for full strength")
        if not 1 <= threads <= MAX_TREES:
            raise InvalidField("threads", f"must be from 1 to {MAX_TREES}")
        self.level = level
        if not open_question(&self.question, position.game.ops, position.state, seat, seed):
            raise MemoryError
        self.world = new_position(position.game, position.ply, seat)
        memcpy(self.world.state, self.question.world, position.game.ops.state_size)
        self.searches = <Search*>PyMem_Malloc(threads * sizeof(Search))
        if self.searches == NULL:
            raise MemoryError
        for number in range(threads):
            self.trees += 1
            if not open_search(
                &self.searches[number], &self.question, number, memory // threads
            ):
                raise MemoryError

    def __dealloc__(self):
        cdef int number
        for number in range(self.trees):
            close_search(&self.searches[number])
        PyMem_Free(self.searches)
        close_question(&self.question)

    def consult(self, *, uint64_t iterations=0, double seconds=0.0, Cancel cancel=None):
        """Ask the game's own engine, if it has one.

        The first `think` does this within its budget. Call it before thinking in slices.
        """
        cdef double begun = now()
        cdef Cancel switch = cancel or Cancel()
        cdef Budget budget
        if self.asked:
            return
        self.asked = True
        budget.iterations = iterations
        budget.deadline = begun + seconds if seconds > 0 else 0.0
        budget.cancelled = &switch.raised
        with nogil:
            consult(&self.question, self.level, &budget)
        self.seconds += now() - begun

    def think(self, *, uint64_t iterations=0, double seconds=0.0, Cancel cancel=None):
        """Search for more iterations or more time, and report everything found so far.

        At least one of the two must be given, unless there is a level.
        """
        cdef double begun = now()
        cdef Cancel switch = cancel or Cancel()
        cdef Budget budget
        cdef Stopped stopped = BY_ITERATIONS
        if self.level != FULL_STRENGTH:
            iterations = min(iterations or level_iterations(self.level), self.left())
        elif not iterations and seconds <= 0:
            raise InvalidField("iterations", "a search needs a number of iterations or a time")
        self.consult(iterations=iterations, seconds=seconds, cancel=switch)
        budget.iterations = iterations + self.made() if iterations else 0
        budget.deadline = begun + seconds if seconds > 0 else 0.0
        budget.cancelled = &switch.raised
        begun = now()
        # A level that has used all its iterations has nothing left to do.
        if self.question.verdict != SETTLED and (self.level == FULL_STRENGTH or iterations):
            with nogil:
                stopped = think_together(self.searches, self.trees, &budget)
        self.seconds += now() - begun
        settled = self.question.verdict == SETTLED
        return Report(
            suggestions=self.settled() if settled else self.searched(),
            iterations=self.made(),
            seconds=self.seconds,
            stopped="settled" if settled else STOPPED[stopped],
            world=self.world,
        )

    cdef uint64_t made(self):
        cdef uint64_t made = 0
        for number in range(self.trees):
            made += self.searches[number].iterations
        return made

    cdef uint64_t left(self):
        """Return the iterations that the level has left."""
        cdef uint64_t most = level_iterations(self.level), made = self.made()
        return most - made if made < most else 0

    cdef tuple settled(self):
        """Return all moves in the order of the game's engine, with its values."""
        cdef const Question* q = &self.question
        cdef uint32_t i
        found = [
            Suggestion(
                action=q.moves[i],
                visits=0,
                values=tuple([q.values[i * q.seats + seat] for seat in range(q.seats)]),
                spread=0.0,
                line=((q.seat, q.moves[i]),),
                weight=q.weights[i],
            )
            for i in range(q.n)
        ]
        found.sort(key=lambda found: (-found.weight, found.action))
        return tuple(found)

    cdef tuple searched(self):
        """Return the moves that were tried, with the statistics of all trees added up."""
        cdef const Question* q = &self.question
        cdef Search* s
        cdef uint32_t i, visits
        cdef double squares, mean, variance
        found = []
        for i in range(q.n):
            visits = 0
            squares = 0.0
            totals = [0.0] * q.seats
            for number in range(self.trees):
                s = &self.searches[number]
                visits += s.visits[i]
                squares += s.squares[i]
                for seat in range(q.seats):
                    totals[seat] += s.totals[i * q.seats + seat]
            if not visits:
                continue
            mean = totals[q.seat] / visits
            variance = squares / visits - mean * mean
            found.append(Suggestion(
                action=q.moves[i],
                visits=visits,
                values=tuple([total / visits for total in totals]),
                spread=max(variance, 0.0) ** 0.5,
                line=self.line(i),
                weight=q.weights[i],
            ))
        found.sort(key=lambda found: (-found.visits, -found.weight, found.action))
        return tuple(found)

    cdef tuple line(self, uint32_t place):
        """Follow the most visited moves after a move, in the tree that tried it most."""
        cdef Search* s = &self.searches[0]
        cdef Node* node
        cdef Edge* edge
        for number in range(self.trees):
            if self.searches[number].visits[place] > s.visits[place]:
                s = &self.searches[number]
        edge = edge_of(s.root, self.question.moves[place])
        line = [(self.question.seat, edge.move)]
        node = edge.child
        while node != NULL and len(line) < MAX_LINE:
            edge = most_visited(node)
            if edge == NULL:
                break
            line.append((node.seat, edge.move))
            node = edge.child
        return tuple(line)


cdef Edge* edge_of(Node* node, move_t move) noexcept:
    """Return the edge of a move that was tried."""
    cdef Edge* edge = node.edges
    while edge.move != move:
        edge += 1
    return edge


cdef Edge* most_visited(Node* node) noexcept:
    """Return the most visited edge, the lowest move among equals; NULL if there is none."""
    cdef Edge* best = NULL
    cdef Edge* edge
    cdef uint32_t i
    for i in range(node.count):
        edge = &node.edges[i]
        if best == NULL or edge.visits > best.visits or (
            edge.visits == best.visits and edge.move < best.move
        ):
            best = edge
    return best


def advise(
    Position position not None, int seat, *, uint64_t iterations=0, double seconds=0.0,
    uint64_t seed=0, int level=FULL_STRENGTH, int threads=1, size_t memory=64 << 20,
    Cancel cancel=None,
):
    """Rank the moves of a seat that is to move: an `Analysis` with a single `think`.

    At least one of iterations, seconds and level must be given.
    """
    analysis = Analysis(
        position, seat, seed=seed, level=level, memory=memory,
        threads=min(threads, iterations) if iterations else threads,
    )
    return analysis.think(iterations=iterations, seconds=seconds, cancel=cancel)
