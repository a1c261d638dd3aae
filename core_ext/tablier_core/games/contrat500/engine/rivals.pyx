"""What the other seats hold, and how soon they announce.

The hand of a rival is a probability for each of the 5,005 hands. It starts from the unseen tiles.
Open bids make hands likelier that fit them. Then each past turn is played as by a seat that pursues
its contracts, and hands without the tiles that the rival took in public are dropped. Playing the
turns to come in the same way gives the probability of an announcement in each.

Everything here depends only on what the seat knows: its own tiles, the log and the unseen tiles.
"""

from libc.stdint cimport uint8_t, uint16_t, uint64_t
from libc.string cimport memcpy, memset

from tablier_core.budget cimport Budget, is_late
from tablier_core.games.contrat500.engine.outlook cimport SAMPLES, Outlook, Rival, more_time
from tablier_core.games.contrat500.engine.prospects cimport (
    choose_discards, count_draws, play_turn, pursue, weigh_hands,
)
from tablier_core.games.contrat500.hands cimport (
    HANDS, hand_at, rank_makes, split_at, total_at, triples_at,
)
from tablier_core.games.contrat500.history cimport History, read_history
from tablier_core.games.contrat500.state cimport (
    BIDDING, CONTRACTS, DISCARDED, TURNS_EACH, State, is_dealt, nth_seat, total_tiles,
)
from tablier_core.games.contrat500.tiles cimport (
    HAND, HIGHEST, contains, count_of, full_set, gather, makes, one,
)
from tablier_core.rng cimport Rng, rng_unit, shuffle

cdef enum:
    PURSUIT = 8                         # turns that rivals look ahead: two more than tiles held
    MOST_STAGES = 12                    # turns that the seat looks ahead: few deals last longer

# The probability, before any bid, that a rival that sees its tiles bids what it holds.
cdef double HONEST = 0.9
# The contracts expected of a rival whose blind bids are not placed yet.
cdef int GUESSED_LOW = 5
cdef int GUESSED_HIGH = 28
# The probability per turn that a rival announces, if there was no time to play its turns.
cdef double UNFORESEEN = 0.15


