"""Mafia de Cuba: its rules, its bytes, and last the table of both.

The rules page is docs/reference/mafia-de-cuba.md; section names in the comments are its headings.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from tablier_core.abi cimport MAX_PACKED, MAX_SEATS, TABLE, GameOps, move_t
from tablier_core.games.mafia_de_cuba.engine cimport rank
from tablier_core.games.mafia_de_cuba.inference cimport Mind, enter_mind, goes_on_without, infer
from tablier_core.games.mafia_de_cuba.notation cimport (
    ACTIONS, BANG, FIRST_ACCUSE, FIRST_ASK, FIRST_HIDE, FIRST_POUCH, FIRST_SAY, FIRST_TAKE, HOLD,
    SILENT, list_claims, name_claim, name_question, name_take, read_move, write_move,
)
from tablier_core.games.mafia_de_cuba.parts cimport (
    ASKABLE, CLAIMS, CLEANER, DIAMONDS, DRIVER, FIRST_TOKEN, KINDS, LOYAL, MAX_HIDDEN, NO_TOKEN,
    NOTHING, TAKES, Box,
    bit, claim_fits, diamonds_of, is_agent, is_empty, limit_of, number_of, question_of, remove,
)
from tablier_core.games.mafia_de_cuba.state cimport (
    ACCUSED, AGENT_WINS, ANSWER, ASKED, CLEANER_WINS, GODFATHER, GODFATHER_OUT, GODFATHER_WINS,
    HIDE, INQUIRY, MAX_JOKERS, MAX_QUESTIONS, MAX_STATEMENTS, MIN_SEATS, NO_ANSWER, NOT_YET, OVER,
    POUCH, REACT, TAKE, UNASKED, UNDECIDED, UNRESOLVED, State, box_for, has_received,
)
from tablier_core.games.mafia_de_cuba.ways cimport Row, below, count_ways, draw_way, lay_out
from tablier_core.packing cimport hash_bytes, put, take
from tablier_core.rng cimport Rng, rng_below

from tablier_core.games.mafia_de_cuba.table import KIND_NAMES, count_jokers, count_tokens

# ---- Facts and constants -------------------------------------------------------------------------

cdef struct Options:
    uint8_t seats
    uint8_t jokers
    uint8_t questions
    uint8_t statements
    uint8_t tokens[KINDS]

cdef enum Fault:
    BAD_LENGTH = 1
    BAD_SETUP
    BAD_THEFT
    BAD_EVENT
    BAD_REACTION

cdef const char* FAULTS = (
    b"length: it does not agree with the number of seats and events\n"
    b"setup: seats, tokens, jokers, questions or statements are out of range\n"
    b"theft: what was hidden, pouched or taken was not there, or not allowed\n"
    b"events: one could not have happened when it is said to\n"
    b"reactions: they are not those of seats asked to react, or are complete"
)

# ---- Predicates ----------------------------------------------------------------------------------

cdef inline uint16_t asked_to_react(const State* s) noexcept nogil:
    """A turn, react: every seat in play except the Godfather and the accused."""
    return s.in_play & ~(bit(GODFATHER) | bit(s.target))


cdef bint may_fire(const State* s, int seat) noexcept nogil:
    """In `react`: whether a seat is asked, and is the cleaner."""
    return (
        seat < s.seats and asked_to_react(s) & bit(seat) != 0
        and s.takes[seat] == FIRST_TOKEN + CLEANER
    )


cdef inline bint knows_all(const State* s, int viewer) noexcept nogil:
    return viewer == TABLE or s.phase == OVER


# ---- Moves ---------------------------------------------------------------------------------------

cdef bint may_take(const State* s, int taken) noexcept nogil:
    """A turn, the theft: whether the seat whose turn it is may take that."""
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


cdef uint32_t list_inquiry(const State* s, move_t* out) noexcept nogil:
    """The Godfather asks or accuses a seat in play; the accused has not been found out before."""
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


cdef inline int question_due(const State* s) noexcept nogil:
    """In `answer`: what has been asked."""
    return (s.event[s.events - 1] >> 6) - NOT_YET


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


# ---- Apply ---------------------------------------------------------------------------------------

cdef void end(State* s, int outcome, int victor) noexcept nogil:
    s.phase = OVER
    s.outcome = <uint8_t>outcome
    s.victor = <uint8_t>victor


cdef void hide(State* s, int count) noexcept nogil:
    s.hidden = <uint8_t>count
    s.box.diamonds -= <uint8_t>count
    s.phase = POUCH


cdef void fill_pouch(State* s, int kind) noexcept nogil:
    s.pouch = <uint8_t>kind
    if kind != NO_TOKEN:
        s.box.tokens[kind] -= 1
    s.phase = TAKE


cdef void take_from_box(State* s, int taken) noexcept nogil:
    s.takes[s.turn] = <uint8_t>taken
    remove(&s.box, taken)
    s.stolen += <uint8_t>diamonds_of(taken)
    s.turn += 1
    if s.turn == s.seats:
        s.phase = INQUIRY
        if s.stolen == 0:
            end(s, GODFATHER_WINS, 0)


cdef inline void record(State* s, int kind, int seat, int value) noexcept nogil:
    s.event[s.events] = <uint16_t>(kind | seat << 2 | value << 6)
    s.events += 1


cdef inline void settle(State* s, int value) noexcept nogil:
    """Give the last event its value."""
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
    """A turn, accuse: what follows once everybody who may fire has answered."""
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


cdef void setup(void* state, const void* options, Rng* rng) noexcept nogil:
    """Seats and options. Nothing in this game is left to chance."""
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


# ---- Scoring -------------------------------------------------------------------------------------

cdef uint16_t winners(const State* s) noexcept nogil:
    """Scoring: the roles by the outcome, then the drivers of those, in seat order."""
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


# ---- Hidden information --------------------------------------------------------------------------

# What a seat can believe of the theft: the seats before it in the row `before`, which depends on
# what seat 1 put in the pouch, and those after it in the row `after`. A seat that has not had the
# box yet, and the Godfather, have everybody in `before`.
cdef struct Belief:
    int fewest_hidden
    int most_hidden
    uint8_t pouches                     # the set of token kinds (and NO_TOKEN) it may hold
    Row before[KINDS + 1]
    int first_after
    Row after
    int fewest_thieves                  # 1 if another seat that is not found out must be one, or 0


cdef void believe_pouch(const State* s, int viewer, Belief* b) noexcept nogil:
    cdef int kind
    if s.phase == POUCH or viewer == 1:
        b.pouches = <uint8_t>(1 << s.pouch)
        return
    b.pouches = 1 << NO_TOKEN
    for kind in range(KINDS):
        if s.tokens[kind]:
            b.pouches |= <uint8_t>(1 << kind)


cdef void believe(const State* s, int viewer, Belief* b) noexcept nogil:
    """All that the viewer's knowledge allows, in a game that is not over."""
    cdef bint received = has_received(s, viewer)
    cdef int kind, taken = s.turn - 1, before = taken
    cdef Box start, own
    cdef uint16_t known = s.revealed >> 1           # bit 0 is seat 1, the first of a row
    b.fewest_hidden = 0 if viewer > 1 else s.hidden
    b.most_hidden = MAX_HIDDEN if viewer > 1 else s.hidden
    believe_pouch(s, viewer, b)
    if viewer != GODFATHER and received:
        before = viewer - 1
    if received:
        box_for(s, s.seats if viewer == GODFATHER else viewer, &own)
    for kind in range(KINDS + 1):
        if b.pouches >> kind & 1:
            start.diamonds = DIAMONDS
            memcpy(start.tokens, s.tokens, KINDS)
            if kind != NO_TOKEN:
                start.tokens[kind] -= 1
            # Seat 1 has nobody before it, and its own box was not yet short of the pouch.
            lay_out(
                &b.before[kind], before, s.takes + 1, known, &start,
                &own if received and viewer != 1 else NULL, before == s.seats - 1,
            )
    b.first_after = viewer + 1
    if received and viewer != GODFATHER and taken >= viewer:
        box_for(s, viewer + 1, &own)
        lay_out(
            &b.after, taken - viewer, s.takes + b.first_after, s.revealed >> b.first_after, &own,
            NULL, taken == s.seats - 1,
        )
    else:
        lay_out(&b.after, 0, s.takes, 0, &s.box, NULL, False)
    # The game goes on, so some diamonds are still to be found; the viewer may have them.
    b.fewest_thieves = 1 if s.turn == s.seats and (
        s.revealed & bit(viewer) or not diamonds_of(s.takes[viewer])
    ) else 0


