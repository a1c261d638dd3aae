# The state of a game of Contract: constants, action numbers, the struct, one-line accessors.
#
# Families and kinds of influence card share their numbers: 0 to 3 are Brakova, Yakaz, Rodrigos and
# Costa. Number 4 is the Blackmats among the Mafiosi and the dollar among the cards. Influence is
# counted in half points.

from libc.stdint cimport uint8_t

from tablier_core.rng cimport Rng

cdef enum:
    FAMILIES = 4
    BLACKMAT = 4                # as a family of Mafiosi
    DOLLAR = 4                  # as a kind of influence card
    KINDS = 5
    MOST_SEATS = 5
    MOST_ROW = 6                # Mafiosi in a row
    MOST_MAFIOSI = 24
    VALUES = 21                 # a Mafioso's value is from 0 to 20
    CARDS = 53
    CONTRACTS = 10              # per family
    DOLLARS = 13
    TOKENS = 3                  # per seat
    DRAWN_PER_ROUND = 5
    HAND_LIMIT = 10
    MOST_TILES = 6
    # 53 cards always last for two rounds, and no round needs two shuffles. Games of 3 to 5 seats
    # have four rounds. Two seats draw at most 50 cards in their five rounds.
    MOST_SHUFFLES = 2
    NOBODY = 255                # as a seat
    NOWHERE = 255               # as a place in the row, or as a kind

# ---- Actions (reference: Moves and notation) -----------------------------------------------------

cdef enum:
    ON = 0                              # + place
    PLACE_TOKEN = ON + MOST_ROW
    PLACE_CONTRACT
    PLACE_DOLLAR
    PLACE_VICELARD
    PLACE_COPPER
    PLACE_DOWN                          # + kind
    DONE = PLACE_DOWN + KINDS
    COPPER_TO                           # + place
    VICELARD_TO = COPPER_TO + MOST_ROW  # + place
    PAY_DOLLAR = VICELARD_TO + MOST_ROW
    PAY_DOWN                            # + kind
    CHASE_TO = PAY_DOWN + KINDS         # + place
    PASS = CHASE_TO + MOST_ROW
    JOIN_FAMILY                         # + family
    DROP = JOIN_FAMILY + FAMILIES       # + (seat x 4 + family) x 21 + value
    TAKE_COPPER = DROP + MOST_SEATS * FAMILIES * VALUES
    ACTIONS
    MAX_MOVES = 24                      # 21 cards of a family at most, and two pawns in a row of 6

# ---- The state -----------------------------------------------------------------------------------

cdef enum Phase:
    ACTION = 0
    PIECES
    PAY
    CHASE
    JOIN
    COPPER
    OVER

# The last piece placed in an influence or reinforcement. Pieces of an earlier stage may not follow.
cdef enum Stage:
    NOTHING = 0
    TOKEN
    CONTRACT
    DOLLAR_UP
    VICELARD_CARD
    COPPER_CARD
    FIRST_DOWN                  # a face-down card of kind k is FIRST_DOWN + k

# The column of an owned Mafioso is a family, or one of these for a Blackmat without a column.
cdef enum:
    WAITING = 4                 # its owner has no family
    PENDING = 5                 # its owner is choosing
    NO_COLUMN = 6               # nobody owns it

# What a briefcase rewards. From MOST_MAFIOSI_SIDE on, it is awarded at the end of the game.
cdef enum Side:
    FAMILIES_3 = 0
    FAMILIES_4
    SAME_2
    SAME_3
    BLACKMATS_2
    TWOS_3
    MOST_MAFIOSI_SIDE
    LARGEST_FAMILY
    MOST_THREES
    MOST_TWOS
    SIDES

# What the seats remember of a draw pile that was shuffled from discards.
cdef struct Shuffle:
    uint8_t up[MOST_SEATS][KINDS]       # what each seat had discarded face up
    uint8_t down[MOST_SEATS][KINDS]     # and face down
    uint8_t drawn[MOST_SEATS][KINDS]    # what each seat has drawn from the pile
    uint8_t drawn_before[MOST_SEATS]    # how many of these before the round of its last draws

