"""How Contrast is played well: who is likely to choose what, and what a symbol then brings.

The others' hands are public, so all ways in which they can choose are gone through, each as likely
as people make it who choose by affinity: a symbol's weight grows by a fixed factor with each step
of its affinity. How large that factor is for a seat, how sharply it looks, is learnt from what it
chose before. A seat is then interested in its share of the win, so a rival's image is a loss, the
leader's most of all; and in what its cards are worth in the next rounds, while the one that it
plays lies in the row.

Choices that are nearly as good are drawn by lot: equals in equal positions would else all choose
the same symbol, and it would win nothing. The more often all have chosen alike of late, the more
choices take part. Two seats want to be alike, so a team draws no lots.

All sums are of IEEE 754's basic operations, in a fixed order: the same on every machine.
"""

from libc.math cimport sqrt
from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memset

from tablier_core.abi cimport SETTLED, Verdict, move_t
from tablier_core.budget cimport STILL_RUNNING, Budget, spent
from tablier_core.games.contrast.images cimport deck_of
from tablier_core.games.contrast.state cimport (
    CARDS, DECK, EXCLUDED, MAX_MOVES, SEATS, STEPS, SYMBOLS, TEAM, TEAM_GOAL, State, choice_of,
    lay_rows, list_symbols, list_unseen, rotate_row, shuffle, winning_symbols,
)
from tablier_core.rng cimport Rng, rng_unit

cdef enum:
    LOOKS = 8                           # how sharply a seat may look
    MIDDLING = 4                        # the look of somebody of whom nothing is known
    WINNERS = 1 << SEATS                # sets of seats
    MOST_LOOKED_AT = 192                # images that may come next; more would change nothing
    FORESEEN = 3                        # rivals whose choices are all gone through at any rate

# By look: the factor by which a step of affinity makes a symbol likelier.
cdef double[LOOKS] GROWTH = [1.0, 1.01, 1.02, 1.03, 1.04, 1.06, 1.1, 1.16]
# A round moves scores apart: a lead counts for less the more images are left.
cdef double UNREST = 0.3
# What a card's absence from the next round costs in the later ones.
cdef double PATIENCE = 0.5
# Symbols are near-equal whose shares of the win differ by less than this.
cdef double NEAR = 0.002
# By how much more if all always choose alike; how much of that the last round tells; and how often
# they are believed to before the first.
cdef double WIDE = 0.15
cdef double LAST_ROUND = 0.2
cdef double ALIKE_BEFORE = 0.5
# A share that is as good as none.
cdef double SURE = 1e-9
# How readily a partner is believed to look for the common symbol, as rounds seen before the game.
cdef double AGREED_BEFORE = 3.0
cdef double ROUNDS_BEFORE = 4.0

# By look and affinity: the weight of a symbol.
cdef double[LOOKS][STEPS + 1] liking


cdef void fill_liking() noexcept:
    cdef int look, step
    for look in range(LOOKS):
        liking[look][0] = 1.0
        for step in range(STEPS):
            liking[look][step + 1] = liking[look][step] * GROWTH[look]


fill_liking()

cdef struct Mind:
    const State* s
    const uint8_t* deck
    int seat
    double belief[SEATS][LOOKS]         # how sharply each seat looks, as far as its choices tell

# A round to come: hands, and what is likely to be chosen from them.
cdef struct Round:
    int seats
    int seat                            # which chooses
    uint32_t n                          # of its symbols
    move_t own[SYMBOLS]
    uint32_t counts[SEATS]              # by other seat: of its symbols
    move_t symbols[SEATS][MAX_MOVES]
    double chances[SEATS][MAX_MOVES]
    double outcomes[SYMBOLS][WINNERS]   # by own symbol: the chance that just these seats win


# ---- How people choose ---------------------------------------------------------------------------

cdef void judge(
    const double* belief, const uint8_t* affinities, const move_t* symbols, uint32_t n, double* out
) noexcept nogil:
    """The chance of each symbol to be chosen, given how likely each look is."""
    cdef double total
    cdef int look
    cdef uint32_t i
    memset(out, 0, n * sizeof(double))
    for look in range(LOOKS):
        total = 0.0
        for i in range(n):
            total += liking[look][affinities[symbols[i]]]
        for i in range(n):
            out[i] += belief[look] * liking[look][affinities[symbols[i]]] / total


