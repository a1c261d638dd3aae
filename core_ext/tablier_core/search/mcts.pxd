# Monte Carlo tree search for any game and number of seats.

from libc.stdint cimport uint32_t, uint64_t

from tablier_core.abi cimport MAX_SEATS, GameOps, move_t
from tablier_core.budget cimport Budget, Stopped
from tablier_core.rng cimport Rng
from tablier_core.arena cimport Arena
from tablier_core.search.question cimport Question

cdef enum:
    MAX_DEPTH = 256             # moves of one iteration inside the tree
    MAX_TREES = 64              # trees that grow at the same time

# A move that was tried, with its results for the seat that made it.
cdef struct Edge:
    double total                # sum of that seat's returns
    Node* child                 # NULL until it is tried again
    move_t move
    uint32_t visits
    uint32_t available          # how often it was legal here: worlds differ in their legal moves
    float mean                  # total / visits
    float urge                  # 1 / sqrt(visits)

# The choice of one seat at a place in the tree. The path of moves identifies the place. When
# several seats choose at the same time, each of them has a Node there, linked in a list.
cdef struct Node:
    Edge* edges                 # `count` that were tried; ascending by move unless `listed`
    Node* other                 # the choice of another seat at the same place
    double total                # sum of this seat's returns
    uint32_t visits
    uint32_t count
    uint32_t room               # how many edges there is memory for
    int seat                    # UNKNOWN until the first visit
    bint listed                 # untried moves are stored behind the tried ones, up to `room`

cdef struct Step:
    Node* node
    Edge* edge

# One tree. Trees share nothing but the question.
cdef struct Search:
    const Question* question
    const GameOps* ops
    uint64_t iterations
    Rng rng
    Arena arena
    Node* root
    void* world
    move_t* moves
    # The results of each legal move at the root, by its index in the question's list.
    uint32_t* visits
    double* squares             # sums of the advised seat's squared returns
    double* totals              # sums of returns, one per move and seat
    int depth                   # moves of the last iteration inside the tree
    Step path[MAX_DEPTH + MAX_SEATS]

# Prepare a tree that may grow to `memory` bytes. `number` distinguishes the trees of a question.
# Return False if there is no memory. Call `close_search` in any case.
cdef bint open_search(
    Search* search, const Question* question, uint32_t number, size_t memory
) noexcept nogil

# Continue until the budget is spent. Its iterations include all earlier ones of this tree.
cdef Stopped think(Search* search, const Budget* budget) noexcept nogil

# Do the same with several trees at once, each in its own thread with its share of the iterations.
cdef Stopped think_together(Search* searches, int count, const Budget* budget) noexcept nogil

# The parts of an iteration that need no tree, so that their cost can be measured separately.
# Replace the world by a fresh one that the searching seat cannot tell from the truth.
cdef void draw_world(Search* search) noexcept nogil
# Play up to `most` moves, by the game's policy or at random. Return how many were played.
cdef uint32_t play_on(Search* search, uint32_t most) noexcept nogil
# Play the world to its end, or estimate it, and write the returns. Return False if interrupted. A
# game that does not end counts as a draw.
cdef bint play_out(Search* search, const Budget* budget, double* returns) noexcept nogil

cdef void close_search(Search* search) noexcept nogil
