"""Takes stock of a game of Contract: what each seat owns, and which Mafiosi are still to come.

The engine changes a standing as it plays on in outline, which is much cheaper than playing real
moves. Only the set of Mafiosi to come enters it, not their order.
"""

from libc.string cimport memcpy, memset

from tablier_core.games.contract.state cimport (
    BLACKMAT, BLACKMATS_2, FAMILIES, FAMILIES_4, LARGEST_FAMILY, MOST_THREES, MOST_TWOS,
    NO_COLUMN, SAME_2, SAME_3,
    State, family_of, index_of, round_count, row_length, value_of,
)


cdef void receive(Standing* st, int seat, int code) noexcept nogil:
    cdef int family = family_of(code), value = value_of(code)
    st.mafiosi[seat] += 1
    if value == 2:
        st.twos[seat] += 1
    elif value == 3:
        st.threes[seat] += 1
    if family == BLACKMAT:
        st.blackmats[seat] += 1
        st.waiting[seat] += value
        return
    st.column[family][seat] += value
    st.families[seat] += st.members[family][seat] == 0
    st.members[family][seat] += 1
    st.largest[seat] = max(st.largest[seat], st.members[family][seat])


cdef void take_stock(const State* s, Standing* st) noexcept nogil:
    cdef int i, family, value, seat, laid = index_of(s, row_length(s))
    memset(st, 0, sizeof(Standing))
    st.seats = s.seats
    st.rounds_left = round_count(s) - s.round - 1
    st.copper_next = s.copper_next
    st.vicelard_next = s.vicelard_next
    memcpy(st.holder, s.holder, sizeof(st.holder))
    for i in range(laid):
        if s.column[i] == NO_COLUMN:
            continue
        seat = s.owner[i]
        receive(st, seat, s.mafiosi[i])
        if family_of(s.mafiosi[i]) == BLACKMAT and s.column[i] < FAMILIES:
            value = value_of(s.mafiosi[i])
            st.waiting[seat] -= value
            st.column[s.column[i]][seat] += value
    for i in range(laid, row_length(s) * round_count(s)):
        family = family_of(s.mafiosi[i])
        value = value_of(s.mafiosi[i])
        st.to_come[family] += 1
        st.sum_to_come[family] += value
        st.squares_to_come[family] += value * value
        st.twos_to_come += value == 2
        st.threes_to_come += value == 3
        st.all_to_come += 1


cdef int asked_by(int side) noexcept nogil:
    if side == FAMILIES_4:
        return 4
    return 2 if side == SAME_2 or side == BLACKMATS_2 else 3


cdef int progress(const Standing* st, int seat, int side) noexcept nogil:
    if side <= FAMILIES_4:
        return st.families[seat]
    if side <= SAME_3:
        return st.largest[seat]
    return st.blackmats[seat] if side == BLACKMATS_2 else st.twos[seat]


cdef int count_of(const Standing* st, int seat, int side) noexcept nogil:
    if side == LARGEST_FAMILY:
        return st.largest[seat]
    if side == MOST_THREES:
        return st.threes[seat]
    return st.twos[seat] if side == MOST_TWOS else st.mafiosi[seat]