cdef void learn(Mind* m) noexcept nogil:
    """Go through the completed rounds: how likely did each look make what was chosen?"""
    cdef State past = m.s[0]
    cdef move_t[MAX_MOVES] symbols
    cdef const uint8_t* affinities
    cdef uint32_t choice, n, i
    cdef int seat, look, round_
    cdef double total, sum_
    for seat in range(past.seats):
        for look in range(LOOKS):
            m.belief[seat][look] = 1.0 / LOOKS
    lay_rows(&past)
    for round_ in range(past.rounds):
        affinities = m.deck + SYMBOLS * past.order[past.seen_at[round_]]
        for seat in range(past.seats):
            choice = choice_of(past.history[round_], seat)
            if choice == EXCLUDED:
                continue
            n = list_symbols(&past, seat, symbols)
            sum_ = 0.0
            for look in range(LOOKS):
                total = 0.0
                for i in range(n):
                    total += liking[look][affinities[symbols[i]]]
                m.belief[seat][look] *= liking[look][affinities[choice]] / total
                sum_ += m.belief[seat][look]
            for look in range(LOOKS):
                m.belief[seat][look] /= sum_
            rotate_row(&past, seat, choice >> 1)


# ---- What a round brings -------------------------------------------------------------------------

cdef void prepare(
    Round* r, const Mind* m, const State* s, const uint8_t* affinities
) noexcept nogil:
    """What the other seats are likely to choose from their hands in `s`."""
    cdef int seat
    r.seats = s.seats
    r.seat = m.seat
    for seat in range(s.seats):
        if seat != m.seat:
            r.counts[seat] = list_symbols(s, seat, r.symbols[seat])
            judge(m.belief[seat], affinities, r.symbols[seat], r.counts[seat], r.chances[seat])
    memset(r.outcomes, 0, sizeof(r.outcomes))


cdef inline uint32_t winners_of(int seats, uint32_t choices) noexcept nogil:
    """The seats that win an image by these choices, a bit each."""
    cdef uint32_t winning = winning_symbols(seats, choices), winners = 0
    cdef int seat
    if winning:
        for seat in range(seats):
            winners |= ((winning >> choice_of(choices, seat)) & 1) << seat
    return winners


cdef void reveal(Round* r, uint32_t choices, double chance) noexcept nogil:
    """What each own symbol brings, given what all others choose."""
    cdef uint32_t i, winners, chosen = 0, alone = WINNERS
    cdef int seat
    for seat in range(r.seats):
        if seat != r.seat:
            chosen |= <uint32_t>1 << choice_of(choices, seat)
    for i in range(r.n):
        if (chosen >> r.own[i]) & 1 or alone == WINNERS:
            winners = winners_of(r.seats, choices | r.own[i] << (4 * r.seat))
        # A vote that stands alone does the same whatever it is for.
        if not (chosen >> r.own[i]) & 1:
            if alone == WINNERS:
                alone = winners
            winners = alone
        r.outcomes[i][winners] += chance


cdef uint32_t draw(const double* chances, uint32_t n, Rng* rng) noexcept nogil:
    """One of n, as likely as their chances, which need not add up to 1."""
    cdef double total = 0.0, left
    cdef uint32_t i
    for i in range(n):
        total += chances[i]
    left = rng_unit(rng) * total
    for i in range(n):
        left -= chances[i]
        if left < 0.0:
            return i
    return n - 1


cdef void settle_some(Round* r, Rng* rng) noexcept nogil:
    """Let chance choose for rivals beyond a few, where there is no time to go through all."""
    cdef int seat, rivals = 0
    cdef uint32_t i
    for seat in range(r.seats):
        rivals += seat != r.seat
        if seat != r.seat and rivals > FORESEEN:
            i = draw(r.chances[seat], r.counts[seat], rng)
            r.symbols[seat][0] = r.symbols[seat][i]
            r.chances[seat][0] = 1.0
            r.counts[seat] = 1


