"""The rules of My Game, in the order of its reference page."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from tablier_core.abi cimport move_t
from tablier_core.games.my_game.state cimport (
    ALL_CARDS, CARDS, CHOOSE, MOST_SEATS, NONE, OVER, Options, State, count, is_over,
)
from tablier_core.rng cimport GAME_STREAM, Rng, rng_below, rng_next, rng_seed, shuffle
from tablier_core.scoring cimport share_win

# ---- Setup (reference: Setup) --------------------------------------------------------------------


cdef void setup(void* state, const void* options, Rng* rng) noexcept nogil:
    cdef State* s = <State*>state
    cdef const Options* o = <const Options*>options
    cdef uint8_t cards[CARDS]
    cdef int i, seat
    memset(s, 0, sizeof(State))
    memset(s.chosen, NONE, MOST_SEATS)
    s.seats = o.seats
    s.hand_size = o.hand_size
    for i in range(CARDS):
        cards[i] = <uint8_t>i
    shuffle(cards, CARDS, rng)
    s.pile = ALL_CARDS
    for i in range(s.seats * s.hand_size):
        seat = i // s.hand_size
        s.hands[seat] |= <uint16_t>1 << cards[i]
        s.pile &= ~(<uint16_t>1 << cards[i])
    load_chance(s, rng)


cdef void load_chance(State* s, Rng* rng) noexcept nogil:
    cdef uint64_t high = rng_next(rng)
    rng_seed(&s.chance, high << 32 | rng_next(rng), GAME_STREAM)


cdef int seats(const void* state) noexcept nogil:
    return (<const State*>state).seats


# ---- Choosing a card (reference: Choose) ---------------------------------------------------------

cdef int phase(const void* state) noexcept nogil:
    return OVER if is_over(<const State*>state) else CHOOSE


cdef uint32_t actors(const void* state) noexcept nogil:
    """Every seat that has not chosen yet may choose, in any order."""
    cdef const State* s = <const State*>state
    cdef uint32_t mask = 0
    cdef int seat
    if is_over(s):
        return 0
    for seat in range(s.seats):
        mask |= <uint32_t>(s.chosen[seat] == NONE) << seat
    return mask


cdef uint32_t moves(const void* state, int seat, move_t* out) noexcept nogil:
    cdef const State* s = <const State*>state
    cdef uint32_t card, n = 0
    if seat < 0 or s.chosen[seat] != NONE:
        return 0
    for card in range(CARDS):
        if s.hands[seat] >> card & 1:
            out[n] = card
            n += 1
    return n


cdef void apply(void* state, int seat, move_t move) noexcept nogil:
    cdef State* s = <State*>state
    s.chosen[seat] = <uint8_t>move
    if actors(s) == 0:
        reveal(s)
        draw(s)


# ---- Revealing the cards (reference: Reveal) -----------------------------------------------------

cdef void reveal(State* s) noexcept nogil:
    cdef uint8_t* cards = &s.played[s.rounds * s.seats]
    cdef int seat
    for seat in range(s.seats):
        cards[seat] = s.chosen[seat]
        s.hands[seat] &= ~(<uint16_t>1 << cards[seat])
        s.chosen[seat] = NONE
    score_round(s, s.rounds)
    s.rounds += 1


cdef void score_round(State* s, int number) noexcept nogil:
    cdef const uint8_t* cards = &s.played[number * s.seats]
    cdef int seat, winner = 0, lowest = CARDS
    for seat in range(s.seats):
        lowest = min(lowest, cards[seat])
        if cards[seat] > cards[winner]:
            winner = seat
    s.points[winner] += <uint8_t>(lowest + 1)


cdef uint16_t played_cards(const State* s) noexcept nogil:
    cdef uint16_t cards = 0
    cdef int i
    for i in range(s.rounds * s.seats):
        cards |= <uint16_t>1 << s.played[i]
    return cards


# ---- Drawing new cards (reference: Draw) ---------------------------------------------------------

cdef int draws(const State* s) noexcept nogil:
    return CARDS // s.seats - s.hand_size


cdef void draw(State* s) noexcept nogil:
    cdef uint32_t _skipped
    cdef uint16_t rest, card
    cdef int seat
    if s.rounds > draws(s):
        return
    for seat in range(s.seats):
        rest = s.pile
        for _skipped in range(rng_below(&s.chance, count(s.pile))):
            rest &= rest - 1
        card = rest & (~rest + 1)
        s.pile &= ~card
        s.hands[seat] |= card


# ---- Winning (reference: Scoring) ----------------------------------------------------------------

cdef void scores(const void* state, double* out) noexcept nogil:
    cdef const State* s = <const State*>state
    cdef int seat
    for seat in range(s.seats):
        out[seat] = s.points[seat]


cdef void returns(const void* state, double* out) noexcept nogil:
    scores(state, out)
    share_win(out, (<const State*>state).seats, out)
