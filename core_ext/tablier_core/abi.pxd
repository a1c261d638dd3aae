# The interface between games and everything else. Read this file first.
#
# A game is one `GameOps`: a few constants, and C functions that work on the game's state struct.
# Only the game's own folder knows what is inside that struct. The search, the codec, the service
# and the tests see a pointer to `state_size` bytes and reach the game through this table alone.
#
# A slot that a game does not need is NULL. What the rest of the project does with a game follows
# from which slots are filled, so no code ever asks which game it has.
#
# What every slot can rely on, and must keep:
#   * `noexcept nogil`: a slot uses no Python, raises nothing, takes no lock, does no I/O and reads
#     no clock (except through a Budget).
#   * The caller owns all memory. A state has `state_size` bytes, aligned for uint64_t. It contains
#     no pointers, so a memcpy copies it. Slots keep nothing between calls.
#   * All randomness comes from an `Rng*`: the caller's, or one inside the state that future
#     shuffles and rolls draw from. A game with an Rng inside its state must have `determinize`;
#     otherwise a search could see the future.
#   * Input is checked once, at the border. After a successful `setup` or `unpack` no slot can fail,
#     and `apply` only ever receives legal moves.
#   * A slot takes `const void*` and casts it inside. Function pointers are never cast.
#
# tablier_core/testing/guards.pyx checks these rules for every game during random play.

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from tablier_core.budget cimport Budget
from tablier_core.rng cimport Rng

# A move is a number below `num_actions`: an index into the game's list of all actions. The same
# number means the same action in every position, for as long as `rules_version` stays the same.
ctypedef uint32_t move_t

cdef enum:
    # As the seat that moves: the table itself, for the rare move that no seat makes. The table is
    # never among the actors. As a viewer: the referee, who sees everything.
    TABLE = -1
    MAX_SEATS = 12
    MAX_NOTATION = 64       # bytes that `write_move` may write
    MAX_PACKED = 2048       # bytes that `pack` may write
    MOVE_SLACK = 8          # entries behind max_moves that `moves` may overwrite (wide stores)

# How much of a decision the game's own engine has made. See `rank`.
cdef enum Verdict:
    NO_OPINION = 0          # nothing: search all moves
    PRIOR = 1               # an order: search the moves that have a weight, the heaviest first
    SETTLED = 2             # everything: no search is needed

