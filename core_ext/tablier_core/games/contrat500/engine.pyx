"""The engine of Contrat 500: every move by the chance that it leaves of winning the match.

What the others hold is a share for each possible hand: drawn from the unseen tiles, believed to
make the contracts that were bid on it, and improved turn by turn as a seat would that pursues its
contracts. From that follow how soon somebody announces and what an announcement pays. Against it
the seat's own turns are an expectimax over all its hands, backwards from the last turn of the deal.

Everything is computed from what the seat knows: its own tiles, the log, and which tiles are unseen.
"""

from libc.math cimport sqrt
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from tablier_core.abi cimport NO_OPINION, SETTLED, Verdict, move_t
from tablier_core.budget cimport STILL_RUNNING, Budget, is_cancelled, now, spent
from tablier_core.games.contrat500.belief cimport TURNS_EACH, Trace
from tablier_core.games.contrat500.hands cimport (
    HANDS, SEVENS, choose, hand_at, rank_makes, rank_of, seven_with, six_left, split_at,
    total_at, triples_at,
)
from tablier_core.games.contrat500.prospects cimport (
    Draws, begin_turns, best_of_sevens, choose_throws, count_draws, play_turn, pursue,
)
from tablier_core.games.contrat500.settlement cimport (
    CONTRACTS, LOWEST_CONTRACT, SEATS, value_of,
)
from tablier_core.games.contrat500.state cimport (
    ANNOUNCE, ANNOUNCING, BIDDING, DISCARDING, FIRST_BID, FIRST_DISCARD, POT, State, TAKE, THROWN,
    is_dealt, read_trace, total_tiles,
)
from tablier_core.games.contrat500.tiles cimport (
    HAND, HIGHEST, contains, count_of, full_set, gather, makes, one,
)
from tablier_core.rng cimport Rng, rng_below, rng_unit

cdef enum:
    PURSUIT = 8                         # turns that rivals look ahead: two more than tiles held
    SAMPLES = 32                        # hands drawn for each rival, by which payments are averaged
    MOST_SUM = HAND * HIGHEST
    MOST_MAKING = 225                   # hands that make two contracts: 15 triples each
    MIDDLING = 33                       # the sum of six middling tiles
    QUICK_LOW = 14                      # with 19 a pair that most hands reach in a few turns
    MOST_STAGES = 12                    # turns that it looks ahead: few deals last longer
    ENDS = LOWEST_CONTRACT + CONTRACTS  # contracts are below

# How likely it is, before any bid, that who sees its tiles bids what it holds.
cdef double HONEST = 0.9
# A deal in numbers, to guess the rest of a match: points that the leader gains in it, and how far
# the difference between two seats moves.
cdef double GAIN = 60.0
cdef double SWING = 90.0
# Contracts that are expected of a seat whose blind bids are not placed yet.
cdef int GUESSED_LOW = 5
cdef int GUESSED_HIGH = 28
# How likely a rival is to announce in a turn if there was no time to look at its turns.
cdef double UNFORESEEN = 0.15
# By how much what is certain now is preferred to the same a move later.
cdef double NOW = 1e-4
# A value that is not known yet.
cdef float UNKNOWN = -1.0

cdef struct Rival:
    int seat
    int ahead                           # 1: it has a turn before this seat's next one
    bint guessed                        # its contracts are not all placed: they follow its tiles
    uint8_t contracts[2]
    # Before its turn i from now: whether it announces in it, and hands that it may hold.
    double hazard[TURNS_EACH + 2]
    uint16_t hands[TURNS_EACH + 2][SAMPLES]
    uint8_t split[SAMPLES][2]           # if guessed: the contracts that go with each hand
    double fed[HIGHEST]                 # by tile: how likely it is that it lacks just this one

