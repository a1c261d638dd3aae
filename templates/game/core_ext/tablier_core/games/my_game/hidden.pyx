"""Hidden information in My Game (reference: View).

A seat knows its own hand and the played cards. Every other card is unseen: it may be in another
hand or in the pile. Secret choices and future draws are hidden, too.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from tablier_core.abi cimport MAX_PACKED, TABLE
from tablier_core.games.my_game.encoding cimport pack
from tablier_core.games.my_game.rules cimport load_chance, played_cards
from tablier_core.games.my_game.state cimport (
    ALL_CARDS, CARDS, NONE, State, count,
)
from tablier_core.packing cimport hash_bytes
from tablier_core.rng cimport Rng, rng_below, shuffle


cdef int list_cards(uint16_t cards, uint8_t* out) noexcept nogil:
    """Write the cards of a set, ascending, and return their number."""
    cdef int card, n = 0
    for card in range(CARDS):
        if cards >> card & 1:
            out[n] = <uint8_t>card
            n += 1
    return n


cdef int list_unseen(const State* s, int viewer, uint8_t* out) noexcept nogil:
    """Write the cards that a seat has not seen, ascending, and return their number."""
    return list_cards(ALL_CARDS & ~played_cards(s) & ~s.hands[viewer], out)


cdef void deal_unseen(State* s, int viewer, const uint8_t* cards, int n) noexcept nogil:
    """Give the other hands their number of cards from a list, and the rest to the pile."""
    cdef int seat, i, size, dealt = 0
    for seat in range(s.seats):
        if seat != viewer:
            size = count(s.hands[seat])
            s.hands[seat] = 0
            for i in range(dealt, dealt + size):
                s.hands[seat] |= <uint16_t>1 << cards[i]
            dealt += size
    s.pile = 0
    for i in range(dealt, n):
        s.pile |= <uint16_t>1 << cards[i]


cdef void determinize(void* state, int viewer, Rng* rng) noexcept nogil:
    cdef State* s = <State*>state
    cdef uint8_t cards[CARDS]
    cdef int seat, n
    if viewer != TABLE:
        n = list_unseen(s, viewer, cards)
        shuffle(cards, n, rng)
        deal_unseen(s, viewer, cards, n)
        for seat in range(s.seats):
            # That a seat has chosen is public; which card it has chosen is not.
            if seat != viewer and s.chosen[seat] != NONE:
                n = list_cards(s.hands[seat], cards)
                s.chosen[seat] = cards[rng_below(rng, <uint32_t>n)]
    load_chance(s, rng)


cdef uint64_t infoset(const void* state, int viewer) noexcept nogil:
    """Hash the state after replacing hidden information by its lowest possible values."""
    cdef State s = (<const State*>state)[0]
    cdef uint8_t cards[CARDS]
    cdef uint8_t packed[MAX_PACKED]
    cdef int seat, n
    if viewer != TABLE:
        n = list_unseen(&s, viewer, cards)
        deal_unseen(&s, viewer, cards, n)
        for seat in range(s.seats):
            if seat != viewer and s.chosen[seat] != NONE:
                list_cards(s.hands[seat], cards)
                s.chosen[seat] = cards[0]
    s.chance.state = 0
    return hash_bytes(<uint64_t>(viewer + 1), packed, pack(&s, packed))
