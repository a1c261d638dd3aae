# What the seats own and what is still to come: the position as the engine judges it.

from libc.stdint cimport uint8_t

from tablier_core.games.contract.state cimport FAMILIES, KINDS, MOST_SEATS, MOST_TILES, State

cdef struct Standing:
    int seats
    int rounds_left
    int column[FAMILIES][MOST_SEATS]    # sums of values
    int members[FAMILIES][MOST_SEATS]   # family cards
    int families[MOST_SEATS]
    int largest[MOST_SEATS]             # family cards of the largest family
    int waiting[MOST_SEATS]             # value of Blackmats without a column
    int blackmats[MOST_SEATS]
    int twos[MOST_SEATS]
    int threes[MOST_SEATS]
    int mafiosi[MOST_SEATS]
    int to_come[KINDS]                  # Mafiosi that have not been laid out, by family
    int sum_to_come[KINDS]
    int squares_to_come[KINDS]
    int twos_to_come
    int threes_to_come
    int all_to_come
    uint8_t holder[MOST_TILES]
    int copper_next
    int vicelard_next

# Fill in what seats own now, and what has not been laid out.
cdef void take_stock(const State* s, Standing* st) noexcept nogil
# Give a seat one Mafioso. A Blackmat waits.
cdef void receive(Standing* st, int seat, int code) noexcept nogil
# How much a "first to" briefcase asks for, and how much a seat has of it.
cdef int asked_by(int side) noexcept nogil
cdef int progress(const Standing* st, int seat, int side) noexcept nogil
# How much a seat has of what a "most" briefcase counts.
cdef int count_of(const Standing* st, int seat, int side) noexcept nogil