cdef struct Outlook:
    const State* s
    const Budget* budget
    int bids_tried
    uint64_t sweeps                     # over all hands: the iterations of the budget
    int seat
    uint64_t unseen
    int stages                          # turns of this seat that are still to come
    int rivals
    Rival rival[SEATS - 1]
    uint8_t first_to_announce[SAMPLES]  # a rival
    double hazard[TURNS_EACH + 1]       # that somebody announces between turns i and i + 1
    double spared                       # that nobody does before this seat's next turn
    # Of the pair of contracts under study.
    uint8_t contracts[2]
    float losses[3][MOST_SUM + 1]       # somebody else does: by contract realised, and sum of tiles
    Draws draws
    float lost[HANDS]                   # by hand, if somebody else announces
    float after[HANDS]                  # by hand, after this turn
    float begin[HANDS]                  # at its beginning
    float later[HANDS]                  # at the beginning of the next
    float sevens[SEVENS]
    # For rivals.
    Draws theirs
    float mass[HANDS]
    uint16_t left[SEVENS]


# ---- The match -----------------------------------------------------------------------------------

cdef double power_of_e(double x) noexcept nogil:
    """e to the power of x, by IEEE 754's basic operations: the same bits on every machine."""
    cdef double term = 1.0, total = 1.0
    cdef int i, _squaring
    x = max(-700.0, min(700.0, x)) / 1024.0
    for i in range(1, 9):
        term *= x / i
        total += term
    for _squaring in range(10):
        total *= total
    return total


cdef double winning(const Outlook* o, const int* scores) noexcept nogil:
    """The share of a win that the seat can expect after this deal."""
    cdef const State* s = o.s
    cdef int seat, best = 0, tied = 0
    cdef double deals, scale, total = 0.0
    for seat in range(s.seats):
        best = max(best, scores[seat])
    if best >= s.target or s.deal >= s.max_deals:
        for seat in range(s.seats):
            tied += scores[seat] == best
        return 1.0 / tied if scores[o.seat] == best else 0.0
    deals = min(<double>(s.max_deals - s.deal), 0.5 + (s.target - best) / GAIN)
    # A logistic curve of slope 1.7 is nearly the normal one.
    scale = 1.7 / (SWING * sqrt(deals))
    for seat in range(s.seats):
        total += power_of_e(scale * (scores[seat] - scores[o.seat]))
    return 1.0 / total


cdef double standing(const Outlook* o) noexcept nogil:
    """The share of a win if the deal moves no points."""
    cdef int[SEATS] scores
    cdef int seat
    for seat in range(o.s.seats):
        scores[seat] = <int>o.s.scores[seat]
    return winning(o, scores)


cdef inline int pay(int* scores, int seat, int rank, const uint8_t* contracts) noexcept nogil:
    """Settlement: a loser realises its dearest contract; returns what it pays the winner."""
    cdef uint32_t triples = triples_at[rank]
    cdef int i, contract, best = 0, due
    for i in range(2):
        contract = contracts[i]
        if triples >> contract & 1 and (
            not best or value_of[contract] > value_of[best]
            or value_of[contract] == value_of[best] and contract > best
        ):
            best = contract
    scores[seat] += value_of[best] if best else 0
    due = min(total_at[rank] - best, scores[seat])
    scores[seat] -= due
    return due


cdef inline const uint8_t* contracts_in(const Rival* rival, int sample) noexcept nogil:
    if rival.guessed:
        return &rival.split[sample][0]
    return &rival.contracts[0]


cdef double announcing(const Outlook* o, int stage) noexcept nogil:
    """The share of a win if this seat announces after its rivals' next `stage` turns."""
    cdef int[SEATS] scores
    cdef int sample, i, seat
    cdef const Rival* rival
    cdef double total = 0.0
    for sample in range(SAMPLES):
        for seat in range(o.s.seats):
            scores[seat] = <int>o.s.scores[seat]
        scores[o.seat] += value_of[o.contracts[0]] + value_of[o.contracts[1]]
        for i in range(o.rivals):
            rival = &o.rival[i]
            scores[o.seat] += pay(
                scores, rival.seat, rival.hands[stage + rival.ahead][sample],
                contracts_in(rival, sample),
            )
        total += winning(o, scores)
    return total / SAMPLES


