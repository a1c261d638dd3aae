"""Contrast: its rules, its bytes, and last the table of both.

The rules page is docs/reference/contrast.md; section names in the comments are its headings.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

from tablier_core.abi cimport MAX_PACKED, TABLE, GameOps, move_t
from tablier_core.games.contrast.engine cimport pick, rank
from tablier_core.games.contrast.images cimport built_in_deck, deck_of
from tablier_core.games.contrast.state cimport (
    ACTIONS, BOX, BUILT_IN, CARDS, CHOOSE, DECK, EXCLUDE, EXCLUDED, MAX_MOVES, MIN_SEATS, NOT_YET,
    OVER, PILE, SEATS, STEPS, SYMBOLS, TEAM, TEAM_GOAL, State, boxed_at_start, choice_of, holds,
    is_over, lay_rows, list_symbols, list_unseen, nobody_yet, rotate_row, shuffle, winning_symbols,
)
from tablier_core.packing cimport hash_bytes, put, take
from tablier_core.rng cimport Rng, rng_below

from tablier_core.errors import OptionError

# ---- Facts and constants -------------------------------------------------------------------------

cdef struct Options:
    uint8_t seats
    uint8_t row_length
    uint8_t images
    uint8_t own_deck
    uint8_t affinities[DECK * SYMBOLS]

cdef enum Fault:
    BAD_LENGTH = 1
    BAD_FIELD
    BAD_ORDER
    BAD_ROW
    BAD_ROUND
    BAD_PENDING
    BAD_DECK

cdef const char* FAULTS = (
    b"length: it does not agree with the seats, images and rounds\n"
    b"seats, row, images, deck, rounds: a value is out of range\n"
    b"order: an image is missing or stands there twice\n"
    b"rows: a card is out of range or lies there twice\n"
    b"rounds: a choice was not possible, or the game was over by then\n"
    b"choices: one is not possible, or all are in\n"
    b"deck: an affinity is out of range, or the deck is the built-in one"
)

# Eight bytes a name, in the order of the actions.
cdef const char* NAMES = (
    b"red     yellow  blue    green   large   small   heavy   light   "
    b"thick   thin    round   square  exclude "
)

# ---- Moves ---------------------------------------------------------------------------------------

cdef uint32_t moves(const void* state, int seat, move_t* out) noexcept nogil:
    cdef const State* s = <const State*>state
    if is_over(s):
        return 0
    if seat == TABLE:
        # The count to three begins when a single seat is left.
        out[0] = EXCLUDE
        return 1 if not s.waiting & (s.waiting - 1) else 0
    return list_symbols(s, seat, out) if (s.waiting >> seat) & 1 else 0


# ---- Apply ---------------------------------------------------------------------------------------

cdef void win_image(State* s, int seat) noexcept nogil:
    """Hand a seat the top of the pile or, when that has run out, of the box."""
    cdef int place = s.top
    if is_over(s):
        # The image that was put there last stands at the highest place.
        place = s.images - 1
        while s.owner[place] != BOX:
            place -= 1
    else:
        s.top += 1
    s.owner[place] = <uint8_t>seat
    s.scores[seat] += 1


cdef void hand_out_images(State* s, uint32_t winning) noexcept nogil:
    """Round, step 5: the winners in the order of their seats, or the box."""
    cdef int seat
    if not winning:
        s.owner[s.top] = BOX
        s.top += 1
    elif s.seats == TEAM:
        win_image(s, 0)
        s.scores[1] = s.scores[0]
    else:
        for seat in range(s.seats):
            # An excluded seat's number is no symbol's, so its bit is never set.
            if (winning >> choice_of(s.pending, seat)) & 1:
                win_image(s, seat)


cdef void begin_round(State* s) noexcept nogil:
    s.pending = nobody_yet(s.seats)
    s.waiting = <uint8_t>((1 << s.seats) - 1)


cdef void end_round(State* s) noexcept nogil:
    """The reveal and all that follows, once nobody is waited for."""
    cdef uint32_t choice
    cdef int seat
    s.history[s.rounds] = s.pending
    s.seen_at[s.rounds] = s.top
    s.rounds += 1
    hand_out_images(s, winning_symbols(s.seats, s.pending))
    for seat in range(s.seats):
        choice = choice_of(s.pending, seat)
        if choice != EXCLUDED:
            rotate_row(s, seat, choice >> 1)
    begin_round(s)


cdef inline void commit(State* s, int seat, uint32_t choice) noexcept nogil:
    s.pending ^= (NOT_YET ^ choice) << (4 * seat)
    s.waiting ^= <uint8_t>(1 << seat)


cdef void apply(void* state, int seat, move_t move) noexcept nogil:
    cdef State* s = <State*>state
    if move == EXCLUDE:
        seat = 0
        while not (s.waiting >> seat) & 1:
            seat += 1
    # The two numbers agree: EXCLUDE as a move, EXCLUDED as a choice.
    commit(s, seat, move)
    if not s.waiting:
        end_round(s)


cdef void deal(State* s) noexcept nogil:
    """Lay out a game whose settings, order and first rows are given."""
    cdef int boxed = boxed_at_start(s.seats)
    memset(s.owner, BOX, boxed)
    memset(s.owner + boxed, PILE, s.images - boxed)
    s.top = <uint8_t>boxed
    lay_rows(s)
    begin_round(s)


cdef void setup(void* state, const void* options, Rng* rng) noexcept nogil:
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


cdef int seats(const void* state) noexcept nogil:
    return (<const State*>state).seats


cdef int phase(const void* state) noexcept nogil:
    return OVER if is_over(<const State*>state) else CHOOSE


cdef uint32_t actors(const void* state) noexcept nogil:
    cdef const State* s = <const State*>state
    return 0 if is_over(s) else s.waiting


# ---- Scoring -------------------------------------------------------------------------------------

cdef void scores(const void* state, double* out) noexcept nogil:
    cdef const State* s = <const State*>state
    cdef int seat
    for seat in range(s.seats):
        out[seat] = s.scores[seat]


cdef void returns(const void* state, double* out) noexcept nogil:
    """Result: the team reaches its goal or not; else the highest score wins and ties share."""
    cdef const State* s = <const State*>state
    cdef int seat, best = 0, winners = 0
    if s.seats == TEAM:
        out[0] = out[1] = 1.0 if s.scores[0] >= TEAM_GOAL else -1.0
        return
    for seat in range(s.seats):
        if s.scores[seat] > best:
            best = s.scores[seat]
            winners = 0
        if s.scores[seat] == best:
            winners += 1
    for seat in range(s.seats):
        out[seat] = 2.0 / winners - 1.0 if s.scores[seat] == best else -1.0


# ---- Notation ------------------------------------------------------------------------------------

cdef int write_move(move_t move, char* out) noexcept nogil:
    cdef const char* name = NAMES + 8 * move
    cdef int length = 0
    while name[length] != b" ":
        out[length] = name[length]
        length += 1
    return length


cdef long read_move(const char* text, size_t length) noexcept nogil:
    cdef char name[8]
    cdef move_t move
    for move in range(ACTIONS):
        if <size_t>write_move(move, name) == length and memcmp(text, name, length) == 0:
            return <long>move
    return -1


# ---- Hidden information --------------------------------------------------------------------------

cdef void determinize(void* state, int viewer, Rng* rng) noexcept nogil:
    """A fair order of the unseen images, and any symbol in hand for every hidden choice.

    How people choose is not the rules' business, so those symbols are drawn uniformly.
    """
    cdef State* s = <State*>state
    cdef uint8_t places[DECK]
    cdef uint8_t images[DECK]
    cdef move_t symbols[MAX_MOVES]
    cdef int i, n, seat
    cdef uint32_t choice
    if viewer == TABLE:
        return
    n = list_unseen(s, places, images)
    shuffle(images, n, rng)
    for i in range(n):
        s.order[places[i]] = images[i]
    for seat in range(s.seats):
        choice = choice_of(s.pending, seat)
        if seat != viewer and choice != NOT_YET:
            n = <int>list_symbols(s, seat, symbols)
            s.pending ^= (choice ^ symbols[rng_below(rng, <uint32_t>n)]) << (4 * seat)


cdef void forget(State* s, int viewer) noexcept nogil:
    """The state that stands for the viewer's information set: all that is hidden at its lowest."""
    cdef uint8_t places[DECK]
    cdef uint8_t images[DECK]
    cdef int i, n = list_unseen(s, places, images), seat
    cdef uint32_t choice
    for i in range(n):
        s.order[places[i]] = images[i]
    for seat in range(s.seats):
        choice = choice_of(s.pending, seat)
        if seat != viewer and choice != NOT_YET:
            s.pending ^= choice << (4 * seat)


