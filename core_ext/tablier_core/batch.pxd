# Many games of one kind in C: what `vector` runs with the GIL released, on several threads.

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from tablier_core.abi cimport GameOps, move_t
from tablier_core.rng cimport Rng

cdef enum:
    EVERY_SEAT = -1             # as the seat of a learner: the caller plays all seats
    NOBODY = -1                 # as the seat that is asked: the game cannot be played

# One game. Its state and its set of legal actions are elsewhere, found by its number.
ctypedef struct Slot:
    uint64_t seed               # of this episode
    Rng seeds                   # draws the seeds of later episodes
    Rng chance                  # plays the seats of random players
    uint32_t options            # which of the options it has
    uint32_t waited             # the seats that have waited since the last move
    uint32_t ply                # moves played in this episode
    uint32_t count              # legal actions of the seat that is asked
    int32_t asked               # the seat that moves next, or NOBODY
    int32_t learner             # the seat that the caller plays, or EVERY_SEAT

# All games, and the caller's memory. A pointer to memory that the caller did not give is NULL.
ctypedef struct Batch:
    const GameOps* ops
    int64_t games
    uint32_t optional_phases    # one bit per phase
    uint32_t space              # actions, `wait` included
    uint32_t words              # of 64 bits in a set of actions
    uint32_t mask_bytes         # of a row of masks
    bint packed                 # masks have one bit per action, not one byte
    int seats                   # columns of the rewards
    size_t stride               # bytes from state to state
    size_t options_stride
    Slot* slots
    uint8_t* states
    uint64_t* legal
    const uint8_t* options
    int threads
    move_t** scratch            # by thread
    int64_t chunk               # games that a thread takes at a time
    int64_t taken               # games that the threads have taken
    # The caller's memory.
    void* actions
    int action_size             # bytes: 4 or 8
    float* observations
    uint8_t* masks
    int32_t* asked
    float* rewards
    uint8_t* dones
    uint8_t* illegal
    float* finals
    const uint8_t* given_up
    int64_t* offsets
    int32_t* listed

# What a thread does with one game. `scratch` has room for a list of moves.
ctypedef void (*Task)(Batch* b, int64_t game, move_t* scratch) noexcept nogil

# Do a task for every game, on all threads.
cdef void run(Batch* b, Task task) noexcept nogil

cdef void* state_of(const Batch* b, int64_t game) noexcept nogil

# Start the series of episodes that belongs to the slot's seed.
cdef void begin(Batch* b, int64_t game, move_t* scratch) noexcept nogil
# Play the caller's action, and go on until a seat of the caller is asked.
cdef void step(Batch* b, int64_t game, move_t* scratch) noexcept nogil
# Go on from the state as it is, for example after it was restored.
cdef void resume(Batch* b, int64_t game, move_t* scratch) noexcept nogil
# Start the next episode if the game is given up.
cdef void give_up(Batch* b, int64_t game, move_t* scratch) noexcept nogil
# Choose a random legal action for the caller.
cdef void choose(Batch* b, int64_t game, move_t* scratch) noexcept nogil
# Write the legal actions in ascending order from `offsets` of the game on.
cdef void list_actions(Batch* b, int64_t game, move_t* scratch) noexcept nogil
