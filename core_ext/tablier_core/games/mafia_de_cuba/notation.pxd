# The action space of Mafia de Cuba, and its spelling (rules page: Moves and notation).

from libc.stdint cimport uint32_t

from tablier_core.abi cimport MAX_SEATS, move_t
from tablier_core.games.mafia_de_cuba.parts cimport ASKABLE, CLAIMS, KINDS, MAX_HIDDEN, TAKES

# Each move is the first action of its form + what it says: a number of diamonds, a token kind, a
# take, a claim; asks and accusations count seats from 1, and asks the questions of each seat.
cdef enum:
    FIRST_HIDE = 0
    FIRST_POUCH = FIRST_HIDE + MAX_HIDDEN + 1
    FIRST_TAKE = FIRST_POUCH + KINDS + 1
    FIRST_ASK = FIRST_TAKE + TAKES
    FIRST_ACCUSE = FIRST_ASK + (MAX_SEATS - 1) * ASKABLE
    FIRST_SAY = FIRST_ACCUSE + MAX_SEATS - 1
    SILENT = FIRST_SAY + CLAIMS
    HOLD
    BANG
    ACTIONS

# The moves that claim something, of a range of questions; which there are depends on the setup.
cdef uint32_t list_claims(
    int setup_set, int first_question, int end_question, move_t* out
) noexcept nogil

cdef int write_move(move_t move, char* out) noexcept nogil
cdef long read_move(const char* text, size_t length) noexcept nogil

# The same words for views.
cdef str name_question(int question)
cdef str name_take(int taken)
cdef object name_claim(int claim)
