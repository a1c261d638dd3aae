# The state of a game of Mafia de Cuba: constants, action numbers, the struct and its accessors.

from libc.stdint cimport uint8_t, uint16_t

from tablier_core.abi cimport MAX_SEATS, TABLE

cdef enum:
    MIN_SEATS = 5
    GODFATHER = 0
    DIAMONDS = 15
    MAX_HIDDEN = 5
    MAX_JOKERS = 2
    MAX_QUESTIONS = 96
    MAX_STATEMENTS = 8

# Token kinds (reference: Seats and options).
cdef enum:
    LOYAL = 0
    FBI
    CIA
    DRIVER
    CLEANER
    KINDS
    NO_TOKEN = KINDS                    # an empty pouch

# What a seat took: nothing, a number of diamonds, or FIRST_TOKEN + the kind of a token.
cdef enum:
    NOTHING = 0
    FIRST_TOKEN = DIAMONDS + 1
    TAKES = FIRST_TOKEN + KINDS

# Questions (reference: The inquiry).
cdef enum:
    RECEIVED_DIAMONDS = 0
    RECEIVED_TOKENS
    PASSED_DIAMONDS
    PASSED_TOKENS
    TOOK
    ASKABLE                             # the number of questions

# A set of tokens is a single number, its counts in mixed radix: loyal, FBI, CIA, driver, cleaner.
# A claim is a single number too: the first claim of its question + the count, set or take claimed.
cdef enum:
    SETS = 6 * 2 * 2 * 3 * 2
    CLAIM_RECEIVED_TOKENS = DIAMONDS + 1
    CLAIM_PASSED_DIAMONDS = CLAIM_RECEIVED_TOKENS + SETS
    CLAIM_PASSED_TOKENS = CLAIM_PASSED_DIAMONDS + DIAMONDS + 1
    CLAIM_TOOK = CLAIM_PASSED_TOKENS + SETS
    CLAIMS = CLAIM_TOOK + TAKES

# Actions (reference: Moves and notation). An action is the first one of its form + a number of
# diamonds, a token kind, a take or a claim; asks and accusations count seats from 1, and each seat
# has ASKABLE asks.
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

# The inquiry is recorded as a list of 16-bit events (reference: Events): 2 bits for the kind, 4 for
# the seat that was asked, spoke or was accused, 9 for the value. The value of a question or a
# statement is a claim, or NO_ANSWER or NOT_YET + the question; of an accusation it is the seat that
# fired, 0 if nobody did, or UNRESOLVED.
cdef enum EventKind:
    ASKED = 0
    UNASKED
    ACCUSED

cdef enum:
    NO_ANSWER = CLAIMS
    NOT_YET = NO_ANSWER + ASKABLE
    UNRESOLVED = 15
    # All questions and statements, and one accusation of every seat.
    MAX_EVENTS = MAX_QUESTIONS + (MAX_SEATS - 1) * (MAX_STATEMENTS + 1)

cdef struct Options:
    uint8_t seats
    uint8_t jokers
    uint8_t questions
    uint8_t statements
    uint8_t tokens[KINDS]

cdef struct Box:
    uint8_t diamonds
    uint8_t tokens[KINDS]

cdef struct State:
    # The setup.
    uint8_t seats
    uint8_t jokers
    uint8_t questions
    uint8_t statements
    uint8_t tokens[KINDS]
    uint8_t token_set                   # `tokens` as a single number
    # The theft.
    uint8_t phase
    uint8_t turn                        # the next seat to take; `seats` once the box is back
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
    uint8_t target                      # the seat that was asked or accused
    uint8_t shooter                     # the seat that answered `bang`, or 0
    uint8_t outcome
    uint8_t victor                      # the agent or the cleaner that won, or 0
    # Sets of seats.
    uint16_t in_play
    uint16_t revealed
    uint16_t speakers                   # seats in play with a statement left
    uint16_t with_joker
    uint16_t reacted
    uint16_t events
    uint16_t event[MAX_EVENTS]


# ---- Seats, takes and boxes ----------------------------------------------------------------------

cdef inline uint16_t bit(int seat) noexcept nogil:
    """The set that contains only this seat."""
    return <uint16_t>(1 << seat)


cdef inline int diamonds_of(int taken) noexcept nogil:
    return taken if taken <= DIAMONDS else 0


cdef inline bint is_agent(int taken) noexcept nogil:
    return taken == FIRST_TOKEN + FBI or taken == FIRST_TOKEN + CIA


cdef inline bint is_empty(const Box* box) noexcept nogil:
    return box.diamonds == 0 and number_of(box.tokens) == 0


cdef inline bint has_received(const State* s, int seat) noexcept nogil:
    """Whether the box has reached a seat; for the Godfather, whether it is back."""
    return s.turn == s.seats if seat == GODFATHER else s.phase > HIDE and s.turn >= seat


cdef inline bint knows_all(const State* s, int viewer) noexcept nogil:
    return viewer == TABLE or s.phase == OVER


# ---- Sets of tokens ------------------------------------------------------------------------------

cdef inline int limit_of(int kind) noexcept nogil:
    """How many tokens of a kind the game comes with."""
    return 5 if kind == LOYAL else 2 if kind == DRIVER else 1


cdef inline int place_of(int kind) noexcept nogil:
    """What one token of a kind adds to the number of a set."""
    return (
        24 if kind == LOYAL else 12 if kind == FBI else 6 if kind == CIA
        else 2 if kind == DRIVER else 1
    )


cdef inline int count_in(int token_set, int kind) noexcept nogil:
    """How many tokens of a kind are in a set."""
    return token_set // place_of(kind) % (limit_of(kind) + 1)


cdef inline int number_of(const uint8_t* tokens) noexcept nogil:
    """The number of a set, from its counts by kind."""
    return (
        24 * tokens[LOYAL] + 12 * tokens[FBI] + 6 * tokens[CIA] + 2 * tokens[DRIVER]
        + tokens[CLEANER]
    )


# ---- The inquiry ---------------------------------------------------------------------------------

cdef inline int kind_of(int event) noexcept nogil:
    return event & 3


cdef inline int seat_of(int event) noexcept nogil:
    return event >> 2 & 15


cdef inline int value_of(int event) noexcept nogil:
    return event >> 6


cdef inline int question_due(const State* s) noexcept nogil:
    """In `answer`: the question that was asked."""
    return value_of(s.event[s.events - 1]) - NOT_YET


cdef inline uint16_t asked_to_react(const State* s) noexcept nogil:
    """Every seat in play except the Godfather and the accused (reference: Accusations, step 1)."""
    return s.in_play & ~(bit(GODFATHER) | bit(s.target))


cdef inline bint may_fire(const State* s, int seat) noexcept nogil:
    """In `react`: whether a seat is asked and is the cleaner."""
    return (
        seat < s.seats and asked_to_react(s) & bit(seat) != 0
        and s.takes[seat] == FIRST_TOKEN + CLEANER
    )
