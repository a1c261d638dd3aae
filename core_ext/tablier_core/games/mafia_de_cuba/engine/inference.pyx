"""The chances of every box and take, by forward and backward messages.

The box that a seat passes on depends only on the box that it received and on what it took, and its
words depend only on these three (testimony.pyx). So the way of the box round the table is a hidden
Markov chain, and the exact chance of every take follows from one message along the chain and one
against it, whatever is known: diamonds that were hidden, boxes that were seen, takes that were
shown. (reference: Engine)

All sums use basic IEEE 754 operations in a fixed order: results are the same on every machine.
"""

from libc.stdint cimport uint8_t
from libc.string cimport memcpy, memset

from tablier_core.abi cimport MAX_SEATS
from tablier_core.games.mafia_de_cuba.encoding cimport unpack
from tablier_core.games.mafia_de_cuba.engine.testimony cimport (
    BOXES, HONESTY, POUCHED, UNKNOWN, WIDTH, Likelihood, collect_testimony, fits, fits_passed,
    fits_received, holds, init_kit, number_box, prepare_likelihood, seen_by, worth,
)
from tablier_core.games.mafia_de_cuba.notation cimport name_take
from tablier_core.games.mafia_de_cuba.rules cimport box_for
from tablier_core.games.mafia_de_cuba.state cimport (
    DIAMONDS, FIRST_TOKEN, GODFATHER, INQUIRY, KINDS, MAX_HIDDEN, NO_TOKEN, NOTHING, POUCH, SETS,
    TAKES, TOOK, Box, State,
    bit, diamonds_of, has_received,
)
from tablier_core.rng cimport Rng, draw_weighted

# By take: how tempting it is, relative to the others that the box allows.
cdef double[TAKES] LURE
LURE[:] = [
    0.6, 0.34, 0.26, 0.22, 0.18, 0.15, 0.12, 0.1, 0.09, 0.08, 0.07, 0.06, 0.05, 0.05, 0.04, 0.04,
    0.6, 0.5, 0.5, 0.5, 0.5,
]
# A difference of sums smaller than this part of them is only rounding error.
cdef double ROUNDING = 1e-9
# The summed temptation of taking 1 to n diamonds, and of the token kinds in a set.
cdef double[DIAMONDS + 1] lure_of_diamonds
cdef double[SETS] lure_of_tokens


cdef void fill_lures() noexcept:
    cdef int count, token_set, kind
    for count in range(1, DIAMONDS + 1):
        lure_of_diamonds[count] = lure_of_diamonds[count - 1] + LURE[count]
    for token_set in range(SETS):
        for kind in range(KINDS):
            if holds[token_set][kind]:
                lure_of_tokens[token_set] += LURE[FIRST_TOKEN + kind]


fill_lures()

# For Python: an independent implementation in the tests uses the same model.
TAKING = tuple([LURE[taken] for taken in range(TAKES)])

# The takes that a box allows.
cdef struct Choices:
    int n
    int take[TAKES]
    int passed[TAKES]
    double chance[TAKES]


# ---- The mind ------------------------------------------------------------------------------------

cdef void init_mind(Mind* m, const State* s, int viewer) noexcept nogil:
    cdef int seat, kind
    cdef Box box
    init_kit(&m.kit, s)
    collect_testimony(s, m.words)
    m.seats = s.seats
    m.all_found = False
    m.fewest_hidden = s.hidden if viewer <= 1 else 0
    m.most_hidden = s.hidden if viewer <= 1 else MAX_HIDDEN
    for kind in range(KINDS + 1):
        m.pouch[kind] = POUCHED[kind] if kind == NO_TOKEN or s.tokens[kind] else 0.0
        if viewer == 1 and s.phase > POUCH:
            m.pouch[kind] = 1.0 if kind == s.pouch else 0.0
    for seat in range(s.seats + 1):
        m.box[seat] = UNKNOWN
    for seat in range(1, s.seats):
        m.take[seat] = UNKNOWN
        if s.revealed & bit(seat) or seat == viewer and seat < s.turn:
            m.take[seat] = s.takes[seat]
    if viewer != 1 and has_received(s, viewer):
        box_for(s, viewer or s.seats, &box)
        m.box[viewer or s.seats] = number_box(&box)


# ---- Takes ---------------------------------------------------------------------------------------

cdef inline void add_choice(Choices* c, int taken, int passed, double total) noexcept nogil:
    c.take[c.n] = taken
    c.passed[c.n] = passed
    c.chance[c.n] = LURE[taken] / total
    c.n += 1


