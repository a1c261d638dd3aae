"""Contract as numbers for learners (reference: Features).

They are written from a veiled state, which has nothing but what the seat sees.
"""

from libc.stdint cimport uint8_t

from tablier_core.floats cimport (
    place_of, put_choice, put_number, put_numbers, put_seats, put_zeros, seat_after,
)
from tablier_core.games.contract.rules cimport (
    actors, clear_row, points_at, rank_family,
)
from tablier_core.games.contract.state cimport (
    BLACKMAT, FAMILIES, FIRST_DOWN, KINDS, MOST_MAFIOSI, MOST_ROW, MOST_SEATS,
    MOST_SHUFFLES, MOST_TILES, NOBODY, NOWHERE, OVER, PIECES, VALUES, State, family_of, index_of,
    is_counting, round_count, row_length, sum_kinds, value_known, value_of,
)
from tablier_core.games.contract.veil cimport NO_VALUE, veil

# What has become of a Mafioso, apart from the places of its owner, which count from 1.
cdef enum:
    REMOVED = MOST_SEATS + 1
    UNSEEN = MOST_SEATS + 2

FEATURES = (
    b"phase 7 0 1 action, pieces, pay, chase, join, copper, over\n"
    b"actors 5 0 1 the seat to move, own first\n"
    b"seats 1 2 5 the number of seats\n"
    b"round 1 1 5 the number of the round\n"
    b"first 5 0 1 the first player of the round, own first\n"
    b"turn 5 0 1 the seat to move, also after the end\n"
    b"passes 1 0 5 in succession\n"
    b"row_family 6x5 0 1 of each Mafioso of the row: Brakova, Yakaz, Rodrigos, Costa, Blackmat\n"
    b"row_value 6 -1 20 its value; -1: hidden, or no Mafioso\n"
    b"counted 1 0 6 places of the row that are counted, with the current one\n"
    b"copper_pawn 6 0 1 its place in the row\n"
    b"vicelard_pawn 6 0 1 its place in the row\n"
    b"copper_card 16 0 1 its holder (5), the place it was played on (6), its next holder (5)\n"
    b"vicelard_card 16 0 1 likewise\n"
    b"copper_points 1 0 3 points of the Copper card\n"
    b"target 6 0 1 the place that the action in progress is about\n"
    b"action 4 0 1 influence, reinforce, copper or vicelard\n"
    b"last_piece 7 0 1 none, token, contract, dollar, Vicelard card, Copper card, face down\n"
    b"down_now 6 0 53 cards face down in this action: their number; by kind, if it is the own one\n"
    b"half_paid 1 0 1 the first of two half dollars is paid\n"
    b"half_kind 5 0 1 its kind, if it is the own one\n"
    b"hand 5 0 53 cards in the hand of a seat, own first\n"
    b"tokens 5 0 3 tokens that a seat has left\n"
    b"paid_up 5 0 13 dollars that a seat paid face up in this round\n"
    b"paid_down 5 0 53 cards that a seat paid face down in this round\n"
    b"discarded_down 5 0 53 cards that a seat had discarded face down since the last shuffle\n"
    b"discarded_up 5x5 0 13 the same face up, by seat and kind\n"
    b"own_hand 5 0 13 own cards by kind: Brakova, Yakaz, Rodrigos, Costa, dollar\n"
    b"own_paid_down 5 0 13 own cards paid face down, by kind\n"
    b"own_discarded_down 5 0 13 own cards discarded face down, by kind\n"
    b"shuffled_up 2x5x5 0 13 discards face up that became a pile, by shuffle, seat and kind\n"
    b"shuffled_down 2x5 0 53 the same face down, their number\n"
    b"shuffled_drawn 2x5 0 53 cards that a seat has drawn from that pile\n"
    b"shuffled_before 2x5 0 53 how many of these before the round of its last draws\n"
    b"own_shuffled_down 2x5 0 13 own discards face down in a pile, by kind\n"
    b"own_shuffled_drawn 2x5 0 13 own cards drawn from a pile, by kind\n"
    b"stake_tokens 6x5 0 3 tokens on a Mafioso, by place and seat\n"
    b"stake_contracts 6x5 0 10 contracts on a Mafioso\n"
    b"stake_dollars 6x5 0 13 dollars on a Mafioso\n"
    b"stake_down 6x5 0 53 cards face down on a Mafioso\n"
    b"stake_points 6x5 0 68 influence on a Mafioso\n"
    b"own_down 6x5 0 13 own cards face down, by place and kind\n"
    b"mafiosi 5x21 0 7 by family and value; 1 to 5: its owner, own first; 6: removed; 7: unseen\n"
    b"blackmat_column 21 0 6 of an owned Blackmat: 1 to 4 its family, 5 waiting, 6 joining\n"
    b"removed 24 0 105 removed Mafiosi as they were laid out: 1 + 21 x family + value; 0: no more\n"
    b"traffic 2x4 0 20 the first and the second tile of each family\n"
    b"traffic_to 2x4 0 5 1 to 5: the seat that won it, own first\n"
    b"briefcase_side 6 0 10 what a briefcase rewards, in the order of the reference; 0: no tile\n"
    b"briefcase_worth 6 0 20 its worth\n"
    b"briefcase_holder 6 0 5 1 to 5: its holder, own first\n"
    b"deck 1 0 24 Mafiosi in the deck\n"
    b"pile 1 0 53 influence cards in the draw pile\n"
    b"shuffles 1 0 2 how often discards have become the draw pile"
)


