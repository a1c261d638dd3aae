"""The rules of Mafia de Cuba: setup, the theft, the inquiry, accusations and scoring.

The reference page is docs/reference/mafia-de-cuba.md.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t
from libc.string cimport memcpy, memset

from tablier_core.abi cimport move_t
from tablier_core.games.mafia_de_cuba.claims cimport list_claims
from tablier_core.games.mafia_de_cuba.state cimport (
    ACCUSED, AGENT_WINS, ANSWER, ASKABLE, ASKED, BANG, CLEANER, CLEANER_WINS, DIAMONDS, DRIVER,
    FIRST_ACCUSE, FIRST_ASK, FIRST_HIDE, FIRST_POUCH, FIRST_SAY, FIRST_TAKE, FIRST_TOKEN, GODFATHER,
    GODFATHER_OUT, GODFATHER_WINS, HOLD, INQUIRY, KINDS, LOYAL, MAX_HIDDEN, NO_ANSWER, NO_TOKEN,
    NOT_YET, NOTHING, OVER, POUCH, REACT, SILENT, TAKE, TAKES, UNASKED, UNDECIDED, UNRESOLVED, Box,
    Options, State,
    asked_to_react, bit, diamonds_of, is_agent, is_empty, may_fire, number_of, question_due,
)
from tablier_core.rng cimport Rng

# ---- Setup ---------------------------------------------------------------------------------------

cdef void setup(void* state, const void* options, Rng* rng) noexcept nogil:
    """Start a game (reference: Seats and options). Nothing in this game is left to chance."""
    cdef State* s = <State*>state
    cdef const Options* o = <const Options*>options
    memset(s, 0, sizeof(State))
    s.seats = o.seats
    s.jokers = s.jokers_left = o.jokers
    s.questions = s.questions_left = o.questions
    s.statements = o.statements
    memcpy(s.tokens, o.tokens, KINDS)
    s.token_set = <uint8_t>number_of(o.tokens)
    s.turn = 1
    s.pouch = NO_TOKEN
    s.box.diamonds = DIAMONDS
    memcpy(s.box.tokens, o.tokens, KINDS)
    memset(s.statements_left + 1, o.statements, o.seats - 1)
    s.in_play = bit(o.seats) - 1
    if o.statements:
        s.speakers = s.in_play & ~bit(GODFATHER)


cdef int seats(const void* state) noexcept nogil:
    return (<const State*>state).seats


cdef int phase(const void* state) noexcept nogil:
    return (<const State*>state).phase


cdef uint32_t actors(const void* state) noexcept nogil:
    cdef const State* s = <const State*>state
    if s.phase == INQUIRY:
        return bit(GODFATHER) | s.speakers
    if s.phase == REACT:
        return asked_to_react(s) & ~s.reacted
    if s.phase == ANSWER:
        return bit(s.target)
    if s.phase == TAKE:
        return bit(s.turn)
    if s.phase == OVER:
        return 0
    return bit(1) if s.phase == POUCH else bit(GODFATHER)


cdef void end(State* s, int outcome, int victor) noexcept nogil:
    s.phase = OVER
    s.outcome = <uint8_t>outcome
    s.victor = <uint8_t>victor


# ---- The theft -----------------------------------------------------------------------------------

cdef bint may_take(const State* s, int taken) noexcept nogil:
    """Whether the seat to move may take that (reference: The theft)."""
    if taken == NOTHING:
        return s.turn == s.seats - 1 or is_empty(&s.box)
    if taken >= FIRST_TOKEN:
        return s.box.tokens[taken - FIRST_TOKEN] > 0
    return taken <= s.box.diamonds


cdef uint32_t list_pouch(const State* s, move_t* out) noexcept nogil:
    cdef int kind
    cdef uint32_t n = 0
    for kind in range(KINDS):
        if s.box.tokens[kind]:
            out[n] = FIRST_POUCH + kind
            n += 1
    out[n] = FIRST_POUCH + NO_TOKEN
    return n + 1


cdef uint32_t list_takes(const State* s, move_t* out) noexcept nogil:
    cdef int taken
    cdef uint32_t n = 0
    for taken in range(TAKES):
        if may_take(s, taken):
            out[n] = FIRST_TAKE + taken
            n += 1
    return n


cdef void hide(State* s, int count) noexcept nogil:
    s.hidden = <uint8_t>count
    s.box.diamonds -= <uint8_t>count
    s.phase = POUCH


cdef void fill_pouch(State* s, int kind) noexcept nogil:
    s.pouch = <uint8_t>kind
    if kind != NO_TOKEN:
        s.box.tokens[kind] -= 1
    s.phase = TAKE


cdef void remove(Box* box, int taken) noexcept nogil:
    if taken >= FIRST_TOKEN:
        box.tokens[taken - FIRST_TOKEN] -= 1
    else:
        box.diamonds -= <uint8_t>taken


cdef void take_from_box(State* s, int taken) noexcept nogil:
    s.takes[s.turn] = <uint8_t>taken
    remove(&s.box, taken)
    s.stolen += <uint8_t>diamonds_of(taken)
    s.turn += 1
    if s.turn == s.seats:
        s.phase = INQUIRY
        if s.stolen == 0:
            end(s, GODFATHER_WINS, 0)


cdef void box_for(const State* s, int seat, Box* box) noexcept nogil:
    cdef int other
    box.diamonds = DIAMONDS - s.hidden
    memcpy(box.tokens, s.tokens, KINDS)
    if seat > 1 and s.pouch != NO_TOKEN:
        box.tokens[s.pouch] -= 1
    for other in range(1, seat):
        remove(box, s.takes[other])


# ---- The inquiry ---------------------------------------------------------------------------------

cdef uint32_t list_inquiry(const State* s, move_t* out) noexcept nogil:
    """The Godfather asks a seat in play, or accuses one that has not shown its take.

    (reference: The inquiry)
    """
    cdef int seat, question
    cdef uint32_t n = 0
    if s.questions_left:
        for seat in range(1, s.seats):
            if s.in_play & bit(seat):
                for question in range(ASKABLE):
                    out[n] = FIRST_ASK + (seat - 1) * ASKABLE + question
                    n += 1
    for seat in range(1, s.seats):
        if s.in_play & ~s.revealed & bit(seat):
            out[n] = FIRST_ACCUSE + seat - 1
            n += 1
    return n


cdef inline void record(State* s, int kind, int seat, int value) noexcept nogil:
    s.event[s.events] = <uint16_t>(kind | seat << 2 | value << 6)
    s.events += 1


cdef inline void settle(State* s, int value) noexcept nogil:
    """Replace the value of the last event."""
    s.event[s.events - 1] = <uint16_t>(s.event[s.events - 1] & 63 | value << 6)


cdef void ask(State* s, int seat, int question) noexcept nogil:
    s.questions_left -= 1
    s.target = <uint8_t>seat
    s.phase = ANSWER
    record(s, ASKED, seat, NOT_YET + question)


cdef void answer(State* s, int value) noexcept nogil:
    settle(s, value)
    s.target = 0
    s.phase = INQUIRY


cdef void state_unasked(State* s, int seat, int claim) noexcept nogil:
    record(s, UNASKED, seat, claim)
    s.statements_left[seat] -= 1
    if s.statements_left[seat] == 0:
        s.speakers &= ~bit(seat)


# ---- Accusations ---------------------------------------------------------------------------------

cdef void accuse(State* s, int seat) noexcept nogil:
    s.target = <uint8_t>seat
    s.phase = REACT
    record(s, ACCUSED, seat, UNRESOLVED)
    if not s.tokens[CLEANER] or not asked_to_react(s):
        empty_pockets(s)


cdef void react(State* s, int seat, bint bang) noexcept nogil:
    s.reacted |= bit(seat)
    if bang:
        s.shooter = <uint8_t>seat
    if s.reacted == asked_to_react(s):
        empty_pockets(s)


cdef void eliminate(State* s, int seat) noexcept nogil:
    s.in_play &= ~bit(seat)
    s.speakers &= ~bit(seat)
    s.recovered += <uint8_t>diamonds_of(s.takes[seat])


cdef void empty_pockets(State* s) noexcept nogil:
    """Resolve an accusation once all reactions are in (reference: Accusations, step 2)."""
    cdef int accused = s.target, shooter = s.shooter, taken = s.takes[accused]
    settle(s, shooter)
    s.phase = INQUIRY
    s.target = 0
    s.shooter = 0
    s.reacted = 0
    s.revealed |= bit(accused)
    if shooter:
        s.revealed |= bit(shooter)
    if is_agent(taken):
        if shooter:
            end(s, CLEANER_WINS, shooter)
        else:
            end(s, AGENT_WINS, accused)
        return
    if shooter:
        eliminate(s, shooter)
        eliminate(s, accused)
    elif diamonds_of(taken):
        eliminate(s, accused)
    elif s.jokers_left:
        s.jokers_left -= 1
        s.with_joker |= bit(accused)
    else:
        s.in_play &= ~bit(GODFATHER)
        end(s, GODFATHER_OUT, 0)
        return
    if s.recovered == s.stolen:
        end(s, GODFATHER_WINS, 0)


# ---- Moves and apply -----------------------------------------------------------------------------

cdef uint32_t moves(const void* state, int seat, move_t* out) noexcept nogil:
    cdef const State* s = <const State*>state
    cdef uint32_t n
    if seat < 0 or not (actors(state) >> seat) & 1:
        return 0
    if s.phase == INQUIRY:
        if seat == GODFATHER:
            return list_inquiry(s, out)
        return list_claims(s.token_set, 0, ASKABLE, out)
    if s.phase == ANSWER:
        n = list_claims(s.token_set, question_due(s), question_due(s) + 1, out)
        out[n] = SILENT
        return n + 1
    if s.phase == REACT:
        out[0] = HOLD
        out[1] = BANG
        return 2 if may_fire(s, seat) else 1
    if s.phase == TAKE:
        return list_takes(s, out)
    if s.phase == POUCH:
        return list_pouch(s, out)
    for n in range(MAX_HIDDEN + 1):
        out[n] = FIRST_HIDE + n
    return MAX_HIDDEN + 1


cdef void apply(void* state, int seat, move_t move) noexcept nogil:
    cdef State* s = <State*>state
    if s.phase == INQUIRY:
        if move >= FIRST_SAY:
            state_unasked(s, seat, <int>move - FIRST_SAY)
        elif move >= FIRST_ACCUSE:
            accuse(s, <int>move - FIRST_ACCUSE + 1)
        else:
            ask(s, <int>(move - FIRST_ASK) // ASKABLE + 1, <int>(move - FIRST_ASK) % ASKABLE)
    elif s.phase == ANSWER:
        answer(s, NO_ANSWER + question_due(s) if move == SILENT else <int>move - FIRST_SAY)
    elif s.phase == REACT:
        react(s, seat, move == BANG)
    elif s.phase == TAKE:
        take_from_box(s, <int>move - FIRST_TAKE)
    elif s.phase == POUCH:
        fill_pouch(s, <int>move - FIRST_POUCH)
    else:
        hide(s, <int>move - FIRST_HIDE)


# ---- Scoring -------------------------------------------------------------------------------------

cdef uint16_t winners(const State* s) noexcept nogil:
    """The winning roles of the outcome, then their drivers in seat order (reference: Scoring)."""
    cdef int seat, taken, most = 0
    cdef uint16_t won = 0
    if s.outcome == UNDECIDED:
        return 0
    if s.outcome == GODFATHER_WINS:
        won = bit(GODFATHER)
    elif s.outcome != GODFATHER_OUT:
        won = bit(s.victor)
    for seat in range(1, s.seats):
        if s.in_play & bit(seat) and diamonds_of(s.takes[seat]) > most:
            most = diamonds_of(s.takes[seat])
    for seat in range(1, s.seats):
        taken = s.takes[seat]
        if not s.in_play & bit(seat):
            continue
        if taken == FIRST_TOKEN + DRIVER:
            if won & bit(seat - 1):
                won |= bit(seat)
        elif s.outcome == GODFATHER_WINS:
            if taken == FIRST_TOKEN + LOYAL or taken == FIRST_TOKEN + CLEANER:
                won |= bit(seat)
        elif s.outcome == GODFATHER_OUT and (taken == NOTHING or taken == most):
            won |= bit(seat)
    return won


cdef void scores(const void* state, double* out) noexcept nogil:
    cdef const State* s = <const State*>state
    cdef uint16_t won = winners(s)
    cdef int seat
    for seat in range(s.seats):
        out[seat] = 1.0 if won & bit(seat) else 0.0


cdef void returns(const void* state, double* out) noexcept nogil:
    cdef const State* s = <const State*>state
    cdef uint16_t won = winners(s)
    cdef int seat
    for seat in range(s.seats):
        out[seat] = 1.0 if won & bit(seat) else -1.0
