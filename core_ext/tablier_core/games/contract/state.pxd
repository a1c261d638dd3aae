# What a game of Contract holds, and what follows from it without a decision.
#
# Families and kinds of influence card share numbers: Brakova, Yakaz, Rodrigos, Costa, and then the
# Blackmats among the Mafiosi and the dollar among the cards. Points are counted in halves.

from libc.stdint cimport uint8_t

from tablier_core.rng cimport Rng, rng_below

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
    CONTRACTS = 10              # of each family
    DOLLARS = 13
    TOKENS = 3                  # a seat
    DRAWN_A_ROUND = 5
    HAND_LIMIT = 10
    MOST_TILES = 6
    # Two rounds never use up 53 cards, and no round needs two shuffles. Games of 3-5 seats have
    # four rounds; two seats draw no more than 50 cards in five.
    MOST_SHUFFLES = 2
    NOBODY = 255                # as a seat
    NOWHERE = 255               # as a place in the row, or as a kind

cdef enum Phase:
    ACTION = 0
    PIECES
    PAY
    CHASE
    JOIN
    COPPER
    OVER

# What was placed last in an influence or reinforcement; nothing before it may follow.
cdef enum Stage:
    NOTHING = 0
    TOKEN
    CONTRACT
    DOLLAR_UP
    VICELARD_CARD
    COPPER_CARD
    FIRST_DOWN                  # a face-down card of kind k is FIRST_DOWN + k

# Where a Mafioso that a seat owns lies: in the column of a family, or, for a Blackmat without one:
cdef enum:
    WAITING = 4                 # its owner has no family
    PENDING = 5                 # its owner is choosing
    NO_COLUMN = 6               # nobody owns it

# What a briefcase asks for. From MOST_MAFIOSI_SIDE on, it is given at the end.
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

# A pile that was made from discards, as the seats remember it.
cdef struct Shuffle:
    uint8_t up[MOST_SEATS][KINDS]       # what each seat had discarded face up
    uint8_t down[MOST_SEATS][KINDS]     # and face down
    uint8_t drawn[MOST_SEATS][KINDS]    # what each seat has drawn from it
    uint8_t drawn_before[MOST_SEATS]    # how many of these before the round of its last draws

cdef struct State:
    Rng rng                             # for later shuffles
    uint8_t seats
    uint8_t phase
    uint8_t round                       # from 0
    uint8_t first                       # the first player of this round
    uint8_t to_move                     # the seat that decides now
    uint8_t passes                      # in succession

    # Pawns and special cards. A card is played if it lies on a place.
    uint8_t copper_pawn
    uint8_t vicelard_pawn
    uint8_t copper_holder
    uint8_t copper_on
    uint8_t copper_next                 # who won it in this counting
    uint8_t vicelard_holder
    uint8_t vicelard_on
    uint8_t vicelard_next
    uint8_t copper_points               # of the Copper card, in halves

    # The action in progress, or the place that is being counted.
    uint8_t target
    uint8_t fresh                       # the mover had no token on the target: it influences
    uint8_t floor                       # the Stage that was reached
    uint8_t paying_vicelard             # the payment is for Vicelard, not for Copper
    uint8_t first_half                  # the kind of the first of two half dollars
    uint8_t just_down[KINDS]            # what the mover put face down in this action
    uint8_t counted

    # Influence cards and tokens. On a family card all contracts are of its own family.
    uint8_t hand[MOST_SEATS][KINDS]
    uint8_t tokens[MOST_ROW][MOST_SEATS]
    uint8_t contracts[MOST_ROW][MOST_SEATS]
    uint8_t dollars[MOST_ROW][MOST_SEATS]
    uint8_t down[MOST_ROW][MOST_SEATS][KINDS]
    uint8_t paid_up[MOST_SEATS]         # dollars, in this round
    uint8_t paid_down[MOST_SEATS][KINDS]
    uint8_t gone_up[MOST_SEATS][KINDS]  # discarded in earlier rounds, since the last shuffle
    uint8_t gone_down[MOST_SEATS][KINDS]
    uint8_t pile_count
    uint8_t pile[CARDS]                 # the top card is the last

    # Piles that were made from discards, in order; the last of them is in use. The rest is 0.
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

