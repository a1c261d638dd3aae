"""The bytes of a Contrast state (reference: Byte layout), and their content for Python."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from tablier_core.games.contrast.images cimport deck_of, is_built_in
from tablier_core.games.contrast.rules cimport count_votes, deal, end_round, winning_symbols
from tablier_core.games.contrast.state cimport (
    BOX, BUILT_IN_IMAGES, CARDS, EXCLUDED, MAX_IMAGES, MAX_SEATS, MIN_SEATS, NOT_YET, PILE, STEPS,
    SYMBOLS, State, boxed_at_start, choice_of, holds_card, is_over, no_choices, vote_for,
)
from tablier_core.packing cimport put, take

from tablier_core.games.contrast.notation import SYMBOL_NAMES

cdef enum Fault:
    BAD_LENGTH = 1
    BAD_FIELD
    BAD_ORDER
    BAD_ROW
    BAD_ROUND
    BAD_PENDING
    BAD_DECK

FAULTS = (
    b"length: does not match the number of seats, images and rounds\n"
    b"seats, row, images, deck, rounds: a value is out of range\n"
    b"order: an image is missing or occurs twice\n"
    b"rows: a card is out of range or occurs twice\n"
    b"rounds: a choice was impossible, or the game was already over\n"
    b"choices: a choice is impossible, or the round is complete\n"
    b"deck: an affinity is out of range, or this is the built-in deck"
)


# ---- Packing -------------------------------------------------------------------------------------

cdef size_t pack(const void* state, uint8_t* out) noexcept nogil:
    """Write the deal and the choices; everything else follows from them."""
    cdef const State* s = <const State*>state
    cdef uint8_t* cursor = out
    cdef int seat, i, choices_size = (s.seats + 1) // 2
    put(&cursor, s.seats, 1)
    put(&cursor, s.row_length, 1)
    put(&cursor, s.images, 1)
    put(&cursor, s.own_deck, 1)
    put(&cursor, s.rounds, 1)
    memcpy(cursor, s.order, s.images)
    cursor += s.images
    for seat in range(s.seats):
        for i in range(s.row_length):
            put(&cursor, s.first_row[seat][i], 1)
    for i in range(s.rounds):
        put(&cursor, s.history[i], choices_size)
    put(&cursor, s.pending, choices_size)
    if s.own_deck:
        memcpy(cursor, s.affinities, s.images * SYMBOLS)
        cursor += s.images * SYMBOLS
    return cursor - out


# ---- Unpacking -----------------------------------------------------------------------------------

cdef int unpack(void* state, const uint8_t* data, size_t length) noexcept nogil:
    """Read the deal and play the completed rounds again, which proves the state reachable."""
    cdef State* s = <State*>state
    cdef const uint8_t* cursor = data
    cdef int rounds, choices_size, waiting, fault
    memset(s, 0, sizeof(State))
    if length < 5:
        return BAD_LENGTH
    s.seats = <uint8_t>take(&cursor, 1)
    s.row_length = <uint8_t>take(&cursor, 1)
    s.images = <uint8_t>take(&cursor, 1)
    s.own_deck = <uint8_t>take(&cursor, 1)
    rounds = <int>take(&cursor, 1)
    if not are_settings_valid(s) or rounds > s.images - boxed_at_start(s.seats):
        return BAD_FIELD
    choices_size = (s.seats + 1) // 2
    if length != <size_t>(
        5 + s.images + s.seats * s.row_length + (rounds + 1) * choices_size
        + (s.images * SYMBOLS if s.own_deck else 0)
    ):
        return BAD_LENGTH
    fault = read_deal(s, &cursor)
    if fault:
        return fault
    deal(s)
    while s.rounds < rounds:
        s.pending = <uint32_t>take(&cursor, choices_size)
        if is_over(s) or find_waiting(s) != 0:
            return BAD_ROUND
        end_round(s)
    s.pending = <uint32_t>take(&cursor, choices_size)
    waiting = find_waiting(s)
    # The current round is incomplete; in a finished game it has no choices.
    if waiting <= 0 or (is_over(s) and s.pending != no_choices(s.seats)):
        return BAD_PENDING
    s.waiting = <uint8_t>waiting
    if s.own_deck:
        memcpy(s.affinities, cursor, s.images * SYMBOLS)
        if not is_deck_valid(s.affinities, s.images):
            return BAD_DECK
    return 0


cdef bint are_settings_valid(const State* s) noexcept nogil:
    if not MIN_SEATS <= s.seats <= MAX_SEATS or not 2 <= s.row_length <= 3 or s.own_deck > 1:
        return False
    if not s.own_deck:
        return s.images == BUILT_IN_IMAGES
    return boxed_at_start(s.seats) < s.images <= MAX_IMAGES


cdef int read_deal(State* s, const uint8_t** cursor) noexcept nogil:
    """Read the order and the first rows; return 0 or a fault."""
    cdef uint8_t found[MAX_IMAGES]
    cdef uint32_t cards
    cdef int seat, i
    memset(found, 0, MAX_IMAGES)
    for i in range(s.images):
        s.order[i] = <uint8_t>take(cursor, 1)
        if s.order[i] >= s.images or found[s.order[i]]:
            return BAD_ORDER
        found[s.order[i]] = 1
    for seat in range(s.seats):
        cards = 0
        for i in range(s.row_length):
            s.first_row[seat][i] = <uint8_t>take(cursor, 1)
            if s.first_row[seat][i] >= CARDS or (cards >> s.first_row[seat][i]) & 1:
                return BAD_ROW
            cards |= <uint32_t>1 << s.first_row[seat][i]
    return 0


cdef int find_waiting(const State* s) noexcept nogil:
    """Return the seats that have not chosen, one bit each, or -1 if the choices are impossible.

    A chosen symbol must be in hand, only the last seat can be excluded, and padding must be zero.
    """
    cdef uint32_t choice
    cdef int seat, waiting = 0, excluded = 0
    for seat in range(s.seats):
        choice = choice_of(s.pending, seat)
        if choice == NOT_YET:
            waiting |= 1 << seat
        elif choice == EXCLUDED:
            excluded += 1
        elif choice >= SYMBOLS or not holds_card(s, seat, choice >> 1):
            return -1
    if s.pending >> (4 * s.seats) or excluded > 1 or (excluded and waiting):
        return -1
    return waiting


cdef bint is_deck_valid(const uint8_t* affinities, int images) noexcept nogil:
    """Return whether all affinities are in range and the deck is not the built-in one."""
    cdef int i
    cdef uint8_t highest = 0
    # No early exit, so that the compiler can vectorize the loop.
    for i in range(images * SYMBOLS):
        highest = affinities[i] if affinities[i] > highest else highest
    return highest <= STEPS and not is_built_in(affinities, images)


# ---- Facts, for Python ---------------------------------------------------------------------------

CARD_NAMES = tuple([
    f"{SYMBOL_NAMES[2 * card]}/{SYMBOL_NAMES[2 * card + 1]}" for card in range(CARDS)
])
# The name of each choice; None for an excluded seat and for one that has not chosen.
cdef tuple CHOICE_NAMES = SYMBOL_NAMES + (None,) * (NOT_YET + 1 - SYMBOLS)


cdef tuple name_choices(int seats, uint32_t choices):
    cdef int seat
    return tuple([CHOICE_NAMES[choice_of(choices, seat)] for seat in range(seats)])


cdef tuple name_symbols(uint64_t symbols):
    cdef int symbol
    return tuple([SYMBOL_NAMES[symbol] for symbol in range(SYMBOLS) if symbols & vote_for(symbol)])


def facts(bytes packed):
    """Return the content of a packed state by name, hidden information included."""
    cdef State s
    cdef const uint8_t* data = packed
    cdef uint64_t winning
    cdef int i, seat, card
    cdef list owned = [[] for _ in range(PILE + 1)], rounds = []
    if unpack(&s, data, len(packed)):
        raise ValueError("not a packed state of this game")
    for i in range(s.images):
        (<list>owned[s.owner[i]]).append(s.order[i])
    for i in range(s.rounds):
        winning = winning_symbols(s.seats, count_votes(s.seats, s.history[i]))
        rounds.append((
            s.order[s.seen_at[i]],
            name_choices(s.seats, s.history[i]),
            name_symbols(winning) if winning else (),
        ))
    return {
        "expert": s.row_length == 3,
        "deck": (<const char*>deck_of(&s))[:s.images * SYMBOLS],
        "image": None if is_over(&s) else s.order[s.top],
        "rows": [
            tuple([CARD_NAMES[(s.row[seat] >> (8 * i)) & 255] for i in range(s.row_length)])
            for seat in range(s.seats)
        ],
        "hands": [
            tuple([CARD_NAMES[card] for card in range(CARDS) if holds_card(&s, seat, card)])
            for seat in range(s.seats)
        ],
        "choices": name_choices(s.seats, s.pending),
        "rounds": rounds,
        "scores": [s.scores[seat] for seat in range(s.seats)],
        "pile": owned[PILE],
        "box": owned[BOX][::-1],
        "won": owned[:s.seats],
    }