cdef uint64_t infoset(const void* state, int viewer) noexcept nogil:
    cdef State s = (<const State*>state)[0]
    cdef uint8_t packed[MAX_PACKED]
    if viewer != TABLE:
        forget(&s, viewer)
    return hash_bytes(<uint64_t>(viewer + 1), packed, pack(&s, packed))


# ---- Bytes ---------------------------------------------------------------------------------------

cdef size_t pack(const void* state, uint8_t* out) noexcept nogil:
    """The deal and the choices; everything else follows from them."""
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


cdef int unpack(void* state, const uint8_t* data, size_t length) noexcept nogil:
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
    if not settings_valid(s) or rounds > s.images - boxed_at_start(s.seats):
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
        if is_over(s) or waited_for(s) != 0:
            return BAD_ROUND
        end_round(s)
    s.pending = <uint32_t>take(&cursor, choices_size)
    waiting = waited_for(s)
    # A round goes on; when the game is over the next one has not begun.
    if waiting <= 0 or (is_over(s) and s.pending != nobody_yet(s.seats)):
        return BAD_PENDING
    s.waiting = <uint8_t>waiting
    if s.own_deck:
        memcpy(s.affinities, cursor, s.images * SYMBOLS)
        if not deck_valid(s.affinities, s.images):
            return BAD_DECK
    return 0