# The Mafiosi of one seat, by what briefcases ask for.
cdef struct Tally:
    int family[FAMILIES]                # family cards of each
    int families
    int largest
    int blackmats
    int twos
    int threes
    int all


cdef inline int row_length(const State* s) noexcept nogil:
    return 6 if s.seats > 4 else s.seats + 2


cdef inline int round_count(const State* s) noexcept nogil:
    return 5 if s.seats == 2 else 4


cdef inline int kind_total(int kind) noexcept nogil:
    return DOLLARS if kind == DOLLAR else CONTRACTS


cdef inline int family_of(int code) noexcept nogil:
    return code >> 5


cdef inline int value_of(int code) noexcept nogil:
    return code & 31


cdef inline int index_of(const State* s, int place) noexcept nogil:
    """The number among all Mafiosi of the one at a place of the row."""
    return s.round * row_length(s) + place


cdef inline int family_at(const State* s, int place) noexcept nogil:
    return family_of(s.mafiosi[index_of(s, place)])


cdef inline bint is_counting(const State* s) noexcept nogil:
    return s.phase == JOIN or s.phase == COPPER


cdef inline bint value_known(const State* s, int index) noexcept nogil:
    """Whether everybody has seen the value: all of earlier rounds, and what is face up."""
    cdef int place = index - s.round * row_length(s)
    if s.phase == OVER or place < 0:
        return True
    if place >= row_length(s):
        return False
    return place % 2 == 1 or (is_counting(s) and place <= s.counted)


cdef inline int sum_kinds(const uint8_t* kinds) noexcept nogil:
    return kinds[0] + kinds[1] + kinds[2] + kinds[3] + kinds[4]


cdef inline int points_at(const State* s, int place, int seat) noexcept nogil:
    """Influence of a seat on a Mafioso, in halves (rules page: Influence points)."""
    cdef int points
    # No card lies anywhere without a token of its seat.
    if s.tokens[place][seat] == 0:
        return 0
    points = 2 * s.tokens[place][seat] + 4 * s.contracts[place][seat] + 2 * s.dollars[place][seat]
    points += sum_kinds(s.down[place][seat])
    if s.vicelard_on == place and s.vicelard_holder == seat:
        points += 2 if family_at(s, place) == BLACKMAT else 4
    if s.copper_on == place and s.copper_holder == seat:
        points += s.copper_points
    return points


cdef inline int winner_at(const State* s, int place) noexcept nogil:
    """The seat with the most points on a Mafioso; NOBODY without influence or in a tie."""
    cdef int seat, points, best = 0, winner = NOBODY
    for seat in range(s.seats):
        points = points_at(s, place, seat)
        if points > best:
            best = points
            winner = seat
        elif points == best:
            winner = NOBODY
    return winner


cdef inline void tally_seat(const State* s, int seat, Tally* tally) noexcept nogil:
    cdef int i, family, value
    for family in range(FAMILIES):
        tally.family[family] = 0
    tally.families = tally.largest = tally.blackmats = tally.twos = tally.threes = tally.all = 0
    for i in range(MOST_MAFIOSI):
        if s.column[i] == NO_COLUMN or s.owner[i] != seat:
            continue
        family = family_of(s.mafiosi[i])
        value = value_of(s.mafiosi[i])
        tally.all += 1
        tally.twos += value == 2
        tally.threes += value == 3
        if family == BLACKMAT:
            tally.blackmats += 1
        else:
            tally.family[family] += 1
    for family in range(FAMILIES):
        tally.families += tally.family[family] > 0
        tally.largest = max(tally.largest, tally.family[family])


cdef inline bint side_reached(const Tally* tally, int side) noexcept nogil:
    """Whether a seat has what a "first to" briefcase asks for."""
    if side == FAMILIES_3:
        return tally.families >= 3
    if side == FAMILIES_4:
        return tally.families >= 4
    if side == SAME_2:
        return tally.largest >= 2
    if side == SAME_3:
        return tally.largest >= 3
    if side == BLACKMATS_2:
        return tally.blackmats >= 2
    return side == TWOS_3 and tally.twos >= 3


