"""Many games of one kind in C. Each has its own generators, so threads do not matter."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from tablier_core.abi cimport MAX_SEATS, move_t
from tablier_core.asking cimport may_wait, next_asked
from tablier_core.batch cimport EVERY_SEAT, NOBODY, Batch, Slot, Task
from tablier_core.rng cimport EPISODE_STREAM, GAME_STREAM, PLAYOUT_STREAM, Rng, rng_below, \
    rng_next, rng_seed

cdef extern from *:
    int __builtin_ctzll(unsigned long long) noexcept nogil
    int __builtin_popcountll(unsigned long long) noexcept nogil
    int64_t __atomic_fetch_add(int64_t*, int64_t, int) noexcept nogil
    int __ATOMIC_RELAXED

cdef extern from "pthread.h" nogil:
    ctypedef unsigned long pthread_t
    int pthread_create(pthread_t*, void*, void* (*)(void*) noexcept nogil, void*)
    int pthread_join(pthread_t, void**)

cdef enum:
    MOST_THREADS = 64
    CHUNKS = 8                  # that a thread takes: few, but enough to share uneven work
    # Episodes in a row in which no seat of the caller is asked, after which a game is given up.
    MOST_UNASKED = 1000

ctypedef struct Worker:
    Batch* batch
    Task task
    move_t* scratch


# ---- Threads -------------------------------------------------------------------------------------

cdef void* work(void* argument) noexcept nogil:
    """Take games until none is left."""
    cdef Worker* worker = <Worker*>argument
    cdef Batch* b = worker.batch
    cdef int64_t game, first
    while True:
        first = __atomic_fetch_add(&b.taken, b.chunk, __ATOMIC_RELAXED)
        if first >= b.games:
            return NULL
        for game in range(first, min(first + b.chunk, b.games)):
            worker.task(b, game, worker.scratch)


cdef void run(Batch* b, Task task) noexcept nogil:
    # Threads live for one call: starting one takes some ten microseconds, nothing has to be woken
    # or stopped, and a forked process works like any other.
    cdef Worker[MOST_THREADS] workers
    cdef pthread_t[MOST_THREADS] threads
    cdef bint[MOST_THREADS] started
    cdef int i
    b.taken = 0
    b.chunk = max(1, b.games // (b.threads * CHUNKS))
    for i in range(b.threads):
        workers[i].batch = b
        workers[i].task = task
        workers[i].scratch = b.scratch[i]
    for i in range(1, b.threads):
        # Without this thread, the others take its games.
        started[i] = pthread_create(&threads[i], NULL, work, &workers[i]) == 0
    work(&workers[0])
    for i in range(1, b.threads):
        if started[i]:
            pthread_join(threads[i], NULL)


# ---- Episodes ------------------------------------------------------------------------------------

cdef void* state_of(const Batch* b, int64_t game) noexcept nogil:
    return b.states + game * b.stride


cdef void start(Batch* b, int64_t game) noexcept nogil:
    """Start an episode from the slot's seed."""
    cdef Slot* slot = &b.slots[game]
    cdef Rng rng
    rng_seed(&rng, slot.seed, GAME_STREAM)
    b.ops.setup(state_of(b, game), b.options + slot.options * b.options_stride, &rng)
    slot.waited = 0
    slot.ply = 0


cdef void begin(Batch* b, int64_t game, move_t* scratch) noexcept nogil:
    cdef Slot* slot = &b.slots[game]
    rng_seed(&slot.seeds, slot.seed, EPISODE_STREAM)
    rng_seed(&slot.chance, slot.seed, PLAYOUT_STREAM)
    start(b, game)
    resume(b, game, scratch)


cdef void restart(Batch* b, int64_t game) noexcept nogil:
    """Start the next episode of the series."""
    cdef Slot* slot = &b.slots[game]
    cdef uint64_t high = rng_next(&slot.seeds)
    slot.seed = high << 32 | rng_next(&slot.seeds)
    start(b, game)


cdef void give_up(Batch* b, int64_t game, move_t* scratch) noexcept nogil:
    if b.given_up[game]:
        restart(b, game)
        resume(b, game, scratch)


cdef void resume(Batch* b, int64_t game, move_t* scratch) noexcept nogil:
    go_on(b, game, scratch)
    # An episode that ended before the caller was asked is not a result of the caller's.
    clear_results(b, game)


cdef void step(Batch* b, int64_t game, move_t* scratch) noexcept nogil:
    cdef Slot* slot = &b.slots[game]
    cdef const uint64_t* legal = b.legal + game * b.words
    cdef int64_t action
    clear_results(b, game)
    if b.action_size == 4:
        action = (<const int32_t*>b.actions)[game]
    else:
        action = (<const int64_t*>b.actions)[game]
    if not 0 <= action < b.space or not legal[action >> 6] >> (action & 63) & 1:
        if b.illegal != NULL:
            b.illegal[game] = 1
        return
    play(b, slot, state_of(b, game), <uint32_t>action)
    go_on(b, game, scratch)