cdef void list_choices(const Mind* m, int seat, int box, Choices* c) noexcept nogil:
    """List what a seat may have taken from a box, with chances that ignore its words."""
    cdef int kind, taken, token_set = box // WIDTH, known = m.take[seat], most = box % WIDTH
    cdef double total = lure_of_diamonds[most] + lure_of_tokens[token_set]
    c.n = 0
    if seat == m.seats - 1 or box == 0:
        total += LURE[NOTHING]
        if known == UNKNOWN or known == NOTHING:
            add_choice(c, NOTHING, box, total)
    if known == UNKNOWN and not m.all_found:
        for taken in range(1, most + 1):
            add_choice(c, taken, box - taken, total)
    elif 0 < known <= most:
        add_choice(c, known, box - known, total)
    for kind in range(KINDS):
        if holds[token_set][kind] and (known == UNKNOWN or known == FIRST_TOKEN + kind):
            add_choice(c, FIRST_TOKEN + kind, box - worth[kind], total)


cdef int draw_start(const Mind* m, Rng* rng) noexcept nogil:
    cdef double[(KINDS + 1) * (MAX_HIDDEN + 1)] chances
    cdef int[(KINDS + 1) * (MAX_HIDDEN + 1)] boxes
    cdef int i, box, full, n = 0
    # `begin` gives a chance to one box at least, and only to these.
    for i in range(m.kit.sets):
        full = m.kit.subset[i] * WIDTH + DIAMONDS
        for box in range(full - m.most_hidden, full - m.fewest_hidden + 1):
            if m.forward[1][box] != 0.0:
                boxes[n] = box
                chances[n] = m.forward[1][box] * m.backward[1][box]
                n += 1
    return boxes[draw_weighted(chances, n, rng)]


cdef int draw_takes(
    const Mind* m, int first, int end, int box, bint guided, uint8_t* takes, Rng* rng
) noexcept nogil:
    cdef Choices c
    cdef int seat, i
    for seat in range(first, end):
        list_choices(m, seat, box, &c)
        if guided:
            for i in range(c.n):
                c.chance[i] *= m.backward[seat + 1][c.passed[i]]
        i = draw_weighted(c.chance, c.n, rng)
        takes[seat] = <uint8_t>c.take[i]
        box = c.passed[i]
    return box


# ---- Messages ------------------------------------------------------------------------------------

cdef void keep_known(const Mind* m, int seat, double* message) noexcept nogil:
    """Rule out every box other than the known one."""
    cdef double kept
    if m.box[seat] != UNKNOWN:
        kept = message[m.box[seat]]
        memset(message, 0, BOXES * sizeof(double))
        message[m.box[seat]] = kept


cdef void begin(const Mind* m, double* out) noexcept nogil:
    """The message into seat 1: the box that it took from."""
    cdef int hidden, kind, box
    memset(out, 0, BOXES * sizeof(double))
    for hidden in range(m.fewest_hidden, m.most_hidden + 1):
        for kind in range(KINDS + 1):
            if m.pouch[kind]:
                box = m.kit.full * WIDTH + DIAMONDS - hidden
                box -= worth[kind] if kind < NO_TOKEN else 0
                out[box] += m.pouch[kind]


cdef inline double likelihood_of(
    const Likelihood* heard, int seen, int taken, int passed
) noexcept nogil:
    """The likelihood of a seat's words if it saw a box, took something and passed the rest on."""
    cdef double honest = 0.0, lying
    if heard.quiet:
        return 1.0
    lying = heard.unrelated + heard.from_received[seen] + heard.from_passed[passed]
    if (
        not heard.words.contradictory and fits_received(&heard.words, seen)
        and fits_passed(&heard.words, passed)
    ):
        lying += heard.take_only
        if fits(&heard.words, TOOK, taken):
            honest = HONESTY[taken] * heard.honest_silence
    return honest + (1.0 - HONESTY[taken]) * heard.lying_silence * lying


cdef void step_forward(
    const Mind* m, int seat, const Likelihood* heard, const double* before, double* out
) noexcept nogil:
    """One forward message."""
    cdef Choices c
    cdef int i, j, box, seen
    memset(out, 0, BOXES * sizeof(double))
    for i in range(m.kit.sets):
        for box in range(m.kit.subset[i] * WIDTH, m.kit.subset[i] * WIDTH + WIDTH):
            if before[box] == 0.0:
                continue
            list_choices(m, seat, box, &c)
            seen = seen_by(&m.kit, seat, box)
            for j in range(c.n):
                out[c.passed[j]] += (
                    before[box] * c.chance[j] * likelihood_of(heard, seen, c.take[j], c.passed[j])
                )
    keep_known(m, seat + 1, out)