cdef bint go_through(
    Round* r, int seat, uint32_t choices, double chance, const Budget* budget
) noexcept nogil:
    """Every way in which the seats from this one on can choose; False if the budget ends before.

    Without a budget it goes on to the end.
    """
    cdef uint32_t i
    if seat == r.seat:
        seat += 1
    if seat == r.seats:
        reveal(r, choices, chance)
        return True
    # Three seats choose within a fraction of a millisecond.
    if seat <= r.seats - 3 and budget != NULL and spent(budget, 0) != STILL_RUNNING:
        return False
    for i in range(r.counts[seat]):
        if not go_through(
            r, seat + 1, choices | r.symbols[seat][i] << (4 * seat),
            chance * r.chances[seat][i], budget
        ):
            return False
    return True


cdef void share_win(const State* s, uint32_t winners, double* shares) noexcept nogil:
    """Every seat's share of the win after a round that these seats win.

    Exact when the pile is then empty, else falling by a factor with each image behind the leader.
    """
    cdef int seat, used = 0, best = 0, left, _behind
    cdef int[SEATS] scores
    cdef double keep = 0.0, total = 0.0
    for seat in range(s.seats):
        scores[seat] = s.scores[seat] + <int>((winners >> seat) & 1)
        used += <int>((winners >> seat) & 1)
        best = max(best, scores[seat])
    left = s.images - s.top - max(used, 1)
    if left > 0:
        keep = 1.0 - 1.0 / (1.0 + UNREST * sqrt(<double>left))
    for seat in range(s.seats):
        shares[seat] = 1.0
        for _behind in range(best - scores[seat]):
            shares[seat] *= keep
        total += shares[seat]
    for seat in range(s.seats):
        shares[seat] /= total


cdef inline double as_return(double share) noexcept nogil:
    """From -1 for no share of the win to 1 for all of it; sums may miss those by a last bit."""
    return max(-1.0, min(1.0, 2.0 * share - 1.0))


# ---- What a card costs later ---------------------------------------------------------------------

cdef void look_further(
    const Mind* m, const Round* now, const double* standing, const Budget* budget, Rng* rng,
    double* later
) noexcept nogil:
    """By card played now: the share of the win that the best choice of the next round is worth.

    An iteration is one image that may come next, with hands as the others may have them by then.
    `standing` has the own share after each set of winners.
    """
    cdef State next_ = m.s[0]
    cdef Round r
    cdef uint8_t[DECK] places
    cdef uint8_t[DECK] images
    cdef double[SYMBOLS] worth
    cdef double best
    cdef int unseen = list_unseen(m.s, places, images), looked = 0, seat, card, back, other
    cdef uint32_t i, winners
    memset(later, 0, CARDS * sizeof(double))
    back = <int>(m.s.row[m.seat] & 255)
    shuffle(images, unseen, rng)
    r.n = 0
    for i in range(SYMBOLS):
        if i >> 1 == back or (m.s.hand[m.seat] >> (i >> 1)) & 1:
            r.own[r.n] = i
            r.n += 1
    while unseen and looked < MOST_LOOKED_AT and spent(budget, looked) == STILL_RUNNING:
        for seat in range(m.s.seats):
            if seat != m.seat:
                next_.hand[seat] = m.s.hand[seat]
                next_.row[seat] = m.s.row[seat]
                i = draw(now.chances[seat], now.counts[seat], rng)
                rotate_row(&next_, seat, now.symbols[seat][i] >> 1)
        prepare(&r, m, &next_, m.deck + SYMBOLS * images[looked % unseen])
        settle_some(&r, rng)
        go_through(&r, 0, 0, 1.0, NULL)
        looked += 1
        memset(worth, 0, sizeof(worth))
        for i in range(r.n):
            for winners in range(<uint32_t>1 << m.s.seats):
                worth[r.own[i]] += r.outcomes[i][winners] * standing[winners]
        for card in range(CARDS):
            best = max(worth[2 * back], worth[2 * back + 1])
            for other in range(CARDS):
                if other != card and (m.s.hand[m.seat] >> other) & 1:
                    best = max(best, max(worth[2 * other], worth[2 * other + 1]))
            later[card] += (best - later[card]) / looked