cdef uint64_t count_before(const Belief* b, int fewest, int most) noexcept nogil:
    cdef uint64_t total = 0
    cdef int kind, hidden
    for kind in range(KINDS + 1):
        if b.pouches >> kind & 1:
            for hidden in range(b.fewest_hidden, b.most_hidden + 1):
                total += count_ways(
                    &b.before[kind], b.before[kind].diamonds - hidden, fewest, most
                )
    return total


cdef void draw_before(State* s, const Belief* b, int fewest, int most, Rng* rng) noexcept nogil:
    """Draw what the Godfather hid, the pouch, and the takes of the first row."""
    cdef uint64_t target = below(rng, count_before(b, fewest, most)), ways
    cdef int kind, hidden, diamonds
    for kind in range(KINDS + 1):
        if not b.pouches >> kind & 1:
            continue
        for hidden in range(b.fewest_hidden, b.most_hidden + 1):
            diamonds = b.before[kind].diamonds - hidden
            ways = count_ways(&b.before[kind], diamonds, fewest, most)
            if target < ways:
                s.hidden = <uint8_t>hidden
                s.pouch = <uint8_t>kind
                draw_way(&b.before[kind], diamonds, fewest, most, s.takes + 1, rng)
                return
            target -= ways


# The two kinds of world: some unknown seat of `before` is a thief, or none is and the thief that
# may be needed is in `after`.

