"""What a viewer sees of a game of Contract: one function that hides everything else.

Both the facts that Python reads and the information set are taken from a veiled state, so they
agree on what a seat knows.
"""

from libc.stdint cimport uint8_t
from libc.string cimport memset

from tablier_core.abi cimport TABLE
from tablier_core.games.contract.state cimport (
    FIRST_DOWN, KINDS, NOWHERE, State, round_count, row_length, sum_kinds, value_known,
)


cdef void hide_kinds(uint8_t* kinds) noexcept nogil:
    """Replace cards by kind with their number."""
    kinds[0] = <uint8_t>sum_kinds(kinds)
    memset(kinds + 1, 0, KINDS - 1)


cdef void veil_seat(State* s, int seat) noexcept nogil:
    """Hide the cards of a seat other than the viewer."""
    cdef int place, i
    hide_kinds(s.hand[seat])
    for place in range(row_length(s)):
        hide_kinds(s.down[place][seat])
    hide_kinds(s.paid_down[seat])
    hide_kinds(s.discarded_down[seat])
    for i in range(s.shuffles):
        hide_kinds(s.shuffled[i].down[seat])
        hide_kinds(s.shuffled[i].drawn[seat])


cdef void veil(State* s, int viewer) noexcept nogil:
    cdef int seat, i
    s.rng.state = 0
    if viewer == TABLE:
        return
    memset(s.pile, 0, sizeof(s.pile))
    for seat in range(s.seats):
        if seat != viewer:
            veil_seat(s, seat)
    if s.to_move != viewer:
        hide_kinds(s.just_down)
        if s.stage > FIRST_DOWN:
            s.stage = FIRST_DOWN
        if s.first_half != NOWHERE:
            s.first_half = 0
    for i in range(row_length(s) * round_count(s)):
        if not value_known(s, i):
            if i < (s.round + 1) * row_length(s):
                s.mafiosi[i] |= NO_VALUE
            else:
                s.mafiosi[i] = NO_MAFIOSO