cdef void write_features(const void* state, int seat, float* out) noexcept nogil:
    cdef const State* s = <const State*>state
    cdef State cleared, seen
    if s.phase == OVER:
        # As in the view, the table is cleared.
        cleared = s[0]
        clear_row(&cleared)
        s = &cleared
    seen = s[0]
    veil(&seen, seat)
    put_turn(&out, s, seat)
    put_row(&out, &seen)
    put_specials(&out, s, seat)
    put_action(&out, &seen, seat)
    put_cards(&out, &seen, seat)
    put_shuffles(&out, &seen, seat)
    put_stakes(&out, &seen, seat)
    put_mafiosi(&out, s, seat)
    put_rewards(&out, s, seat)
    put_number(&out, row_length(s) * round_count(s) - laid(s))
    put_number(&out, s.pile_count)
    put_number(&out, s.shuffles)


cdef int laid(const State* s) noexcept nogil:
    """Return how many Mafiosi have been laid out, those of the row included."""
    return row_length(s) * (round_count(s) if s.phase == OVER else s.round + 1)


cdef int from_one(int other, int seat, const State* s) noexcept nogil:
    """Return the place of a seat from 1, its own being the first; 0 for nobody."""
    return 0 if other == NOBODY else 1 + place_of(other, seat, s.seats)


cdef void put_turn(float** cursor, const State* s, int seat) noexcept nogil:
    put_choice(cursor, s.phase, OVER + 1)
    put_seats(cursor, actors(s), seat, s.seats, MOST_SEATS)
    put_number(cursor, s.seats)
    put_number(cursor, s.round + 1)
    put_choice(cursor, place_of(s.first, seat, s.seats), MOST_SEATS)
    put_choice(cursor, place_of(s.to_move, seat, s.seats), MOST_SEATS)
    put_number(cursor, s.passes)


cdef void put_row(float** cursor, const State* seen) noexcept nogil:
    cdef int place, code, row = 0 if seen.phase == OVER else row_length(seen)
    for place in range(row):
        put_choice(cursor, family_of(seen.mafiosi[index_of(seen, place)]), KINDS)
    put_zeros(cursor, KINDS * (MOST_ROW - row))
    for place in range(MOST_ROW):
        code = seen.mafiosi[index_of(seen, place)] if place < row else NO_VALUE
        put_number(cursor, -1 if value_of(code) == NO_VALUE else value_of(code))
    put_number(cursor, seen.counted + 1 if is_counting(seen) else 0)


