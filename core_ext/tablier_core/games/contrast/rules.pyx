"""The rules of Contrast, in the order of docs/reference/contrast.md."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from tablier_core.abi cimport TABLE, move_t
from tablier_core.games.contrast.state cimport (
    BOX, CARDS, CHOOSE, EXCLUDE, EXCLUDED, NOT_YET, OVER, PILE, TEAM, TEAM_GOAL, Options, State,
    boxed_at_start, choice_of, is_over, no_choices, vote_for,
)
from tablier_core.rng cimport Rng, shuffle
from tablier_core.scoring cimport share_win

cdef extern from *:
    int __builtin_ctz(unsigned int) noexcept nogil

# ---- Setup ---------------------------------------------------------------------------------------

cdef void setup(void* state, const void* options, Rng* rng) noexcept nogil:
    """Shuffle the images, then the cards of each seat (reference: Setup)."""
    cdef State* s = <State*>state
    cdef const Options* o = <const Options*>options
    cdef uint8_t cards[CARDS]
    cdef int seat, i
    memset(s, 0, sizeof(State))
    s.seats = o.seats
    s.row_length = o.row_length
    s.images = o.images
    s.own_deck = o.own_deck
    if s.own_deck:
        memcpy(s.affinities, o.affinities, sizeof(o.affinities))
    for i in range(s.images):
        s.order[i] = <uint8_t>i
    shuffle(s.order, s.images, rng)
    for seat in range(s.seats):
        for i in range(CARDS):
            cards[i] = <uint8_t>i
        shuffle(cards, CARDS, rng)
        memcpy(s.first_row[seat], cards, s.row_length)
    deal(s)


cdef void deal(State* s) noexcept nogil:
    """Lay out a game whose settings, order and first rows are known."""
    cdef int boxed = boxed_at_start(s.seats)
    memset(s.owner, BOX, boxed)
    memset(s.owner + boxed, PILE, s.images - boxed)
    s.top = <uint8_t>boxed
    lay_rows(s)
    begin_round(s)


cdef void lay_rows(State* s) noexcept nogil:
    """Lay the first rows; the other cards are the hands."""
    cdef int seat, i
    for seat in range(s.seats):
        s.hand[seat] = (1 << CARDS) - 1
        s.row[seat] = 0
        for i in range(s.row_length):
            s.row[seat] |= <uint32_t>s.first_row[seat][i] << (8 * i)
            s.hand[seat] ^= <uint8_t>(1 << s.first_row[seat][i])


cdef int seats(const void* state) noexcept nogil:
    return (<const State*>state).seats


cdef int phase(const void* state) noexcept nogil:
    return OVER if is_over(<const State*>state) else CHOOSE


# ---- Choosing and excluding ----------------------------------------------------------------------

cdef void begin_round(State* s) noexcept nogil:
    s.pending = no_choices(s.seats)
    s.waiting = <uint8_t>((1 << s.seats) - 1)


cdef uint32_t actors(const void* state) noexcept nogil:
    cdef const State* s = <const State*>state
    return 0 if is_over(s) else s.waiting


cdef uint32_t moves(const void* state, int seat, move_t* out) noexcept nogil:
    cdef const State* s = <const State*>state
    if is_over(s):
        return 0
    if seat == TABLE:
        # Only the last seat can be excluded (reference: A turn, step 2).
        out[0] = EXCLUDE
        return 1 if not s.waiting & (s.waiting - 1) else 0
    return list_symbols(s, seat, out) if (s.waiting >> seat) & 1 else 0


cdef uint32_t list_symbols(const State* s, int seat, move_t* out) noexcept nogil:
    """Write the symbols on the cards in a seat's hand and return their number."""
    cdef uint32_t n = 0, card, cards = s.hand[seat]
    while cards:
        card = <uint32_t>__builtin_ctz(cards)
        out[n] = 2 * card
        out[n + 1] = 2 * card + 1
        n += 2
        cards &= cards - 1
    return n


cdef void apply(void* state, int seat, move_t move) noexcept nogil:
    cdef State* s = <State*>state
    if move == EXCLUDE:
        seat = __builtin_ctz(s.waiting)
    s.pending ^= (NOT_YET ^ move) << (4 * seat)
    s.waiting ^= <uint8_t>(1 << seat)
    if not s.waiting:
        end_round(s)


