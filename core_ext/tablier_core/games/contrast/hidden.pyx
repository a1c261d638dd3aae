"""Hidden information in Contrast: the images that nobody has seen, and choices until the reveal."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from tablier_core.abi cimport MAX_PACKED, TABLE, move_t
from tablier_core.games.contrast.encoding cimport pack
from tablier_core.games.contrast.rules cimport list_symbols
from tablier_core.games.contrast.state cimport (
    MAX_IMAGES, MAX_MOVES, NOT_YET, State, choice_of, is_over,
)
from tablier_core.packing cimport hash_bytes
from tablier_core.rng cimport Rng, rng_below, shuffle


cdef int list_unseen(const State* s, uint8_t* places, uint8_t* images) noexcept nogil:
    """Write the places whose image nobody has seen, and the images that may be there.

    Both lists ascend and have the returned length. Only current images are ever shown, so all seats
    have seen the same ones.
    """
    cdef uint8_t seen_place[MAX_IMAGES]
    cdef uint8_t seen_image[MAX_IMAGES]
    cdef int i, n = 0, m = 0
    memset(seen_place, 0, MAX_IMAGES)
    memset(seen_image, 0, MAX_IMAGES)
    for i in range(s.rounds):
        seen_place[s.seen_at[i]] = 1
        seen_image[s.order[s.seen_at[i]]] = 1
    if not is_over(s):
        seen_place[s.top] = 1
        seen_image[s.order[s.top]] = 1
    # Write every candidate and advance past the unseen ones: no branches to mispredict.
    for i in range(s.images):
        places[n] = <uint8_t>i
        n += not seen_place[i]
        images[m] = <uint8_t>i
        m += not seen_image[i]
    return n


cdef void determinize(void* state, int viewer, Rng* rng) noexcept nogil:
    """Shuffle the unseen images and replace every hidden choice by a symbol in that seat's hand.

    The symbols are drawn uniformly: how players tend to choose is not part of the rules.
    """
    cdef State* s = <State*>state
    cdef uint8_t places[MAX_IMAGES]
    cdef uint8_t images[MAX_IMAGES]
    cdef move_t symbols[MAX_MOVES]
    cdef int i, n, seat
    cdef uint32_t choice
    if viewer == TABLE:
        return
    n = list_unseen(s, places, images)
    shuffle(images, n, rng)
    for i in range(n):
        s.order[places[i]] = images[i]
    for seat in range(s.seats):
        choice = choice_of(s.pending, seat)
        if seat != viewer and choice != NOT_YET:
            n = <int>list_symbols(s, seat, symbols)
            s.pending ^= (choice ^ symbols[rng_below(rng, <uint32_t>n)]) << (4 * seat)


cdef uint64_t infoset(const void* state, int viewer) noexcept nogil:
    cdef State s = (<const State*>state)[0]
    cdef uint8_t packed[MAX_PACKED]
    if viewer != TABLE:
        forget(&s, viewer)
    return hash_bytes(<uint64_t>(viewer + 1), packed, pack(&s, packed))


cdef void forget(State* s, int viewer) noexcept nogil:
    """Replace all hidden information by its lowest values: one state per information set."""
    cdef uint8_t places[MAX_IMAGES]
    cdef uint8_t images[MAX_IMAGES]
    cdef int i, n = list_unseen(s, places, images), seat
    cdef uint32_t choice
    for i in range(n):
        s.order[places[i]] = images[i]
    for seat in range(s.seats):
        choice = choice_of(s.pending, seat)
        if seat != viewer and choice != NOT_YET:
            s.pending ^= choice << (4 * seat)
