# The one interface between games and everything else. Read this file first.
#
# A game is a `GameOps`: static facts and C functions over an opaque, fixed-size state struct that
# only the game's own `rules.pyx` can read. Search, codec, service and tests know games through
# this table alone; whether a game has hidden information, knowledge or chance follows from which
# optional slots are not NULL. Nothing in the project asks which game it has.
#
# Contracts that hold for every slot:
#   * `noexcept nogil`: no Python, no exceptions, no locks, no I/O, no clock.
#   * Pure over memory that the caller owns. A state is `state_size` bytes, aligned for uint64_t; it
#     may be copied with memcpy and holds no pointers.
#   * All randomness comes from an `Rng*`: the caller's, or the one that a state carries for later
#     shuffles. A state that carries one must have `determinize`, or a search could see the future.
#   * After a successful `setup` or `unpack`, no other slot can fail. Callers pass only legal moves
#     to `apply`; everything that arrives from outside is checked before.
#   * A slot receives `const void*` and casts inside. Function pointers are never cast.

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from tablier_core.budget cimport Budget
from tablier_core.rng cimport Rng

# An action: an index below `num_actions` into the game's dense action space. What an index means is
# fixed within a rules_version.
ctypedef uint32_t move_t

cdef enum:
    # As a mover: the table, for the rare move that belongs to no seat; never among the actors.
    # As a viewer: the referee, who sees everything.
    TABLE = -1
    MAX_SEATS = 12
    MAX_NOTATION = 64       # bytes that `write_move` may use
    MAX_PACKED = 2048       # bytes that `pack` may use
    MOVE_SLACK = 8          # entries past max_moves that `moves` may scribble on (wide stores)

# How far a game's own engine got with the moves of a seat.
cdef enum Verdict:
    NO_OPINION = 0          # search as if there were no engine here
    PRIOR = 1               # the weights guide a search
    SETTLED = 2             # no search is needed: weights and values are the answer

ctypedef struct GameOps:
    # ---- Facts -------------------------------------------------------------------------------
    const char* name            # lower-case ASCII with dashes; part of every token
    uint32_t rules_version      # raised whenever any rule, action index or byte layout changes
    size_t state_size
    size_t options_size         # size of the struct that `setup` reads
    uint32_t max_moves          # no position gives a seat more
    uint32_t num_actions
    int min_seats
    int max_seats
    const char* phases          # names by phase number, a space between; the last is "over"
    const char* faults          # what `unpack` found wrong, a line for each error code from 1

    # ---- Rules -------------------------------------------------------------------------------
    # A fresh game. `options` was filled by the game's own `pack_options` and is valid.
    void (*setup)(void* state, const void* options, Rng* rng) noexcept nogil
    # The number of seats of this game, constant from setup to the end.
    int (*seats)(const void* state) noexcept nogil
    # Which kind of move is due: an index into `phases`.
    int (*phase)(const void* state) noexcept nogil
    # The seats that may move now, bit i for seat i. 0 exactly when the game is over.
    uint32_t (*actors)(const void* state) noexcept nogil
    # Write the legal moves of a seat, ascending and unique, and return how many: 0 for a seat that
    # is not an actor, at least 1 for an actor. `out` has room for max_moves + MOVE_SLACK entries;
    # what stands behind the returned count is unspecified.
    uint32_t (*moves)(const void* state, int seat, move_t* out) noexcept nogil
    # Play one legal move of `seat`, with all that follows from it without a decision.
    void (*apply)(void* state, int seat, move_t move) noexcept nogil
    # Raw points of every seat, at any time.
    void (*scores)(const void* state, double* out) noexcept nogil
    # Every seat's return in [-1, 1]; asked only when the game is over.
    void (*returns)(const void* state, double* out) noexcept nogil

    # ---- Notation: a bijection between actions and ASCII strings, the same in every position ---
    # Write the action's only spelling, without a final zero, and return its length.
    int (*write_move)(move_t move, char* out) noexcept nogil
    # Read it back: the number of the action, or -1 if the text is nobody's spelling.
    long (*read_move)(const char* text, size_t length) noexcept nogil

    # ---- Hidden information (both NULL: all is public and nothing is left to chance) -----------
    # Replace everything that `viewer` cannot know by a fair draw from what it can believe. The
    # viewer's observation, infoset and legal moves stay; the result depends on the information
    # set and the rng alone, never on the hidden truth. For TABLE only future chance is redrawn.
    void (*determinize)(void* state, int viewer, Rng* rng) noexcept nogil
    # A hash of all that `viewer` knows: equal for states that it cannot tell apart.
    uint64_t (*infoset)(const void* state, int viewer) noexcept nogil

    # ---- Knowledge (each may be NULL) ----------------------------------------------------------
    # Estimated returns of every seat in a game that is not over.
    void (*evaluate)(const void* state, double* out) noexcept nogil
    # A play-out policy: the index of the chosen one among the n legal moves of `seat`.
    uint32_t (*pick)(
        const void* state, int seat, const move_t* moves, uint32_t n, Rng* rng
    ) noexcept nogil
    # Which of the n legal moves of `seat` a tree should look into, behind the first one: they stay,
    # in their order, at the head of the list, and their number is returned. 0 says that the tree
    # should end here and the state be estimated, as where chance has changed what moves mean.
    # `begun` is the state that the search began at.
    uint32_t (*narrow)(
        const void* begun, const void* state, int seat, move_t* moves, uint32_t n
    ) noexcept nogil
    # The game's own engine: what it thinks of the n legal moves of `seat`. `state` is a world drawn
    # by `determinize` for that seat, so whatever the engine reads, it cannot peek.
    #   weights   n of them, all 0 on entry: how good each move is, in any unit that orders them; a
    #             move of weight 0 beside others of more is not worth a try. An engine that plays a
    #             mixed strategy draws its choice from the rng and gives that move the most.
    #   values    n times the number of seats, move by move: estimated returns in [-1, 1]. Written
    #             for SETTLED only.
    # It keeps to the budget: with a number of iterations, work bounded by that number and the same
    # on every machine; a look at the clock and the cancel flag at least every millisecond.
    Verdict (*rank)(
        const void* state, int seat, const move_t* moves, uint32_t n, const Budget* budget,
        Rng* rng, double* weights, double* values
    ) noexcept nogil

    # ---- Bytes -------------------------------------------------------------------------------
    # The canonical bytes of a state, little-endian, field by field; at most MAX_PACKED of them.
    size_t (*pack)(const void* state, uint8_t* out) noexcept nogil
    # Check every invariant and rebuild the state: 0, or an error code (a line of `faults`, from 1).
    # Accepts exactly what `pack` writes for states that the game's own bookkeeping allows; on error
    # the state's content is unspecified.
    int (*unpack)(void* state, const uint8_t* data, size_t length) noexcept nogil