# ---- Rivals --------------------------------------------------------------------------------------

cdef double alike(const State* s) noexcept nogil:
    """How often all have chosen the same symbol, recent rounds counting for more."""
    cdef double often = ALIKE_BEFORE
    cdef uint32_t choice, symbols
    cdef int round_, seat
    for round_ in range(s.rounds):
        symbols = 0
        for seat in range(s.seats):
            choice = choice_of(s.history[round_], seat)
            if choice != EXCLUDED:
                symbols |= <uint32_t>1 << choice
        often += LAST_ROUND * ((0.0 if symbols & (symbols - 1) else 1.0) - often)
    return often


cdef void rank_against(
    const Mind* m, const move_t* moves, uint32_t n, const Budget* budget, Rng* rng,
    double* weights, double* values
) noexcept nogil:
    """By share of the win; then a lot among the near-equal."""
    cdef const State* s = m.s
    cdef Round r
    cdef double[WINNERS][SEATS] shares
    cdef double[WINNERS] standing
    cdef double[CARDS] later
    cdef double[MAX_MOVES] lots
    cdef double most = 0.0, best = 0.0, own, absent, near
    cdef uint32_t i, winners
    cdef int seat
    prepare(&r, m, s, m.deck + SYMBOLS * s.order[s.top])
    r.n = n
    for i in range(n):
        r.own[i] = moves[i]
    if not go_through(&r, 0, 0, 1.0, budget):
        settle_some(&r, rng)
        memset(r.outcomes, 0, sizeof(r.outcomes))
        go_through(&r, 0, 0, 1.0, NULL)
    for winners in range(<uint32_t>1 << s.seats):
        share_win(s, winners, shares[winners])
        standing[winners] = shares[winners][m.seat]
    look_further(m, &r, standing, budget, rng, later)
    for i in range(CARDS):
        most = max(most, later[i])
    # The rounds in which the card will be missed; the pile may not last so long.
    absent = PATIENCE * min(s.row_length, 0.5 * (s.images - s.top - 1))
    for i in range(n):
        for winners in range(<uint32_t>1 << s.seats):
            for seat in range(s.seats):
                values[i * s.seats + seat] += r.outcomes[i][winners] * shares[winners][seat]
        own = values[i * s.seats + m.seat]
        weights[i] = max(0.0, own - absent * (most - later[moves[i] >> 1]))
        for seat in range(s.seats):
            # What the seat loses by it later, the others gain.
            values[i * s.seats + seat] = as_return(
                weights[i] if seat == m.seat
                else values[i * s.seats + seat] * (1.0 - weights[i]) / max(1.0 - own, SURE)
            )
        best = max(best, weights[i])
    near = alike(s)
    near = NEAR + WIDE * near * near * near
    for i in range(n):
        lots[i] = max(0.0, weights[i] - best + near)
        # Never 0: that would exclude a move.
        weights[i] += 1.0
    weights[draw(lots, n, rng)] = 3.0


# ---- A team --------------------------------------------------------------------------------------

cdef int agreed(const State* s, const uint8_t* affinities) noexcept nogil:
    """The symbol that fits best of those that both hold, the first of equals; -1 if none is.

    Both can work it out, and it is also what somebody most likely chooses who only looks at the
    image. So it is the best choice whoever the partner is.
    """
    cdef int symbol, best = -1
    for symbol in range(SYMBOLS):
        if (s.hand[0] & s.hand[1]) >> (symbol >> 1) & 1:
            if best < 0 or affinities[symbol] > affinities[best]:
                best = symbol
    return best


