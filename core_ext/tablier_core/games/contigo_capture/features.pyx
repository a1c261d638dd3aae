"""The capture game as numbers for learners (reference: Features)."""

from libc.stdint cimport uint32_t

from tablier_core.floats cimport (
    put_choice, put_digits, put_number, put_numbers, put_seats, seat_after,
)
from tablier_core.games.contigo.board cimport PITS, SQUARES, has
from tablier_core.games.contigo_capture.rules cimport actors
from tablier_core.games.contigo_capture.state cimport COLOURS, OVER, State

FEATURES = (
    b"phase 4 0 1 pawn, chain, sow, over\n"
    b"actors 4 0 1 the seat to move, own first\n"
    b"turn 4 0 1 the same, and after the end the seat that would have been next or has won\n"
    b"pieces 4x6x6 0 2 1 for a pawn and 2 for a King, by colour; rank 1 first, file a first\n"
    b"owner 4x4 0 1 the seat that controls a colour, own first\n"
    b"chain 6x6 0 1 the piece that may capture again\n"
    b"beads 28 0 6 by pit\n"
    b"quick 1 0 1 the option\n"
    b"winner 4 0 1 the seat that has won, own first\n"
    b"turns 4 0 255 completed turns as digits of base 256, the lowest one first\n"
    b"turn_limit 4 0 255 the option, likewise"
)


cdef void write_features(const void* state, int seat, float* out) noexcept nogil:
    cdef const State* s = <const State*>state
    cdef int step, colour, square
    put_choice(&out, s.phase, OVER + 1)
    put_seats(&out, actors(s), seat, COLOURS, COLOURS)
    put_seats(&out, <uint32_t>1 << s.to_move, seat, COLOURS, COLOURS)
    for step in range(COLOURS):
        colour = seat_after(seat, step, COLOURS)
        for square in range(SQUARES):
            put_number(&out, has(s.pieces[colour], square) * (1 + has(s.kings, square)))
    for step in range(COLOURS):
        colour = seat_after(seat, step, COLOURS)
        put_seats(&out, <uint32_t>1 << s.owner[colour], seat, COLOURS, COLOURS)
    put_choice(&out, s.chain, SQUARES)
    put_numbers(&out, s.beads, PITS)
    put_number(&out, s.quick)
    put_seats(&out, <uint32_t>1 << s.winner, seat, COLOURS, COLOURS)
    put_digits(&out, s.turns, 4)
    put_digits(&out, s.turn_limit, 4)
