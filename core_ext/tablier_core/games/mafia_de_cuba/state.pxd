# What a game of Mafia de Cuba holds, its events, and the box as a seat had it.

from libc.stdint cimport uint8_t, uint16_t
from libc.string cimport memcpy

from tablier_core.abi cimport MAX_SEATS
from tablier_core.games.mafia_de_cuba.parts cimport (
    ASKABLE, CLAIMS, DIAMONDS, KINDS, NO_TOKEN, Box, remove,
)

cdef enum:
    MIN_SEATS = 5
    GODFATHER = 0
    MAX_JOKERS = 2
    MAX_QUESTIONS = 96
    MAX_STATEMENTS = 8
    # Every question, every statement unasked, and no seat is accused twice.
    MAX_EVENTS = MAX_QUESTIONS + (MAX_SEATS - 1) * (MAX_STATEMENTS + 1)

cdef enum Phase:
    HIDE = 0
    POUCH
    TAKE
    INQUIRY
    ANSWER
    REACT
    OVER

cdef enum Outcome:
    UNDECIDED = 0
    GODFATHER_WINS
    AGENT_WINS
    CLEANER_WINS
    GODFATHER_OUT

# The inquiry is kept as a list of events in 16 bits: 2 bits for the kind, 4 for the seat that was
# asked, spoke or was accused, 9 for the value. The value of what was asked or said is a claim, or
# NO_ANSWER or NOT_YET + the question; of an accusation the seat that fired, or 0, or UNRESOLVED.
cdef enum EventKind:
    ASKED = 0
    UNASKED
    ACCUSED

cdef enum:
    NO_ANSWER = CLAIMS
    NOT_YET = NO_ANSWER + ASKABLE
    UNRESOLVED = 15

cdef struct State:
    # The setup.
    uint8_t seats
    uint8_t jokers
    uint8_t questions
    uint8_t statements
    uint8_t tokens[KINDS]
    uint8_t token_set                   # the same, as one number
    # The theft.
    uint8_t phase
    uint8_t turn                        # the next to take; `seats` once the box is back
    uint8_t hidden
    uint8_t pouch
    uint8_t takes[MAX_SEATS]
    Box box
    # The inquiry.
    uint8_t stolen
    uint8_t recovered
    uint8_t jokers_left
    uint8_t questions_left
    uint8_t statements_left[MAX_SEATS]
    uint8_t target                      # the seat that has been asked or accused
    uint8_t shooter                     # the seat that answered `bang`, or 0
    uint8_t outcome
    uint8_t victor                      # the agent or the cleaner that won, or 0
    uint16_t in_play                    # sets of seats from here
    uint16_t revealed
    uint16_t speakers                   # those in play with a statement left
    uint16_t with_joker
    uint16_t reacted
    uint16_t events
    uint16_t event[MAX_EVENTS]


cdef inline void box_for(const State* s, int seat, Box* box) noexcept nogil:
    """The box as a seat received it; `seats` for the Godfather when it came back."""
    cdef int other
    box.diamonds = DIAMONDS - s.hidden
    memcpy(box.tokens, s.tokens, KINDS)
    if seat > 1 and s.pouch != NO_TOKEN:
        box.tokens[s.pouch] -= 1
    for other in range(1, seat):
        remove(box, s.takes[other])


cdef inline bint has_received(const State* s, int seat) noexcept nogil:
    """Whether a seat has had the box in its hands; the Godfather: again."""
    if seat == GODFATHER:
        return s.turn == s.seats
    return s.phase > HIDE and s.turn >= seat