cdef void put_specials(float** cursor, const State* s, int seat) noexcept nogil:
    put_choice(cursor, s.copper_pawn, MOST_ROW)
    put_choice(cursor, s.vicelard_pawn, MOST_ROW)
    put_choice(cursor, from_one(s.copper_holder, seat, s) - 1, MOST_SEATS)
    put_choice(cursor, s.copper_on, MOST_ROW)
    put_choice(cursor, from_one(s.copper_next, seat, s) - 1, MOST_SEATS)
    put_choice(cursor, from_one(s.vicelard_holder, seat, s) - 1, MOST_SEATS)
    put_choice(cursor, s.vicelard_on, MOST_ROW)
    put_choice(cursor, from_one(s.vicelard_next, seat, s) - 1, MOST_SEATS)
    put_number(cursor, s.copper_points / 2.0)


cdef void put_action(float** cursor, const State* seen, int seat) noexcept nogil:
    """Append the action in progress; zeros if there is none."""
    cdef int kind
    if seen.target == NOWHERE:
        put_zeros(cursor, MOST_ROW + 4 + FIRST_DOWN + 1 + 1 + KINDS + 1 + KINDS)
        return
    if seen.phase == PIECES:
        kind = 0 if seen.influencing else 1
    else:
        kind = 3 if seen.paying_vicelard else 2
    put_choice(cursor, seen.target, MOST_ROW)
    put_choice(cursor, kind, 4)
    put_choice(cursor, min(<int>seen.stage, <int>FIRST_DOWN), FIRST_DOWN + 1)
    put_number(cursor, sum_kinds(seen.just_down))
    if seen.to_move == seat:
        put_numbers(cursor, seen.just_down, KINDS)
    else:
        put_zeros(cursor, KINDS)
    put_number(cursor, seen.first_half != NOWHERE)
    put_choice(cursor, seen.first_half if seen.to_move == seat else NOWHERE, KINDS)


cdef void put_totals(
    float** cursor, const uint8_t* kinds, int step, const State* s, int seat
) noexcept nogil:
    """Append the number of each seat's cards, which lie `step` bytes apart."""
    cdef int place
    for place in range(s.seats):
        put_number(cursor, sum_kinds(kinds + step * seat_after(seat, place, s.seats)))
    put_zeros(cursor, MOST_SEATS - s.seats)


cdef void put_by_seat(
    float** cursor, const uint8_t* numbers, int size, const State* s, int seat
) noexcept nogil:
    """Append `size` numbers of each seat."""
    cdef int place
    for place in range(s.seats):
        put_numbers(cursor, numbers + size * seat_after(seat, place, s.seats), size)
    put_zeros(cursor, size * (MOST_SEATS - s.seats))


cdef void put_cards(float** cursor, const State* seen, int seat) noexcept nogil:
    put_totals(cursor, seen.hand[0], KINDS, seen, seat)
    put_by_seat(cursor, seen.supply, 1, seen, seat)
    put_by_seat(cursor, seen.paid_up, 1, seen, seat)
    put_totals(cursor, seen.paid_down[0], KINDS, seen, seat)
    put_totals(cursor, seen.discarded_down[0], KINDS, seen, seat)
    put_by_seat(cursor, seen.discarded_up[0], KINDS, seen, seat)
    put_numbers(cursor, seen.hand[seat], KINDS)
    put_numbers(cursor, seen.paid_down[seat], KINDS)
    put_numbers(cursor, seen.discarded_down[seat], KINDS)


