# Monte Carlo tree search for any game and number of seats.

from libc.stdint cimport uint32_t, uint64_t

from tablier_core.abi cimport MAX_SEATS, GameOps, move_t
from tablier_core.budget cimport Budget, Stopped
from tablier_core.rng cimport Rng
from tablier_core.search.arena cimport Arena
from tablier_core.search.question cimport Question

cdef enum:
    MAX_DEPTH = 256             # moves of an iteration that are kept in the tree
    MAX_TREES = 64              # that grow at the same time

# A move that was tried, with what it brought the seat that made it.
cdef struct Edge:
    double total                # sum of that seat's returns
    Node* child                 # NULL until it is tried again
    move_t move
    uint32_t visits
    uint32_t available          # how often it could have been chosen: worlds differ in legal moves
    float mean                  # total / visits
    float urge                  # 1 / sqrt(visits)

# A place in the tree, told from others by the path of moves that leads there, and the choice of one
# seat there. When several seats choose at the same time, each has its own Node, in a list.
cdef struct Node:
    Edge* edges                 # `count` that were tried; ascending by move unless `listed`
    Node* other                 # the choice of another seat at the same place
    double total                # sum of this seat's returns
    uint32_t visits
    uint32_t count
    uint32_t room               # how many edges there is memory for
    int seat                    # UNKNOWN until the first visit
    bint listed                 # the moves not tried yet stand behind the others, up to `room`

cdef struct Step:
    Node* node
    Edge* edge

# One tree. Nothing in it is shared with other trees on the same question but the question.
cdef struct Search:
    const Question* question
    const GameOps* ops
    uint64_t iterations
    Rng rng
    Arena arena
    Node* root
    void* world
    move_t* moves
    # What each legal move at the root brought: by its place in the question's list.
    uint32_t* visits
    double* squares             # of the advised seat's returns
    double* totals              # n times the number of seats
    int depth                   # moves that the last iteration made in the tree
    Step path[MAX_DEPTH + MAX_SEATS]

# Prepare a tree that may use so many bytes; `number` tells trees on one question apart. False if
# there is no memory. In any case `close_search` later.
cdef bint open_search(
    Search* search, const Question* question, uint32_t number, size_t memory
) noexcept nogil

# Go on until the budget is spent; its iterations count from the first of this tree.
cdef Stopped think(Search* search, const Budget* budget) noexcept nogil

# The same with several trees at once, each in a thread of its own, with shares of the iterations.
cdef Stopped think_together(Search* searches, int count, const Budget* budget) noexcept nogil

# The parts of an iteration that need no tree: what it costs without one can be measured with them.
# Put a world that the searching seat cannot tell from the true one in the place of the last.
cdef void draw_world(Search* search) noexcept nogil
# Play so many moves in the world, fewer if it ends, by the game's policy or at random; how many?
cdef uint32_t play_on(Search* search, uint32_t most) noexcept nogil
# Play the world to its end, or estimate it, and tell the returns; False if interrupted. What has no
# end counts as a draw.
cdef bint play_out(Search* search, const Budget* budget, double* returns) noexcept nogil

cdef void close_search(Search* search) noexcept nogil
