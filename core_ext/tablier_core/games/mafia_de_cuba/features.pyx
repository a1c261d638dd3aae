"""Mafia de Cuba as numbers for learners (reference: Features)."""

from tablier_core.abi cimport MAX_SEATS
from tablier_core.floats cimport (
    place_of, put_choice, put_number, put_numbers, put_seats, put_zeros, seat_after,
)
from tablier_core.games.mafia_de_cuba.claims cimport first_claim, question_of
from tablier_core.games.mafia_de_cuba.rules cimport actors, box_for, phase, winners
from tablier_core.games.mafia_de_cuba.state cimport (
    ACCUSED, ASKABLE, CLAIMS, GODFATHER, GODFATHER_OUT, HIDE, KINDS, MAX_EVENTS, NO_ANSWER, NOT_YET,
    OVER, POUCH, UNRESOLVED, Box, State,
    bit, has_received, kind_of, knows_all, seat_of, value_of,
)

# Numbers for what a viewer does not know, or what is not decided yet.
cdef enum:
    UNKNOWN = -1
    NOTHING_SAID = -1               # as an answer; nobody fired, if it is an accusation
    OPEN = -2

FEATURES = (
    b"phase 7 0 1 hide, pouch, take, inquiry, answer, react, over\n"
    b"actors 12 0 1 the seats that may move, own first\n"
    b"seats 1 5 12 the number of seats\n"
    b"godfather 12 0 1 the seat of the Godfather, own first\n"
    b"tokens 5 0 5 the tokens of the setup: loyal, FBI, CIA, driver, cleaner\n"
    b"jokers 1 0 2 the option\n"
    b"questions 1 0 96 the option\n"
    b"statements 1 0 8 the option\n"
    b"jokers_left 1 0 2 jokers that the Godfather still has\n"
    b"questions_left 1 0 96 questions that the Godfather may still ask\n"
    b"recovered 1 0 15 diamonds that the Godfather has back\n"
    b"hidden 1 -1 5 diamonds that the Godfather kept; -1: not known, or not yet\n"
    b"pouch 1 -1 5 the kind of the token in the pouch, 5: none; -1: not known, or not yet\n"
    b"in_play 12 0 1 the seats in play, own first\n"
    b"with_joker 12 0 1 the seats that received a joker\n"
    b"revealed 12 0 1 the seats that had to show what they took\n"
    b"statements_left 12 0 8 statements that a seat may still make\n"
    b"takes 12 -1 20 0: nothing; 1 to 15: diamonds; 16 to 20: a token; -1: not known, or not yet\n"
    b"received 12x6 -1 15 the box that a seat received: diamonds, tokens by kind; -1: not known\n"
    b"reacted 12 0 1 the seats that have reacted to the open accusation\n"
    b"fired 12 0 1 the seat that fired at the accused, if the seat knows it\n"
    b"outcome 4 0 1 the Godfather, an agent, the cleaner or the thieves have won\n"
    b"winners 12 0 1 the seats that have won, own first\n"
    b"event_kind 195 0 3 of each event, the oldest first; 1: asked, 2: unasked, 3: accused\n"
    b"event_seat 195 0 11 places from the own seat to the one that was asked, spoke, was accused\n"
    b"event_question 195 0 5 1: received diamonds, 2: received tokens, 3: passed diamonds,"
    b" 4: passed tokens, 5: took; 0: none\n"
    b"event_answer 195 -2 143 diamonds, the number of a set of tokens, a take, or the places to the"
    b" seat that fired; -1: none; -2: still open"
)