cdef uint64_t count_some(const Belief* b) noexcept nogil:
    return count_before(b, 1, MAX_SEATS) * count_ways(&b.after, b.after.diamonds, 0, MAX_SEATS)


cdef uint64_t count_none(const Belief* b) noexcept nogil:
    return count_before(b, 0, 0) * count_ways(
        &b.after, b.after.diamonds, b.fewest_thieves, MAX_SEATS
    )


cdef void draw_reaction(State* s, int viewer, Rng* rng) noexcept nogil:
    """What a cleaner other than the viewer has answered, if it has, is anybody's guess."""
    cdef int seat
    if s.shooter != viewer:
        s.shooter = 0
    for seat in range(1, s.seats):
        if seat != viewer and s.reacted & bit(seat) and may_fire(s, seat):
            s.shooter = <uint8_t>(seat * rng_below(rng, 2))


cdef void determinize(void* state, int viewer, Rng* rng) noexcept nogil:
    """A uniform draw from the ways in which the box can have gone round."""
    cdef State* s = <State*>state
    cdef Belief b
    cdef uint64_t some, none
    cdef int seat, fewest_after = 0
    if knows_all(s, viewer) or s.phase == HIDE:
        return
    believe(s, viewer, &b)
    some = count_some(&b)
    none = count_none(&b)
    if below(rng, some + none) < some:
        draw_before(s, &b, 1, MAX_SEATS, rng)
    else:
        draw_before(s, &b, 0, 0, rng)
        fewest_after = b.fewest_thieves
    draw_way(&b.after, b.after.diamonds, fewest_after, MAX_SEATS, s.takes + b.first_after, rng)
    s.stolen = 0
    for seat in range(1, s.seats):
        s.stolen += <uint8_t>diamonds_of(s.takes[seat])
    box_for(s, s.turn, &s.box)
    if s.turn == 1 and s.pouch != NO_TOKEN:
        s.box.tokens[s.pouch] -= 1
    draw_reaction(s, viewer, rng)


