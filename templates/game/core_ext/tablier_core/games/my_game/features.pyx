"""My Game as numbers for learners (reference: Features)."""

from tablier_core.floats cimport (
    put_choice, put_number, put_seats, put_set, put_zeros, seat_after,
)
from tablier_core.games.my_game.rules cimport actors, phase
from tablier_core.games.my_game.state cimport (
    CARDS, MOST_SEATS, OVER, State, count,
)

FEATURES = (
    b"phase 2 0 1 choose, over\n"
    b"actors 4 0 1 the seats that have not chosen yet, own first\n"
    b"seats 1 2 4 the number of seats\n"
    b"hand_size 1 0 3 the cards in every hand\n"
    b"hand 12 0 1 own cards, card 1 first\n"
    b"choice 12 0 1 own chosen card\n"
    b"points 4 0 36 own points first\n"
    b"played 4x12 0 6 the round in which a seat played a card; 0: it has not played it"
)


cdef void write_features(const void* state, int seat, float* out) noexcept nogil:
    """Every line uses nothing but what the view of the seat shows."""
    cdef const State* s = <const State*>state
    cdef float* played
    cdef int step, number, card
    put_choice(&out, phase(s), OVER + 1)
    put_seats(&out, actors(s), seat, s.seats, MOST_SEATS)
    put_number(&out, s.seats)
    put_number(&out, count(s.hands[seat]))
    put_set(&out, s.hands[seat], CARDS)
    put_choice(&out, s.chosen[seat], CARDS)
    for step in range(MOST_SEATS):
        put_number(&out, s.points[seat_after(seat, step, s.seats)] if step < s.seats else 0)
    put_zeros(&out, MOST_SEATS * CARDS)
    played = out - MOST_SEATS * CARDS
    for number in range(s.rounds):
        for step in range(s.seats):
            card = s.played[number * s.seats + seat_after(seat, step, s.seats)]
            played[step * CARDS + card] = number + 1
