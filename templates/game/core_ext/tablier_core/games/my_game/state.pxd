# The state of My Game.

from libc.stdint cimport uint8_t, uint16_t

from tablier_core.rng cimport Rng

cdef extern from *:
    int __builtin_popcount(unsigned int) noexcept nogil

cdef enum:
    FEWEST_SEATS = 2
    MOST_SEATS = 4
    # Cards count from 0 here and from 1 in the notation. An action is the card that it plays.
    CARDS = 12
    ALL_CARDS = (1 << CARDS) - 1
    MAX_HAND = 3
    NONE = 255                      # as a chosen card: not chosen yet

cdef enum Phase:
    CHOOSE = 0
    OVER = 1

ctypedef struct Options:
    uint8_t seats
    uint8_t hand_size

ctypedef struct State:
    Rng chance                      # the future draws, which nobody knows
    uint8_t seats
    uint8_t hand_size               # cards dealt to each seat
    uint8_t rounds                  # completed rounds
    uint8_t played[CARDS]           # the cards of the completed rounds, seat by seat
    uint16_t hands[MOST_SEATS]      # sets of cards: bit i stands for card i
    uint16_t pile
    uint8_t chosen[MOST_SEATS]      # this round's card of each seat, still in its hand; or NONE
    uint8_t points[MOST_SEATS]      # they follow from `played`


cdef inline int count(uint16_t cards) noexcept nogil:
    """Return the number of cards in a set."""
    return __builtin_popcount(cards)


cdef inline bint is_over(const State* s) noexcept nogil:
    """Return whether the hands are empty; all hands have the same size."""
    return s.hands[0] == 0
