"""The bytes of My Game (reference: Byte layout), and its facts."""

from libc.stdint cimport uint8_t, uint16_t
from libc.string cimport memset

from tablier_core.games.my_game.rules cimport draws, score_round
from tablier_core.games.my_game.state cimport (
    ALL_CARDS, CARDS, FEWEST_SEATS, MAX_HAND, MOST_SEATS, NONE, State, count,
)
from tablier_core.packing cimport put, take
from tablier_core.rng cimport GAME_STREAM, rng_seed

cdef enum:
    HEAD_SIZE = 3                   # bytes before the cards
    CHANCE_SIZE = 8                 # bytes after them

cdef enum Fault:
    BAD_LENGTH = 1
    BAD_OPTIONS
    BAD_CARDS
    BAD_COUNTS
    BAD_CHOICE

FAULTS = (
    b"length: it does not match the seats and rounds\n"
    b"seats, hand_size or rounds: out of range\n"
    b"cards: a card does not exist or is in two places\n"
    b"hands: a hand has the wrong number of cards\n"
    b"chosen: a card is not in the hand, or every seat has chosen"
)


cdef size_t pack(const void* state, uint8_t* out) noexcept nogil:
    """The pile has the remaining cards, and points follow from the rounds: neither is stored."""
    cdef const State* s = <const State*>state
    cdef uint8_t* cursor = out
    cdef int i
    put(&cursor, s.seats, 1)
    put(&cursor, s.hand_size, 1)
    put(&cursor, s.rounds, 1)
    for i in range(s.rounds * s.seats):
        put(&cursor, s.played[i], 1)
    for i in range(s.seats):
        put(&cursor, s.hands[i], 2)
        put(&cursor, s.chosen[i], 1)
    # The stream is always the game's, so its state is enough.
    put(&cursor, s.chance.state, CHANCE_SIZE)
    return cursor - out


cdef int unpack(void* state, const uint8_t* data, size_t length) noexcept nogil:
    cdef State* s = <State*>state
    cdef const uint8_t* cursor = data
    cdef int i
    memset(s, 0, sizeof(State))
    memset(s.chosen, NONE, MOST_SEATS)
    if length < HEAD_SIZE:
        return BAD_LENGTH
    s.seats = <uint8_t>take(&cursor, 1)
    s.hand_size = <uint8_t>take(&cursor, 1)
    s.rounds = <uint8_t>take(&cursor, 1)
    if not FEWEST_SEATS <= s.seats <= MOST_SEATS or not 1 <= s.hand_size <= MAX_HAND:
        return BAD_OPTIONS
    if s.rounds > CARDS // s.seats:
        return BAD_OPTIONS
    if length != HEAD_SIZE + s.rounds * s.seats + 3 * s.seats + CHANCE_SIZE:
        return BAD_LENGTH
    for i in range(s.rounds * s.seats):
        s.played[i] = <uint8_t>take(&cursor, 1)
    for i in range(s.seats):
        s.hands[i] = <uint16_t>take(&cursor, 2)
        s.chosen[i] = <uint8_t>take(&cursor, 1)
    rng_seed(&s.chance, 0, GAME_STREAM)
    s.chance.state = take(&cursor, CHANCE_SIZE)
    return check(s)


cdef int check(State* s) noexcept nogil:
    """Check the cards and fill in what follows from them."""
    cdef uint16_t seen = 0
    cdef bint waiting = False
    cdef int i
    for i in range(s.rounds * s.seats):
        if s.played[i] >= CARDS or seen >> s.played[i] & 1:
            return BAD_CARDS
        seen |= <uint16_t>1 << s.played[i]
    for i in range(s.seats):
        if s.hands[i] & seen or s.hands[i] & ~ALL_CARDS:
            return BAD_CARDS
        seen |= s.hands[i]
        # One card less per round, and one more per draw.
        if count(s.hands[i]) != s.hand_size - s.rounds + min(<int>s.rounds, draws(s)):
            return BAD_COUNTS
        if s.chosen[i] == NONE:
            waiting = True
        elif s.chosen[i] >= CARDS or not s.hands[i] >> s.chosen[i] & 1:
            return BAD_CHOICE
    if not waiting:
        return BAD_CHOICE
    s.pile = ALL_CARDS & ~seen
    for i in range(s.rounds):
        score_round(s, i)
    return 0


cdef list names(uint16_t cards):
    """Return the cards of a set as in the notation."""
    return [card + 1 for card in range(CARDS) if cards >> card & 1]


def facts(bytes packed):
    """Return everything in a packed state, with cards as in the notation."""
    cdef State s
    cdef const uint8_t* data = packed
    cdef int seat
    if unpack(&s, data, len(packed)):
        raise ValueError("not a packed state of this game")
    return {
        "seats": s.seats,
        "hand_size": s.hand_size,
        "rounds": [
            [s.played[number * s.seats + seat] + 1 for seat in range(s.seats)]
            for number in range(s.rounds)
        ],
        "hands": [names(s.hands[seat]) for seat in range(s.seats)],
        "pile": names(s.pile),
        "chosen": [
            None if s.chosen[seat] == NONE else s.chosen[seat] + 1 for seat in range(s.seats)
        ],
        "points": [s.points[seat] for seat in range(s.seats)],
    }