cdef void study_rivals(
    Outlook* o, const State* s, int seat, const Budget* budget, Rng* rng
) noexcept nogil:
    cdef int other, mine = 0, turn, pot
    cdef History seen
    o.s = s
    o.budget = budget
    o.sweeps = 0
    o.bids_tried = 0
    o.seat = seat
    o.rivals = 0
    # The unseen tiles are the pot and the hands of the rivals, except for tiles that they took in
    # public. These are the same in all worlds that the seat cannot tell apart.
    o.unseen = full_set(s.seats)
    pot = total_tiles(s) - HAND * s.seats
    if is_dealt(s):
        pot = total_tiles(s) - s.drawn
        o.unseen = gather(s.tiles + s.drawn, pot)
        for other in range(s.seats):
            if other != seat:
                read_history(s, other, &seen)
                o.unseen += s.hands[other] - seen.known[seen.turns]
    for turn in range(s.turns):
        mine += nth_seat(s, turn) == seat and s.log[turn] & DISCARDED != 0
    o.stages = max(1, min(MOST_STAGES, TURNS_EACH - mine, (pot + s.seats - 1) // s.seats))
    for other in range(s.seats):
        if other != seat:
            o.rival[o.rivals].seat = other
            study_rival(o, &o.rival[o.rivals], rng)
            o.rivals += 1
    combine_rivals(o, rng)


cdef void study_rival(Outlook* o, Rival* rival, Rng* rng) noexcept nogil:
    cdef const State* s = o.s
    cdef History seen
    cdef int placed, stage, sample
    cdef double honest = 0.0
    read_history(s, rival.seat, &seen)
    memcpy(rival.contracts, seen.contracts, 2)
    placed = (rival.contracts[0] != 0) + (rival.contracts[1] != 0)
    rival.ahead = s.phase == BIDDING and (
        (rival.seat - s.starter + s.seats) % s.seats < (o.seat - s.starter + s.seats) % s.seats
    )
    rival.guessed = placed < 2 and not s.blind_bids
    if placed < 2 and s.blind_bids:
        rival.contracts[1] = <uint8_t>GUESSED_HIGH
        if not placed:
            rival.contracts[0] = <uint8_t>GUESSED_LOW
    weigh_hands(o.mass, o.unseen + seen.known[seen.turns], 0)
    if not s.blind_bids:
        honest = believe_bids(o.mass, rival, placed)
    if not rival.guessed and not is_late(o.budget, o.budget.deadline):
        foresee(o, rival, seen.turns, seen.known[seen.turns], rng)
        return
    sample_hands(o, rival.hands[0], rng)
    memset(rival.fed, 0, sizeof(rival.fed))
    if rival.guessed:
        for sample in range(SAMPLES):
            guess_split(rival, sample, placed)
    for stage in range(o.stages + 1):
        rival.hazard[stage] = honest if rival.guessed else UNFORESEEN
        memcpy(rival.hands[stage + 1], rival.hands[0], sizeof(rival.hands[0]))


cdef void combine_rivals(Outlook* o, Rng* rng) noexcept nogil:
    """The probability that any rival announces, turn by turn, and which one is the first."""
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


# ---- What bids reveal ----------------------------------------------------------------------------

cdef double believe_bids(float* mass, const Rival* rival, int placed) noexcept nogil:
    """Raise the hands that make what was bid; returns the probability that the bids were honest.

    An honest rival bids a split of its hand. Bids that are rarely the most valuable split of a hand
    more likely come from a rival that bids anything, whatever its tiles.
    """
    cdef int rank
    cdef double fitting = 0.0, total = 0.0, most_valuable = 0.0, honest, fit, misfit, anything
    for rank in range(HANDS):
        total += mass[rank]
        if fits_bids(rival, rank, placed):
            fitting += mass[rank]
        if is_best_bid(rival, rank, placed):
            most_valuable += mass[rank]
    # A split is bid in one of two orders; a careless rival chooses among all contracts.
    anything = 1.0
    if placed:
        most_valuable /= 2.0
        anything = 1.0 / CONTRACTS if placed == 1 else 1.0 / (CONTRACTS * CONTRACTS)
    honest = HONEST * most_valuable / total
    honest /= honest + (1.0 - HONEST) * anything
    if fitting <= 0.0:
        honest = 0.0
    misfit = (1.0 - honest) / total
    fit = misfit + (honest / fitting if fitting > 0.0 else 0.0)
    for rank in range(HANDS):
        mass[rank] *= <float>(fit if fits_bids(rival, rank, placed) else misfit)
    return honest


cdef bint fits_bids(const Rival* rival, int rank, int placed) noexcept nogil:
    """Whether a hand makes the contracts that the rival has placed so far."""
    if placed == 2:
        return rank_makes(rank, rival.contracts[0], rival.contracts[1])
    return not placed or triples_at[rank] >> rival.contracts[0] & 1


cdef bint is_best_bid(const Rival* rival, int rank, int placed) noexcept nogil:
    """Whether the contracts placed so far belong to the most valuable split of a hand."""
    cdef int low = split_at[rank], high = total_at[rank] - low, i
    for i in range(placed):
        if rival.contracts[i] != low and rival.contracts[i] != high:
            return False
    return placed < 2 or rival.contracts[0] + rival.contracts[1] == low + high


cdef void guess_split(Rival* rival, int sample, int placed) noexcept nogil:
    """Guess the contracts for a hand: its most valuable split, or what goes with the first bid."""
    cdef int rank = rival.hands[0][sample], other
    cdef int best = rival.contracts[0] if placed else split_at[rank]
    other = total_at[rank] - best if triples_at[rank] >> best & 1 else best
    rival.split[sample][0] = <uint8_t>best
    rival.split[sample][1] = <uint8_t>other


# ---- Turns of a rival ----------------------------------------------------------------------------

cdef void foresee(Outlook* o, Rival* rival, int turns, uint64_t known, Rng* rng) noexcept nogil:
    """Play the past turns of a rival and those to come, for all hands at once."""
    cdef int stage, _turn, first = rival.contracts[0], second = rival.contracts[1]
    cdef bint going = True
    count_draws(o.unseen + known, 0, &o.theirs)
    memset(o.begin, 0, sizeof(o.begin))
    for _turn in range(PURSUIT):
        if _turn == 0 or more_time(o):
            pursue(&o.theirs, first, second, o.begin, o.after, o.sevens)
    choose_discards(o.after, o.left)
    for _turn in range(turns):
        if more_time(o):
            play_turn(&o.theirs, first, second, o.sevens, o.left, o.mass, o.later)
    keep_known(o.mass, o.unseen, known)
    sample_hands(o, rival.hands[0], rng)
    find_completing_tiles(o, rival)
    for stage in range(o.stages + 1):
        going = going and (more_time(o) or stage == 0)
        if going:
            rival.hazard[stage] = play_turn(
                &o.theirs, first, second, o.sevens, o.left, o.mass, o.later
            )
            sample_hands(o, rival.hands[stage + 1], rng)
        else:
            rival.hazard[stage] = rival.hazard[stage - 1]
            memcpy(rival.hands[stage + 1], rival.hands[stage], sizeof(rival.hands[stage]))


cdef void keep_known(float* mass, uint64_t unseen, uint64_t known) noexcept nogil:
    """Drop the hands without the tiles that the rival took in public."""
    cdef int rank
    cdef double total = 0.0
    for rank in range(HANDS):
        if not contains(hand_at[rank], known):
            mass[rank] = 0.0
        total += mass[rank]
    if total <= 0.0:
        weigh_hands(mass, unseen, known)


cdef void find_completing_tiles(const Outlook* o, Rival* rival) noexcept nogil:
    """For each tile, the probability that the rival can announce if it gets that tile."""
    cdef int rank, tile, discarded, wanted = rival.contracts[0] + rival.contracts[1]
    cdef uint64_t seven
    cdef double total = 0.0
    memset(rival.fed, 0, sizeof(rival.fed))
    for rank in range(HANDS):
        if o.mass[rank] == 0.0:
            continue
        total += o.mass[rank]
        for tile in range(1, HIGHEST + 1):
            # The sum determines which tile it would have to discard.
            discarded = total_at[rank] + tile - wanted
            seven = hand_at[rank] + one(tile)
            if 1 <= discarded <= HIGHEST and count_of(seven, discarded) and makes(
                seven - one(discarded), rival.contracts
            ):
                rival.fed[tile - 1] += o.mass[rank]
    if total > 0.0:
        for tile in range(HIGHEST):
            rival.fed[tile] /= total


cdef void sample_hands(Outlook* o, uint16_t* hands, Rng* rng) noexcept nogil:
    """Draw hands in proportion to their probability, at even steps, and shuffle them."""
    cdef int rank, i = 0
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
    shuffle(hands, SAMPLES, rng)