cdef double beaten(const Outlook* o, int rank) noexcept nogil:
    """The share of a win if a rival announces while this seat holds a hand."""
    cdef int[SEATS] scores
    cdef int sample, i, seat, due
    cdef const Rival* winner
    cdef const Rival* rival
    cdef const uint8_t* contracts
    cdef double total = 0.0
    for sample in range(SAMPLES):
        for seat in range(o.s.seats):
            scores[seat] = <int>o.s.scores[seat]
        winner = &o.rival[o.first_to_announce[sample]]
        contracts = contracts_in(winner, sample)
        due = pay(scores, o.seat, rank, o.contracts)
        for i in range(o.rivals):
            rival = &o.rival[i]
            if rival != winner:
                due += pay(
                    scores, rival.seat, rival.hands[0][sample], contracts_in(rival, sample)
                )
        scores[winner.seat] += due + value_of[contracts[0]] + value_of[contracts[1]]
        total += winning(o, scores)
    return total / SAMPLES


cdef float loss(Outlook* o, int rank) noexcept nogil:
    """As `beaten`, found once for all hands that realise the same and have the same sum."""
    cdef uint32_t triples = triples_at[rank]
    cdef bint first = triples >> o.contracts[0] & 1, second = triples >> o.contracts[1] & 1
    cdef int which = 0
    if first or second:
        which = 1 if first and (
            not second or value_of[o.contracts[0]] > value_of[o.contracts[1]]
            or value_of[o.contracts[0]] == value_of[o.contracts[1]]
            and o.contracts[0] >= o.contracts[1]
        ) else 2
    cdef float* known = &o.losses[which][total_at[rank]]
    if known[0] == UNKNOWN:
        known[0] = <float>beaten(o, rank)
    return known[0]


cdef void study(Outlook* o, int first, int second) noexcept nogil:
    """Turn to a pair of contracts."""
    cdef int which, total
    o.contracts[0] = <uint8_t>first
    o.contracts[1] = <uint8_t>second
    for which in range(3):
        for total in range(MOST_SUM + 1):
            o.losses[which][total] = UNKNOWN


# ---- Rivals --------------------------------------------------------------------------------------

cdef inline bint more_time(Outlook* o) noexcept nogil:
    """Count a sweep; whether the budget allows another."""
    o.sweeps += 1
    return spent(o.budget, o.sweeps) == STILL_RUNNING


cdef double spread_mass(float* mass, uint64_t unseen, uint64_t known) noexcept nogil:
    """How likely each hand is that holds the known tiles and others that nobody has seen."""
    cdef int rank, tile, more
    cdef double ways, total = 0.0
    for rank in range(HANDS):
        ways = 1.0
        for tile in range(1, HIGHEST + 1):
            more = count_of(hand_at[rank], tile) - count_of(known, tile)
            ways = ways * choose[count_of(unseen, tile)][more] if more >= 0 else 0.0
        mass[rank] = <float>ways
        total += ways
    return total


cdef bint bid_on(const Rival* rival, int rank, int placed) noexcept nogil:
    """Whether a hand makes the contracts that its seat has placed so far."""
    if placed == 2:
        return rank_makes(rank, rival.contracts[0], rival.contracts[1])
    return not placed or triples_at[rank] >> rival.contracts[0] & 1


cdef bint best_bid(const Rival* rival, int rank, int placed) noexcept nogil:
    """Whether the contracts placed so far are of a hand's dearest split."""
    cdef int low = split_at[rank], high = total_at[rank] - low, i
    for i in range(placed):
        if rival.contracts[i] != low and rival.contracts[i] != high:
            return False
    return placed < 2 or rival.contracts[0] + rival.contracts[1] == low + high