cdef double trust(const Mind* m) noexcept nogil:
    """How often the partner chose the agreed symbol when there was one."""
    cdef State past = m.s[0]
    cdef double kept = AGREED_BEFORE, rounds = ROUNDS_BEFORE
    cdef uint32_t choice
    cdef int round_, seat, symbol
    lay_rows(&past)
    for round_ in range(past.rounds):
        symbol = agreed(&past, m.deck + SYMBOLS * past.order[past.seen_at[round_]])
        for seat in range(TEAM):
            choice = choice_of(past.history[round_], seat)
            if choice == EXCLUDED:
                continue
            if seat != m.seat and symbol >= 0:
                rounds += 1.0
                kept += <int>choice == symbol
            rotate_row(&past, seat, choice >> 1)
    return kept / rounds


cdef void reach(double rate, int left, int missing, double* out) noexcept nogil:
    """The chance to score what is missing in so many rounds: out[0] with one point more than now,
    out[1] without."""
    cdef double[TEAM_GOAL + 1] chance
    cdef int points, _round
    if missing <= 0:
        out[0] = out[1] = 1.0
        return
    memset(chance, 0, sizeof(chance))
    chance[0] = 1.0
    for _round in range(left):
        for points in range(missing, 0, -1):
            chance[points] = rate * chance[points - 1] + (1.0 - rate) * chance[points]
    out[0] = chance[missing - 1]
    out[1] = chance[missing]


cdef double common_next(const State* s, int seat, move_t move, const Round* r) noexcept nogil:
    """How many cards both are likely to hold in the next round after this choice."""
    cdef State after
    cdef int partner = 1 - seat
    cdef uint32_t i, common
    cdef double cards = 0.0
    for i in range(r.counts[partner]):
        after = s[0]
        rotate_row(&after, seat, move >> 1)
        rotate_row(&after, partner, r.symbols[partner][i] >> 1)
        common = after.hand[0] & after.hand[1]
        while common:
            cards += r.chances[partner][i]
            common &= common - 1
    return cards


cdef void rank_together(
    const Mind* m, const move_t* moves, uint32_t n, double* weights, double* values
) noexcept nogil:
    """By the chance to agree now; if there is none, by the chance to agree in the next round."""
    cdef const State* s = m.s
    cdef const uint8_t* affinities = m.deck + SYMBOLS * s.order[s.top]
    cdef int symbol = agreed(s, affinities), partner = 1 - m.seat
    cdef double kept = trust(m), chance, team
    cdef double[2] reached
    cdef Round r
    cdef uint32_t i, j
    prepare(&r, m, s, affinities)
    reach(kept, s.images - s.top - 1, TEAM_GOAL - s.scores[0], reached)
    for i in range(n):
        chance = 0.0
        for j in range(r.counts[partner]):
            if r.symbols[partner][j] == moves[i]:
                chance = r.chances[partner][j] * (1.0 - kept)
        if <int>moves[i] == symbol:
            chance += kept
        team = chance * reached[0] + (1.0 - chance) * reached[1]
        values[TEAM * i] = values[TEAM * i + 1] = as_return(team)
        weights[i] = 1.0 + CARDS * chance
        if symbol < 0:
            weights[i] += common_next(s, m.seat, moves[i], &r)


# ---- The slots -----------------------------------------------------------------------------------

cdef uint32_t pick(
    const void* state, int seat, const move_t* moves, uint32_t n, Rng* rng
) noexcept nogil:
    """As people choose of whom nothing is known."""
    cdef const State* s = <const State*>state
    cdef const uint8_t* affinities = deck_of(s) + SYMBOLS * s.order[s.top]
    cdef double[MAX_MOVES] chances
    cdef uint32_t i
    for i in range(n):
        chances[i] = liking[MIDDLING][affinities[moves[i]]]
    return draw(chances, n, rng)


cdef Verdict rank(
    const void* state, int seat, const move_t* moves, uint32_t n, const Budget* budget, Rng* rng,
    double* weights, double* values,
) noexcept nogil:
    cdef Mind m
    m.s = <const State*>state
    m.deck = deck_of(m.s)
    m.seat = seat
    learn(&m)
    if m.s.seats == TEAM:
        rank_together(&m, moves, n, weights, values)
    else:
        rank_against(&m, moves, n, budget, rng, weights, values)
    return SETTLED