cdef inline int most_holder(const State* s, int side) noexcept nogil:
    """Who has strictly the most of what a "most" briefcase counts; NOBODY in a tie."""
    cdef Tally tally
    cdef int seat, size, best = -1, holder = NOBODY
    for seat in range(s.seats):
        tally_seat(s, seat, &tally)
        size = tally.all
        if side == LARGEST_FAMILY:
            size = tally.largest
        elif side == MOST_THREES:
            size = tally.threes
        elif side == MOST_TWOS:
            size = tally.twos
        if size > best:
            best = size
            holder = seat
        elif size == best:
            holder = NOBODY
    return holder


cdef inline bint holds_family(const State* s, int seat, int family) noexcept nogil:
    """Whether a seat has a family card of a colour, and so a column of it."""
    cdef int i
    for i in range(MOST_MAFIOSI):
        if s.column[i] == family and s.owner[i] == seat and family_of(s.mafiosi[i]) == family:
            return True
    return False


cdef inline int column_mask(const State* s, int seat) noexcept nogil:
    """The families that a seat has a column of, bit i for family i."""
    cdef int i, mask = 0
    for i in range(MOST_MAFIOSI):
        if s.column[i] < FAMILIES and s.owner[i] == seat and s.mafiosi[i] < 32 * BLACKMAT:
            mask |= 1 << s.column[i]
    return mask


cdef inline bint can_play_vicelard(const State* s, int seat, int place) noexcept nogil:
    return s.vicelard_holder == seat and s.vicelard_on == NOWHERE and s.vicelard_pawn == place


cdef inline bint can_play_copper(const State* s, int seat) noexcept nogil:
    return s.copper_holder == seat and s.copper_on == NOWHERE


cdef inline bint can_play_card(const State* s, int seat, int place) noexcept nogil:
    """Whether a seat has a card for a Mafioso: any influence card can go face down."""
    return s.cards[seat] > 0 or can_play_copper(s, seat) or can_play_vicelard(s, seat, place)


cdef inline bint can_complete(const State* s, int seat, int place, bint fresh) noexcept nogil:
    """Whether an influence or reinforcement of which nothing is placed yet can be completed."""
    if fresh:
        return s.supply[seat] > 0 and can_play_card(s, seat, place)
    return s.supply[seat] > 0 or can_play_card(s, seat, place)


cdef inline bint can_pay_vicelard(const State* s, int seat) noexcept nogil:
    """One dollar: a dollar card, or two cards face down."""
    return s.hand[seat][DOLLAR] > 0 or s.cards[seat] >= 2


cdef inline bint holds_from(const uint8_t* hand, int kind) noexcept nogil:
    """Whether a hand has a card of this kind or of a later one."""
    cdef int k
    for k in range(kind, KINDS):
        if hand[k]:
            return True
    return False


cdef inline void add_up_now(const State* s, int seat, int* kinds) noexcept nogil:
    """Add what a seat has played and paid face up in this round."""
    cdef int place, family
    for place in range(row_length(s)):
        family = family_at(s, place)
        if family != BLACKMAT:
            kinds[family] += s.contracts[place][seat]
        kinds[DOLLAR] += s.dollars[place][seat]
    kinds[DOLLAR] += s.paid_up[seat]


cdef inline void add_down_now(const State* s, int seat, int* kinds) noexcept nogil:
    """Add what a seat has played and paid face down in this round."""
    cdef int place, kind
    for kind in range(KINDS):
        for place in range(row_length(s)):
            kinds[kind] += s.down[place][seat][kind]
        kinds[kind] += s.paid_down[seat][kind]


cdef inline void shuffle(uint8_t* items, int count, Rng* rng) noexcept nogil:
    """Fisher-Yates from the end: item i changes places with one of the first i + 1."""
    cdef int i, j
    cdef uint8_t kept
    for i in range(count - 1, 0, -1):
        j = <int>rng_below(rng, i + 1)
        kept = items[i]
        items[i] = items[j]
        items[j] = kept
