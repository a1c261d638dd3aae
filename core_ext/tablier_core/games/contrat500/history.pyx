"""The public history of a seat, read from the log of the deal."""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcpy

from tablier_core.games.contrat500.state cimport ASKED, DISCARDED, TOOK, State, nth_seat
from tablier_core.games.contrat500.tiles cimport count_of, one


cdef void read_history(const State* s, int seat, History* history) noexcept nogil:
    cdef int turn, tile, n = 0
    cdef uint64_t known = 0
    history.seat = seat
    memcpy(history.contracts, s.contracts[seat], 2)
    history.known[0] = 0
    for turn in range(s.turns):
        tile = s.log[turn] & DISCARDED
        if nth_seat(s, turn) != seat or not tile:
            continue
        history.taken[n] = s.log[turn - 1] & DISCARDED if s.log[turn] & TOOK else 0
        history.discarded[n] = <uint8_t>tile
        history.asked[n] = s.log[turn] & ASKED != 0
        if history.taken[n]:
            known += one(history.taken[n])
        if count_of(known, tile):
            known -= one(tile)
        n += 1
        history.known[n] = known
    history.turns = n