cdef struct State:
    Rng rng                             # for later shuffles
    uint8_t seats
    uint8_t phase
    uint8_t round                       # from 0
    uint8_t first                       # the first player of this round
    uint8_t to_move                     # the seat that decides now
    uint8_t passes                      # in succession

    # Pawns and special cards. A card that lies on a place has been played.
    uint8_t copper_pawn
    uint8_t vicelard_pawn
    uint8_t copper_holder
    uint8_t copper_on
    uint8_t copper_next                 # its winner in the current counting
    uint8_t vicelard_holder
    uint8_t vicelard_on
    uint8_t vicelard_next
    uint8_t copper_points               # of the Copper card, in halves

    # The action in progress, or the place that is being counted.
    uint8_t target
    uint8_t influencing                 # the mover had no token on the target
    uint8_t stage
    uint8_t paying_vicelard             # the payment is for Vicelard, not for Copper
    uint8_t first_half                  # the kind of the first of two half dollars
    uint8_t just_down[KINDS]            # cards placed face down in this action
    uint8_t counted

    # Influence cards and tokens. On a family card all contracts are of its own family. When the
    # game is over, the last row is still there.
    uint8_t hand[MOST_SEATS][KINDS]
    uint8_t tokens[MOST_ROW][MOST_SEATS]
    uint8_t contracts[MOST_ROW][MOST_SEATS]
    uint8_t dollars[MOST_ROW][MOST_SEATS]
    uint8_t down[MOST_ROW][MOST_SEATS][KINDS]
    uint8_t paid_up[MOST_SEATS]         # dollars, in this round
    uint8_t paid_down[MOST_SEATS][KINDS]
    uint8_t discarded_up[MOST_SEATS][KINDS]     # in earlier rounds, since the last shuffle
    uint8_t discarded_down[MOST_SEATS][KINDS]
    uint8_t pile_count
    uint8_t pile[CARDS]                 # the top card is the last

    # Piles shuffled from discards, in order; the last one is in use. Unused entries are 0.
    uint8_t shuffles
    Shuffle shuffled[MOST_SHUFFLES]

    # All Mafiosi in the order in which they are laid out; a code is 32 x family + value.
    uint8_t mafiosi[MOST_MAFIOSI]
    uint8_t owner[MOST_MAFIOSI]
    uint8_t column[MOST_MAFIOSI]

    uint8_t traffic[2][FAMILIES]        # the first and the second tile of each family
    uint8_t tiles
    uint8_t side[MOST_TILES]
    uint8_t worth[MOST_TILES]
    uint8_t holder[MOST_TILES]

    # Derived, and not among the packed bytes.
    uint8_t supply[MOST_SEATS]          # tokens that a seat has left
    uint8_t cards[MOST_SEATS]           # influence cards in its hand

# What `setup` reads.
cdef struct Options:
    uint8_t seats
    uint8_t copper_points               # in halves
    uint8_t mafiosi[MOST_MAFIOSI]       # codes, without the 2s in a game of 2 or 3 seats
    uint8_t traffic[2][FAMILIES]
    uint8_t tiles                       # those that are used with this number of seats
    uint8_t side[MOST_TILES][2]
    uint8_t worth[MOST_TILES]

# ---- Accessors -----------------------------------------------------------------------------------

cdef inline int row_length(const State* s) noexcept nogil:
    return 6 if s.seats > 4 else s.seats + 2


cdef inline int round_count(const State* s) noexcept nogil:
    return 5 if s.seats == 2 else 4


cdef inline int kind_total(int kind) noexcept nogil:
    return DOLLARS if kind == DOLLAR else CONTRACTS


cdef inline int sum_kinds(const uint8_t* kinds) noexcept nogil:
    return kinds[0] + kinds[1] + kinds[2] + kinds[3] + kinds[4]


cdef inline int family_of(int code) noexcept nogil:
    return code >> 5


cdef inline int value_of(int code) noexcept nogil:
    return code & 31


cdef inline int index_of(const State* s, int place) noexcept nogil:
    """The index among all Mafiosi of the one at a place of the row."""
    return s.round * row_length(s) + place


cdef inline int family_at(const State* s, int place) noexcept nogil:
    return family_of(s.mafiosi[index_of(s, place)])


cdef inline bint is_counting(const State* s) noexcept nogil:
    return s.phase == JOIN or s.phase == COPPER


cdef inline bint is_face_up(const State* s, int place) noexcept nogil:
    """Whether everybody sees the value of a Mafioso of the row."""
    return place % 2 == 1 or (is_counting(s) and place <= s.counted)


cdef inline bint value_known(const State* s, int index) noexcept nogil:
    """Whether everybody has seen a Mafioso's value: in an earlier round, or now face up."""
    return s.phase == OVER or index < index_of(s, 0) or (
        index < index_of(s, row_length(s)) and is_face_up(s, index - index_of(s, 0))
    )


cdef inline bint is_vicelard_card(const State* s, int place, int seat) noexcept nogil:
    """Whether the Vicelard card lies on a Mafioso and belongs to a seat."""
    return s.vicelard_on == place and s.vicelard_holder == seat


cdef inline bint is_copper_card(const State* s, int place, int seat) noexcept nogil:
    """Whether the Copper card lies on a Mafioso and belongs to a seat."""
    return s.copper_on == place and s.copper_holder == seat


cdef inline bint can_play_vicelard(const State* s, int seat, int place) noexcept nogil:
    return s.vicelard_holder == seat and s.vicelard_on == NOWHERE and s.vicelard_pawn == place


cdef inline bint can_play_copper(const State* s, int seat) noexcept nogil:
    return s.copper_holder == seat and s.copper_on == NOWHERE