cdef void play(Batch* b, Slot* slot, void* state, uint32_t action) noexcept nogil:
    """Play a legal action of the seat that is asked."""
    if action == b.ops.num_actions:
        slot.waited |= <uint32_t>1 << slot.asked
    else:
        b.ops.apply(state, slot.asked, action)
        slot.waited = 0
        slot.ply += 1


cdef void go_on(Batch* b, int64_t game, move_t* scratch) noexcept nogil:
    """Play random players and start new episodes until a seat of the caller is asked."""
    cdef Slot* slot = &b.slots[game]
    cdef void* state = state_of(b, game)
    cdef uint32_t actors, choice
    cdef bint optional, waits
    cdef int unasked = 0
    while True:
        actors = b.ops.actors(state)
        if not actors:
            if unasked == 0:
                finish(b, game, state)
            unasked += 1
            if unasked > MOST_UNASKED:
                slot.asked = NOBODY
                break
            restart(b, game)
            continue
        optional = b.optional_phases >> b.ops.phase(state) & 1
        slot.asked = next_asked(actors, optional, slot.waited)
        waits = may_wait(actors, optional, slot.asked)
        slot.count = b.ops.moves(state, slot.asked, scratch)
        if slot.learner == EVERY_SEAT or slot.learner == slot.asked:
            if waits:
                scratch[slot.count] = b.ops.num_actions
                slot.count += 1
            break
        choice = rng_below(&slot.chance, slot.count + waits)
        play(b, slot, state, scratch[choice] if choice < slot.count else b.ops.num_actions)
    if slot.asked == NOBODY:
        slot.count = 0
    show(b, game, state, scratch)


# ---- What the caller gets ------------------------------------------------------------------------

cdef void clear_results(Batch* b, int64_t game) noexcept nogil:
    if b.rewards != NULL:
        memset(b.rewards + game * b.seats, 0, b.seats * sizeof(float))
    if b.dones != NULL:
        b.dones[game] = 0
    if b.illegal != NULL:
        b.illegal[game] = 0


cdef void finish(Batch* b, int64_t game, const void* state) noexcept nogil:
    """Report the end of an episode."""
    cdef const Slot* slot = &b.slots[game]
    cdef double[MAX_SEATS] returns
    cdef int seat
    if b.dones != NULL:
        b.dones[game] = 1
    if b.rewards != NULL:
        b.ops.returns(state, returns)
        for seat in range(b.ops.seats(state)):
            b.rewards[game * b.seats + seat] = <float>returns[seat]
    if b.finals != NULL:
        seat = slot.asked if slot.learner == EVERY_SEAT else slot.learner
        b.ops.write_features(state, seat, b.finals + game * b.ops.num_features)


cdef void show(Batch* b, int64_t game, const void* state, const move_t* actions) noexcept nogil:
    """Write the seat that is asked, what it knows and what it may do."""
    cdef const Slot* slot = &b.slots[game]
    cdef uint64_t* legal = b.legal + game * b.words
    cdef uint8_t* mask
    cdef uint32_t i
    memset(legal, 0, b.words * sizeof(uint64_t))
    for i in range(slot.count):
        legal[actions[i] >> 6] |= <uint64_t>1 << (actions[i] & 63)
    if b.asked != NULL:
        b.asked[game] = slot.asked
    if b.masks != NULL:
        mask = b.masks + game * b.mask_bytes
        if b.packed:
            memcpy(mask, legal, b.mask_bytes)
        else:
            memset(mask, 0, b.mask_bytes)
            for i in range(slot.count):
                mask[actions[i]] = 1
    if b.observations != NULL and slot.asked != NOBODY:
        b.ops.write_features(state, slot.asked, b.observations + game * b.ops.num_features)


# ---- Choosing and listing ------------------------------------------------------------------------

cdef void choose(Batch* b, int64_t game, move_t* scratch) noexcept nogil:
    cdef Slot* slot = &b.slots[game]
    cdef const uint64_t* legal = b.legal + game * b.words
    cdef uint64_t word
    cdef uint32_t rest, inside
    cdef int64_t action = 0
    if slot.count:
        rest = rng_below(&slot.chance, slot.count)
        while True:
            word = legal[action >> 6]
            if word:
                inside = __builtin_popcountll(word)
                if rest < inside:
                    break
                rest -= inside
            action += 64
        while rest:
            word &= word - 1
            rest -= 1
        action += __builtin_ctzll(word)
    if b.action_size == 4:
        (<int32_t*>b.actions)[game] = <int32_t>action
    else:
        (<int64_t*>b.actions)[game] = action


cdef void list_actions(Batch* b, int64_t game, move_t* scratch) noexcept nogil:
    cdef const uint64_t* legal = b.legal + game * b.words
    cdef int32_t* out = b.listed + b.offsets[game]
    cdef uint64_t word
    cdef uint32_t i
    for i in range(b.words):
        word = legal[i]
        while word:
            out[0] = <int32_t>(64 * i + __builtin_ctzll(word))
            out += 1
            word &= word - 1