cdef double believe_bids(float* mass, const Rival* rival, int placed) noexcept nogil:
    """Raise the hands that make what was bid, as somebody bids who sees its tiles.

    Returns how likely it is that the bids were such. Bids that are seldom the dearest split of a
    hand are more likely those of somebody who does not mind its tiles, and bids anything.
    """
    cdef int rank
    cdef double fitting = 0.0, total = 0.0, dearest = 0.0, honest, fit, misfit, anything
    for rank in range(HANDS):
        total += mass[rank]
        if bid_on(rival, rank, placed):
            fitting += mass[rank]
        if best_bid(rival, rank, placed):
            dearest += mass[rank]
    # A split is bid in one of two orders; a token of somebody careless is one of all contracts.
    anything = 1.0
    if placed:
        dearest /= 2.0
        anything = 1.0 / CONTRACTS if placed == 1 else 1.0 / (CONTRACTS * CONTRACTS)
    honest = HONEST * dearest / total
    honest /= honest + (1.0 - HONEST) * anything
    if fitting <= 0.0:
        honest = 0.0
    misfit = (1.0 - honest) / total
    fit = misfit + (honest / fitting if fitting > 0.0 else 0.0)
    for rank in range(HANDS):
        mass[rank] *= <float>(fit if bid_on(rival, rank, placed) else misfit)
    return honest


cdef void keep_known(float* mass, uint64_t unseen, uint64_t known) noexcept nogil:
    """Only hands with the tiles that a seat was seen to take."""
    cdef int rank
    cdef double total = 0.0
    for rank in range(HANDS):
        if not contains(hand_at[rank], known):
            mass[rank] = 0.0
        total += mass[rank]
    if total <= 0.0:
        spread_mass(mass, unseen, known)


cdef void draw_hands(Outlook* o, uint16_t* hands, Rng* rng) noexcept nogil:
    """Hands in proportion to their mass, at even steps, in a random order."""
    cdef int rank, i = 0, other
    cdef uint16_t swap
    cdef double total = 0.0, passed = 0.0, step, start = rng_unit(rng)
    for rank in range(HANDS):
        total += o.mass[rank]
    step = total / SAMPLES
    for rank in range(HANDS):
        passed += o.mass[rank]
        while i < SAMPLES and passed > (i + start) * step:
            hands[i] = <uint16_t>rank
            i += 1
    while i < SAMPLES:
        # Rounding can leave the last place empty.
        hands[i] = hands[i - 1] if i else 0
        i += 1
    for i in range(SAMPLES - 1, 0, -1):
        other = <int>rng_below(rng, i + 1)
        swap = hands[i]
        hands[i] = hands[other]
        hands[other] = swap


cdef void guess_split(Rival* rival, int sample, int placed) noexcept nogil:
    """The contracts that a seat bids on a hand: its dearest split, or what goes with the first."""
    cdef int rank = rival.hands[0][sample], other
    cdef int best = rival.contracts[0] if placed else split_at[rank]
    other = total_at[rank] - best if triples_at[rank] >> best & 1 else best
    rival.split[sample][0] = <uint8_t>best
    rival.split[sample][1] = <uint8_t>other


cdef void feed(const Outlook* o, Rival* rival) noexcept nogil:
    """How likely a rival is to announce with one tile more, by tile."""
    cdef int rank, tile, thrown, wanted = rival.contracts[0] + rival.contracts[1]
    cdef uint64_t seven
    cdef double total = 0.0
    memset(rival.fed, 0, sizeof(rival.fed))
    for rank in range(HANDS):
        if o.mass[rank] == 0.0:
            continue
        total += o.mass[rank]
        for tile in range(1, HIGHEST + 1):
            # The sum tells what it would have to throw.
            thrown = total_at[rank] + tile - wanted
            seven = hand_at[rank] + one(tile)
            if 1 <= thrown <= HIGHEST and count_of(seven, thrown) and makes(
                seven - one(thrown), rival.contracts
            ):
                rival.fed[tile - 1] += o.mass[rank]
    if total > 0.0:
        for tile in range(HIGHEST):
            rival.fed[tile] /= total