cdef uint64_t infoset(const void* state, int viewer) noexcept nogil:
    """A hash of the viewer and the bytes that it may know."""
    cdef uint8_t known[MAX_PACKED]
    cdef size_t length = write_known(<const State*>state, viewer, known)
    return hash_bytes(<uint64_t>(viewer + 1), known, length)


# ---- Bytes ---------------------------------------------------------------------------------------

cdef enum:
    FIXED = 16                          # bytes of a state beside the takes and the events
    UNKNOWN = 255                       # what a viewer does not know, in its infoset only


cdef inline int theft_moves(const State* s) noexcept nogil:
    """How many moves of the theft have been made: hide, pouch and the takes."""
    return s.phase if s.phase < TAKE else s.turn + 1


cdef size_t write_known(const State* s, int viewer, uint8_t* out) noexcept nogil:
    """The canonical bytes of a state, without what a viewer does not know."""
    cdef bint all_known = knows_all(s, viewer), knows_take
    cdef uint8_t* cursor = out
    cdef Box box
    cdef int i
    put(&cursor, s.seats, 1)
    put(&cursor, s.jokers, 1)
    put(&cursor, s.questions, 1)
    put(&cursor, s.statements, 1)
    for i in range(KINDS):
        put(&cursor, s.tokens[i], 1)
    put(&cursor, theft_moves(s), 1)
    put(&cursor, s.hidden if all_known or viewer == GODFATHER else UNKNOWN, 1)
    put(&cursor, s.pouch if all_known or viewer == 1 else UNKNOWN, 1)
    for i in range(1, s.seats):
        knows_take = all_known or viewer == i or s.revealed & bit(i) != 0
        put(&cursor, s.takes[i] if knows_take else UNKNOWN, 1)
    put(&cursor, s.reacted, 2)
    put(&cursor, s.shooter if all_known or viewer == s.shooter else 0, 1)
    put(&cursor, s.events, 1)
    for i in range(s.events):
        put(&cursor, s.event[i], 2)
    if not all_known and has_received(s, viewer):
        box_for(s, s.seats if viewer == GODFATHER else viewer, &box)
        put(&cursor, box.diamonds, 1)
        put(&cursor, number_of(box.tokens), 1)
    return cursor - out


cdef size_t pack(const void* state, uint8_t* out) noexcept nogil:
    return write_known(<const State*>state, TABLE, out)


cdef bint setup_valid(const Options* o) noexcept nogil:
    cdef int kind
    for kind in range(KINDS):
        if o.tokens[kind] > limit_of(kind):
            return False
    return (
        MIN_SEATS <= o.seats <= MAX_SEATS and o.jokers <= MAX_JOKERS
        and o.questions <= MAX_QUESTIONS and o.statements <= MAX_STATEMENTS
    )


cdef bint replay_theft(
    State* s, int made, int hidden, int pouch, const uint8_t* takes
) noexcept nogil:
    """Make so many moves of the theft again; what is not made yet must be blank."""
    cdef int seat
    if made > s.seats + 1 or hidden > (MAX_HIDDEN if made else 0):
        return False
    if made:
        hide(s, hidden)
    if pouch != NO_TOKEN and (made < 2 or pouch > NO_TOKEN or not s.tokens[pouch]):
        return False
    if made > 1:
        fill_pouch(s, pouch)
    for seat in range(1, s.seats):
        if made > seat + 1:
            if takes[seat - 1] >= TAKES or not may_take(s, takes[seat - 1]):
                return False
            take_from_box(s, takes[seat - 1])
        elif takes[seat - 1] != NOTHING:
            return False
    return True


cdef bint replay_accusation(State* s, int seat, int shooter) noexcept nogil:
    if s.revealed & bit(seat):
        return False
    accuse(s, seat)
    if s.phase != REACT:
        return shooter == 0
    if shooter == UNRESOLVED:
        return True
    if shooter and not may_fire(s, shooter):
        return False
    s.shooter = <uint8_t>shooter
    empty_pockets(s)
    return True


