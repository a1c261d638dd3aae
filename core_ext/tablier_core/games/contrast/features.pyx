"""Contrast as numbers for learners (reference: Features)."""

from tablier_core.floats cimport (
    put_choice, put_number, put_numbers, put_seats, put_zeros, seat_after,
)
from tablier_core.games.contrast.images cimport current_image, deck_of
from tablier_core.games.contrast.rules cimport actors, phase
from tablier_core.games.contrast.state cimport (
    BOX, CARDS, MAX_IMAGES, MAX_SEATS, OVER, PILE, SYMBOLS, State, choice_of, is_over,
)

FEATURES = (
    b"phase 2 0 1 choose, over\n"
    b"actors 6 0 1 the seats that have not chosen yet, own first\n"
    b"seats 1 2 6 the number of seats\n"
    b"expert 1 0 1 the option\n"
    b"row 6x6 0 3 the place of each card in the row of a seat, the leftmost is 1; 0: in its hand\n"
    b"choice 12 0 1 own symbol in this round\n"
    b"scores 6 0 106 images that a seat has won, own first\n"
    b"affinities 12 0 200 how well each symbol fits the current image\n"
    b"pile 1 0 120 images in the pile\n"
    b"box 1 0 120 images in the box\n"
    b"shown 120 0 107 the round in which each image was or is the current one; 0: not yet\n"
    b"choices 6x120 0 13 the choice of a seat for each image: its symbol, from 1; 13: excluded\n"
    b"images 1 15 120 in the deck\n"
    b"deck 120x12 0 200 how well each symbol fits each image"
)


cdef void write_features(const void* state, int seat, float* out) noexcept nogil:
    cdef const State* s = <const State*>state
    cdef int step
    put_choice(&out, phase(s), OVER + 1)
    put_seats(&out, actors(s), seat, s.seats, MAX_SEATS)
    put_number(&out, s.seats)
    put_number(&out, s.row_length == 3)
    for step in range(MAX_SEATS):
        put_row(&out, s, seat_after(seat, step, s.seats) if step < s.seats else MAX_SEATS)
    put_choice(&out, <int>choice_of(s.pending, seat), SYMBOLS)
    for step in range(MAX_SEATS):
        put_number(&out, s.scores[seat_after(seat, step, s.seats)] if step < s.seats else 0)
    if is_over(s):
        put_zeros(&out, SYMBOLS)
    else:
        put_numbers(&out, current_image(s), SYMBOLS)
    put_number(&out, count_images(s, PILE))
    put_number(&out, count_images(s, BOX))
    put_rounds(&out, s, seat)
    put_number(&out, s.images)
    put_numbers(&out, deck_of(s), s.images * SYMBOLS)
    put_zeros(&out, (MAX_IMAGES - s.images) * SYMBOLS)


cdef void put_row(float** cursor, const State* s, int seat) noexcept nogil:
    """Append the place of each card in a seat's row; MAX_SEATS is a seat that is absent."""
    cdef float* places = cursor[0]
    cdef int i
    put_zeros(cursor, CARDS)
    if seat < MAX_SEATS:
        for i in range(s.row_length):
            places[s.row[seat] >> (8 * i) & 255] = i + 1


cdef int count_images(const State* s, int owner) noexcept nogil:
    """Return how many images the pile or the box has."""
    cdef int place, n = 0
    for place in range(s.images):
        n += s.owner[place] == owner
    return n


cdef void put_rounds(float** cursor, const State* s, int seat) noexcept nogil:
    """Append when each image was shown, and what the seats chose for it."""
    cdef float* shown = cursor[0]
    cdef float* choices = shown + MAX_IMAGES
    cdef int number, step, image
    put_zeros(cursor, MAX_IMAGES * (1 + MAX_SEATS))
    for number in range(s.rounds):
        image = s.order[s.seen_at[number]]
        shown[image] = number + 1
        for step in range(s.seats):
            choices[step * MAX_IMAGES + image] = 1 + choice_of(
                s.history[number], seat_after(seat, step, s.seats)
            )
    if not is_over(s):
        shown[s.order[s.top]] = s.rounds + 1
