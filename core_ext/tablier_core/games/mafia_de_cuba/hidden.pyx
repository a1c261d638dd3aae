"""Hidden information in Mafia de Cuba: drawing and counting worlds (reference: Worlds).

Every seat takes some diamonds or one token while the box has something in it, so the seats that
took something come first in a row of seats. Which of them took diamonds, how many, and who took
which token are then bound by the totals alone: the order of the takes does not matter. With e
takers, f of them unknown and j thieves among these f, the number of ways is

    choose(f, j) x (ways to split the diamonds in j parts) x (sequences of f - j spare tokens).

A uniform draw therefore draws (e, j) by these numbers and then three independent uniform parts.
"""

from libc.stdint cimport uint8_t, uint16_t, uint64_t
from libc.string cimport memcpy, memset

from tablier_core.abi cimport MAX_PACKED, MAX_SEATS
from tablier_core.games.mafia_de_cuba.encoding cimport unpack, write_known
from tablier_core.games.mafia_de_cuba.rules cimport box_for
from tablier_core.games.mafia_de_cuba.state cimport (
    DIAMONDS, FIRST_TOKEN, GODFATHER, HIDE, KINDS, MAX_HIDDEN, NO_TOKEN, NOTHING, POUCH, Box, State,
    bit, diamonds_of, has_received, is_empty, knows_all, may_fire,
)
from tablier_core.packing cimport hash_bytes
from tablier_core.rng cimport Rng, rng_below, rng_next, shuffle_upwards

# Seats next to each other, through which the box went.
cdef struct Row:
    int length
    uint16_t known                      # the seats whose take is known
    int unknown_among[MAX_SEATS + 1]    # how many of the first n seats have an unknown take
    int fewest_takers                   # bounds on how many seats found something to take; they
    int most_takers                     # come first in the row
    bint last_may_pass                  # the last seat may leave the box as it is
    bint end_known                      # the box that the row left behind is known,
    bint end_empty                      # and it is empty
    int diamonds                        # for the unknown takes: exactly these if the end is known,
    int tokens                          # else at most these; below 0 if that is impossible
    uint8_t spare[KINDS]
    # [k][r]: how many sequences there are of r spare tokens of the first k kinds
    uint64_t words[KINDS + 1][MAX_SEATS]

# Everything that a viewer considers possible: the seats before it form the row `before`, which
# depends on what is in the pouch, and the seats after it form the row `after`. For a seat that has
# not received the box, and for the Godfather, every other seat is in `before`.
cdef struct Worlds:
    int fewest_hidden
    int most_hidden
    uint8_t pouches                     # the set of token kinds (and NO_TOKEN) it may hold
    Row before[KINDS + 1]
    int first_after
    Row after
    int fewest_thieves                  # 1 if another seat must hold diamonds in secret, else 0

# choose[n][k]: ways to choose k of n.
cdef uint16_t[DIAMONDS + 1][DIAMONDS + 1] choose


cdef void fill_choose() noexcept:
    cdef int n, k
    for n in range(DIAMONDS + 1):
        choose[n][0] = 1
        for k in range(1, DIAMONDS + 1):
            choose[n][k] = choose[n - 1][k - 1] + choose[n - 1][k] if n else 0


fill_choose()


# ---- Counting the ways of a row ------------------------------------------------------------------

cdef void count_words(Row* row) noexcept nogil:
    """Count the sequences of spare tokens kind by kind, choosing the places of each new kind."""
    cdef int kind, length, count
    memset(row.words, 0, sizeof(row.words))
    row.words[0][0] = 1
    for kind in range(KINDS):
        for length in range(row.length + 1):
            for count in range(min(<int>row.spare[kind], length) + 1):
                row.words[kind + 1][length] += (
                    choose[length][count] * row.words[kind][length - count]
                )


cdef void describe_row(
    Row* row, int length, const uint8_t* takes, uint16_t known,
    const Box* start, const Box* end, bint last_may_pass,
) noexcept nogil:
    """Describe a row that received `start` and left `end`, or NULL if that is unknown.

    `takes` are the takes of its seats, read only where `known` has the seat's bit.
    """
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
    """Whether the box may still hold something after `takers` took from it."""
    return takers == row.length or row.last_may_pass and takers == row.length - 1


cdef bint takes_all(const Row* row, int takers) noexcept nogil:
    """Whether the unknown takers must have taken exactly what was there for them."""
    return row.end_known or not leaves_rest(row, takers)