cdef bint replay_event(State* s, int event) noexcept nogil:
    """Let an event happen again, if it could."""
    cdef int kind = event & 3, seat = event >> 2 & 15, value = event >> 6
    if s.phase != INQUIRY or not 0 < seat < s.seats or not s.in_play & bit(seat):
        return False
    if kind == ACCUSED:
        return replay_accusation(s, seat, value)
    if value < CLAIMS and not claim_fits(s.token_set, value):
        return False
    if kind == UNASKED:
        if value >= CLAIMS or not s.speakers & bit(seat):
            return False
        state_unasked(s, seat, value)
        return True
    if kind != ASKED or not s.questions_left or value >= NOT_YET + ASKABLE:
        return False
    if value >= NOT_YET:
        ask(s, seat, value - NOT_YET)
    else:
        ask(s, seat, question_of(value) if value < CLAIMS else value - NO_ANSWER)
        answer(s, value)
    return True


cdef bint restore_reactions(State* s, int reacted, int shooter) noexcept nogil:
    cdef int asked = asked_to_react(s)
    if s.phase != REACT:
        return reacted == 0 and shooter == 0
    if reacted & ~asked or reacted == asked:
        return False
    if shooter and not (may_fire(s, shooter) and reacted & bit(shooter)):
        return False
    s.reacted = <uint16_t>reacted
    s.shooter = <uint8_t>shooter
    return True


cdef int unpack(void* state, const uint8_t* data, size_t length) noexcept nogil:
    """The game is played again from its record, so that nothing but a real game is accepted."""
    cdef State* s = <State*>state
    cdef const uint8_t* cursor = data
    cdef const uint8_t* takes
    cdef Options o
    cdef int i, made, hidden, pouch, reacted, shooter, events, _event
    if length < FIXED:
        return BAD_LENGTH
    o.seats = <uint8_t>take(&cursor, 1)
    o.jokers = <uint8_t>take(&cursor, 1)
    o.questions = <uint8_t>take(&cursor, 1)
    o.statements = <uint8_t>take(&cursor, 1)
    for i in range(KINDS):
        o.tokens[i] = <uint8_t>take(&cursor, 1)
    if not setup_valid(&o):
        return BAD_SETUP
    if length < FIXED + o.seats - 1u:
        return BAD_LENGTH
    setup(state, &o, NULL)
    made = <int>take(&cursor, 1)
    hidden = <int>take(&cursor, 1)
    pouch = <int>take(&cursor, 1)
    takes = cursor
    cursor += o.seats - 1
    reacted = <int>take(&cursor, 2)
    shooter = <int>take(&cursor, 1)
    events = <int>take(&cursor, 1)
    if length != FIXED + o.seats - 1u + 2u * events:
        return BAD_LENGTH
    if not replay_theft(s, made, hidden, pouch, takes):
        return BAD_THEFT
    for _event in range(events):
        if not replay_event(s, <int>take(&cursor, 2)):
            return BAD_EVENT
    return 0 if restore_reactions(s, reacted, shooter) else BAD_REACTION


# ---- Options and facts, for Python ---------------------------------------------------------------

EVENT_NAMES = ("asked", "unasked", "accused")
OUTCOMES = (None, "godfather", "agent", "cleaner", "thieves")


def pack_options(values):
    """Fill the options struct from checked values; what is left to the table is looked up."""
    cdef Options o
    memset(&o, 0, sizeof(o))
    o.seats = values["seats"]
    o.jokers = count_jokers(values)
    o.questions = 4 * o.seats if values["questions"] is None else values["questions"]
    o.statements = values["statements"]
    for kind, count in enumerate(count_tokens(values)):
        o.tokens[<int>kind] = count
    return (<const char*>&o)[:sizeof(o)]


cdef dict named_tokens(const uint8_t* tokens):
    return {name: tokens[<int>kind] for kind, name in enumerate(KIND_NAMES)}