cdef bint settings_valid(const State* s) noexcept nogil:
    if not MIN_SEATS <= s.seats <= SEATS or not 2 <= s.row_length <= 3 or s.own_deck > 1:
        return False
    if not s.own_deck:
        return s.images == BUILT_IN
    return boxed_at_start(s.seats) < s.images <= DECK


cdef int read_deal(State* s, const uint8_t** cursor) noexcept nogil:
    """The order and the first rows: 0 or a fault."""
    cdef uint8_t found[DECK]
    cdef uint32_t cards
    cdef int seat, i
    memset(found, 0, DECK)
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


cdef int waited_for(const State* s) noexcept nogil:
    """The seats that have not chosen, a bit each; -1 if the choices are not possible.

    Who chose had the symbol in hand, only the last seat can be excluded, and nothing stands behind.
    """
    cdef uint32_t choice
    cdef int seat, waiting = 0, excluded = 0
    for seat in range(s.seats):
        choice = choice_of(s.pending, seat)
        if choice == NOT_YET:
            waiting |= 1 << seat
        elif choice == EXCLUDED:
            excluded += 1
        elif not holds(s, seat, choice):
            return -1
    if s.pending >> (4 * s.seats) or excluded > 1 or (excluded and waiting):
        return -1
    return waiting


cdef bint deck_valid(const uint8_t* affinities, int images) noexcept nogil:
    """Affinities in range; and the built-in deck has only one way to be written."""
    cdef int i
    cdef uint8_t highest = 0
    # No way out of the loop, so that the compiler can take many at once.
    for i in range(images * SYMBOLS):
        highest = affinities[i] if affinities[i] > highest else highest
    return highest <= STEPS and not is_built_in(affinities, images)


cdef bint is_built_in(const uint8_t* affinities, int images) noexcept nogil:
    return images == BUILT_IN and memcmp(affinities, built_in_deck(), BUILT_IN * SYMBOLS) == 0


# ---- Options and facts, for Python ---------------------------------------------------------------

SYMBOL_NAMES = tuple(NAMES.decode("ascii").split())[:SYMBOLS]