cdef uint64_t count_with(const Row* row, int diamonds, int takers, int thieves) noexcept nogil:
    """Count the ways with `takers` takers and `thieves` thieves among the unknown ones."""
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
    """Count the ways in which `fewest` to `most` unknown seats took these diamonds."""
    cdef int takers, thieves
    cdef uint64_t total = 0
    if diamonds < 0:
        return 0
    for takers in range(row.fewest_takers, row.most_takers + 1):
        for thieves in range(fewest, min(most, row.unknown_among[takers]) + 1):
            total += count_with(row, diamonds, takers, thieves)
    return total


# ---- Drawing a way of a row ----------------------------------------------------------------------

cdef uint64_t below(Rng* rng, uint64_t bound) noexcept nogil:
    """A uniform number below a bound of up to 64 bits, which must be at least 1."""
    cdef uint64_t mask = bound - 1, number
    cdef int shift = 1
    while shift < 64:
        mask |= mask >> shift
        shift *= 2
    while True:
        number = <uint64_t>rng_next(rng) << 32
        number = (number | rng_next(rng)) & mask
        if number < bound:
            return number


cdef inline bint chosen(Rng* rng, int wanted, int left) noexcept nogil:
    """Whether a uniform choice of `wanted` out of `left` things includes the next one."""
    return <int>rng_below(rng, left) < wanted


cdef void draw_parts(
    int diamonds, int parts, bint all_of_them, uint8_t* out, Rng* rng
) noexcept nogil:
    """Split diamonds in parts of at least one: cut a line of them at uniformly chosen places."""
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
    """Draw a uniform sequence of spare tokens: how many of each kind, then their order."""
    cdef int kind, count, left = length, i
    cdef uint64_t target, ways
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
    shuffle_upwards(out, length, rng)


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
    """Fill in the unknown takes with one of the ways that `count_ways` counts, drawn uniformly."""
    cdef uint64_t target = below(rng, count_ways(row, diamonds, fewest, most)), ways
    cdef int takers, thieves
    for takers in range(row.fewest_takers, row.most_takers + 1):
        for thieves in range(fewest, min(most, row.unknown_among[takers]) + 1):
            ways = count_with(row, diamonds, takers, thieves)
            if target < ways:
                draw_with(row, diamonds, takers, thieves, takes, rng)
                return
            target -= ways


# ---- Worlds --------------------------------------------------------------------------------------

cdef void describe_pouch(const State* s, int viewer, Worlds* w) noexcept nogil:
    cdef int kind
    if s.phase == POUCH or viewer == 1:
        w.pouches = <uint8_t>(1 << s.pouch)
        return
    w.pouches = 1 << NO_TOKEN
    for kind in range(KINDS):
        if s.tokens[kind]:
            w.pouches |= <uint8_t>(1 << kind)


cdef void describe_worlds(const State* s, int viewer, Worlds* w) noexcept nogil:
    """Describe all worlds that a viewer considers possible, in a game that is not over."""
    cdef bint received = has_received(s, viewer)
    cdef int kind, taken = s.turn - 1, before = taken
    cdef Box start, own
    cdef uint16_t known = s.revealed >> 1           # bit 0 is seat 1, the first of a row
    w.fewest_hidden = 0 if viewer > 1 else s.hidden
    w.most_hidden = MAX_HIDDEN if viewer > 1 else s.hidden
    describe_pouch(s, viewer, w)
    if viewer != GODFATHER and received:
        before = viewer - 1
    if received:
        box_for(s, s.seats if viewer == GODFATHER else viewer, &own)
    for kind in range(KINDS + 1):
        if w.pouches >> kind & 1:
            start.diamonds = DIAMONDS
            memcpy(start.tokens, s.tokens, KINDS)
            if kind != NO_TOKEN:
                start.tokens[kind] -= 1
            # Seat 1 has nobody before it, and received its box before filling the pouch.
            describe_row(
                &w.before[kind], before, s.takes + 1, known, &start,
                &own if received and viewer != 1 else NULL, before == s.seats - 1,
            )
    w.first_after = viewer + 1
    if received and viewer != GODFATHER and taken >= viewer:
        box_for(s, viewer + 1, &own)
        describe_row(
            &w.after, taken - viewer, s.takes + w.first_after, s.revealed >> w.first_after, &own,
            NULL, taken == s.seats - 1,
        )
    else:
        describe_row(&w.after, 0, s.takes, 0, &s.box, NULL, False)
    # The game is not over, so some diamonds are still missing; the viewer may have them.
    w.fewest_thieves = 1 if s.turn == s.seats and (
        s.revealed & bit(viewer) or not diamonds_of(s.takes[viewer])
    ) else 0