cdef dict named_event(int event):
    cdef int kind = event & 3, value = event >> 6
    named = {"kind": EVENT_NAMES[kind], "seat": event >> 2 & 15}
    if kind == ACCUSED:
        return named | {"open": value == UNRESOLVED, "shooter": value % UNRESOLVED or None}
    if value < CLAIMS:
        return named | {
            "open": False, "question": name_question(question_of(value)),
            "claim": name_claim(value),
        }
    return named | {
        "open": value >= NOT_YET, "question": name_question((value - NO_ANSWER) % ASKABLE),
    }


cdef list members(int seat_set):
    return [seat for seat in range(MAX_SEATS) if seat_set >> seat & 1]


cdef dict received_boxes(const State* s):
    cdef Box box
    boxes = {}
    for seat in range(s.seats):
        if has_received(s, seat):
            box_for(s, seat or s.seats, &box)
            boxes[seat] = (box.diamonds, named_tokens(box.tokens))
    return boxes


def facts(bytes packed):
    """Everything that a packed state says, by name."""
    cdef State s
    cdef const uint8_t* data = packed
    cdef int seat
    if unpack(&s, data, len(packed)):
        raise ValueError("not a packed state of this game")
    return {
        "seats": s.seats,
        "tokens": named_tokens(s.tokens),
        "jokers": s.jokers,
        "questions": s.questions,
        "statements": s.statements,
        "hidden": s.hidden if s.phase > HIDE else None,
        "pouch": (*KIND_NAMES, "none")[s.pouch] if s.phase > POUCH else None,
        "boxes": received_boxes(&s),
        "takes": {seat: name_take(s.takes[seat]) for seat in range(1, s.turn)},
        "recovered": s.recovered,
        "jokers_left": s.jokers_left,
        "questions_left": s.questions_left,
        "statements_left": [s.statements_left[seat] for seat in range(s.seats)],
        "in_play": members(s.in_play),
        "revealed": members(s.revealed),
        "with_joker": members(s.with_joker),
        "reacted": members(s.reacted),
        "shooter": s.shooter or None,
        "events": [named_event(s.event[i]) for i in range(s.events)],
        "outcome": OUTCOMES[s.outcome],
        "winners": members(winners(&s)),
    }


def count_worlds(bytes packed, int viewer):
    """In how many ways the box can have gone round, by all that a viewer knows."""
    cdef State s
    cdef Belief b
    cdef const uint8_t* data = packed
    if unpack(&s, data, len(packed)):
        raise ValueError("not a packed state of this game")
    if knows_all(&s, viewer) or s.phase == HIDE:
        return 1
    believe(&s, viewer, &b)
    return count_some(&b) + count_none(&b)


def suspect(bytes packed, int viewer):
    """By seat after the Godfather's: the chance of each take, by what a viewer knows and heard."""
    cdef State s
    cdef Mind m
    cdef const uint8_t* data = packed
    cdef int seat, taken
    if unpack(&s, data, len(packed)):
        raise ValueError("not a packed state of this game")
    enter_mind(&m, &s, viewer)
    infer(&m, goes_on_without(&s, viewer))
    return [
        {name_take(taken): m.takes[seat][taken] for taken in range(TAKES) if m.takes[seat][taken]}
        for seat in range(1, s.seats)
    ]


# ---- The game ------------------------------------------------------------------------------------

cdef GameOps OPS = GameOps(
    name="mafia-de-cuba",
    rules_version=1,
    state_size=sizeof(State),
    options_size=sizeof(Options),
    max_moves=CLAIMS,
    num_actions=ACTIONS,
    min_seats=MIN_SEATS,
    max_seats=MAX_SEATS,
    phases="hide pouch take inquiry answer react over",
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
    pick=NULL,
    narrow=NULL,
    rank=rank,
    pack=pack,
    unpack=unpack,
)

ops = PyCapsule_New(&OPS, "tablier_core.GameOps", NULL)
