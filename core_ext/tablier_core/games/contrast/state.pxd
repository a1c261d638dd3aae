# The state of a game of Contrast, the options that start it, and the numbers of its moves.
#
# The deal shuffles the deck into `order`. An index into `order` is called a *place*. The first
# places are the box, the others the pile with its top first. An image never changes its place, only
# its owner, so the owner of each place, and whether anyone has seen its image, follow from the
# public choices alone. Two things are hidden: which image is at a place that nobody has seen, and
# every choice until the reveal.

from libc.stdint cimport uint8_t, uint32_t, uint64_t

# Actions: the twelve symbols, two per card, then the table's move.
cdef enum:
    CARDS = 6
    SYMBOLS = 2 * CARDS
    EXCLUDE = SYMBOLS
    ACTIONS = SYMBOLS + 1
    MAX_MOVES = 8                       # the symbols on four cards

cdef enum:
    MIN_SEATS = 2
    TEAM = 2                            # a game with this many seats is co-operative
    MAX_SEATS = 6
    BUILT_IN_IMAGES = 74
    MAX_IMAGES = 120
    MAX_ROUNDS = 106                    # six seats, the longest deck, and no round has a winner
    TEAM_GOAL = 22
    STEPS = 200                         # affinities are stored in steps of 1/200

cdef enum Phase:
    CHOOSE = 0
    OVER = 1

# Owners of an image, apart from the seats. Seat 0 holds the images of a team.
cdef enum:
    BOX = 6
    PILE = 7

# The choices of a round take four bits per seat, seat 0 lowest: a symbol or one of these.
cdef enum:
    EXCLUDED = 12                       # equal to EXCLUDE, so `apply` stores moves as they are
    NOT_YET = 15

# What `setup` reads.
cdef struct Options:
    uint8_t seats
    uint8_t row_length
    uint8_t images
    uint8_t own_deck
    uint8_t affinities[MAX_IMAGES * SYMBOLS]

cdef struct State:
    uint8_t seats
    uint8_t row_length                  # 2, or 3 in the expert game
    uint8_t images                      # in the deck
    uint8_t own_deck                    # 0: the built-in deck; `affinities` is unused
    uint8_t top                         # place of the current image; `images` when over
    uint8_t rounds                      # completed
    uint8_t waiting                     # seats that have not chosen, one bit each
    uint8_t scores[MAX_SEATS]
    uint8_t hand[MAX_SEATS]             # cards in hand, one bit each
    uint8_t first_row[MAX_SEATS][3]     # as laid at the start
    uint32_t row[MAX_SEATS]             # eight bits per card, the leftmost card lowest
    uint32_t pending                    # choices of this round
    uint32_t history[MAX_ROUNDS]        # choices of each completed round
    uint8_t seen_at[MAX_ROUNDS]         # place of each completed round's image
    uint8_t order[MAX_IMAGES]           # image at each place
    uint8_t owner[MAX_IMAGES]           # owner of each place
    uint8_t affinities[MAX_IMAGES * SYMBOLS]    # image by image, in notation order


cdef inline int boxed_at_start(int seats) noexcept nogil:
    """Return how many images go to the box: 30, 26, 22, 18 or 14 (reference: Setup)."""
    return 38 - 4 * seats


cdef inline uint32_t choice_of(uint32_t choices, int seat) noexcept nogil:
    return (choices >> (4 * seat)) & 15


cdef inline uint32_t no_choices(int seats) noexcept nogil:
    """Return the choices at the start of a round: every seat is NOT_YET."""
    return (<uint32_t>1 << (4 * seats)) - 1


cdef inline uint64_t vote_for(uint32_t symbol) noexcept nogil:
    """Return one vote for a symbol. Votes have four bits per symbol, so they can be added up."""
    return <uint64_t>1 << (4 * symbol)


cdef inline bint is_over(const State* s) noexcept nogil:
    return s.top == s.images


cdef inline bint holds_card(const State* s, int seat, uint32_t card) noexcept nogil:
    return (s.hand[seat] >> card) & 1