cdef double step_back(
    const Mind* m, int seat, const Likelihood* heard, const double* after, double* out,
    const double* before, double* takes,
) noexcept nogil:
    cdef Choices c
    cdef int i, j, box, seen
    cdef double chance, total = 0.0
    memset(out, 0, BOXES * sizeof(double))
    for i in range(m.kit.sets):
        for box in range(m.kit.subset[i] * WIDTH, m.kit.subset[i] * WIDTH + WIDTH):
            if before != NULL and before[box] == 0.0:
                continue
            list_choices(m, seat, box, &c)
            seen = seen_by(&m.kit, seat, box)
            for j in range(c.n):
                if after[c.passed[j]] == 0.0:
                    continue
                chance = (
                    c.chance[j] * likelihood_of(heard, seen, c.take[j], c.passed[j])
                    * after[c.passed[j]]
                )
                out[box] += chance
                if before != NULL:
                    takes[c.take[j]] += before[box] * chance
                    total += before[box] * chance
    keep_known(m, seat, out)
    return total


cdef void listen(const Mind* m, int seat, Likelihood* heard) noexcept nogil:
    prepare_likelihood(heard, &m.kit, &m.words[seat], seat, seat == m.seats - 1)


cdef void look_forward(Mind* m, int seat) noexcept nogil:
    cdef Likelihood heard
    cdef int other
    begin(m, m.forward[1])
    keep_known(m, 1, m.forward[1])
    for other in range(1, seat):
        listen(m, other, &heard)
        step_forward(m, other, &heard, m.forward[other], m.forward[other + 1])


cdef void end_chain(Mind* m) noexcept nogil:
    """The message into the box that came back: nothing follows."""
    cdef int box
    for box in range(BOXES):
        m.backward[m.seats][box] = 1.0
    keep_known(m, m.seats, m.backward[m.seats])


cdef void look_back(Mind* m, int seat) noexcept nogil:
    cdef Likelihood heard
    cdef int other
    end_chain(m)
    for other in range(m.seats - 1, seat - 1, -1):
        listen(m, other, &heard)
        step_back(m, other, &heard, m.backward[other + 1], m.backward[other], NULL, NULL)


cdef double add_up(Mind* m) noexcept nogil:
    """Compute all messages and the weights of all takes; return the sum for one seat."""
    cdef Likelihood heard
    cdef int seat
    cdef double total = 0.0
    look_forward(m, m.seats)
    end_chain(m)
    memset(m.takes, 0, sizeof(m.takes))
    for seat in range(m.seats - 1, 0, -1):
        listen(m, seat, &heard)
        total = step_back(
            m, seat, &heard, m.backward[seat + 1], m.backward[seat], m.forward[seat], m.takes[seat]
        )
    return total


cdef void infer(Mind* m, bint game_goes_on) noexcept nogil:
    cdef double[MAX_SEATS][TAKES] found
    cdef double total, none = 0.0
    cdef int seat, taken
    memset(found, 0, sizeof(found))
    if game_goes_on:
        # Subtract the ways in which all diamonds have been found: the game would be over.
        m.all_found = True
        none = add_up(m)
        memcpy(found, m.takes, sizeof(found))
        m.all_found = False
    total = add_up(m)
    if total - none < ROUNDING * total:
        # Almost nothing would be left, and most of it rounding errors.
        memset(found, 0, sizeof(found))
        none = 0.0
    total -= none
    for seat in range(1, m.seats):
        for taken in range(TAKES):
            m.takes[seat][taken] = max(0.0, m.takes[seat][taken] - found[seat][taken]) / total


cdef bint goes_on_without(const State* s, int seat) noexcept nogil:
    if s.phase < INQUIRY or seat == GODFATHER:
        return False
    return s.revealed & bit(seat) != 0 or not diamonds_of(s.takes[seat])


def suspect(bytes packed, int viewer):
    """The chance of each take of seats 1, 2, ..., by what a viewer knows and has heard."""
    cdef State s
    cdef Mind m
    cdef const uint8_t* data = packed
    cdef int seat, taken
    if unpack(&s, data, len(packed)):
        raise ValueError("not a packed state of this game")
    init_mind(&m, &s, viewer)
    infer(&m, goes_on_without(&s, viewer))
    return [
        {name_take(taken): m.takes[seat][taken] for taken in range(TAKES) if m.takes[seat][taken]}
        for seat in range(1, s.seats)
    ]