cdef void foresee(Outlook* o, Rival* rival, int turns, uint64_t known, Rng* rng) noexcept nogil:
    """Play a rival's past turns and those to come, for all hands at once."""
    cdef int stage, _turn, first = rival.contracts[0], second = rival.contracts[1]
    cdef bint going = True
    count_draws(o.unseen + known, 0, &o.theirs)
    memset(o.begin, 0, sizeof(o.begin))
    for _turn in range(PURSUIT):
        if _turn == 0 or more_time(o):
            pursue(&o.theirs, first, second, o.begin, o.after, o.sevens)
    choose_throws(o.after, o.left)
    for _turn in range(turns):
        if more_time(o):
            play_turn(&o.theirs, first, second, o.sevens, o.left, o.mass, o.later)
    keep_known(o.mass, o.unseen, known)
    draw_hands(o, rival.hands[0], rng)
    feed(o, rival)
    for stage in range(o.stages + 1):
        going = going and (more_time(o) or stage == 0)
        if going:
            rival.hazard[stage] = play_turn(
                &o.theirs, first, second, o.sevens, o.left, o.mass, o.later
            )
            draw_hands(o, rival.hands[stage + 1], rng)
        else:
            rival.hazard[stage] = rival.hazard[stage - 1]
            memcpy(rival.hands[stage + 1], rival.hands[stage], sizeof(rival.hands[stage]))


cdef inline bint is_late(const Outlook* o) noexcept nogil:
    return is_cancelled(o.budget) or (o.budget.deadline > 0 and now() >= o.budget.deadline)


cdef void consider_rival(Outlook* o, Rival* rival, Rng* rng) noexcept nogil:
    cdef const State* s = o.s
    cdef Trace trace
    cdef int placed, stage, sample
    cdef double honest = 0.0
    read_trace(s, rival.seat, &trace)
    memcpy(rival.contracts, trace.contracts, 2)
    placed = (rival.contracts[0] != 0) + (rival.contracts[1] != 0)
    rival.ahead = s.phase == BIDDING and (
        (rival.seat - s.starter + s.seats) % s.seats < (o.seat - s.starter + s.seats) % s.seats
    )
    rival.guessed = placed < 2 and not s.blind_bids
    if placed < 2 and s.blind_bids:
        rival.contracts[1] = <uint8_t>GUESSED_HIGH
        if not placed:
            rival.contracts[0] = <uint8_t>GUESSED_LOW
    spread_mass(o.mass, o.unseen + trace.known[trace.turns], 0)
    if not s.blind_bids:
        honest = believe_bids(o.mass, rival, placed)
    if not rival.guessed and not is_late(o):
        foresee(o, rival, trace.turns, trace.known[trace.turns], rng)
        return
    draw_hands(o, rival.hands[0], rng)
    memset(rival.fed, 0, sizeof(rival.fed))
    if rival.guessed:
        for sample in range(SAMPLES):
            guess_split(rival, sample, placed)
    for stage in range(o.stages + 1):
        rival.hazard[stage] = honest if rival.guessed else UNFORESEEN
        memcpy(rival.hands[stage + 1], rival.hands[0], sizeof(rival.hands[0]))


cdef void join_rivals(Outlook* o, Rng* rng) noexcept nogil:
    """How likely it is, turn by turn, that any rival announces; and which one is the first."""
    cdef int i, stage, sample
    cdef double left, total = 0.0
    o.spared = 1.0
    for i in range(o.rivals):
        total += o.rival[i].hazard[0]
        if o.rival[i].ahead:
            o.spared *= 1.0 - o.rival[i].hazard[0]
    for stage in range(o.stages):
        left = 1.0
        for i in range(o.rivals):
            left *= 1.0 - o.rival[i].hazard[stage + o.rival[i].ahead]
        o.hazard[stage] = 1.0 - left
    for sample in range(SAMPLES):
        left = rng_unit(rng) * total
        i = 0
        while i + 1 < o.rivals and left >= o.rival[i].hazard[0]:
            left -= o.rival[i].hazard[0]
            i += 1
        o.first_to_announce[sample] = <uint8_t>i


