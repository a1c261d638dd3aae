"""Shares out traffics and briefcases that are still open, by each seat's chance to win them.

A chance follows from a seat's distance to the leader, compared with how much can still change. The
constants are fitted; see estimate.pyx.
"""

from libc.math cimport sqrt

from tablier_core.games.contract.engine.standing cimport Standing, asked_by, count_of, progress
from tablier_core.games.contract.state cimport (
    BLACKMAT, BLACKMATS_2, FAMILIES, MOST_MAFIOSI_SIDE, MOST_SEATS, MOST_THREES, MOST_TWOS, NOBODY,
    TWOS_3, State,
)

# How far things can still change, in standard deviations of what is to come.
cdef double COLUMN_NOISE = 1.2
cdef double COUNT_NOISE = 0.3
cdef double LOCKED_OUT = 0.001          # the weight of a seat that cannot catch up any more


cdef double weight(double x) noexcept nogil:
    x = 1.0 + x * (1.0 / 16)
    if x <= 0.0:
        return 0.0
    x *= x
    x *= x
    x *= x
    return x * x


# ---- Traffics ------------------------------------------------------------------------------------

cdef double weigh_column(
    const Standing* st, int family, int seat, int best, double scale
) noexcept nogil:
    """Return how likely a seat is to end with the best column, relative to the other seats."""
    cdef int column = st.column[family][seat]
    cdef int reach = st.sum_to_come[family] + st.sum_to_come[BLACKMAT]
    cdef double chance = 1.0
    if not st.members[family][seat]:
        if not st.to_come[family]:
            return 0.0
        # The seat has yet to win its first family card.
        column = st.waiting[seat]
        chance = 0.5
    # If all Mafiosi to come cannot close the gap, only Copper can.
    if column + reach < best:
        return LOCKED_OUT
    return chance * weight((column - best) * scale)


cdef double weigh_columns(
    const Standing* st, int family, double* w, double* odds, double* all_odds
) noexcept nogil:
    """Weigh each seat's column and its odds against the others; return the sum of the weights."""
    cdef double total = 0.0, scale
    cdef int seat, best = 0
    for seat in range(st.seats):
        if st.members[family][seat]:
            best = max(best, st.column[family][seat])
    # Blackmats may join any of four columns.
    scale = 1.0 / (0.4 + COLUMN_NOISE * sqrt(
        st.squares_to_come[family] + 0.25 * st.squares_to_come[BLACKMAT]
    ))
    for seat in range(st.seats):
        w[seat] = weigh_column(st, family, seat, best, scale)
        total += w[seat]
    all_odds[0] = 0.0
    for seat in range(st.seats):
        odds[seat] = w[seat] / (total - w[seat]) if w[seat] < total else 0.0
        all_odds[0] += odds[seat]
    return total


cdef double expect_traffics(
    const State* s, const Standing* st, int family, int seat
) noexcept nogil:
    cdef double w[MOST_SEATS]
    cdef double odds[MOST_SEATS]
    cdef double all_odds, first, total = weigh_columns(st, family, w, odds, &all_odds)
    if total <= 0.0:
        return 0.0
    first = w[seat] / total
    # If another seat is first, this one competes with those that remain.
    return s.traffic[0][family] * first + s.traffic[1][family] * (first * (all_odds - odds[seat]))


cdef void share_traffics(
    const State* s, const Standing* st, int family, double* points, double* variance
) noexcept nogil:
    cdef double w[MOST_SEATS]
    cdef double odds[MOST_SEATS]
    cdef double all_odds, first, second, tile
    cdef double total = weigh_columns(st, family, w, odds, &all_odds)
    cdef int seat
    if total <= 0.0:
        return
    for seat in range(st.seats):
        first = w[seat] / total
        second = first * (all_odds - odds[seat])
        tile = s.traffic[0][family]
        points[seat] += tile * first
        variance[seat] += tile * tile * first * (1.0 - first)
        tile = s.traffic[1][family]
        points[seat] += tile * second
        # A seat that is not second is often first, so this varies less.
        variance[seat] += 0.5 * tile * tile * second * (1.0 - second)


# ---- Briefcases ----------------------------------------------------------------------------------

cdef double weigh_race(const State* s, const Standing* st, int tile, double* w) noexcept nogil:
    """Weigh how near each seat is to a "first to" briefcase; return the sum, with a share for
    nobody."""
    cdef int side = s.side[tile], seat, missing, asked = asked_by(side)
    cdef int to_come = st.all_to_come
    cdef double total = 0.1
    if side == BLACKMATS_2:
        to_come = st.to_come[BLACKMAT]
    elif side == TWOS_3:
        to_come = st.twos_to_come
    for seat in range(st.seats):
        missing = asked - progress(st, seat, side)
        w[seat] = 0.0
        if missing <= to_come:
            # Each missing Mafioso makes it about a quarter as likely; rare ones come late.
            w[seat] = 1.0 if missing == 1 else 0.25 if missing == 2 else 0.06
            if side >= BLACKMATS_2:
                w[seat] *= 0.3
        total += w[seat]
    return total


cdef double weigh_most(const State* s, const Standing* st, int tile, double* w) noexcept nogil:
    """Weigh how near each seat is to a "most" briefcase; return the sum, with a share for a tie."""
    cdef int side = s.side[tile], seat, best = -1, leaders = 0, to_come = st.all_to_come
    cdef double total = 0.0, scale
    cdef int have[MOST_SEATS]
    if side == MOST_THREES:
        to_come = st.threes_to_come
    elif side == MOST_TWOS:
        to_come = st.twos_to_come
    for seat in range(st.seats):
        have[seat] = count_of(st, seat, side)
        if have[seat] > best:
            best = have[seat]
            leaders = 0
        leaders += have[seat] == best
    scale = 1.0 / (0.3 + COUNT_NOISE * sqrt(<double>to_come))
    for seat in range(st.seats):
        w[seat] = weight((have[seat] - best) * scale)
        total += w[seat]
    # A tie is final if nothing is to come.
    return total + (leaders - 1) * (0.3 if to_come else 1e3)


cdef void share_briefcase(
    const State* s, const Standing* st, int tile, double* points, double* variance
) noexcept nogil:
    """Add each seat's expected points from a briefcase that nobody has yet."""
    cdef double w[MOST_SEATS]
    cdef double total, part, worth = s.worth[tile]
    cdef int seat
    if s.side[tile] < MOST_MAFIOSI_SIDE:
        total = weigh_race(s, st, tile, w)
    else:
        total = weigh_most(s, st, tile, w)
    for seat in range(st.seats):
        part = w[seat] / total
        points[seat] += worth * part
        variance[seat] += worth * worth * part * (1.0 - part)


cdef void share_points(
    const State* s, const Standing* st, double* points, double* variance
) noexcept nogil:
    cdef int family, tile, seat
    for seat in range(st.seats):
        points[seat] = variance[seat] = 0.0
    for family in range(FAMILIES):
        share_traffics(s, st, family, points, variance)
    for tile in range(s.tiles):
        if st.holder[tile] != NOBODY:
            points[st.holder[tile]] += s.worth[tile]
        else:
            share_briefcase(s, st, tile, points, variance)