cdef uint64_t count_before(const Worlds* w, int fewest, int most) noexcept nogil:
    cdef uint64_t total = 0
    cdef int kind, hidden
    for kind in range(KINDS + 1):
        if w.pouches >> kind & 1:
            for hidden in range(w.fewest_hidden, w.most_hidden + 1):
                total += count_ways(
                    &w.before[kind], w.before[kind].diamonds - hidden, fewest, most
                )
    return total


cdef void draw_before(State* s, const Worlds* w, int fewest, int most, Rng* rng) noexcept nogil:
    """Draw what the Godfather hid, the pouch, and the takes of the row `before`."""
    cdef uint64_t target = below(rng, count_before(w, fewest, most)), ways
    cdef int kind, hidden, diamonds
    for kind in range(KINDS + 1):
        if not w.pouches >> kind & 1:
            continue
        for hidden in range(w.fewest_hidden, w.most_hidden + 1):
            diamonds = w.before[kind].diamonds - hidden
            ways = count_ways(&w.before[kind], diamonds, fewest, most)
            if target < ways:
                s.hidden = <uint8_t>hidden
                s.pouch = <uint8_t>kind
                draw_way(&w.before[kind], diamonds, fewest, most, s.takes + 1, rng)
                return
            target -= ways


# There are two kinds of worlds: either some unknown seat of `before` is a thief, or none is, and
# the thief that may be required is in `after`.

cdef uint64_t count_with_thief_before(const Worlds* w) noexcept nogil:
    return count_before(w, 1, MAX_SEATS) * count_ways(&w.after, w.after.diamonds, 0, MAX_SEATS)


cdef uint64_t count_without_thief_before(const Worlds* w) noexcept nogil:
    return count_before(w, 0, 0) * count_ways(
        &w.after, w.after.diamonds, w.fewest_thieves, MAX_SEATS
    )


# ---- Slots ---------------------------------------------------------------------------------------

cdef void draw_reaction(State* s, int viewer, Rng* rng) noexcept nogil:
    """If another seat is the cleaner and has reacted, draw whether it fired."""
    cdef int seat
    if s.shooter != viewer:
        s.shooter = 0
    for seat in range(1, s.seats):
        if seat != viewer and s.reacted & bit(seat) and may_fire(s, seat):
            s.shooter = <uint8_t>(seat * rng_below(rng, 2))


cdef void determinize(void* state, int viewer, Rng* rng) noexcept nogil:
    """Draw uniformly among the ways in which the box can have gone round."""
    cdef State* s = <State*>state
    cdef Worlds w
    cdef uint64_t with_thief, without_thief
    cdef int seat, fewest_after = 0
    if knows_all(s, viewer) or s.phase == HIDE:
        return
    describe_worlds(s, viewer, &w)
    with_thief = count_with_thief_before(&w)
    without_thief = count_without_thief_before(&w)
    if below(rng, with_thief + without_thief) < with_thief:
        draw_before(s, &w, 1, MAX_SEATS, rng)
    else:
        draw_before(s, &w, 0, 0, rng)
        fewest_after = w.fewest_thieves
    draw_way(&w.after, w.after.diamonds, fewest_after, MAX_SEATS, s.takes + w.first_after, rng)
    s.stolen = 0
    for seat in range(1, s.seats):
        s.stolen += <uint8_t>diamonds_of(s.takes[seat])
    box_for(s, s.turn, &s.box)
    if s.turn == 1 and s.pouch != NO_TOKEN:
        s.box.tokens[s.pouch] -= 1
    draw_reaction(s, viewer, rng)


cdef uint64_t infoset(const void* state, int viewer) noexcept nogil:
    """Hash the viewer and the bytes that it may know."""
    cdef uint8_t known[MAX_PACKED]
    cdef size_t length = write_known(<const State*>state, viewer, known)
    return hash_bytes(<uint64_t>(viewer + 1), known, length)


def count_worlds(bytes packed, int viewer):
    """Count the ways in which the box can have gone round, given everything a viewer knows."""
    cdef State s
    cdef Worlds w
    cdef const uint8_t* data = packed
    if unpack(&s, data, len(packed)):
        raise ValueError("not a packed state of this game")
    if knows_all(&s, viewer) or s.phase == HIDE:
        return 1
    describe_worlds(&s, viewer, &w)
    return count_with_thief_before(&w) + count_without_thief_before(&w)
