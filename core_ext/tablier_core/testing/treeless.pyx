"""A search's iterations without its tree, so that one can measure what the tree costs."""

from array import array

from libc.stddef cimport size_t
from libc.stdint cimport int32_t, uint64_t
from libc.string cimport memset

from tablier_core.abi cimport MAX_SEATS
from tablier_core.budget cimport Budget
from tablier_core.position cimport Position
from tablier_core.search.mcts cimport (
    Search, close_search, draw_world, open_search, play_on, play_out, think,
)
from tablier_core.search.question cimport Question, close_question, open_question


cdef class Treeless:
    """The search of a position, of which iterations can be had without the tree.

    An iteration makes some moves in the tree, then plays out or estimates what they lead to.
    Without the tree it makes as many moves by the policy of the play-outs, in a world drawn in the
    same way, and ends in the search's own function. So both do the same work but for the tree: a
    game whose search estimates is played to its end by neither, and where nothing cuts play-outs
    short, what is left is a play-out of the position.
    """

    cdef Question question
    cdef Search search
    cdef Budget budget
    cdef int32_t never          # cancelled

    def __cinit__(self, Position position not None, int seat, *, uint64_t seed=0):
        self.budget.cancelled = &self.never
        if not open_question(&self.question, position.game.ops, position.state, seat, seed):
            raise MemoryError
        if not open_search(&self.search, &self.question, 0, <size_t>64 << 20):
            raise MemoryError

    def __dealloc__(self):
        close_search(&self.search)
        close_question(&self.question)

    def depths(self, uint64_t iterations):
        """How many moves each of the search's next iterations makes in its tree."""
        cdef uint64_t _iteration
        found = []
        for _iteration in range(iterations):
            self.budget.iterations = self.search.iterations + 1
            think(&self.search, &self.budget)
            found.append(self.search.depth)
        return array("I", found)

    def play(self, const unsigned int[::1] depths not None):
        """An iteration without a tree for each depth; the sum of returns by seat."""
        cdef double returns[MAX_SEATS]
        cdef double totals[MAX_SEATS]
        cdef Py_ssize_t i
        cdef int seat, seats = self.question.seats
        memset(totals, 0, sizeof(totals))
        with nogil:
            for i in range(depths.shape[0]):
                draw_world(&self.search)
                play_on(&self.search, depths[i])
                play_out(&self.search, &self.budget, returns)
                for seat in range(seats):
                    totals[seat] += returns[seat]
        return [totals[seat] for seat in range(seats)]
