"""The iterations of a search without its tree, to measure the cost of the tree."""

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
    """A search whose iterations can also be made without the tree.

    An iteration makes some moves in the tree, and then plays the world out or estimates it. Without
    the tree, it makes as many moves by the play-out policy, in a world drawn in the same way, and
    then ends in the search's own function. So both do the same work except for the tree.
    """

    cdef Question question
    cdef Search search
    cdef Budget budget
    cdef int32_t never          # the cancel flag, never set

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
        """Make iterations with the tree and return how deep in it each of them went."""
        cdef uint64_t _iteration
        found = []
        for _iteration in range(iterations):
            self.budget.iterations = self.search.iterations + 1
            think(&self.search, &self.budget)
            found.append(self.search.depth)
        return array("I", found)

    def play(self, const unsigned int[::1] depths not None):
        """Make one iteration without the tree per depth and return the sum of returns by seat."""
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