cdef void look_around(
    Outlook* o, const State* s, int seat, const Budget* budget, Rng* rng
) noexcept nogil:
    """Everything but the seat's own plan."""
    cdef int other, mine = 0, turn, pot
    cdef Trace trace
    o.s = s
    o.budget = budget
    o.sweeps = 0
    o.bids_tried = 0
    o.seat = seat
    o.rivals = 0
    # Unseen are the pot and what rivals hold, but for tiles that they took in the open. That is
    # the same in all worlds that the seat can't tell apart.
    o.unseen = full_set(s.seats)
    pot = total_tiles(s) - HAND * s.seats
    if is_dealt(s):
        pot = total_tiles(s) - s.drawn
        o.unseen = gather(s.tiles + s.drawn, pot)
        for other in range(s.seats):
            if other != seat:
                read_trace(s, other, &trace)
                o.unseen += s.hands[other] - trace.known[trace.turns]
    for turn in range(s.turns):
        mine += (s.starter + turn) % s.seats == seat and s.log[turn] & THROWN != 0
    o.stages = max(1, min(MOST_STAGES, TURNS_EACH - mine, (pot + s.seats - 1) // s.seats))
    for other in range(s.seats):
        if other != seat:
            o.rival[o.rivals].seat = other
            consider_rival(o, &o.rival[o.rivals], rng)
            o.rivals += 1
    join_rivals(o, rng)


# ---- The seat's own turns ------------------------------------------------------------------------

cdef void look_ahead(Outlook* o) noexcept nogil:
    """Backwards from the last turn: what each hand is worth after this turn and at its beginning.

    If the budget ends before, turns that are nearer stand for those that were not reached.
    """
    cdef uint16_t[MOST_MAKING] making
    cdef int stage, rank, i, made = 0
    cdef float hazard, spared, void_deal = <float>standing(o)
    cdef float[TURNS_EACH] gains
    for stage in range(o.stages):
        gains[stage] = <float>announcing(o, stage)
        # Rivals only improve; what seems to be gained by waiting is the luck of the samples.
        if stage:
            gains[stage] = min(gains[stage], gains[stage - 1])
    for rank in range(HANDS):
        o.lost[rank] = loss(o, rank)
        o.begin[rank] = void_deal
        if rank_makes(rank, o.contracts[0], o.contracts[1]):
            making[made] = <uint16_t>rank
            made += 1
    for stage in range(o.stages - 1, -1, -1):
        memcpy(o.later, o.begin, sizeof(o.begin))
        hazard = <float>o.hazard[stage]
        spared = <float>1.0 - hazard
        for rank in range(HANDS):
            o.after[rank] = hazard * o.lost[rank] + spared * o.later[rank]
        for i in range(made):
            o.after[making[i]] = max(o.after[making[i]], gains[stage])
        best_of_sevens(o.after, o.sevens)
        begin_turns(&o.draws, o.sevens, o.begin)
        for i in range(made):
            o.begin[making[i]] = max(o.begin[making[i]], gains[stage])
        if not more_time(o):
            break


cdef double throwing(Outlook* o, uint64_t seven, int tile) noexcept nogil:
    """Leaving six tiles; the next seat is offered the seventh."""
    cdef int rank = rank_of(seven - one(tile)), i
    cdef double spared = 1.0 - o.hazard[0], share
    for i in range(o.rivals):
        if o.rival[i].seat == (o.seat + 1) % o.s.seats:
            spared *= 1.0 - o.rival[i].fed[tile - 1]
    share = (1.0 - spared) * loss(o, rank) + spared * o.later[rank]
    if rank_makes(rank, o.contracts[0], o.contracts[1]):
        share = max(share, announcing(o, 0))
    return share


cdef void rank_turn(Outlook* o, const move_t* moves, uint32_t n, double* shares) noexcept nogil:
    """Deal, 4: draw, take, throw, announce, decline or give up."""
    cdef const State* s = o.s
    cdef uint64_t hand = s.hands[o.seat]
    cdef int tile, rank
    cdef uint32_t i
    cdef double share
    if s.phase == DISCARDING:
        for i in range(n):
            shares[i] = throwing(o, hand, <int>(moves[i] - FIRST_DISCARD + 1))
        return
    rank = rank_of(hand)
    for i in range(n):
        if moves[i] == POT:
            share = 0.0
            for tile in range(HIGHEST):
                share += o.draws.chance[rank][tile] * o.sevens[seven_with[rank][tile]]
        elif moves[i] == TAKE:
            share = o.sevens[seven_with[rank][(s.log[s.turns - 1] & THROWN) - 1]]
        elif moves[i] == ANNOUNCE:
            share = announcing(o, 0)
        elif s.phase == ANNOUNCING:
            share = o.hazard[0] * loss(o, rank) + (1.0 - o.hazard[0]) * o.later[rank]
        else:
            share = standing(o)
        shares[i] = share


# ---- Bids ----------------------------------------------------------------------------------------

cdef double value_in_hand(Outlook* o, int rank, int first, int second) noexcept nogil:
    """Bidding a pair with the tiles in hand: held already, or brought by the first draw, or not.

    Rivals who see their tiles bid what they hold: a second turn is too rare to be looked at. What
    is held already stays so if the tile drawn is thrown: that is as good as announcing at once.
    """
    cdef int tile, i, seven
    cdef double best, share = 0.0, gain, value
    study(o, first, second)
    gain = announcing(o, 0)
    for tile in range(HIGHEST):
        if o.draws.chance[rank][tile] == 0.0:
            continue
        seven = seven_with[rank][tile]
        best = 0.0
        for i in range(HAND + 1):
            value = loss(o, six_left[seven][i])
            if rank_makes(six_left[seven][i], first, second):
                value = max(value, gain)
            best = max(best, value)
        share += o.draws.chance[rank][tile] * best
    return (1.0 - o.spared) * loss(o, rank) + o.spared * share


cdef double value_unseen(Outlook* o, int first, int second) noexcept nogil:
    """Bidding a pair before the tiles are dealt; `mass` says how likely each hand is."""
    cdef int rank
    cdef double share = 0.0
    study(o, first, second)
    look_ahead(o)
    for rank in range(HANDS):
        share += o.mass[rank] * ((1.0 - o.spared) * o.lost[rank] + o.spared * o.begin[rank])
    return share


cdef struct Bids:
    # What is known of the bids: by contract, the best pair that has it.
    double best[ENDS]
    bint tried[ENDS][ENDS]
    bint legal[ENDS]
    int own                             # the first token; 0: it is not placed yet
    int rank                            # of the hand, if there is one


cdef bint try_pair(Outlook* o, Bids* bids, int first, int second, double* share) noexcept nogil:
    """Value a pair, once; False if it can't be bid, was tried before, or there is no more time."""
    cdef int low = min(first, second), high = max(first, second)
    if low < LOWEST_CONTRACT or high >= ENDS or bids.tried[low][high]:
        return False
    if not (bids.legal[low] or low == bids.own) or not (bids.legal[high] or high == bids.own):
        return False
    if bids.own and low != bids.own and high != bids.own:
        return False
    if bids.own and low == high and not bids.legal[low]:
        return False
    # The first pair is valued in any case: there must be something to say.
    if o.bids_tried and not more_time(o):
        return False
    o.bids_tried += 1
    bids.tried[low][high] = True
    if o.s.blind_bids:
        share[0] = value_unseen(o, low, high)
    else:
        share[0] = value_in_hand(o, bids.rank, low, high)
    # The token that is placed is no choice any more.
    if low != bids.own or low == high:
        bids.best[low] = max(bids.best[low], share[0])
    if high != bids.own or low == high:
        bids.best[high] = max(bids.best[high], share[0])
    return True


cdef void try_held(Outlook* o, Bids* bids) noexcept nogil:
    """Splits of the hand first; then pairs of which it holds one, as a draw can bring the other.

    One tile changes one triple alone, so a pair of which it holds neither is two draws away.
    """
    cdef int first, second
    cdef double share
    for first in range(LOWEST_CONTRACT, ENDS):
        if triples_at[bids.rank] >> first & 1:
            try_pair(o, bids, first, total_at[bids.rank] - first, &share)
    for first in range(LOWEST_CONTRACT, ENDS):
        if triples_at[bids.rank] >> first & 1 or first == bids.own:
            for second in range(LOWEST_CONTRACT, ENDS):
                try_pair(o, bids, first, second, &share)


cdef void climb(Outlook* o, Bids* bids, int low, int high, double most) noexcept nogil:
    """Go on from a pair to its best neighbour as long as that is better."""
    cdef int left, right, top_low = low, top_high = high
    cdef double share
    cdef bint better = True
    while better:
        better = False
        low = top_low
        high = top_high
        for left in range(-1, 2):
            for right in range(-1, 2):
                if try_pair(o, bids, low + left, high + right, &share) and share > most:
                    most = share
                    top_low = low + left
                    top_high = high + right
                    better = True


cdef void try_unseen(Outlook* o, Bids* bids) noexcept nogil:
    """With a token placed, all that goes with it; before, quick pairs to dear ones.

    Low and high contracts do not want the same tiles, so the best pairs have one of each.
    """
    cdef int distance, low, top = QUICK_LOW
    cdef double share, most = 0.0
    if bids.own:
        for distance in range(ENDS):
            try_pair(o, bids, bids.own, MIDDLING - bids.own + distance, &share)
            try_pair(o, bids, bids.own, MIDDLING - bids.own - distance, &share)
        return
    for low in range(QUICK_LOW, LOWEST_CONTRACT, -2):
        if try_pair(o, bids, low, MIDDLING - low, &share) and share > most:
            most = share
            top = low
    climb(o, bids, top, MIDDLING - top, most)


cdef void rank_bids(Outlook* o, const move_t* moves, uint32_t n, double* shares) noexcept nogil:
    cdef Bids bids
    cdef int contract, i
    cdef double total, worst = 1.0
    cdef uint32_t move
    memset(&bids, 0, sizeof(bids))
    bids.own = o.s.contracts[o.seat][0]
    for move in range(n):
        bids.legal[moves[move] - FIRST_BID + LOWEST_CONTRACT] = True
    if o.s.blind_bids:
        total = spread_mass(o.mass, o.unseen, 0)
        for i in range(HANDS):
            o.mass[i] /= <float>total
        try_unseen(o, &bids)
    else:
        bids.rank = rank_of(o.s.hands[o.seat])
        try_held(o, &bids)
    for move in range(n):
        contract = <int>(moves[move] - FIRST_BID + LOWEST_CONTRACT)
        if bids.best[contract] > 0.0:
            worst = min(worst, bids.best[contract])
    for move in range(n):
        # What was not tried is no better than the worst that was.
        contract = <int>(moves[move] - FIRST_BID + LOWEST_CONTRACT)
        shares[move] = bids.best[contract] if bids.best[contract] > 0.0 else worst


# ---- The slot ------------------------------------------------------------------------------------

cdef Verdict rank(
    const void* state, int seat, const move_t* moves, uint32_t n, const Budget* budget,
    Rng* rng, double* weights, double* values
) noexcept nogil:
    cdef const State* s = <const State*>state
    cdef Outlook* o = <Outlook*>malloc(sizeof(Outlook))
    cdef uint64_t held = s.hands[seat] if is_dealt(s) else 0
    cdef uint32_t i
    cdef int other
    if o == NULL:
        return NO_OPINION
    look_around(o, s, seat, budget, rng)
    count_draws(o.unseen, held, &o.draws)
    if s.phase == BIDDING:
        rank_bids(o, moves, n, weights)
    else:
        study(o, s.contracts[seat][0], s.contracts[seat][1])
        look_ahead(o)
        rank_turn(o, moves, n, weights)
    for i in range(n):
        # Sums of rounded chances can come to a little more than 1.
        weights[i] = min(weights[i], 1.0)
        for other in range(s.seats):
            # Returns of all seats add up to two less than there are: the others share the rest.
            values[i * s.seats + other] = (
                2.0 * weights[i] if other == seat
                else 2.0 * (1.0 - weights[i]) / (s.seats - 1)
            ) - 1.0
        # Never 0: that would exclude a move.
        weights[i] += 1.0 + (NOW if moves[i] == ANNOUNCE else 0.0)
    free(o)
    return SETTLED