cdef void put_shuffles(float** cursor, const State* seen, int seat) noexcept nogil:
    """Append the piles that were shuffled from discards; unused ones are 0."""
    cdef int i
    for i in range(MOST_SHUFFLES):
        put_by_seat(cursor, seen.shuffled[i].up[0], KINDS, seen, seat)
    for i in range(MOST_SHUFFLES):
        put_totals(cursor, seen.shuffled[i].down[0], KINDS, seen, seat)
    for i in range(MOST_SHUFFLES):
        put_totals(cursor, seen.shuffled[i].drawn[0], KINDS, seen, seat)
    for i in range(MOST_SHUFFLES):
        put_by_seat(cursor, seen.shuffled[i].drawn_before, 1, seen, seat)
    for i in range(MOST_SHUFFLES):
        put_numbers(cursor, seen.shuffled[i].down[seat], KINDS)
    for i in range(MOST_SHUFFLES):
        put_numbers(cursor, seen.shuffled[i].drawn[seat], KINDS)


cdef void put_stakes(float** cursor, const State* seen, int seat) noexcept nogil:
    """Append what the seats have on the Mafiosi of the row."""
    cdef int place, other, steps, row = 0 if seen.phase == OVER else row_length(seen)
    cdef int absent = MOST_SEATS * (MOST_ROW - row)
    for place in range(row):
        put_by_seat(cursor, seen.tokens[place], 1, seen, seat)
    put_zeros(cursor, absent)
    for place in range(row):
        put_by_seat(cursor, seen.contracts[place], 1, seen, seat)
    put_zeros(cursor, absent)
    for place in range(row):
        put_by_seat(cursor, seen.dollars[place], 1, seen, seat)
    put_zeros(cursor, absent)
    for place in range(row):
        put_totals(cursor, seen.down[place][0], KINDS, seen, seat)
    put_zeros(cursor, absent)
    for place in range(row):
        for steps in range(seen.seats):
            other = seat_after(seat, steps, seen.seats)
            put_number(cursor, points_at(seen, place, other) / 2.0)
        put_zeros(cursor, MOST_SEATS - seen.seats)
    put_zeros(cursor, absent)
    for place in range(row):
        put_numbers(cursor, seen.down[place][seat], KINDS)
    put_zeros(cursor, KINDS * (MOST_ROW - row))


cdef void put_mafiosi(float** cursor, const State* s, int seat) noexcept nogil:
    """Append what has become of each Mafioso. The unseen ones are a set that everybody knows."""
    cdef float* fates = cursor[0]
    cdef float* columns = fates + KINDS * VALUES
    cdef float* removed = columns + VALUES
    cdef int i, at, gone = 0, decided = laid(s)
    if s.phase != OVER:
        decided += (s.counted + 1 if is_counting(s) else 0) - row_length(s)
    put_zeros(cursor, KINDS * VALUES + VALUES + MOST_MAFIOSI)
    for i in range(row_length(s) * round_count(s)):
        at = family_of(s.mafiosi[i]) * VALUES + value_of(s.mafiosi[i])
        if not value_known(s, i):
            fates[at] = UNSEEN
        elif s.owner[i] != NOBODY:
            fates[at] = from_one(s.owner[i], seat, s)
            if family_of(s.mafiosi[i]) == BLACKMAT:
                columns[value_of(s.mafiosi[i])] = s.column[i] + 1
        elif i < decided:
            fates[at] = REMOVED
            removed[gone] = 1 + at
            gone += 1


cdef void put_rewards(float** cursor, const State* s, int seat) noexcept nogil:
    """Append the traffics and the briefcases, and who has them."""
    cdef int winners[2]
    cdef int i, family
    for i in range(2):
        put_numbers(cursor, s.traffic[i], FAMILIES)
    for i in range(2):
        for family in range(FAMILIES):
            winners[i] = NOBODY
            if s.phase == OVER:
                rank_family(s, family, winners)
            put_number(cursor, from_one(winners[i], seat, s))
    for i in range(MOST_TILES):
        put_number(cursor, s.side[i] + 1 if i < s.tiles else 0)
    for i in range(MOST_TILES):
        put_number(cursor, s.worth[i] if i < s.tiles else 0)
    for i in range(MOST_TILES):
        put_number(cursor, from_one(s.holder[i], seat, s) if i < s.tiles else 0)
