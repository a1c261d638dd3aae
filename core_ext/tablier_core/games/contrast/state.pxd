# What a game of Contrast holds, how its moves are numbered, and which symbols win.
#
# A deal is a permutation of the deck, the places of `order`. The first places lie in the box, the
# others form the pile, its top first; images never change places, they only change owners. Where
# the image of a place went, and whether it was seen, therefore follows from the public choices
# alone; all that is hidden is which image stands at a place nobody has seen, and a choice until the
# reveal.

from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memset

from tablier_core.abi cimport move_t
from tablier_core.rng cimport Rng, rng_below

# Actions: the twelve symbols, two a card, then the table's move.
cdef enum:
    CARDS = 6
    SYMBOLS = 2 * CARDS
    EXCLUDE = SYMBOLS
    ACTIONS = SYMBOLS + 1
    MAX_MOVES = 8                       # four cards in hand

cdef enum:
    MIN_SEATS = 2
    TEAM = 2                            # this many seats play together
    SEATS = 6
    BUILT_IN = 74                       # images of the built-in deck
    DECK = 120                          # images of the longest deck
    MAX_ROUNDS = 106                    # six seats, that deck, and nobody ever wins
    TEAM_GOAL = 22
    STEPS = 200                         # an affinity is kept as a whole number of 1/200

cdef enum Phase:
    CHOOSE = 0
    OVER = 1

# Owners of an image beside the seats. What a team wins lies before seat 0.
cdef enum:
    BOX = 6
    PILE = 7

# A round's choices are four bits a seat, seat 0 lowest: a symbol or one of these two.
cdef enum:
    EXCLUDED = 12
    NOT_YET = 15

cdef struct State:
    uint8_t seats
    uint8_t row_length                  # 2, in the expert game 3
    uint8_t images                      # in the deck
    uint8_t own_deck                    # 0: the built-in one, and `affinities` is not used
    uint8_t top                         # the place of the current image; `images` when over
    uint8_t rounds                      # completed
    uint8_t waiting                     # the seats that have not chosen, a bit each
    uint8_t scores[SEATS]
    uint8_t hand[SEATS]                 # the cards in hand, a bit each
    uint8_t first_row[SEATS][3]         # as laid at the start
    uint32_t row[SEATS]                 # eight bits a card, the leftmost lowest
    uint32_t pending                    # the choices of this round
    uint32_t history[MAX_ROUNDS]        # the choices of each completed round
    uint8_t seen_at[MAX_ROUNDS]         # the place of the image of each completed round
    uint8_t order[DECK]                 # the image at each place
    uint8_t owner[DECK]                 # by place
    uint8_t affinities[DECK * SYMBOLS]  # of image i from 12 i, in notation order


cdef inline int boxed_at_start(int seats) noexcept nogil:
    """Components: 30, 26, 22, 18 or 14 images."""
    return 38 - 4 * seats


cdef inline uint32_t choice_of(uint32_t choices, int seat) noexcept nogil:
    return (choices >> (4 * seat)) & 15


cdef inline uint32_t nobody_yet(int seats) noexcept nogil:
    """The choices of a round that begins."""
    return (<uint32_t>1 << (4 * seats)) - 1


cdef inline bint is_over(const State* s) noexcept nogil:
    return s.top == s.images


cdef inline bint holds(const State* s, int seat, uint32_t symbol) noexcept nogil:
    """Whether the symbol is on a card in the seat's hand."""
    return symbol < SYMBOLS and (s.hand[seat] >> (symbol >> 1)) & 1


cdef inline bint two_bits(uint32_t mask) noexcept nogil:
    """Whether exactly two bits are set."""
    mask &= mask - 1
    return mask != 0 and not mask & (mask - 1)


cdef inline uint32_t winning_symbols(int seats, uint32_t choices) noexcept nogil:
    """Reveal: the symbols that win, a bit each, by the choices of the seats that took part."""
    # The votes of every symbol at once, each in binary across three masks.
    cdef uint32_t ones = 0, twos = 0, fours = 0
    cdef uint32_t choice, carry, chosen, pairs, leaders
    cdef int seat
    for seat in range(seats):
        choice = choice_of(choices, seat)
        if choice != EXCLUDED:
            carry = ones & (<uint32_t>1 << choice)
            ones ^= <uint32_t>1 << choice
            fours |= twos & carry
            twos ^= carry
    chosen = ones | twos | fours
    pairs = twos & ~(ones | fours)
    # The symbols with the most votes; a lone vote leads nothing.
    leaders = fours or ones & twos or pairs
    if not leaders & (leaders - 1):
        # One leader: it wins unless everybody chose it. But a pair that is everybody wins: for a
        # team that is the aim, and of three seats the two that are left may agree.
        return leaders if chosen != leaders or pairs else 0
    # Among five or six seats two pairs both win, if somebody chose otherwise: whoever is not in a
    # pair then stands alone.
    return leaders if seats >= 5 and leaders == pairs != chosen and two_bits(pairs) else 0


cdef inline uint32_t list_symbols(const State* s, int seat, move_t* out) noexcept nogil:
    """The symbols on the cards in a seat's hand."""
    cdef uint32_t n = 0, card
    for card in range(CARDS):
        if (s.hand[seat] >> card) & 1:
            out[n] = 2 * card
            out[n + 1] = 2 * card + 1
            n += 2
    return n


cdef inline void rotate_row(State* s, int seat, uint32_t card) noexcept nogil:
    """Round, step 6: the card goes to the right end of the row, the leftmost comes back."""
    s.hand[seat] ^= <uint8_t>((1 << (s.row[seat] & 255)) | (1 << card))
    s.row[seat] = (s.row[seat] | card << (8 * s.row_length)) >> 8


cdef inline void shuffle(uint8_t* items, int n, Rng* rng) noexcept nogil:
    cdef int i, j
    cdef uint8_t kept
    for i in range(n - 1, 0, -1):
        j = <int>rng_below(rng, <uint32_t>i + 1)
        kept = items[i]
        items[i] = items[j]
        items[j] = kept


cdef inline int list_unseen(const State* s, uint8_t* places, uint8_t* images) noexcept nogil:
    """The places whose image nobody has seen and the images that may stand there, both ascending.

    A seat sees the current images only, so every seat has seen the same.
    """
    cdef uint8_t seen_place[DECK]
    cdef uint8_t seen_image[DECK]
    cdef int i, n = 0, m = 0
    memset(seen_place, 0, DECK)
    memset(seen_image, 0, DECK)
    for i in range(s.rounds):
        seen_place[s.seen_at[i]] = 1
    if not is_over(s):
        seen_place[s.top] = 1
    for i in range(s.images):
        if seen_place[i]:
            seen_image[s.order[i]] = 1
        else:
            places[n] = <uint8_t>i
            n += 1
    for i in range(s.images):
        if not seen_image[i]:
            images[m] = <uint8_t>i
            m += 1
    return n


cdef inline void lay_rows(State* s) noexcept nogil:
    """Round, step 1: the rows as first laid, the other cards in hand."""
    cdef int seat, i
    for seat in range(s.seats):
        s.hand[seat] = (1 << CARDS) - 1
        s.row[seat] = 0
        for i in range(s.row_length):
            s.row[seat] |= <uint32_t>s.first_row[seat][i] << (8 * i)
            s.hand[seat] ^= <uint8_t>(1 << s.first_row[seat][i])
