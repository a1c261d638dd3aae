"""Monte Carlo tree search: UCT with max^n backup, over sampled worlds if information is hidden.

Each iteration
  1. draws a world that the searching seat cannot tell from the true one (single-observer
     information-set search); without hidden information the world is always the same;
  2. walks down the tree by UCT, among the moves that are legal in this world, until it tries a move
     for the first time;
  3. plays the world out, by the game's own policy if it has one, or takes the game's estimate;
  4. adds every seat's return to the choices that the seat made on the way.

The search assumes that every seat maximises its own return. Seats that move simultaneously choose
from separate statistics, all kept at the place where the simultaneous phase began, so that no seat
reacts to a choice that it cannot know.

A search by iterations gives the same result on every machine: it reads no clock, and it uses only
floating-point operations that IEEE 754 defines to the last bit.
"""

from libc.math cimport INFINITY, sqrt
from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memcpy, memmove, memset

from tablier_core.abi cimport MAX_SEATS, MOVE_SLACK, move_t
from tablier_core.budget cimport (
    BY_CANCEL, BY_ITERATIONS, BY_TIME, STILL_RUNNING, Budget, Stopped, is_cancelled, now,
)
from tablier_core.playout cimport playout, random_actor
from tablier_core.rng cimport SEARCH_STREAM, rng_below, rng_seed
from tablier_core.arena cimport arena_close, arena_open, arena_take

cdef enum:
    UNKNOWN = -2                # as a node's seat: not visited yet
    MAX_PLAYOUT = 100_000       # moves, after which a play-out is abandoned
    STRETCH = 64                # moves of a play-out between checks of the budget
    LONG = 2048                 # moves, after which the deadline may interrupt a play-out
    WIDE = 32                   # nodes with more moves than this try them little by little
    FIRST_ROOM = 4

# Above all actions.
cdef move_t NO_MOVE = 0xFFFFFFFF

# Returns span 2, so this is the usual 0.5 on a unit scale.
cdef double EXPLORATION = 1.0

cdef extern from *:
    """
    #include <pthread.h>
    """
    ctypedef struct pthread_t:
        pass
    int pthread_create(
        pthread_t*, const void*, void* (*)(void*) noexcept nogil, void*
    ) noexcept nogil
    int pthread_join(pthread_t, void**) noexcept nogil
    int __builtin_clz(unsigned int) noexcept nogil
    int __builtin_ctz(unsigned int) noexcept nogil
    void __builtin_prefetch(const void*) noexcept nogil


# ---- Exploration ---------------------------------------------------------------------------------

cdef enum:
    EXACT = 1024                # below this, every number has an entry
    STEPS = 32                  # above, there are this many entries between two powers of two

# EXPLORATION * sqrt(ln n) for each n. Filled once at import.
cdef float[EXACT + 22 * STEPS] exploration_bonuses


cdef double logarithm(double n):
    """Return nearly the natural logarithm: exact at powers of two, linear between them.

    The last bit of the C library's logarithm differs between machines.
    """
    cdef int power = 0
    while n >= 2:
        n /= 2
        power += 1
    return 0.6931471805599453 * (power + n - 1)