cdef void write_features(const void* state, int seat, float* out) noexcept nogil:
    cdef const State* s = <const State*>state
    cdef bint sees_all = knows_all(s, seat)
    put_choice(&out, phase(s), OVER + 1)
    put_seats(&out, actors(s), seat, s.seats, MAX_SEATS)
    put_number(&out, s.seats)
    put_seats(&out, bit(GODFATHER), seat, s.seats, MAX_SEATS)
    put_numbers(&out, s.tokens, KINDS)
    put_number(&out, s.jokers)
    put_number(&out, s.questions)
    put_number(&out, s.statements)
    put_number(&out, s.jokers_left)
    put_number(&out, s.questions_left)
    put_number(&out, s.recovered)
    put_known(&out, s.hidden, s.phase > HIDE and (sees_all or seat == GODFATHER))
    put_known(&out, s.pouch, s.phase > POUCH and (sees_all or seat == 1))
    put_table(&out, s, seat, sees_all)
    put_choice(&out, s.outcome - 1, GODFATHER_OUT)
    put_seats(&out, winners(s), seat, s.seats, MAX_SEATS)
    put_events(&out, s, seat)


cdef void put_table(float** cursor, const State* s, int viewer, bint sees_all) noexcept nogil:
    """Append what the viewer knows about every seat."""
    cdef int step, seat
    cdef bint known
    put_seats(cursor, s.in_play, viewer, s.seats, MAX_SEATS)
    put_seats(cursor, s.with_joker, viewer, s.seats, MAX_SEATS)
    put_seats(cursor, s.revealed, viewer, s.seats, MAX_SEATS)
    for step in range(s.seats):
        put_number(cursor, s.statements_left[seat_after(viewer, step, s.seats)])
    put_zeros(cursor, MAX_SEATS - s.seats)
    for step in range(s.seats):
        seat = seat_after(viewer, step, s.seats)
        known = sees_all or step == 0 or s.revealed & bit(seat) != 0
        put_known(cursor, s.takes[seat], known and 0 < seat < s.turn)
    put_zeros(cursor, MAX_SEATS - s.seats)
    for step in range(s.seats):
        put_received(cursor, s, seat_after(viewer, step, s.seats), sees_all or step == 0)
    put_zeros(cursor, (1 + KINDS) * (MAX_SEATS - s.seats))
    put_seats(cursor, s.reacted, viewer, s.seats, MAX_SEATS)
    put_seats(
        cursor, bit(s.shooter) if s.shooter and (sees_all or s.shooter == viewer) else 0,
        viewer, s.seats, MAX_SEATS,
    )


cdef void put_known(float** cursor, int number, bint known) noexcept nogil:
    put_number(cursor, number if known else UNKNOWN)


cdef void put_received(float** cursor, const State* s, int seat, bint known) noexcept nogil:
    cdef Box box
    cdef int _kind
    if known and has_received(s, seat):
        box_for(s, s.seats if seat == GODFATHER else seat, &box)
        put_number(cursor, box.diamonds)
        put_numbers(cursor, box.tokens, KINDS)
    else:
        for _kind in range(1 + KINDS):
            put_number(cursor, UNKNOWN)


cdef void put_events(float** cursor, const State* s, int viewer) noexcept nogil:
    """Append the questions, statements and accusations."""
    cdef float* kinds = cursor[0]
    cdef float* places = kinds + MAX_EVENTS
    cdef float* questions = places + MAX_EVENTS
    cdef float* answers = questions + MAX_EVENTS
    cdef int i, value
    put_zeros(cursor, 4 * MAX_EVENTS)
    for i in range(s.events):
        value = value_of(s.event[i])
        kinds[i] = kind_of(s.event[i]) + 1
        places[i] = place_of(seat_of(s.event[i]), viewer, s.seats)
        if kind_of(s.event[i]) == ACCUSED:
            answers[i] = (
                OPEN if value == UNRESOLVED
                else NOTHING_SAID if value == 0 else place_of(value, viewer, s.seats)
            )
        elif value < CLAIMS:
            questions[i] = question_of(value) + 1
            answers[i] = value - first_claim(question_of(value))
        else:
            questions[i] = (value - NO_ANSWER) % ASKABLE + 1
            answers[i] = OPEN if value >= NOT_YET else NOTHING_SAID