ctypedef struct GameOps:
    # ---- Facts -------------------------------------------------------------------------------
    const char* name            # lower-case ASCII with dashes; part of every token
    uint32_t rules_version      # raised with every change to a rule, an action or the byte layout
    size_t state_size
    size_t options_size         # bytes of the options struct that `setup` reads
    uint32_t max_moves          # the most legal moves that a seat can have
    uint32_t num_actions
    int min_seats
    int max_seats
    const char* phases          # phase names separated by spaces; the last one is "over"
    const char* faults          # messages for the error codes of `unpack`, one per line

    # ---- Rules -------------------------------------------------------------------------------
    # Start a new game. `options` is the struct that the game's own `pack_options` filled.
    void (*setup)(void* state, const void* options, Rng* rng) noexcept nogil
    # Return the number of seats. It never changes during a game.
    int (*seats)(const void* state) noexcept nogil
    # Return the kind of decision that is due, as an index into `phases`.
    int (*phase)(const void* state) noexcept nogil
    # Return the seats that may move now: bit i stands for seat i. 0 means that the game is over.
    # When several bits are set, these seats may move in any order.
    uint32_t (*actors)(const void* state) noexcept nogil
    # Write the legal moves of a seat, ascending and without repetition, and return their number:
    # at least 1 for an actor, 0 for every other seat. `out` has room for max_moves + MOVE_SLACK
    # entries; entries behind the returned number may contain anything.
    uint32_t (*moves)(const void* state, int seat, move_t* out) noexcept nogil
    # Play a legal move of `seat`, and everything that follows from it without another decision.
    void (*apply)(void* state, int seat, move_t move) noexcept nogil
    # Write the points of every seat. Called at any time.
    void (*scores)(const void* state, double* out) noexcept nogil
    # Write the return of every seat, from -1 (lost) to 1 (won). Called only when the game is over.
    void (*returns)(const void* state, double* out) noexcept nogil

    # ---- Notation: one text per action, the same in every position -----------------------------
    # Write the text of an action, in ASCII and without a terminating zero. Return its length.
    int (*write_move)(move_t move, char* out) noexcept nogil
    # Return the action that a text stands for, or -1 if there is none.
    long (*read_move)(const char* text, size_t length) noexcept nogil

    # ---- Hidden information (both are NULL if all is public and nothing is left to chance) ------
    # Turn the state into a world: another state that `viewer` cannot tell from this one. Everything
    # that the viewer does not know, future chance included, is drawn at random from the
    # possibilities that it cannot rule out. The viewer's view, infoset and legal moves stay the
    # same. The result must depend only on the viewer's information and the rng, never on the hidden
    # truth. For the referee (TABLE), only future chance is redrawn.
    void (*determinize)(void* state, int viewer, Rng* rng) noexcept nogil
    # Return a hash of everything that `viewer` knows. States that the viewer cannot tell apart have
    # the same hash.
    uint64_t (*infoset)(const void* state, int viewer) noexcept nogil

    # ---- Numbers for learners ------------------------------------------------------------------
    uint32_t features_version   # raised with every change to the layout or meaning of the features
    # How many numbers a seat observes: the same for all options and numbers of seats.
    uint32_t num_features
    # The named slices of these numbers, in order: "name shape low high meaning", one per line, such
    # as "pawns 2x6x6 0 1 own pawns, then the rival's". `low` and `high` bound every number of a
    # slice. The first two slices are `phase`, which has a 1 for the current one of `phases`, and
    # `actors`, which has a 1 for every seat that may move, with `max_seats` places.
    const char* features
    # Write all features: what `seat` sees, and nothing else. Two states have the same features for
    # a seat exactly if it has the same view of them. Numbers about seats begin with the seat itself
    # and continue with the seats after it; those of absent seats are 0. Every number is exact.
    void (*write_features)(const void* state, int seat, float* out) noexcept nogil

    # ---- Judgement: what the game knows about good play (each may be NULL) ----------------------
    # Estimate the returns of all seats in a game that is not over. A search then calls this instead
    # of playing the game out.
    void (*evaluate)(const void* state, double* out) noexcept nogil
    # Choose a move for a play-out: return an index into the n legal moves of `seat`.
    uint32_t (*pick)(
        const void* state, int seat, const move_t* moves, uint32_t n, Rng* rng
    ) noexcept nogil
    # Select the moves that a search tree should look into below its root. Move them to the front of
    # `moves`, in their order, and return their number. 0 ends the tree here, and the state is
    # estimated or played out; this is useful where chance has changed what moves mean. `begun` is
    # the state that the search started from.
    uint32_t (*narrow)(
        const void* begun, const void* state, int seat, move_t* moves, uint32_t n
    ) noexcept nogil
    # Ask the game's own engine about the n legal moves of `seat`. `state` is a world that
    # `determinize` drew for this seat, so the engine cannot peek, whatever it reads.
    #   weights   one per move, all 0 on entry: how good the move is, in any unit that orders moves.
    #             A move of weight 0 is not worth trying if another move has more. An engine that
    #             plays a mixed strategy draws its choice from the rng and gives it the most weight.
    #   values    one per move and seat (all seats of move 0 first): estimated returns in [-1, 1].
    #             Written only if the verdict is SETTLED.
    # The engine keeps to the budget. If that is a number of iterations, its work is bounded by the
    # number and its result is the same on every machine. It checks the clock and the cancel flag at
    # least once per millisecond.
    Verdict (*rank)(
        const void* state, int seat, const move_t* moves, uint32_t n, const Budget* budget,
        Rng* rng, double* weights, double* values
    ) noexcept nogil

    # ---- Bytes -------------------------------------------------------------------------------
    # Write the state's only byte form, little-endian and field by field. Return its length, at most
    # MAX_PACKED.
    size_t (*pack)(const void* state, uint8_t* out) noexcept nogil
    # Check the bytes completely and rebuild the state. Return 0, or an error code: 1 is the first
    # line of `faults`. Accept exactly what `pack` can write for a state that the game's bookkeeping
    # allows. After an error the state may contain anything.
    int (*unpack)(void* state, const uint8_t* data, size_t length) noexcept nogil