cdef void fill_exploration_bonuses():
    cdef int i
    cdef double n
    for i in range(EXACT + 22 * STEPS):
        n = i
        if i >= EXACT:
            n = <double>(<uint64_t>(STEPS + i % STEPS) << (5 + (i - EXACT) // STEPS))
        exploration_bonuses[i] = <float>(EXPLORATION * sqrt(logarithm(n))) if n >= 1 else 0.0


fill_exploration_bonuses()


cdef inline float exploration_bonus(uint32_t n) noexcept nogil:
    """Return the exploration bonus of a move that was available n times and visited once."""
    cdef int power
    if n < EXACT:
        return exploration_bonuses[n]
    power = 31 - __builtin_clz(n)
    return exploration_bonuses[EXACT + (power - 10) * STEPS + ((n >> (power - 5)) & (STEPS - 1))]


# ---- Nodes and edges -----------------------------------------------------------------------------

cdef Node* new_node(Search* s, int seat) noexcept nogil:
    cdef Node* node = <Node*>arena_take(&s.arena, sizeof(Node))
    if node != NULL:
        memset(node, 0, sizeof(Node))
        node.seat = seat
    return node


cdef Node* choice_of(Search* s, Node* node, int seat) noexcept nogil:
    """Return the choice of a seat at the place of `node`; NULL if memory is used up."""
    if node.seat == UNKNOWN:
        node.seat = seat
    while node.seat != seat:
        if node.other == NULL:
            node.other = new_node(s, seat)
            return node.other
        node = node.other
    return node


cdef inline void fill_edge(Edge* edge, move_t move) noexcept nogil:
    edge.total = 0.0
    edge.child = NULL
    edge.move = move
    edge.visits = edge.available = 0
    edge.mean = 0.0
    edge.urge = 1.0


cdef uint32_t place_of(const Node* node, move_t move) noexcept nogil:
    """Return the index of a move among the ascending edges, or where to insert it."""
    cdef uint32_t low = 0, high = node.count, middle
    while low < high:
        middle = (low + high) // 2
        if node.edges[middle].move < move:
            low = middle + 1
        else:
            high = middle
    return low


cdef inline bint is_tried(const Node* node, move_t move) noexcept nogil:
    cdef uint32_t i = place_of(node, move)
    return i < node.count and node.edges[i].move == move


cdef bint make_room(Search* s, Node* node, uint32_t room) noexcept nogil:
    cdef Edge* edges = <Edge*>arena_take(&s.arena, room * sizeof(Edge))
    if edges == NULL:
        return False
    if node.count:
        memcpy(edges, node.edges, node.count * sizeof(Edge))
    node.edges = edges
    node.room = room
    return True


cdef Edge* add_edge(Search* s, Node* node, move_t move) noexcept nogil:
    """Return the edge of a move, adding it if necessary; NULL if memory is used up."""
    cdef uint32_t i = place_of(node, move)
    if i < node.count and node.edges[i].move == move:
        return &node.edges[i]
    if node.count == node.room:
        if not make_room(s, node, 2 * node.room if node.room else FIRST_ROOM):
            return NULL
    memmove(&node.edges[i + 1], &node.edges[i], (node.count - i) * sizeof(Edge))
    fill_edge(&node.edges[i], move)
    node.count += 1
    return &node.edges[i]


# ---- Choosing a move -----------------------------------------------------------------------------

cdef inline bint has_order(const Search* s, const Node* node) noexcept nogil:
    """Return whether this is the root and the engine has ordered its moves."""
    return node == s.root and s.question.ordered != NULL


cdef void list_moves(Search* s, Node* node, uint32_t n) noexcept nogil:
    """Give a node edges for all its moves. For few moves that are the same in every world."""
    cdef const move_t* moves = s.moves
    cdef uint32_t i
    if has_order(s, node):
        moves = s.question.ordered
        n = s.question.candidates
    if n > WIDE or not make_room(s, node, n):
        return
    for i in range(n):
        fill_edge(&node.edges[i], moves[i])
    node.listed = True


cdef inline float urgency(const Node* node) noexcept nogil:
    """Return the score of an untried move: as if it had been tried once with average success."""
    if node.visits == 0:
        return 0.0
    return <float>(node.total / node.visits) + exploration_bonus(node.visits + 1)


cdef Edge* choose_listed(Search* s, Node* node) noexcept nogil:
    """Return the best move by UCT; untried moves all have the same score."""
    cdef float widen = exploration_bonus(node.visits + 1), score, best_score = -INFINITY
    cdef Edge* best = NULL
    cdef Edge* edge = node.edges
    cdef Edge* end = edge + node.count
    cdef Edge swapped
    while edge != end:
        score = edge.mean + widen * edge.urge
        if score > best_score:
            best = edge
            best_score = score
        edge += 1
    if node.count < node.room and best_score <= urgency(node):
        best = end
        if not has_order(s, node):
            best += rng_below(&s.rng, node.room - node.count)
        swapped = best[0]
        best[0] = end[0]
        end[0] = swapped
        node.count += 1
        return end
    return best


cdef inline uint32_t width(uint32_t n, uint32_t visits) noexcept nogil:
    """Return how many moves a node may try: all, or a growing number if there are very many."""
    if n <= WIDE:
        return n
    cdef uint32_t earned = WIDE + <uint32_t>sqrt(<double>visits)
    return earned if earned < n else n


cdef move_t untried(Search* s, const Node* node, uint32_t n) noexcept nogil:
    """Return a legal move that was not tried here: the game's choice, or else a random one."""
    cdef uint32_t i
    if s.ops.pick != NULL:
        i = s.ops.pick(s.world, node.seat, s.moves, n, &s.rng)
        if not is_tried(node, s.moves[i]):
            return s.moves[i]
    i = rng_below(&s.rng, n)
    while is_tried(node, s.moves[i]):
        i = i + 1 if i + 1 < n else 0
    return s.moves[i]


cdef Edge* choose(Search* s, Node* node, uint32_t n) noexcept nogil:
    """Return the best move by UCT that is legal in this world: a tried one, or one more.

    NULL if there is none and memory is used up.
    """
    cdef Edge* best = NULL
    cdef Edge* edge = node.edges
    cdef Edge* end = edge + node.count
    cdef bint all_legal = s.ops.determinize == NULL
    cdef const move_t* move = s.moves
    cdef uint32_t legal = 0, most = n
    cdef float score, best_score = -INFINITY
    s.moves[n] = NO_MOVE                    # a sentinel: the scan below stops here
    while edge != end:
        if not all_legal:
            while move[0] < edge.move:
                move += 1
        if all_legal or move[0] == edge.move:
            legal += 1
            edge.available += 1
            score = edge.mean + exploration_bonus(edge.available) * edge.urge
            if score > best_score:
                best = edge
                best_score = score
        edge += 1
    if has_order(s, node):
        most = s.question.candidates
    if legal < width(most, node.visits) and best_score <= urgency(node):
        edge = add_edge(
            s, node, s.question.ordered[legal] if has_order(s, node) else untried(s, node, n)
        )
        if edge != NULL:
            edge.available += 1
            return edge
    return best


# ---- Walking down the tree -----------------------------------------------------------------------

cdef inline void take(Search* s, Node* node, Edge* edge) noexcept nogil:
    __builtin_prefetch(edge.child)          # loads while the move is made
    s.ops.apply(s.world, node.seat, edge.move)
    s.path[s.depth].node = node
    s.path[s.depth].edge = edge
    s.depth += 1


cdef inline Node* below(Search* s, Edge* edge) noexcept nogil:
    """Return the place after an edge; NULL on its first visit, or if memory is used up."""
    if edge.visits == 0:
        return NULL
    if edge.child == NULL:
        edge.child = new_node(s, UNKNOWN)
    return edge.child


cdef Node* choose_together(Search* s, Node* place, uint32_t actors) noexcept nogil:
    """Let all actors choose secretly, each from its own statistics at `place`.

    Return the place after their choices; NULL if a choice was new.
    """
    cdef int first = s.depth, i, seat
    cdef uint32_t waiting = actors
    cdef bint new = False
    cdef Node* node
    cdef Edge* edge
    while waiting:
        seat = __builtin_ctz(waiting)
        # The advised seat chooses first: another seat's move may end its turn.
        if s.depth == 0 and waiting & (<uint32_t>1 << s.question.seat):
            seat = s.question.seat
        waiting &= ~(<uint32_t>1 << seat)
        node = choice_of(s, place, seat)
        edge = NULL
        if node != NULL:
            edge = choose(s, node, s.ops.moves(s.world, seat, s.moves))
        if edge == NULL:
            return NULL
        take(s, node, edge)
        new = new or edge.visits == 0
        if s.ops.actors(s.world) & ~(<uint32_t>1 << seat) != waiting:
            break               # the phase is complete: the choices are revealed
    if new:
        return NULL
    for i in range(first, s.depth):
        # All choices together lead to the next place.
        node = choice_of(s, place, s.path[i].node.seat)
        if node == NULL:
            return NULL
        edge = add_edge(s, node, s.path[i].edge.move)
        if edge == NULL:
            return NULL
        if i > first:
            edge.visits += 1    # only for reporting: no seat chooses at this node
        if edge.child == NULL:
            edge.child = new_node(s, UNKNOWN)
        place = edge.child
        if place == NULL:
            return NULL
    return place


cdef void descend(Search* s) noexcept nogil:
    """Walk the world down the tree, up to a move that is tried for the first time."""
    cdef Node* node = s.root
    cdef Edge* edge
    cdef uint32_t actors, n
    s.depth = 0
    while node != NULL and s.depth < MAX_DEPTH:
        if not node.listed:
            __builtin_prefetch(node.edges)  # loads while the moves are listed
            __builtin_prefetch(<char*>node.edges + 64)
            actors = s.ops.actors(s.world)
            if not actors:
                return
            if actors & (actors - 1):
                node = choose_together(s, node, actors)
                continue
            node = choice_of(s, node, __builtin_ctz(actors))
            if node == NULL:
                return
            n = s.ops.moves(s.world, node.seat, s.moves)
            if s.ops.narrow != NULL and node != s.root:
                n = s.ops.narrow(s.question.world, s.world, node.seat, s.moves, n)
                if n == 0:
                    return
            if s.ops.determinize == NULL and node.count == 0:
                list_moves(s, node, n)
        edge = choose_listed(s, node) if node.listed else choose(s, node, n)
        if edge == NULL:
            return
        take(s, node, edge)
        node = below(s, edge)


# ---- An iteration --------------------------------------------------------------------------------

cdef inline bint is_interrupted(
    const Search* s, const Budget* budget, uint32_t played
) noexcept nogil:
    """Return whether to abandon an iteration. The first never is: a report needs a move.

    The deadline interrupts only very long play-outs, so that a tree learns the same whether it
    thinks in slices or all at once.
    """
    return s.iterations and (
        is_cancelled(budget)
        or (played >= LONG and budget.deadline > 0 and now() >= budget.deadline)
    )


cdef void draw_world(Search* search) noexcept nogil:
    cdef Search* s = search
    memcpy(s.world, s.question.world, s.ops.state_size)
    if s.ops.determinize != NULL:
        s.ops.determinize(s.world, s.question.seat, &s.rng)


cdef uint32_t play_on(Search* search, uint32_t most) noexcept nogil:
    cdef Search* s = search
    cdef uint32_t actors, n, played = 0
    cdef int seat
    if s.ops.pick == NULL:
        return playout(s.ops, s.world, s.moves, most, &s.rng).moves
    while played < most:
        actors = s.ops.actors(s.world)
        if not actors:
            break
        seat = random_actor(actors, &s.rng)
        n = s.ops.moves(s.world, seat, s.moves)
        n = s.ops.pick(s.world, seat, s.moves, n, &s.rng)
        s.ops.apply(s.world, seat, s.moves[n])
        played += 1
    return played


cdef bint play_out(Search* search, const Budget* budget, double* returns) noexcept nogil:
    cdef Search* s = search
    cdef uint32_t played = 0
    cdef int seat
    while played < MAX_PLAYOUT:
        if not s.ops.actors(s.world):
            s.ops.returns(s.world, returns)
            return True
        if s.ops.evaluate != NULL:
            s.ops.evaluate(s.world, returns)
            return True
        played += play_on(s, STRETCH)
        if played % STRETCH == 0 and is_interrupted(s, budget, played):
            return False
    for seat in range(s.question.seats):
        returns[seat] = 0.0
    return True


cdef void back_up(Search* s, const double* returns) noexcept nogil:
    cdef int i, seat, seats = s.question.seats
    cdef double value
    cdef Node* node
    cdef Edge* edge
    cdef uint32_t place
    for i in range(s.depth):
        node = s.path[i].node
        edge = s.path[i].edge
        value = returns[node.seat]
        node.visits += 1
        node.total += value
        edge.visits += 1
        edge.total += value
        edge.mean = <float>(edge.total / edge.visits)
        edge.urge = <float>(1.0 / sqrt(<double>edge.visits))
        if node == s.root:
            place = root_place(s.question, edge.move)
            s.visits[place] += 1
            s.squares[place] += value * value
            for seat in range(seats):
                s.totals[place * seats + seat] += returns[seat]


cdef uint32_t root_place(const Question* question, move_t move) noexcept nogil:
    """Return the index of a legal move in the question's ascending list."""
    cdef uint32_t low = 0, high = question.n - 1, middle
    while low < high:
        middle = (low + high) // 2
        if question.moves[middle] < move:
            low = middle + 1
        else:
            high = middle
    return low


cdef bint iterate(Search* s, const Budget* budget) noexcept nogil:
    """Make one iteration. Return False if it was abandoned; then it does not count."""
    cdef double returns[MAX_SEATS]
    draw_world(s)
    descend(s)
    if not play_out(s, budget, returns):
        return False
    back_up(s, returns)
    s.iterations += 1
    return True


# ---- The search ----------------------------------------------------------------------------------

cdef bint open_search(
    Search* search, const Question* question, uint32_t number, size_t memory
) noexcept nogil:
    cdef Search* s = search
    cdef uint32_t n = question.n
    s.question = question
    s.ops = question.ops
    s.iterations = 0
    rng_seed(&s.rng, question.seed, SEARCH_STREAM | <uint64_t>number << 32)
    # The basics of a search are always granted; the limit applies to the growing tree.
    arena_open(&s.arena, <size_t>1 << 32)
    s.root = new_node(s, question.seat)
    s.world = arena_take(&s.arena, s.ops.state_size)
    s.moves = <move_t*>arena_take(&s.arena, (s.ops.max_moves + MOVE_SLACK) * sizeof(move_t))
    s.visits = <uint32_t*>arena_take(&s.arena, n * sizeof(uint32_t))
    s.squares = <double*>arena_take(&s.arena, n * sizeof(double))
    s.totals = <double*>arena_take(&s.arena, n * question.seats * sizeof(double))
    if (
        s.root == NULL or s.world == NULL or s.moves == NULL or s.visits == NULL
        or s.squares == NULL or s.totals == NULL or not make_room(s, s.root, FIRST_ROOM)
    ):
        return False
    memset(s.visits, 0, n * sizeof(uint32_t))
    memset(s.squares, 0, n * sizeof(double))
    memset(s.totals, 0, n * question.seats * sizeof(double))
    s.arena.limit = memory
    return True


cdef Stopped think(Search* search, const Budget* budget) noexcept nogil:
    cdef double seen = now(), time
    cdef uint32_t unseen = 0, stride = 1
    while True:
        if budget.iterations and search.iterations >= budget.iterations:
            return BY_ITERATIONS
        if not iterate(search, budget):
            return BY_CANCEL if is_cancelled(budget) else BY_TIME
        if is_cancelled(budget):
            return BY_CANCEL
        unseen += 1
        if budget.deadline > 0 and unseen >= stride:
            # Reading the clock costs as much as an iteration of a small game: do it only every few
            # dozen microseconds.
            time = now()
            if time >= budget.deadline:
                return BY_TIME
            stride = 2 * stride if time - seen < 20e-6 else 1 if time - seen > 100e-6 else stride
            seen = time
            unseen = 0


cdef struct Job:
    Search* search
    Budget budget
    Stopped stopped
    pthread_t thread
    bint begun


cdef void* run_job(void* argument) noexcept nogil:
    cdef Job* job = <Job*>argument
    job.stopped = think(job.search, &job.budget)
    return NULL


cdef Stopped think_together(Search* searches, int count, const Budget* budget) noexcept nogil:
    cdef Job jobs[MAX_TREES]
    cdef int i
    for i in range(count):
        jobs[i].stopped = STILL_RUNNING
        jobs[i].search = &searches[i]
        jobs[i].budget = budget[0]
        if budget.iterations:
            # Shares that add up to the whole, each at least 1: 0 would mean no limit.
            jobs[i].budget.iterations = max(
                budget.iterations * (i + 1) // count - budget.iterations * i // count, 1
            )
        # The first tree grows in this thread, and so does any tree whose thread cannot start.
        jobs[i].begun = i > 0 and pthread_create(&jobs[i].thread, NULL, run_job, &jobs[i]) == 0
    for i in range(count):
        if not jobs[i].begun:
            run_job(&jobs[i])
    for i in range(count):
        if jobs[i].begun:
            pthread_join(jobs[i].thread, NULL)
    return jobs[0].stopped


cdef void close_search(Search* search) noexcept nogil:
    arena_close(&search.arena)
