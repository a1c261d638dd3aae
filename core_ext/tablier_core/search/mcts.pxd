# Monte Carlo tree search for any game and number of seats.

from libc.stdint cimport uint32_t, uint64_t

from tablier_core.abi cimport GameOps, Verdict, move_t
from tablier_core.search.arena cimport Arena
from tablier_core.budget cimport Budget, Stopped

# One move of the tree, with what was learnt below it. Nodes are told apart by the path of moves
# that leads to them; siblings form a list.
cdef struct Node:
    Node* child
    Node* sibling
    uint32_t visits
    uint32_t available          # how often it could have been chosen: worlds differ in legal moves
    move_t move
    int seat                    # whose move it was
    double squares              # sum of the squared returns of that seat
    double* totals              # sum of returns, by seat

cdef struct Outcome:
    Node* root
    uint64_t iterations
    Stopped stopped
    # What the game's own engine said, in the order of the legal moves: see `rank` in abi.pxd.
    Verdict verdict
    uint32_t n
    move_t* moves
    double* weights
    double* values              # for SETTLED: n times the number of seats

# Ask the game's engine about the moves of `seat`, an actor; unless that settles the matter, search
# them until the budget is spent. The tree stands in the arena,
# which the caller opened and closes. False if memory ran out before the first iteration.
cdef bint search(
    const GameOps* ops, const void* state, int seat, uint64_t seed,
    const Budget* budget, Arena* arena, Outcome* outcome,
) noexcept nogil
