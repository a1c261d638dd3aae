"""The bytes of Mafia de Cuba, and the facts that they contain (reference: Byte layout)."""

from libc.stdint cimport uint8_t, uint16_t

from tablier_core.abi cimport MAX_SEATS, TABLE
from tablier_core.games.mafia_de_cuba.claims cimport claim_fits, question_of
from tablier_core.games.mafia_de_cuba.notation cimport name_claim, name_question, name_take
from tablier_core.games.mafia_de_cuba.rules cimport (
    accuse, answer, ask, box_for, empty_pockets, fill_pouch, hide, may_take, setup, state_unasked,
    take_from_box, winners,
)
from tablier_core.games.mafia_de_cuba.state cimport (
    ACCUSED, ASKABLE, ASKED, CLAIM_RECEIVED_TOKENS, CLAIMS, GODFATHER, HIDE, INQUIRY, KINDS,
    MAX_HIDDEN, MAX_JOKERS, MAX_QUESTIONS, MAX_STATEMENTS, MIN_SEATS, NO_ANSWER, NO_TOKEN, NOT_YET,
    NOTHING, POUCH, REACT, TAKE, TAKES, UNASKED, UNRESOLVED, Box, Options, State,
    asked_to_react, bit, has_received, kind_of, knows_all, limit_of, may_fire, number_of, seat_of,
    value_of,
)
from tablier_core.packing cimport put, take

from types import MappingProxyType

from tablier_core.games.mafia_de_cuba.notation import KIND_NAMES

cdef enum Fault:
    BAD_LENGTH = 1
    BAD_SETUP
    BAD_THEFT
    BAD_EVENT
    BAD_REACTION

FAULTS = (
    b"length: it does not match the number of seats and events\n"
    b"setup: seats, tokens, jokers, questions or statements are out of range\n"
    b"theft: a hidden, pouched or taken item was not in the box, or could not be taken\n"
    b"events: one of them could not have happened at that point\n"
    b"reactions: they include seats that were not asked, or are complete"
)

cdef enum:
    FIXED = 16                          # bytes of a state without takes and events
    UNKNOWN = 255                       # masks what a viewer does not know

# ---- Packing -------------------------------------------------------------------------------------

cdef inline int theft_moves(const State* s) noexcept nogil:
    """How many moves of the theft have been played: hide, pouch and the takes."""
    return s.phase if s.phase < TAKE else s.turn + 1


cdef size_t write_known(const State* s, int viewer, uint8_t* out) noexcept nogil:
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


# ---- Unpacking: the recorded game is played again, so that only real games are accepted ----------

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
    """Play the first `made` moves of the theft; fields of later moves must be blank."""
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
    """Play an event of the inquiry if it is possible now."""
    cdef int kind = kind_of(event), seat = seat_of(event), value = value_of(event)
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


# ---- Facts, for Python ---------------------------------------------------------------------------

cdef object read_only(claim):
    """Return a claim; all states share it, so nobody may change its counts of tokens."""
    return MappingProxyType(claim) if type(claim) is dict else claim


cdef tuple EVENT_NAMES = ("asked", "unasked", "accused")
cdef tuple OUTCOMES = (None, "godfather", "agent", "cleaner", "thieves")
cdef tuple POUCH_NAMES = (*KIND_NAMES, "none")
cdef tuple QUESTION_NAMES = tuple([name_question(question) for question in range(ASKABLE)])
cdef tuple TAKE_NAMES = tuple([name_take(taken) for taken in range(TAKES)])
cdef tuple CLAIM_NAMES = tuple([read_only(name_claim(claim)) for claim in range(CLAIMS)])


cdef object name_tokens(const uint8_t* tokens):
    """Return counts by kind: those of the claim to have received these tokens."""
    return CLAIM_NAMES[CLAIM_RECEIVED_TOKENS + number_of(tokens)]


cdef tuple name_event(int event):
    """Return kind, seat, whether it is open, question, claim and shooter."""
    cdef int kind = kind_of(event), seat = seat_of(event), value = value_of(event)
    if kind == ACCUSED:
        return "accused", seat, value == UNRESOLVED, None, None, value % UNRESOLVED or None
    if value < CLAIMS:
        question = QUESTION_NAMES[question_of(value)]
        return EVENT_NAMES[kind], seat, False, question, CLAIM_NAMES[value], None
    question = QUESTION_NAMES[(value - NO_ANSWER) % ASKABLE]
    return EVENT_NAMES[kind], seat, value >= NOT_YET, question, None, None


cdef list flags(const State* s, int seat_set):
    """Return for every seat whether it is in a set."""
    return [seat_set >> seat & 1 != 0 for seat in range(s.seats)]


cdef list received_boxes(const State* s):
    cdef Box box
    boxes = []
    for seat in range(s.seats):
        if has_received(s, seat):
            box_for(s, seat or s.seats, &box)
            boxes.append((box.diamonds, name_tokens(box.tokens)))
        else:
            boxes.append(None)
    return boxes


def facts(bytes packed):
    """Every fact of a packed state by name."""
    cdef State s
    cdef const uint8_t* data = packed
    cdef int seat
    if unpack(&s, data, len(packed)):
        raise ValueError("not a packed state of this game")
    return {
        "seats": s.seats,
        "tokens": name_tokens(s.tokens),
        "jokers": s.jokers,
        "questions": s.questions,
        "statements": s.statements,
        "hidden": s.hidden if s.phase > HIDE else None,
        "pouch": POUCH_NAMES[s.pouch] if s.phase > POUCH else None,
        "boxes": received_boxes(&s),
        "takes": [
            TAKE_NAMES[s.takes[seat]] if 0 < seat < s.turn else None for seat in range(s.seats)
        ],
        "recovered": s.recovered,
        "jokers_left": s.jokers_left,
        "questions_left": s.questions_left,
        "statements_left": [s.statements_left[seat] for seat in range(s.seats)],
        "in_play": flags(&s, s.in_play),
        "revealed": flags(&s, s.revealed),
        "with_joker": flags(&s, s.with_joker),
        "reacted": flags(&s, s.reacted),
        "shooter": s.shooter or None,
        "events": [name_event(s.event[i]) for i in range(s.events)],
        "outcome": OUTCOMES[s.outcome],
        "winners": tuple([seat for seat in range(s.seats) if winners(&s) >> seat & 1]),
    }
