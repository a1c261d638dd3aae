"""Contrat 500 as numbers for learners (reference: Features)."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from tablier_core.floats cimport (
    place_of, put_choice, put_number, put_numbers, put_seats, put_zeros, seat_after,
)
from tablier_core.games.contrat500.rules cimport actors
from tablier_core.games.contrat500.settlement cimport realised, settle
from tablier_core.games.contrat500.state cimport (
    ANNOUNCING, ASKED, DISCARDED, OVER, SEATS, TOOK, TURN, TURNS_EACH, Settlement, State, nth_seat,
    total_tiles,
)
from tablier_core.games.contrat500.tiles cimport HAND, HIGHEST, count_of, size_of

FEATURES = (
    b"phase 5 0 1 bid, turn, discard, announce, over\n"
    b"actors 4 0 1 the seat to move, own first\n"
    b"starter 4 0 1 the seat that began the deal, own first\n"
    b"seats 1 2 4 the number of seats\n"
    b"target 1 100 10000 the option\n"
    b"max_deals 1 1 1000 the option\n"
    b"blind_bids 1 0 1 the option\n"
    b"deal 1 1 1000 the number of the deal\n"
    b"scores 4 0 10480 own score first\n"
    b"contracts 4x2 0 30 the contracts of a seat, in the order of bidding; 0: not bid yet\n"
    b"hand 10 0 7 own tiles by number, from 1\n"
    b"hand_sizes 4 0 7 the tiles that a seat holds, own first\n"
    b"pot 1 0 80 tiles in the pot\n"
    b"discard 10 0 1 the tile that the next seat can take, by number\n"
    b"dead 10 0 8 discards that no seat took, by number\n"
    b"known 4x10 0 7 tiles that a seat took in public and still holds, by number\n"
    b"received 4x20 -10 10 the tile of each turn of a seat; negative: taken; 0: unseen or none\n"
    b"discarded 4x20 -10 10 the discard of each turn; negative: the seat could then announce\n"
    b"last_deal 1 0 1000 the deal of the last announcement; 0: none yet\n"
    b"last_winner 4 0 1 the seat that made it, own first\n"
    b"last_contracts 4x2 0 30 the contracts of a seat in that deal\n"
    b"last_hands 4x10 0 6 the tiles of a seat then, by number\n"
    b"last_realised 4 0 30 the contract that a seat realised; 0: none, or the winner\n"
    b"last_before 4 0 10000 scores before the settlement\n"
    b"last_after 4 0 10480 scores after it"
)


cdef void write_features(const void* state, int seat, float* out) noexcept nogil:
    cdef const State* s = <const State*>state
    cdef int step, other
    put_choice(&out, s.phase, OVER + 1)
    put_seats(&out, actors(s), seat, s.seats, SEATS)
    put_seats(&out, <uint32_t>(s.phase != OVER) << s.starter, seat, s.seats, SEATS)
    put_number(&out, s.seats)
    put_number(&out, s.target)
    put_number(&out, s.max_deals)
    put_number(&out, s.blind_bids)
    put_number(&out, s.deal)
    put_scores(&out, s.scores, seat, s.seats)
    put_contracts(&out, &s.contracts[0][0], seat, s.seats)
    put_tiles(&out, s.hands[seat])
    for step in range(SEATS):
        other = seat_after(seat, step, s.seats)
        put_number(&out, size_of(s.hands[other]) if step < s.seats else 0)
    put_number(&out, total_tiles(s) - s.drawn if s.phase != OVER else 0)
    put_log(&out, s, seat)
    put_settlement(&out, &s.last, seat, s.seats)


cdef void put_tiles(float** cursor, uint64_t tiles) noexcept nogil:
    """Append how many tiles of each number there are."""
    cdef int tile
    for tile in range(1, HIGHEST + 1):
        put_number(cursor, count_of(tiles, tile))


cdef void put_scores(float** cursor, const uint32_t* scores, int seat, int seats) noexcept nogil:
    cdef int step
    for step in range(SEATS):
        put_number(cursor, scores[seat_after(seat, step, seats)] if step < seats else 0)


cdef void put_contracts(
    float** cursor, const uint8_t* contracts, int seat, int seats
) noexcept nogil:
    """Append two contracts per seat."""
    cdef int step
    for step in range(seats):
        put_numbers(cursor, contracts + 2 * seat_after(seat, step, seats), 2)
    put_zeros(cursor, 2 * (SEATS - seats))


cdef void put_log(float** cursor, const State* s, int viewer) noexcept nogil:
    """Append what follows from the turns of the deal, and the turns themselves."""
    cdef float* dead = cursor[0] + HIGHEST
    cdef float* known = dead + HIGHEST
    cdef float* received = known + SEATS * HIGHEST
    cdef float* discarded = received + SEATS * TURNS_EACH
    cdef int turn, place, at, tile, previous = 0, slot = HAND * s.seats
    put_choice(cursor, live_discard(s) - 1, HIGHEST)
    put_zeros(cursor, HIGHEST * (1 + SEATS) + 2 * SEATS * TURNS_EACH)
    for turn in range(s.turns):
        place = place_of(nth_seat(s, turn), viewer, s.seats)
        at = place * TURNS_EACH + turn // s.seats
        if s.log[turn] & TOOK:
            received[at] = -previous
            known[place * HIGHEST + previous - 1] += 1
        else:
            if previous:
                dead[previous - 1] += 1
            if place == 0:
                received[at] = s.tiles[slot]
            slot += 1
        previous = s.log[turn] & DISCARDED
        if previous:
            discarded[at] = -previous if s.log[turn] & ASKED else previous
            tile = place * HIGHEST + previous - 1
            known[tile] -= known[tile] > 0


cdef int live_discard(const State* s) noexcept nogil:
    """Return the tile that the next seat can take, or 0."""
    if not s.turns or not (s.phase == TURN or s.phase == ANNOUNCING):
        return 0
    return s.log[s.turns - 1] & DISCARDED


cdef void put_settlement(
    float** cursor, const Settlement* last, int seat, int seats
) noexcept nogil:
    cdef uint32_t[SEATS] after
    cdef int step, other
    if last.deal == 0:
        put_zeros(cursor, 1 + SEATS * (1 + 2 + HIGHEST + 3))
        return
    put_number(cursor, last.deal)
    put_seats(cursor, <uint32_t>1 << last.winner, seat, seats, SEATS)
    put_contracts(cursor, &last.contracts[0][0], seat, seats)
    for step in range(seats):
        put_tiles(cursor, last.hands[seat_after(seat, step, seats)])
    put_zeros(cursor, HIGHEST * (SEATS - seats))
    for step in range(seats):
        other = seat_after(seat, step, seats)
        put_number(
            cursor,
            0 if other == last.winner else realised(last.hands[other], last.contracts[other]),
        )
    put_zeros(cursor, SEATS - seats)
    settle(last, seats, after)
    put_scores(cursor, last.before, seat, seats)
    put_scores(cursor, after, seat, seats)
