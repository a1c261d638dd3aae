"""The alignment game as numbers for learners (reference: Features)."""

from libc.stdint cimport uint32_t

from tablier_core.floats cimport (
    put_choice, put_digits, put_number, put_numbers, put_seats, put_set,
)
from tablier_core.games.contigo.board cimport PITS, SQUARES
from tablier_core.games.contigo_alignment.rules cimport actors
from tablier_core.games.contigo_alignment.state cimport OVER, SEATS, State

FEATURES = (
    b"phase 3 0 1 pawn, sow, over\n"
    b"actors 2 0 1 the seat to move, own first\n"
    b"turn 2 0 1 the same, and after the end the seat that would have been next or has won\n"
    b"pawns 2x6x6 0 1 own pawns, then the rival's; rank 1 first, file a first\n"
    b"beads 28 0 6 by pit\n"
    b"advanced 1 0 1 the option\n"
    b"winner 2 0 1 the seat that has won, own first\n"
    b"turns 4 0 255 completed turns as digits of base 256, the lowest one first\n"
    b"turn_limit 4 0 255 the option, likewise"
)


cdef void write_features(const void* state, int seat, float* out) noexcept nogil:
    cdef const State* s = <const State*>state
    put_choice(&out, s.phase, OVER + 1)
    put_seats(&out, actors(s), seat, SEATS, SEATS)
    put_seats(&out, <uint32_t>1 << s.to_move, seat, SEATS, SEATS)
    put_set(&out, s.pawns[seat], SQUARES)
    put_set(&out, s.pawns[1 - seat], SQUARES)
    put_numbers(&out, s.beads, PITS)
    put_number(&out, s.advanced)
    put_seats(&out, <uint32_t>1 << s.winner, seat, SEATS, SEATS)
    put_digits(&out, s.turns, 4)
    put_digits(&out, s.turn_limit, 4)
