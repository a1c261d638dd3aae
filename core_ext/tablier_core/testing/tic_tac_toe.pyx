"""Tic-tac-toe: the smallest game of perfect information, whose whole tree is known.

Two seats mark free cells of a 3 x 3 board in turn, seat 0 first. Three in a line win. A full board
without a line is a draw.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport uint8_t, uint32_t

from tablier_core.abi cimport GameOps, move_t
from tablier_core.floats cimport put_choice, put_seats, put_set
from tablier_core.packing cimport put, take
from tablier_core.rng cimport Rng

# ---- Facts and constants -------------------------------------------------------------------------

# Cells are numbered a1 = 0, b1 = 1, ... c3 = 8. An action is the cell that it marks.
cdef enum:
    SIDE = 3
    CELLS = 9
    SETS = 512                          # number of sets of cells
    FULL = SETS - 1
    NOBODY = 2                          # as the winner: none yet, or a draw
    PACKED_SIZE = 4

cdef enum Phase:
    MARK = 0
    OVER = 1

cdef struct State:
    uint32_t marks[2]                   # the cells of each seat
    uint32_t actors
    int winner

cdef enum Fault:
    BAD_LENGTH = 1
    BAD_CELLS
    BAD_TURNS
    BAD_LINE

cdef const char* FAULTS = (
    b"length: the state must be exactly 4 bytes\n"
    b"marks: a cell is off the board or marked twice\n"
    b"marks: the seats have not marked in turn\n"
    b"marks: play went on after a line was made"
)

# For each set of cells: whether it contains a line, its size, and its members, ascending. Filled
# once at import.
cdef uint8_t[SETS] has_line
cdef uint8_t[SETS] size_of
cdef uint8_t[SETS][16] cells_of


cdef void fill_sets() noexcept:
    cdef uint32_t[8] lines = [0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124]
    cdef int cells, cell, line
    for cells in range(SETS):
        has_line[cells] = 0
        for line in range(8):
            if cells & lines[line] == lines[line]:
                has_line[cells] = 1
        size_of[cells] = 0
        for cell in range(CELLS):
            if cells >> cell & 1:
                cells_of[cells][size_of[cells]] = cell
                size_of[cells] += 1


fill_sets()

# ---- Rules ---------------------------------------------------------------------------------------


cdef void setup(void* state, const void* options, Rng* rng) noexcept nogil:
    cdef State* s = <State*>state
    s.marks[0] = s.marks[1] = 0
    s.actors = 1
    s.winner = NOBODY


cdef int seats(const void* state) noexcept nogil:
    return 2


cdef int phase(const void* state) noexcept nogil:
    return MARK if (<const State*>state).actors else OVER


cdef uint32_t actors(const void* state) noexcept nogil:
    return (<const State*>state).actors


cdef uint32_t moves(const void* state, int seat, move_t* out) noexcept nogil:
    cdef const State* s = <const State*>state
    cdef uint32_t free = FULL & ~(s.marks[0] | s.marks[1])
    cdef int i
    if seat < 0 or not s.actors >> seat & 1:
        return 0
    # Copy the whole row: a fixed number of copies needs no branch, and the slack has room for it.
    for i in range(16):
        out[i] = cells_of[free][i]
    return size_of[free]


cdef void apply(void* state, int seat, move_t move) noexcept nogil:
    cdef State* s = <State*>state
    s.marks[seat] |= <uint32_t>1 << move
    if has_line[s.marks[seat]]:
        s.winner = seat
        s.actors = 0
    else:
        s.actors = 0 if s.marks[0] | s.marks[1] == FULL else <uint32_t>2 >> seat


cdef void scores(const void* state, double* out) noexcept nogil:
    cdef int winner = (<const State*>state).winner
    out[0] = 1.0 if winner == 0 else 0.0
    out[1] = 1.0 if winner == 1 else 0.0


cdef void returns(const void* state, double* out) noexcept nogil:
    cdef double points[2]
    scores(state, points)
    out[0] = points[0] - points[1]
    out[1] = points[1] - points[0]


# ---- Notation ------------------------------------------------------------------------------------

cdef int write_move(move_t move, char* out) noexcept nogil:
    out[0] = <char>(97 + move % SIDE)           # 'a'
    out[1] = <char>(49 + move // SIDE)          # '1'
    return 2


cdef long read_move(const char* text, size_t length) noexcept nogil:
    if length != 2 or not (97 <= text[0] < 97 + SIDE and 49 <= text[1] < 49 + SIDE):
        return -1
    return SIDE * (text[1] - 49) + text[0] - 97


# ---- Numbers for learners ------------------------------------------------------------------------

cdef enum:
    NUM_FEATURES = 2 + 2 + 2 * CELLS

cdef const char* FEATURES = (
    b"phase 2 0 1 mark, over\n"
    b"actors 2 0 1 the seat to move, own first\n"
    b"cells 2x3x3 0 1 own marks, then the rival's; row 1 first, file a first"
)


cdef void write_features(const void* state, int seat, float* out) noexcept nogil:
    cdef const State* s = <const State*>state
    put_choice(&out, phase(s), 2)
    put_seats(&out, s.actors, seat, 2, 2)
    put_set(&out, s.marks[seat], CELLS)
    put_set(&out, s.marks[1 - seat], CELLS)


# ---- Bytes: the marks, from which everything else follows ----------------------------------------

cdef size_t pack(const void* state, uint8_t* out) noexcept nogil:
    cdef const State* s = <const State*>state
    cdef uint8_t* cursor = out
    put(&cursor, s.marks[0], 2)
    put(&cursor, s.marks[1], 2)
    return PACKED_SIZE


cdef int unpack(void* state, const uint8_t* data, size_t length) noexcept nogil:
    cdef State* s = <State*>state
    cdef const uint8_t* cursor = data
    cdef int last
    if length != PACKED_SIZE:
        return BAD_LENGTH
    s.marks[0] = <uint32_t>take(&cursor, 2)
    s.marks[1] = <uint32_t>take(&cursor, 2)
    if s.marks[0] & s.marks[1] or (s.marks[0] | s.marks[1]) > FULL:
        return BAD_CELLS
    last = size_of[s.marks[0]] - size_of[s.marks[1]]
    if last != 0 and last != 1:
        return BAD_TURNS
    # Seat 0 has one mark more exactly if it moved last. Two lines among five marks share a cell, so
    # the last mark can have completed both.
    last = 1 - last
    if has_line[s.marks[1 - last]]:
        return BAD_LINE
    s.winner = last if has_line[s.marks[last]] else NOBODY
    if s.winner != NOBODY or s.marks[0] | s.marks[1] == FULL:
        s.actors = 0
    else:
        s.actors = <uint32_t>2 >> last
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
    return {"marks": (s.marks[0], s.marks[1]), "winner": None if s.winner == NOBODY else s.winner}


# ---- The game ------------------------------------------------------------------------------------

cdef GameOps OPS = GameOps(
    name="tic-tac-toe",
    rules_version=1,
    state_size=sizeof(State),
    options_size=0,
    max_moves=CELLS,
    num_actions=CELLS,
    min_seats=2,
    max_seats=2,
    phases="mark over",
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
