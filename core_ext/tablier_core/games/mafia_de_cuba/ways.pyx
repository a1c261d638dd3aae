"""Mafia de Cuba: the ways in which the box can have gone along a row of seats.

Every seat takes some diamonds or one token as long as there is something in the box, so the seats
that took something are the first ones of the row. Which of them took diamonds, how many, and who
took which token are then free choices that only the totals bind: the order of the takes matters
nowhere. So the ways with e takers, f of them unknown and j of these f thieves, number

    choose(f, j) x (ways to split the diamonds in j parts) x (sequences of f - j spare tokens),

and a uniform draw is a draw of (e, j) by these numbers and of three independent uniform parts.
"""

from libc.stdint cimport uint8_t, uint16_t, uint64_t
from libc.string cimport memset

from tablier_core.abi cimport MAX_SEATS
from tablier_core.games.mafia_de_cuba.parts cimport (
    DIAMONDS, FIRST_TOKEN, KINDS, NOTHING, Box, bit, diamonds_of, is_empty,
)
from tablier_core.rng cimport Rng, rng_below

# Ways to choose k of n.
cdef uint16_t[DIAMONDS + 1][DIAMONDS + 1] choose


cdef void fill_choose() noexcept:
    cdef int n, k
    for n in range(DIAMONDS + 1):
        choose[n][0] = 1
        for k in range(1, DIAMONDS + 1):
            choose[n][k] = choose[n - 1][k - 1] + choose[n - 1][k] if n else 0


fill_choose()


# ---- The row -------------------------------------------------------------------------------------

cdef void count_words(Row* row) noexcept nogil:
    """Sequences of spare tokens, one kind after the other: choose the places of the new kind."""
    cdef int kind, length, count
    memset(row.words, 0, sizeof(row.words))
    row.words[0][0] = 1
    for kind in range(KINDS):
        for length in range(row.length + 1):
            for count in range(min(<int>row.spare[kind], length) + 1):
                row.words[kind + 1][length] += (
                    choose[length][count] * row.words[kind][length - count]
                )


cdef void lay_out(
    Row* row, int length, const uint8_t* takes, uint16_t known,
    const Box* start, const Box* end, bint last_may_pass,
) noexcept nogil:
    cdef int seat, kind
    cdef int[KINDS] spare
    row.length = length
    row.known = known
    row.last_may_pass = last_may_pass
    row.end_known = end != NULL
    row.end_empty = end != NULL and is_empty(end)
    row.fewest_takers = 0
    row.most_takers = length
    row.diamonds = start.diamonds - (end.diamonds if end != NULL else 0)
    for kind in range(KINDS):
        spare[kind] = start.tokens[kind] - (end.tokens[kind] if end != NULL else 0)
    row.unknown_among[0] = 0
    for seat in range(length):
        row.unknown_among[seat + 1] = row.unknown_among[seat]
        if not known & bit(seat):
            row.unknown_among[seat + 1] += 1
        elif takes[seat] == NOTHING:
            row.most_takers = min(row.most_takers, seat)
        else:
            row.fewest_takers = seat + 1
            row.diamonds -= diamonds_of(takes[seat])
            if takes[seat] >= FIRST_TOKEN:
                spare[takes[seat] - FIRST_TOKEN] -= 1
    row.tokens = 0
    for kind in range(KINDS):
        if spare[kind] < 0:
            row.diamonds = -1
            spare[kind] = 0
        row.spare[kind] = <uint8_t>spare[kind]
        row.tokens += spare[kind]
    count_words(row)


cdef bint leaves_rest(const Row* row, int takers) noexcept nogil:
    """Whether the box may have something in it after so many takers."""
    return takers == row.length or row.last_may_pass and takers == row.length - 1


cdef bint takes_all(const Row* row, int takers) noexcept nogil:
    """Whether the unknown takers must have taken exactly what there was for them."""
    return row.end_known or not leaves_rest(row, takers)


