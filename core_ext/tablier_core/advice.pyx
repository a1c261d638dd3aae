"""Advice on a position, for Python: a search with the GIL released, and its report."""

from dataclasses import dataclass

from libc.stdint cimport int32_t, uint32_t, uint64_t

from tablier_core.abi cimport SETTLED
from tablier_core.position cimport Position
from tablier_core.search.arena cimport Arena, arena_close, arena_open
from tablier_core.budget cimport BY_CANCEL, BY_ITERATIONS, BY_TIME, Budget, now
from tablier_core.search.mcts cimport Node, Outcome, search

from tablier_core.errors import GameOver, WrongSeat

cdef enum:
    MAX_LINE = 16

STOPPED = {BY_ITERATIONS: "iterations", BY_TIME: "time", BY_CANCEL: "cancelled"}


cdef class Cancel:
    """A switch that ends a search from another thread."""

    cdef int32_t raised

    def set(self):
        self.raised = 1


@dataclass(frozen=True)
class Suggestion:
    """A move and what the search thinks of it, or the game's engine if that settled the matter."""

    action: int
    visits: int                 # 0 from the engine
    values: tuple               # mean return of every seat
    spread: float               # standard deviation of the advised seat's return; 0 from the engine
    line: tuple                 # (seat, action) of the moves expected, this one first
    weight: float               # what the game's engine gave it, in its own unit; 0 without one


@dataclass(frozen=True)
class Report:
    """What was found: moves from the most to the least visited, or as the engine ordered them."""

    suggestions: tuple
    iterations: int
    seconds: float
    stopped: str                # iterations, time, cancelled, or settled by the game's engine


def advise(
    Position position not None, int seat, *, uint64_t iterations=0, double seconds=0.0,
    uint64_t seed=0, size_t memory=256 << 20, Cancel cancel=None,
):
    """Rank the moves of a seat that is to move; at least one of iterations and seconds is given.

    With a number of iterations alone, the report depends only on what the seat knows and the seed.
    """
    if position.over:
        raise GameOver("state", "the game is over")
    if seat not in position.actors:
        raise WrongSeat("seat", f"seat {seat} is not to move; to move: {position.actors}")
    if not iterations and seconds <= 0:
        raise ValueError("a search needs a number of iterations or a time")
    cdef Cancel switch = cancel or Cancel()
    cdef Budget budget
    cdef Arena arena
    cdef Outcome outcome
    cdef double begun = now()
    cdef bint found
    budget.iterations = iterations
    budget.deadline = begun + seconds if seconds > 0 else 0.0
    budget.cancelled = &switch.raised
    if not arena_open(&arena, memory):
        raise MemoryError
    with nogil:
        found = search(position.game.ops, position.state, seat, seed, &budget, &arena, &outcome)
    try:
        if not found:
            raise MemoryError
        if outcome.verdict == SETTLED:
            suggestions = settled_by_engine(seat, position.seats, &outcome)
            stopped = "settled"
        else:
            suggestions = searched(position.seats, &outcome)
            stopped = STOPPED[outcome.stopped]
        return Report(suggestions, outcome.iterations, now() - begun, stopped)
    finally:
        arena_close(&arena)


cdef tuple settled_by_engine(int seat, int seats, const Outcome* outcome):
    """All moves as the game's engine ordered them, with its values."""
    cdef uint32_t i
    cdef int other
    found = [
        Suggestion(
            action=outcome.moves[i],
            visits=0,
            values=tuple([outcome.values[i * seats + other] for other in range(seats)]),
            spread=0.0,
            line=((seat, outcome.moves[i]),),
            weight=outcome.weights[i],
        )
        for i in range(outcome.n)
    ]
    found.sort(key=lambda suggestion: (-suggestion.weight, suggestion.action))
    return tuple(found)


cdef tuple searched(int seats, const Outcome* outcome):
    """The moves that were tried."""
    cdef Node* child = outcome.root.child
    cdef uint32_t i
    cdef int seat
    cdef double mean, variance
    weights = {outcome.moves[i]: outcome.weights[i] for i in range(outcome.n)}
    found = []
    while child != NULL:
        mean = child.totals[child.seat] / child.visits
        variance = child.squares / child.visits - mean * mean
        found.append(Suggestion(
            action=child.move,
            visits=child.visits,
            values=tuple([child.totals[seat] / child.visits for seat in range(seats)]),
            spread=max(variance, 0.0) ** 0.5,
            line=principal_line(child),
            weight=weights[child.move],
        ))
        child = child.sibling
    found.sort(key=lambda suggestion: (-suggestion.visits, -suggestion.weight, suggestion.action))
    return tuple(found)


cdef tuple principal_line(Node* node):
    """The most visited moves from here on."""
    cdef Node* best
    cdef Node* child
    line = []
    while node != NULL and len(line) < MAX_LINE:
        line.append((node.seat, node.move))
        best = NULL
        child = node.child
        while child != NULL:
            if best == NULL or child.visits > best.visits:
                best = child
            child = child.sibling
        node = best
    return tuple(line)
