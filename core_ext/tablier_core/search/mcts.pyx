"""Monte Carlo tree search: UCT with max^n back-up; with hidden information, over sampled worlds.

Each iteration
  1. draws a world that the searching seat cannot tell from the true one (single-observer
     information-set search); without hidden information the world is the state itself;
  2. walks down the tree by UCT among the children that are legal in this world;
  3. adds one child, where the visits have earned one;
  4. plays the world out, by the game's own policy if it has one;
  5. adds every seat's return to the nodes that were passed.

Every seat is taken to maximise its own return. The random stream comes from the seat's information
set and the caller's seed, so the result of a number of iterations depends on nothing else.
"""

from libc.math cimport log, sqrt
from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from tablier_core.abi cimport MAX_SEATS, MOVE_SLACK, GameOps, move_t
from tablier_core.movelist cimport is_listed
from tablier_core.playout cimport random_actor
from tablier_core.rng cimport SEARCH_STREAM, Rng, rng_below, rng_seed
from tablier_core.search.arena cimport Arena, arena_take
from tablier_core.budget cimport STILL_RUNNING, Budget, spent

cdef enum:
    MAX_DEPTH = 256             # moves of an iteration that are kept in the tree
    MAX_PLAYOUT = 100_000       # moves of a play-out; a game without an end is then given up
    WIDE = 32                   # with more moves than this, children are added as visits grow

cdef double EXPLORATION = 1.0   # returns span 2, so this is the usual 0.5 on a unit scale

cdef struct Search:
    const GameOps* ops
    const void* root_state
    int seat
    int seats
    Rng rng
    Arena* arena
    void* world
    move_t* moves
    Node* path[MAX_DEPTH + 1]


cdef Node* new_node(Search* s, int seat, move_t move) noexcept nogil:
    cdef Node* node = <Node*>arena_take(s.arena, sizeof(Node) + s.seats * sizeof(double))
    if node != NULL:
        node.totals = <double*>(node + 1)
        node.seat = seat
        node.move = move
    return node


cdef inline uint32_t width(uint32_t n, uint32_t visits) noexcept nogil:
    """How many children a node may have: all, or with very many moves a number that grows."""
    if n <= WIDE:
        return n
    cdef uint32_t earned = WIDE + <uint32_t>sqrt(<double>visits)
    return earned if earned < n else n


cdef Node* find_child(Node* node, int seat, move_t move) noexcept nogil:
    cdef Node* child = node.child
    while child != NULL and (child.move != move or child.seat != seat):
        child = child.sibling
    return child


cdef Node* expand(Search* s, Node* node, int seat, uint32_t n) noexcept nogil:
    """Add a child for a random legal move that has none yet; NULL if memory is used up.

    The caller made sure that there is such a move.
    """
    cdef uint32_t i = rng_below(&s.rng, n)
    cdef Node* child
    while find_child(node, seat, s.moves[i]) != NULL:
        i = i + 1 if i + 1 < n else 0
    child = new_node(s, seat, s.moves[i])
    if child != NULL:
        child.sibling = node.child
        node.child = child
        child.available = 1
    return child


cdef Node* select(Search* s, Node* node, int seat, uint32_t n, uint32_t* legal) noexcept nogil:
    """The best child that is legal in this world, by UCT; `legal` tells how many are."""
    cdef Node* child = node.child
    cdef Node* best = NULL
    cdef double score, best_score = 0.0
    legal[0] = 0
    while child != NULL:
        if child.seat == seat and is_listed(s.moves, n, child.move):
            legal[0] += 1
            child.available += 1
            score = child.totals[seat] / child.visits + EXPLORATION * sqrt(
                log(<double>child.available) / child.visits
            )
            if best == NULL or score > best_score:
                best = child
                best_score = score
        child = child.sibling
    return best


cdef inline int mover(Search* s, uint32_t actors) noexcept nogil:
    """Whose choice the tree branches on when several may move: the searcher's own comes first, so
    that it never rests on what the others have chosen in secret."""
    if (actors >> s.seat) & 1:
        return s.seat
    return random_actor(actors, &s.rng)


cdef int descend(Search* s, Node* root) noexcept nogil:
    """Walk the world down the tree, adding one node; the number of nodes on the path."""
    cdef int depth = 1, seat
    cdef uint32_t actors, n, legal
    cdef Node* node = root
    cdef Node* child
    cdef bint fresh
    s.path[0] = root
    while depth <= MAX_DEPTH:
        actors = s.ops.actors(s.world)
        if not actors:
            break
        seat = mover(s, actors)
        n = s.ops.moves(s.world, seat, s.moves)
        child = select(s, node, seat, n, &legal)
        fresh = legal < width(n, node.visits)
        if fresh:
            child = expand(s, node, seat, n)
        if child == NULL:
            break
        s.ops.apply(s.world, seat, child.move)
        s.path[depth] = child
        depth += 1
        if fresh:
            break
        node = child
    return depth


cdef void play_out(Search* s, double* returns) noexcept nogil:
    """Play the world to its end and tell the returns; what has no end counts as a draw."""
    cdef uint32_t actors, n, i, played = 0
    cdef int seat
    while played < MAX_PLAYOUT:
        actors = s.ops.actors(s.world)
        if not actors:
            s.ops.returns(s.world, returns)
            return
        if s.ops.evaluate != NULL:
            s.ops.evaluate(s.world, returns)
            return
        seat = random_actor(actors, &s.rng)
        n = s.ops.moves(s.world, seat, s.moves)
        if s.ops.pick != NULL:
            i = s.ops.pick(s.world, seat, s.moves, n, &s.rng)
        else:
            i = rng_below(&s.rng, n)
        s.ops.apply(s.world, seat, s.moves[i])
        played += 1
    for seat in range(s.seats):
        returns[seat] = 0.0


cdef void iterate(Search* s, Node* root) noexcept nogil:
    cdef double returns[MAX_SEATS]
    cdef int depth, i, seat
    cdef Node* node
    memcpy(s.world, s.root_state, s.ops.state_size)
    if s.ops.determinize != NULL:
        s.ops.determinize(s.world, s.seat, &s.rng)
    depth = descend(s, root)
    play_out(s, returns)
    for i in range(depth):
        node = s.path[i]
        node.visits += 1
        for seat in range(s.seats):
            node.totals[seat] += returns[seat]
        node.squares += returns[node.seat] * returns[node.seat]


cdef bint search(
    const GameOps* ops, const void* state, int seat, uint64_t seed,
    const Budget* budget, Arena* arena, Outcome* outcome,
) noexcept nogil:
    cdef Search s
    s.ops = ops
    s.root_state = state
    s.seat = seat
    s.seats = ops.seats(state)
    s.arena = arena
    # Thinking must not depend on what the seat cannot know, nor disturb the game's own chance.
    rng_seed(&s.rng, seed ^ (0 if ops.infoset == NULL else ops.infoset(state, seat)), SEARCH_STREAM)
    outcome.root = new_node(&s, seat, 0)
    outcome.iterations = 0
    s.world = malloc(ops.state_size)
    s.moves = <move_t*>malloc((ops.max_moves + MOVE_SLACK) * sizeof(move_t))
    if outcome.root == NULL or s.world == NULL or s.moves == NULL:
        free(s.world)
        free(s.moves)
        return False
    # At least one iteration, however short the time: then there is a move to suggest.
    outcome.stopped = STILL_RUNNING
    while outcome.stopped == STILL_RUNNING:
        iterate(&s, outcome.root)
        outcome.iterations += 1
        outcome.stopped = spent(budget, outcome.iterations)
    free(s.world)
    free(s.moves)
    return True