cdef uint64_t count_with(const Row* row, int diamonds, int takers, int thieves) noexcept nogil:
    """The ways with so many takers, and so many thieves among the unknown of them."""
    cdef int unknown = row.unknown_among[takers], others = unknown - thieves
    cdef uint64_t splits
    if row.end_known and not row.end_empty and not leaves_rest(row, takers):
        return 0
    if takes_all(row, takers):
        if others != row.tokens:
            return 0
        if thieves == 0:
            splits = diamonds == 0
        else:
            splits = choose[diamonds - 1][thieves - 1] if diamonds else 0
    else:
        splits = choose[diamonds][thieves]
    return choose[unknown][thieves] * splits * row.words[KINDS][others]


cdef uint64_t count_ways(const Row* row, int diamonds, int fewest, int most) noexcept nogil:
    cdef int takers, thieves
    cdef uint64_t total = 0
    if diamonds < 0:
        return 0
    for takers in range(row.fewest_takers, row.most_takers + 1):
        for thieves in range(fewest, min(most, row.unknown_among[takers]) + 1):
            total += count_with(row, diamonds, takers, thieves)
    return total


# ---- The draw ------------------------------------------------------------------------------------

cdef inline bint chosen(Rng* rng, int wanted, int left) noexcept nogil:
    """Whether the next of `left` things is among the `wanted` that a uniform choice takes."""
    return <int>rng_below(rng, left) < wanted


cdef void draw_parts(
    int diamonds, int parts, bint all_of_them, uint8_t* out, Rng* rng
) noexcept nogil:
    """Split diamonds in parts of at least one: cut a row of them at places chosen uniformly."""
    cdef int place, before = 0, part = 0
    cdef int places = diamonds - 1 if all_of_them else diamonds
    cdef int cuts = parts - 1 if all_of_them else parts
    for place in range(1, places + 1):
        if cuts and chosen(rng, cuts, places + 1 - place):
            out[part] = <uint8_t>(place - before)
            before = place
            part += 1
            cuts -= 1
    if part < parts:
        out[part] = <uint8_t>(diamonds - before)


cdef void draw_word(const Row* row, int length, uint8_t* out, Rng* rng) noexcept nogil:
    """A uniform sequence of spare tokens: how many of each kind, then their order."""
    cdef int kind, count, left = length, i, j
    cdef uint64_t target, ways
    cdef uint8_t swapped
    for kind in reversed(range(KINDS)):
        target = below(rng, row.words[kind + 1][left])
        count = 0
        while True:
            ways = choose[left][count] * row.words[kind][left - count]
            if target < ways:
                break
            target -= ways
            count += 1
        for i in range(left - count, left):
            out[i] = <uint8_t>(FIRST_TOKEN + kind)
        left -= count
    for i in range(1, length):
        j = <int>rng_below(rng, i + 1)
        swapped = out[i]
        out[i] = out[j]
        out[j] = swapped


cdef void draw_with(
    const Row* row, int diamonds, int takers, int thieves, uint8_t* takes, Rng* rng
) noexcept nogil:
    cdef uint8_t[MAX_SEATS] parts
    cdef uint8_t[MAX_SEATS] word
    cdef int seat, left = row.unknown_among[takers], others = left - thieves
    if thieves:
        draw_parts(diamonds, thieves, takes_all(row, takers), parts, rng)
    draw_word(row, others, word, rng)
    for seat in range(row.length):
        if row.known & bit(seat):
            continue
        if seat >= takers:
            takes[seat] = NOTHING
        elif chosen(rng, thieves, left):
            thieves -= 1
            left -= 1
            takes[seat] = parts[thieves]
        else:
            others -= 1
            left -= 1
            takes[seat] = word[others]


cdef void draw_way(
    const Row* row, int diamonds, int fewest, int most, uint8_t* takes, Rng* rng
) noexcept nogil:
    cdef uint64_t target = below(rng, count_ways(row, diamonds, fewest, most)), ways
    cdef int takers, thieves
    for takers in range(row.fewest_takers, row.most_takers + 1):
        for thieves in range(fewest, min(most, row.unknown_among[takers]) + 1):
            ways = count_with(row, diamonds, takers, thieves)
            if target < ways:
                draw_with(row, diamonds, takers, thieves, takes, rng)
                return
            target -= ways
