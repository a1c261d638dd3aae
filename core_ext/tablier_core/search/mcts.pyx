"""Monte Carlo tree search: UCT with max^n back-up; with hidden information, over sampled worlds.

Each iteration
  1. draws a world that the searching seat cannot tell from the true one (single-observer
     information-set search); without hidden information the world is the state itself;
  2. walks down the tree by UCT among the children that are legal in this world;
  3. adds one child, where the visits have earned one;
  4. plays the world out, by the game's own policy if it has one;
  5. adds every seat's return to the nodes that were passed.

Every seat is taken to maximise its own return. The random stream comes from the seat's information
set and the caller's seed, so the result of a number of iterations depends on nothing else. Before
anything else, the state itself is replaced by a world that the seat cannot tell from it: nobody
here ever holds the truth.
"""

from libc.math cimport log, sqrt
from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memcpy

from tablier_core.abi cimport MAX_SEATS, MOVE_SLACK, NO_OPINION, PRIOR, SETTLED, GameOps, move_t
from tablier_core.movelist cimport is_listed
from tablier_core.playout cimport random_actor
from tablier_core.rng cimport ENGINE_STREAM, SEARCH_STREAM, Rng, rng_below, rng_seed
from tablier_core.search.arena cimport Arena, arena_take
from tablier_core.budget cimport STILL_RUNNING, Budget, spent

cdef enum:
    MAX_DEPTH = 256             # moves of an iteration that are kept in the tree
    MAX_PLAYOUT = 100_000       # moves of a play-out; a game without an end is then given up
    WIDE = 32                   # with more moves than this, children are added as visits grow

cdef double EXPLORATION = 1.0   # returns span 2, so this is the usual 0.5 on a unit scale

cdef struct Search:
    const GameOps* ops
    void* root_state
    int seat
    int seats
    Rng rng
    Arena* arena
    void* world
    move_t* moves
    uint32_t candidates         # at the root: how many moves are worth a try
    move_t* ordered             # these moves, the engine's favourites first; NULL: no order
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


cdef move_t untried(Search* s, Node* node, int seat, uint32_t n) noexcept nogil:
    """A legal move without a child: the game's policy is asked first, then chance."""
    cdef uint32_t i
    if s.ops.pick != NULL:
        i = s.ops.pick(s.world, seat, s.moves, n, &s.rng)
        if find_child(node, seat, s.moves[i]) == NULL:
            return s.moves[i]
    i = rng_below(&s.rng, n)
    while find_child(node, seat, s.moves[i]) != NULL:
        i = i + 1 if i + 1 < n else 0
    return s.moves[i]


cdef Node* expand(Search* s, Node* node, int seat, uint32_t n, uint32_t tried) noexcept nogil:
    """Add a child for a legal move that has none yet; NULL if memory is used up.

    The caller made sure that there is such a move.
    """
    cdef move_t move
    cdef Node* child
    if node == s.path[0] and s.ordered != NULL:
        move = s.ordered[tried]
    else:
        move = untried(s, node, seat, n)
    child = new_node(s, seat, move)
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
        fresh = legal < width(s.candidates if node == root else n, node.visits)
        if fresh:
            child = expand(s, node, seat, n, legal)
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


cdef void order(Search* s, const Outcome* outcome) noexcept nogil:
    """Keep the moves that the engine gave weight, the most first; equals in the list's order."""
    cdef uint32_t i, j
    cdef double weight
    s.candidates = 0
    for i in range(outcome.n):
        weight = outcome.weights[i]
        if weight <= 0:
            continue
        j = s.candidates
        # Nobody reads the values of a PRIOR: the weights of what is kept stand there.
        while j > 0 and outcome.values[j - 1] < weight:
            outcome.values[j] = outcome.values[j - 1]
            s.ordered[j] = s.ordered[j - 1]
            j -= 1
        outcome.values[j] = weight
        s.ordered[j] = outcome.moves[i]
        s.candidates += 1


cdef void consult(
    Search* s, uint64_t seed, const Budget* budget, Outcome* outcome
) noexcept nogil:
    """List the moves of the seat and ask the game's engine about them, if it has one."""
    cdef Rng rng
    outcome.verdict = NO_OPINION
    outcome.n = s.ops.moves(s.root_state, s.seat, outcome.moves)
    s.candidates = outcome.n
    if s.ops.rank == NULL:
        return
    rng_seed(&rng, seed, ENGINE_STREAM)
    outcome.verdict = s.ops.rank(
        s.root_state, s.seat, outcome.moves, outcome.n, budget, &rng,
        outcome.weights, outcome.values,
    )
    if outcome.verdict == PRIOR:
        s.ordered = <move_t*>arena_take(s.arena, outcome.n * sizeof(move_t))
        if s.ordered != NULL:
            order(s, outcome)
        if s.candidates == 0:               # all weights are 0: they say nothing
            s.candidates = outcome.n
            s.ordered = NULL


cdef bint prepare(Search* s, Outcome* outcome) noexcept nogil:
    """Take the memory that every search needs; False if there is none."""
    cdef size_t most = s.ops.max_moves + MOVE_SLACK
    outcome.root = new_node(s, s.seat, 0)
    outcome.moves = <move_t*>arena_take(s.arena, most * sizeof(move_t))
    outcome.weights = <double*>arena_take(s.arena, most * sizeof(double))
    outcome.values = <double*>arena_take(s.arena, most * s.seats * sizeof(double))
    s.moves = <move_t*>arena_take(s.arena, most * sizeof(move_t))
    s.world = arena_take(s.arena, s.ops.state_size)
    return outcome.root != NULL and s.world != NULL


cdef bint search(
    const GameOps* ops, const void* state, int seat, uint64_t seed,
    const Budget* budget, Arena* arena, Outcome* outcome,
) noexcept nogil:
    cdef Search s
    s.ops = ops
    s.seat = seat
    s.arena = arena
    s.ordered = NULL
    # Thinking must not depend on what the seat cannot know, nor disturb the game's own chance.
    if ops.infoset != NULL:
        seed ^= ops.infoset(state, seat)
    rng_seed(&s.rng, seed, SEARCH_STREAM)
    s.root_state = arena_take(arena, ops.state_size)
    if s.root_state == NULL:
        return False
    memcpy(s.root_state, state, ops.state_size)
    if ops.determinize != NULL:
        ops.determinize(s.root_state, seat, &s.rng)
    s.seats = ops.seats(s.root_state)
    if not prepare(&s, outcome):
        return False
    consult(&s, seed, budget, outcome)
    outcome.iterations = 0
    outcome.stopped = STILL_RUNNING
    if outcome.verdict == SETTLED:
        return True
    # At least one iteration, however short the time: then there is a move to suggest.
    while outcome.stopped == STILL_RUNNING:
        iterate(&s, outcome.root)
        outcome.iterations += 1
        outcome.stopped = spent(budget, outcome.iterations)
    return True