# ---- Reveal, images and rows ---------------------------------------------------------------------

cdef void end_round(State* s) noexcept nogil:
    """Reveal the choices and do everything that follows (reference: A turn, steps 3 to 5)."""
    cdef uint32_t choice
    cdef int seat
    s.history[s.rounds] = s.pending
    s.seen_at[s.rounds] = s.top
    s.rounds += 1
    hand_out_images(s, winning_symbols(s.seats, count_votes(s.seats, s.pending)))
    for seat in range(s.seats):
        choice = choice_of(s.pending, seat)
        if choice != EXCLUDED:
            rotate_row(s, seat, choice >> 1)
    begin_round(s)


cdef uint64_t count_votes(int seats, uint32_t choices) noexcept nogil:
    """Count the votes of the seats that took part, four bits per symbol."""
    cdef uint64_t votes = 0
    cdef int seat
    for seat in range(seats):
        if choice_of(choices, seat) != EXCLUDED:
            votes += vote_for(choice_of(choices, seat))
    return votes


cdef uint64_t winning_symbols(int seats, uint64_t votes) noexcept nogil:
    """Return the symbols that win, as one vote for each (reference: A turn, step 3)."""
    # Split each count into its binary digits: one vote for each symbol with that digit.
    cdef uint64_t every_symbol = 0x111111111111
    cdef uint64_t ones = votes & every_symbol
    cdef uint64_t twos = votes >> 1 & every_symbol
    cdef uint64_t fours = votes >> 2 & every_symbol
    cdef uint64_t chosen = ones | twos | fours
    cdef uint64_t pairs = twos & ~(ones | fours)
    # The symbols with the most votes, if that is at least two.
    cdef uint64_t leaders = fours or ones & twos or pairs
    if not leaders & (leaders - 1):
        # A single leader wins unless everyone chose it. Two votes win even if they are all: that is
        # a match at two seats, and at three seats the third is excluded.
        return leaders if chosen != leaders or pairs else 0
    # At five or six seats two pairs both win if there is another symbol. No symbol has three votes
    # here, so the others have one each.
    return leaders if seats >= 5 and leaders == pairs != chosen and has_two_bits(pairs) else 0


cdef inline bint has_two_bits(uint64_t mask) noexcept nogil:
    mask &= mask - 1
    return mask != 0 and not mask & (mask - 1)


cdef void hand_out_images(State* s, uint64_t winning) noexcept nogil:
    """Give the winners their images in seat order (reference: A turn, step 4)."""
    cdef int seat
    if not winning:
        s.owner[s.top] = BOX
        s.top += 1
    elif s.seats == TEAM:
        win_image(s, 0)
        s.scores[1] = s.scores[0]
    else:
        for seat in range(s.seats):
            # EXCLUDED is not a symbol, so it never wins.
            if winning & vote_for(choice_of(s.pending, seat)):
                win_image(s, seat)


cdef void win_image(State* s, int seat) noexcept nogil:
    """Give a seat the top image of the pile, or of the box if the pile is empty."""
    cdef int place = s.top
    if is_over(s):
        # The image that entered the box last has the highest place.
        place = s.images - 1
        while s.owner[place] != BOX:
            place -= 1
    else:
        s.top += 1
    s.owner[place] = <uint8_t>seat
    s.scores[seat] += 1


cdef void rotate_row(State* s, int seat, uint32_t card) noexcept nogil:
    """Add a card at the right of the row and take the leftmost back (reference: A turn, step 5)."""
    s.hand[seat] ^= <uint8_t>((1 << (s.row[seat] & 255)) | (1 << card))
    s.row[seat] = (s.row[seat] | card << (8 * s.row_length)) >> 8


# ---- Scoring -------------------------------------------------------------------------------------

cdef void scores(const void* state, double* out) noexcept nogil:
    cdef const State* s = <const State*>state
    cdef int seat
    for seat in range(s.seats):
        out[seat] = s.scores[seat]


cdef void returns(const void* state, double* out) noexcept nogil:
    """A team wins by reaching its goal; otherwise the highest score wins (reference: Scoring)."""
    cdef const State* s = <const State*>state
    if s.seats == TEAM:
        out[0] = out[1] = 1.0 if s.scores[0] >= TEAM_GOAL else -1.0
    else:
        scores(state, out)
        share_win(out, s.seats, out)
