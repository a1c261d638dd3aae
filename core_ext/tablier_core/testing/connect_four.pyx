"""Connect four on bitboards: seven columns, six rows, and well-known perft counts.

Two seats drop discs in turn, seat 0 first. Four discs in a line, in any direction, win. A full
board without such a line is a draw.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from tablier_core.abi cimport GameOps, move_t
from tablier_core.floats cimport put_choice, put_seats, put_set, seat_after
from tablier_core.packing cimport put, take
from tablier_core.rng cimport Rng

# ---- Facts and constants -------------------------------------------------------------------------

# A column has seven bits, lowest row first. The seventh is always clear, so that neither a line nor
# the carry that finds the lowest free row runs over into the next column. An action is the column
# that a disc falls into.
cdef enum:
    COLUMNS = 7
    ROWS = 6
    STRIDE = 7
    NOBODY = 2                          # as the winner: none yet, or a draw
    PACKED_SIZE = 14

cdef enum Phase:
    DROP = 0
    OVER = 1

cdef extern from *:
    """
    #define BOTTOM_ROW UINT64_C(0x0040810204081)    /* bit 0 of every column */
    #define TOP_ROW (BOTTOM_ROW << 5)
    #define BOARD (BOTTOM_ROW * 63)
    """
    const uint64_t BOTTOM_ROW
    const uint64_t TOP_ROW
    const uint64_t BOARD
    int __builtin_popcountll(unsigned long long) noexcept nogil

cdef struct State:
    uint64_t discs[2]
    uint32_t open                       # mask of the columns that are not full
    uint32_t actors
    int winner

cdef enum Fault:
    BAD_LENGTH = 1
    BAD_CELLS
    BAD_FALL
    BAD_TURNS
    BAD_LINE

cdef const char* FAULTS = (
    b"length: the state must be exactly 14 bytes\n"
    b"discs: a cell is off the board or holds two discs\n"
    b"discs: one hangs in the air\n"
    b"discs: the seats have not dropped in turn\n"
    b"discs: play went on after four were in a line"
)

# For each set of columns: its size and its members, ascending. Filled once at import.
cdef uint8_t[128] size_of
cdef uint8_t[128][8] columns_of


cdef void fill_sets() noexcept:
    cdef int columns, column
    for columns in range(128):
        size_of[columns] = 0
        for column in range(COLUMNS):
            if columns >> column & 1:
                columns_of[columns][size_of[columns]] = column
                size_of[columns] += 1


fill_sets()

# ---- Rules ---------------------------------------------------------------------------------------


cdef inline uint64_t fours(uint64_t discs, int step) noexcept nogil:
    """Return the cells where four discs in a line begin, `step` apart."""
    cdef uint64_t pairs = discs & (discs >> step)
    return pairs & (pairs >> (2 * step))


cdef inline bint has_four(uint64_t discs) noexcept nogil:
    return (
        fours(discs, 1) | fours(discs, STRIDE) | fours(discs, STRIDE - 1) | fours(discs, STRIDE + 1)
    ) != 0


cdef void setup(void* state, const void* options, Rng* rng) noexcept nogil:
    cdef State* s = <State*>state
    s.discs[0] = s.discs[1] = 0
    s.open = 127
    s.actors = 1
    s.winner = NOBODY


cdef int seats(const void* state) noexcept nogil:
    return 2


cdef int phase(const void* state) noexcept nogil:
    return DROP if (<const State*>state).actors else OVER


cdef uint32_t actors(const void* state) noexcept nogil:
    return (<const State*>state).actors


cdef uint32_t moves(const void* state, int seat, move_t* out) noexcept nogil:
    cdef const State* s = <const State*>state
    cdef int i
    if seat < 0 or not s.actors >> seat & 1:
        return 0
    # Copy the whole row: a fixed number of copies needs no branch, and the slack has room for it.
    for i in range(8):
        out[i] = columns_of[s.open][i]
    return size_of[s.open]


cdef void apply(void* state, int seat, move_t move) noexcept nogil:
    cdef State* s = <State*>state
    cdef uint64_t taken = s.discs[0] | s.discs[1]
    # Adding one at the bottom of the column carries up to its lowest free row.
    cdef uint64_t disc = (taken + (<uint64_t>1 << (STRIDE * move))) & ~taken
    disc &= <uint64_t>63 << (STRIDE * move)
    s.discs[seat] |= disc
    s.open &= ~(<uint32_t>((disc & TOP_ROW) != 0) << move)
    if has_four(s.discs[seat]):
        s.winner = seat
        s.actors = 0
    else:
        s.actors = <uint32_t>2 >> seat if s.open else 0


cdef void scores(const void* state, double* out) noexcept nogil:
    cdef int winner = (<const State*>state).winner
    out[0] = 1.0 if winner == 0 else 0.0
    out[1] = 1.0 if winner == 1 else 0.0


cdef void returns(const void* state, double* out) noexcept nogil:
    cdef double points[2]
    scores(state, points)
    out[0] = points[0] - points[1]
    out[1] = points[1] - points[0]


# ---- Notation: the column's letter ---------------------------------------------------------------

cdef int write_move(move_t move, char* out) noexcept nogil:
    out[0] = <char>(97 + move)                  # 'a'
    return 1


cdef long read_move(const char* text, size_t length) noexcept nogil:
    return text[0] - 97 if length == 1 and 97 <= text[0] < 97 + COLUMNS else -1


# ---- Numbers for learners ------------------------------------------------------------------------

cdef enum:
    NUM_FEATURES = 2 + 2 + 2 * COLUMNS * ROWS

cdef const char* FEATURES = (
    b"phase 2 0 1 drop, over\n"
    b"actors 2 0 1 the seat to move, own first\n"
    b"cells 2x7x6 0 1 own discs, then the rival's; column a first, its lowest cell first"
)


cdef void write_features(const void* state, int seat, float* out) noexcept nogil:
    cdef const State* s = <const State*>state
    cdef int step, column
    put_choice(&out, phase(s), 2)
    put_seats(&out, s.actors, seat, 2, 2)
    for step in range(2):
        for column in range(COLUMNS):
            put_set(&out, s.discs[seat_after(seat, step, 2)] >> (STRIDE * column), ROWS)


# ---- Bytes: the discs, from which everything else follows ----------------------------------------

cdef size_t pack(const void* state, uint8_t* out) noexcept nogil:
    cdef const State* s = <const State*>state
    cdef uint8_t* cursor = out
    put(&cursor, s.discs[0], 7)
    put(&cursor, s.discs[1], 7)
    return PACKED_SIZE


cdef bint one_drop_made(uint64_t fours_of, uint64_t taken) noexcept nogil:
    """Return whether a single last drop can have completed all fours of a seat."""
    cdef uint64_t tops = fours_of & ((taken + BOTTOM_ROW) >> 1)
    while tops:
        if not has_four(fours_of & ~(tops & (~tops + 1))):
            return True
        tops &= tops - 1
    return False


cdef int unpack(void* state, const uint8_t* data, size_t length) noexcept nogil:
    cdef State* s = <State*>state
    cdef const uint8_t* cursor = data
    cdef uint64_t taken
    cdef int column, last
    if length != PACKED_SIZE:
        return BAD_LENGTH
    s.discs[0] = take(&cursor, 7)
    s.discs[1] = take(&cursor, 7)
    taken = s.discs[0] | s.discs[1]
    if s.discs[0] & s.discs[1] or taken & ~BOARD:
        return BAD_CELLS
    # Adding a disc at the bottom of a column without gaps carries through the whole column.
    if taken & (taken + BOTTOM_ROW):
        return BAD_FALL
    last = __builtin_popcountll(s.discs[0]) - __builtin_popcountll(s.discs[1])
    if last != 0 and last != 1:
        return BAD_TURNS
    # Seat 0 has one disc more exactly if it dropped last.
    last = 1 - last
    s.winner = last if has_four(s.discs[last]) else NOBODY
    if has_four(s.discs[1 - last]):
        return BAD_LINE
    if s.winner != NOBODY and not one_drop_made(s.discs[last], taken):
        return BAD_LINE
    s.open = 0
    for column in range(COLUMNS):
        if not taken & (<uint64_t>1 << (STRIDE * column + ROWS - 1)):
            s.open |= <uint32_t>1 << column
    s.actors = <uint32_t>2 >> last if s.winner == NOBODY and s.open else 0
    return 0


# ---- Options and facts, for Python ---------------------------------------------------------------

def pack_options(values):
    """Return no bytes: the game has no options."""
    return b""


def facts(bytes packed):
    """Return everything in a packed state, by name."""
    cdef State s
    cdef const uint8_t* data = packed
    if unpack(&s, data, len(packed)):
        raise ValueError("not a packed state of this game")
    return {"discs": (s.discs[0], s.discs[1]), "winner": None if s.winner == NOBODY else s.winner}


# ---- The game ------------------------------------------------------------------------------------

cdef GameOps OPS = GameOps(
    name="connect-four",
    rules_version=1,
    state_size=sizeof(State),
    options_size=0,
    max_moves=COLUMNS,
    num_actions=COLUMNS,
    min_seats=2,
    max_seats=2,
    phases="drop over",
    faults=FAULTS,
    setup=setup,
    seats=seats,
    phase=phase,
    actors=actors,
    moves=moves,
    apply=apply,
    scores=scores,
    returns=returns,
    write_move=write_move,
    read_move=read_move,
    determinize=NULL,
    infoset=NULL,
    features_version=1,
    num_features=NUM_FEATURES,
    features=FEATURES,
    write_features=write_features,
    evaluate=NULL,
    pick=NULL,
    narrow=NULL,
    rank=NULL,
    pack=pack,
    unpack=unpack,
)

ops = PyCapsule_New(&OPS, "tablier_core.GameOps", NULL)