cdef read_own_deck(deck, Options* o):
    """Fill the options from a caller's deck: every affinity to the nearest 1/200."""
    cdef int image, symbol
    form = f"must be a list of at most {DECK} lists of {SYMBOLS} numbers from 0 to 1"
    if not isinstance(deck, (list, tuple)) or len(deck) > DECK:
        raise OptionError("deck", form)
    for image, affinities in enumerate(deck):
        if not isinstance(affinities, (list, tuple)) or len(affinities) != SYMBOLS:
            raise OptionError("deck", f"{form}; image {image} is not such a list")
        for symbol, affinity in enumerate(affinities):
            # Not a number compares with nothing, so it is refused here as well.
            if (
                isinstance(affinity, bool) or not isinstance(affinity, (int, float))
                or not 0 <= affinity <= 1
            ):
                raise OptionError("deck", f"{form}; image {image} has another for its "
                                  f"{SYMBOL_NAMES[symbol]}")
            o.affinities[SYMBOLS * image + symbol] = round(affinity * STEPS)
    if len(deck) <= boxed_at_start(o.seats):
        raise OptionError(
            "deck", f"must have more than the {boxed_at_start(o.seats)} images that go to the box"
            f" at {o.seats} seats"
        )
    o.images = len(deck)
    o.own_deck = not is_built_in(o.affinities, o.images)


def pack_options(values):
    """Fill the options struct from checked values; the deck's form is checked here."""
    cdef Options o
    memset(&o, 0, sizeof(o))
    o.seats = values["seats"]
    o.row_length = 3 if values["expert"] else 2
    o.images = BUILT_IN
    if values["deck"] is not None:
        read_own_deck(values["deck"], &o)
    return (<const char*>&o)[:sizeof(o)]


# By choice: the symbol; None for an excluded seat and for one that has not chosen.
cdef tuple CHOICE_NAMES = SYMBOL_NAMES + (None,) * (NOT_YET + 1 - SYMBOLS)


cdef tuple name_choices(int seats, uint32_t choices):
    cdef int seat
    return tuple([CHOICE_NAMES[choice_of(choices, seat)] for seat in range(seats)])


cdef tuple name_symbols(uint32_t symbols):
    cdef int symbol
    return tuple([SYMBOL_NAMES[symbol] for symbol in range(SYMBOLS) if (symbols >> symbol) & 1])


def facts(bytes packed):
    """Everything that a packed state says, by name."""
    cdef State s
    cdef const uint8_t* data = packed
    cdef uint32_t winning
    cdef int i, seat, card
    cdef list owned = [[] for _ in range(PILE + 1)], rounds = []
    if unpack(&s, data, len(packed)):
        raise ValueError("not a packed state of this game")
    for i in range(s.images):
        (<list>owned[s.owner[i]]).append(s.order[i])
    for i in range(s.rounds):
        winning = winning_symbols(s.seats, s.history[i])
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
            [(s.row[seat] >> (8 * i)) & 255 for i in range(s.row_length)]
            for seat in range(s.seats)
        ],
        "hands": [
            [card for card in range(CARDS) if (s.hand[seat] >> card) & 1]
            for seat in range(s.seats)
        ],
        "choices": name_choices(s.seats, s.pending),
        "rounds": rounds,
        "scores": [s.scores[seat] for seat in range(s.seats)],
        "pile": owned[PILE],
        "box": owned[BOX][::-1],
        "won": owned[:s.seats],
    }


# ---- The game ------------------------------------------------------------------------------------

cdef GameOps OPS = GameOps(
    name="contrast",
    rules_version=1,
    state_size=sizeof(State),
    options_size=sizeof(Options),
    max_moves=MAX_MOVES,
    num_actions=ACTIONS,
    min_seats=MIN_SEATS,
    max_seats=SEATS,
    phases="choose over",
    faults=FAULTS,
    setup=setup,
    seats=seats,
    phase=phase,
    actors=actors,
    moves=moves,
    apply=apply,
    scores=scores,
    returns=returns,
    write_move=write_move,
    read_move=read_move,
    determinize=determinize,
    infoset=infoset,
    evaluate=NULL,
    pick=pick,
    narrow=NULL,
    rank=rank,
    pack=pack,
    unpack=unpack,
)

ops = PyCapsule_New(&OPS, "tablier_core.GameOps", NULL)
