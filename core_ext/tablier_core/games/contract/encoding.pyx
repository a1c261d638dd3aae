"""A state of Contract as bytes and as facts for Python.

`move_fields` describes the layout once, for packing and for unpacking. `unpack` then checks every
invariant (reference: Byte layout).
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memcpy, memset

from tablier_core.games.contract.rules cimport (
    add_down_now, add_up_now, can_complete, can_pay_vicelard, can_play_card, clear_row,
    column_mask, has_reached, holds_family, holds_from, most_holder, points_at, rank_family,
    winner_at,
)
from tablier_core.games.contract.state cimport (
    ACTION, BLACKMAT, BLACKMATS_2, CARDS, CHASE, CONTRACT, COPPER, COPPER_CARD, DOLLAR_UP,
    DRAWN_PER_ROUND, FAMILIES, FIRST_DOWN, HAND_LIMIT, JOIN, KINDS, MOST_MAFIOSI,
    MOST_MAFIOSI_SIDE, MOST_ROW, MOST_SEATS, MOST_SHUFFLES, MOST_TILES, MOST_TWOS, NO_COLUMN,
    NOBODY, NOTHING, NOWHERE, OVER, PAY, PENDING, PIECES, SIDES, TOKEN, TOKENS, TWOS_3, VALUES,
    VICELARD_CARD, WAITING,
    Shuffle, State, family_at, family_of, index_of, is_copper_card, is_counting, is_vicelard_card,
    kind_total, round_count, row_length, sum_kinds, value_known, value_of,
)
from tablier_core.games.contract.veil cimport veil
from tablier_core.packing cimport put, take
from tablier_core.rng cimport GAME_STREAM

from tablier_core.games.contract.options import COLOURS
from tablier_core.games.contract.options import SIDES as SIDE_NAMES

cdef enum:
    PACKED_SIZE = 693

cdef enum Fault:
    BAD_LENGTH = 1
    BAD_FIELD
    BAD_UNUSED
    BAD_MAFIOSI
    BAD_COLUMNS
    BAD_BRIEFCASES
    BAD_CARDS
    BAD_SHUFFLE
    BAD_ROW
    BAD_ACTION
    BAD_COUNTING
    BAD_PHASE

FAULTS = (
    b"length: a state has exactly 693 bytes\n"
    b"a number is out of range\n"
    b"a seat, place, shuffle, Mafioso or tile that this game does not have is not empty\n"
    b"Mafiosi: one occurs twice or is not used with this number of seats\n"
    b"columns: a Mafioso lies in a column that its owner cannot have\n"
    b"briefcases: a holder does not match the Mafiosi\n"
    b"cards: the totals by kind are wrong, or a hand is too small or too large\n"
    b"shuffle: the pile and the cards drawn from it are not the cards that were shuffled\n"
    b"row: a seat has too many tokens, tokens without cards, or cards without tokens\n"
    b"action: a piece, payment or target does not fit the action in progress\n"
    b"counting: an owner or the winner of a special card does not match the influence\n"
    b"phase: it is impossible in this position"
)

# ---- Bytes ---------------------------------------------------------------------------------------

# Exactly one of the two is not NULL: bytes are written to `out` or read from `data`.
cdef struct Stream:
    uint8_t* out
    const uint8_t* data


cdef void move_bytes(Stream* io, uint8_t* field, size_t size) noexcept nogil:
    if io.out != NULL:
        memcpy(io.out, field, size)
        io.out += size
    else:
        memcpy(field, io.data, size)
        io.data += size


cdef void move_fields(Stream* io, State* s) noexcept nogil:
    """Write or read every field after the generator, in the order of the layout."""
    cdef uint8_t* numbers[20]
    cdef int i
    numbers[0], numbers[1], numbers[2], numbers[3] = &s.seats, &s.phase, &s.round, &s.first
    numbers[4], numbers[5] = &s.to_move, &s.passes
    numbers[6], numbers[7] = &s.copper_pawn, &s.vicelard_pawn
    numbers[8], numbers[9], numbers[10] = &s.copper_holder, &s.copper_on, &s.copper_next
    numbers[11], numbers[12], numbers[13] = &s.vicelard_holder, &s.vicelard_on, &s.vicelard_next
    numbers[14] = &s.copper_points
    numbers[15], numbers[16], numbers[17] = &s.target, &s.influencing, &s.stage
    numbers[18], numbers[19] = &s.paying_vicelard, &s.first_half
    for i in range(20):
        move_bytes(io, numbers[i], 1)
    move_bytes(io, s.just_down, sizeof(s.just_down))
    move_bytes(io, &s.counted, 1)
    move_bytes(io, s.hand[0], sizeof(s.hand))
    move_bytes(io, s.tokens[0], sizeof(s.tokens))
    move_bytes(io, s.contracts[0], sizeof(s.contracts))
    move_bytes(io, s.dollars[0], sizeof(s.dollars))
    move_bytes(io, s.down[0][0], sizeof(s.down))
    move_bytes(io, s.paid_up, sizeof(s.paid_up))
    move_bytes(io, s.paid_down[0], sizeof(s.paid_down))
    move_bytes(io, s.discarded_up[0], sizeof(s.discarded_up))
    move_bytes(io, s.discarded_down[0], sizeof(s.discarded_down))
    move_bytes(io, &s.pile_count, 1)
    move_bytes(io, s.pile, sizeof(s.pile))
    move_bytes(io, &s.shuffles, 1)
    for i in range(MOST_SHUFFLES):
        # A Shuffle consists of single bytes, so it has no padding.
        move_bytes(io, s.shuffled[i].up[0], sizeof(Shuffle))
    move_bytes(io, s.mafiosi, sizeof(s.mafiosi))
    move_bytes(io, s.owner, sizeof(s.owner))
    move_bytes(io, s.column, sizeof(s.column))
    move_bytes(io, s.traffic[0], sizeof(s.traffic))
    move_bytes(io, &s.tiles, 1)
    move_bytes(io, s.side, sizeof(s.side))
    move_bytes(io, s.worth, sizeof(s.worth))
    move_bytes(io, s.holder, sizeof(s.holder))


cdef size_t pack(const void* state, uint8_t* out) noexcept nogil:
    cdef Stream io = Stream(out, NULL)
    put(&io.out, (<const State*>state).rng.state, 8)
    # With `out` set, the state is only read.
    move_fields(&io, <State*>state)
    return PACKED_SIZE


cdef int unpack(void* state, const uint8_t* data, size_t length) noexcept nogil:
    cdef State* s = <State*>state
    cdef Stream io = Stream(NULL, data)
    cdef int fault
    if length != PACKED_SIZE:
        return BAD_LENGTH
    memset(s, 0, sizeof(State))
    s.rng.state = take(&io.data, 8)
    s.rng.increment = 2 * GAME_STREAM + 1
    move_fields(&io, s)
    fault = check_fields(s)
    if fault == 0:
        fault = check_unused(s)
    if fault == 0:
        derive(s)
        fault = check_mafiosi(s)
    if fault == 0:
        fault = check_briefcases(s)
    if fault == 0:
        fault = check_cards(s)
    if fault == 0:
        fault = check_shuffles(s)
    if fault == 0:
        fault = check_row(s)
    if fault == 0:
        fault = check_phase(s)
    return fault


cdef void derive(State* s) noexcept nogil:
    """Compute what the bytes do not hold. Later checks reject a supply that wraps around here."""
    cdef int seat, place
    for seat in range(s.seats):
        s.cards[seat] = <uint8_t>sum_kinds(s.hand[seat])
        s.supply[seat] = TOKENS
        for place in range(row_length(s)):
            s.supply[seat] -= s.tokens[place][seat]


# ---- Checks; each may rely on those that `unpack` calls before it --------------------------------

cdef bint all_up_to(const uint8_t* field, size_t size, int limit) noexcept nogil:
    cdef size_t i
    for i in range(size):
        if field[i] > limit:
            return False
    return True


cdef bint below_or(int value, int bound, int other) noexcept nogil:
    return value < bound or value == other


cdef int check_fields(const State* s) noexcept nogil:
    cdef int row
    if not 2 <= s.seats <= MOST_SEATS:
        return BAD_FIELD
    row = row_length(s)
    if s.phase > OVER or s.round >= round_count(s) or s.first >= s.seats or s.to_move >= s.seats:
        return BAD_FIELD
    if s.passes >= s.seats or s.copper_pawn >= row or s.vicelard_pawn >= row or s.counted >= row:
        return BAD_FIELD
    if not (
        below_or(s.copper_holder, s.seats, NOBODY) and below_or(s.copper_next, s.seats, NOBODY)
        and below_or(s.vicelard_holder, s.seats, NOBODY)
        and below_or(s.vicelard_next, s.seats, NOBODY)
        and below_or(s.copper_on, row, NOWHERE) and below_or(s.vicelard_on, row, NOWHERE)
        and below_or(s.target, row, NOWHERE) and below_or(s.first_half, KINDS, NOWHERE)
    ):
        return BAD_FIELD
    if s.copper_points > 6 or s.influencing > 1 or s.paying_vicelard > 1:
        return BAD_FIELD
    # The first pile lasts for two rounds, and with two seats for the whole game.
    if s.shuffles > (0 if s.seats == 2 else max(0, s.round - 1)):
        return BAD_FIELD
    if s.stage >= FIRST_DOWN + KINDS or s.pile_count > CARDS or s.tiles > MOST_TILES:
        return BAD_FIELD
    # These limits are low enough that no later sum overflows.
    if not (
        all_up_to(s.hand[0], sizeof(s.hand), HAND_LIMIT)
        and all_up_to(s.tokens[0], sizeof(s.tokens), TOKENS)
        and all_up_to(s.contracts[0], sizeof(s.contracts), HAND_LIMIT)
        and all_up_to(s.dollars[0], sizeof(s.dollars), HAND_LIMIT)
        and all_up_to(s.down[0][0], sizeof(s.down), HAND_LIMIT)
        and all_up_to(s.just_down, sizeof(s.just_down), HAND_LIMIT)
        and all_up_to(s.paid_up, sizeof(s.paid_up), HAND_LIMIT)
        and all_up_to(s.paid_down[0], sizeof(s.paid_down), HAND_LIMIT)
        and all_up_to(s.discarded_up[0], sizeof(s.discarded_up), CARDS)
        and all_up_to(s.discarded_down[0], sizeof(s.discarded_down), CARDS)
        and all_up_to(s.pile, sizeof(s.pile), KINDS - 1)
        and all_up_to(s.shuffled[0].up[0], sizeof(s.shuffled), CARDS)
        and all_up_to(s.column, sizeof(s.column), NO_COLUMN)
        and all_up_to(s.traffic[0], sizeof(s.traffic), VALUES - 1)
        and all_up_to(s.side, sizeof(s.side), SIDES - 1)
        and all_up_to(s.worth, sizeof(s.worth), VALUES - 1)
    ):
        return BAD_FIELD
    return 0


cdef int check_unused(const State* s) noexcept nogil:
    """Check that fields of absent seats, places, cards, Mafiosi and tiles are empty."""
    cdef int seat, place, i, n
    for seat in range(s.seats, MOST_SEATS):
        n = sum_kinds(s.hand[seat]) + sum_kinds(s.paid_down[seat]) + sum_kinds(s.discarded_up[seat])
        n += sum_kinds(s.discarded_down[seat]) + s.paid_up[seat]
        for i in range(MOST_SHUFFLES):
            n += sum_kinds(s.shuffled[i].up[seat]) + sum_kinds(s.shuffled[i].down[seat])
            n += sum_kinds(s.shuffled[i].drawn[seat]) + s.shuffled[i].drawn_before[seat]
        if n:
            return BAD_UNUSED
    for place in range(MOST_ROW):
        for seat in range(MOST_SEATS):
            if place < row_length(s) and seat < s.seats:
                continue
            n = s.tokens[place][seat] + s.contracts[place][seat] + s.dollars[place][seat]
            if n or sum_kinds(s.down[place][seat]):
                return BAD_UNUSED
    if not all_up_to(s.pile + s.pile_count, CARDS - s.pile_count, 0):
        return BAD_UNUSED
    for i in range(s.shuffles, MOST_SHUFFLES):
        if not all_up_to(s.shuffled[i].up[0], sizeof(Shuffle), 0):
            return BAD_UNUSED
    for i in range(row_length(s) * round_count(s), MOST_MAFIOSI):
        if s.mafiosi[i] or s.owner[i] != NOBODY or s.column[i] != NO_COLUMN:
            return BAD_UNUSED
    for i in range(s.tiles, MOST_TILES):
        if s.side[i] or s.worth[i] or s.holder[i]:
            return BAD_UNUSED
    return 0


cdef int counted_so_far(const State* s) noexcept nogil:
    """Return how many Mafiosi have been counted, including the one that is being counted."""
    if s.phase == OVER:
        return row_length(s) * round_count(s)
    return s.round * row_length(s) + (s.counted + 1 if is_counting(s) else 0)


cdef int check_mafiosi(const State* s) noexcept nogil:
    cdef int i, j, code, family
    for i in range(row_length(s) * round_count(s)):
        code = s.mafiosi[i]
        family = family_of(code)
        if family > BLACKMAT or value_of(code) >= VALUES or (s.seats < 4 and value_of(code) == 2):
            return BAD_MAFIOSI
        for j in range(i):
            if s.mafiosi[j] == code:
                return BAD_MAFIOSI
        if not below_or(s.owner[i], s.seats, NOBODY):
            return BAD_COLUMNS
        if s.owner[i] == NOBODY:
            if s.column[i] != NO_COLUMN:
                return BAD_COLUMNS
            continue
        if i >= counted_so_far(s) or s.column[i] == NO_COLUMN:
            return BAD_COLUMNS
        if family != BLACKMAT and s.column[i] != family:
            return BAD_COLUMNS
    for i in range(row_length(s) * round_count(s)):
        if s.owner[i] == NOBODY or family_of(s.mafiosi[i]) != BLACKMAT:
            continue
        # A Blackmat lies with a family card or waits until its owner has one.
        if s.column[i] < FAMILIES:
            if not holds_family(s, s.owner[i], s.column[i]):
                return BAD_COLUMNS
        elif (s.column[i] == WAITING) != (column_mask(s, s.owner[i]) == 0):
            return BAD_COLUMNS
        elif s.column[i] == PENDING and (s.phase != JOIN or s.owner[i] != s.to_move):
            return BAD_COLUMNS
    return 0


cdef int check_briefcases(const State* s) noexcept nogil:
    cdef int tile, side, seat
    for tile in range(s.tiles):
        side = s.side[tile]
        if not below_or(s.holder[tile], s.seats, NOBODY):
            return BAD_BRIEFCASES
        if s.seats < 4 and (side == TWOS_3 or side == MOST_TWOS):
            return BAD_BRIEFCASES
        if side >= MOST_MAFIOSI_SIDE:
            if s.holder[tile] != (most_holder(s, side) if s.phase == OVER else NOBODY):
                return BAD_BRIEFCASES
            continue
        if s.holder[tile] == NOBODY:
            # A seat takes it as soon as it has what it asks for.
            for seat in range(s.seats):
                if has_reached(s, seat, side):
                    return BAD_BRIEFCASES
        elif s.round == 0 and not is_counting(s):
            return BAD_BRIEFCASES
        elif side == BLACKMATS_2 and not has_reached(s, s.holder[tile], side):
            # Copper drops family cards only, so the holder still has its Blackmats.
            return BAD_BRIEFCASES
    return 0


cdef int check_cards(const State* s) noexcept nogil:
    """Check that hands, row, payments, discards and pile add up to the 53 cards by kind."""
    cdef int total[KINDS]
    cdef int now[KINDS]
    cdef int seat, kind, place, i, held, gone
    memset(total, 0, sizeof(total))
    for seat in range(s.seats):
        memset(now, 0, sizeof(now))
        add_up_now(s, seat, now)
        add_down_now(s, seat, now)
        held = s.cards[seat]
        for kind in range(KINDS):
            held += now[kind]
            total[kind] += now[kind] + s.hand[seat][kind]
            total[kind] += s.discarded_up[seat][kind] + s.discarded_down[seat][kind]
        gone = sum_kinds(s.discarded_up[seat]) + sum_kinds(s.discarded_down[seat])
        # Every seat begins a round with five to ten cards.
        if held > HAND_LIMIT or held < DRAWN_PER_ROUND:
            return BAD_CARDS
        if s.round == 0 and (held > DRAWN_PER_ROUND or gone):
            return BAD_CARDS
        if s.shuffles == 0 and gone + held > DRAWN_PER_ROUND * (s.round + 1):
            return BAD_CARDS
        for place in range(row_length(s)):
            if s.contracts[place][seat] and family_at(s, place) == BLACKMAT:
                return BAD_CARDS
    for i in range(s.pile_count):
        total[s.pile[i]] += 1
    for kind in range(KINDS):
        if total[kind] != kind_total(kind):
            return BAD_CARDS
    return 0


cdef int check_shuffles(const State* s) noexcept nogil:
    """Check that the cards of each shuffled pile were drawn or, for the last one, are in it."""
    cdef const Shuffle* shuffled
    cdef int left[KINDS]
    cdef int i, number, seat, kind
    for number in range(s.shuffles):
        shuffled = &s.shuffled[number]
        memset(left, 0, sizeof(left))
        for seat in range(s.seats):
            for kind in range(KINDS):
                left[kind] += shuffled.up[seat][kind] + shuffled.down[seat][kind]
                left[kind] -= shuffled.drawn[seat][kind]
        if number == s.shuffles - 1:
            for i in range(s.pile_count):
                left[s.pile[i]] -= 1
        for kind in range(KINDS):
            if left[kind]:
                return BAD_SHUFFLE
        for seat in range(s.seats):
            if not drawn_is_there(s, number, seat):
                return BAD_SHUFFLE
    return 0


cdef void cards_since(
    const State* s, int number, int seat, int* gone, int* kept
) noexcept nogil:
    """Count a seat's cards since a shuffle by kind.

    `gone` were discarded before the round of the last draws from that pile, and `kept` were not.
    """
    cdef int kind
    cdef const Shuffle* after
    memset(kept, 0, KINDS * sizeof(int))
    add_up_now(s, seat, kept)
    add_down_now(s, seat, kept)
    for kind in range(KINDS):
        gone[kind] = s.discarded_up[seat][kind] + s.discarded_down[seat][kind]
        kept[kind] += s.hand[seat][kind]
    if number + 1 < s.shuffles:
        # The next shuffle took all discards. Cards not drawn from that pile had been kept.
        after = &s.shuffled[number + 1]
        for kind in range(KINDS):
            kept[kind] += gone[kind] - after.drawn[seat][kind]
            gone[kind] = after.up[seat][kind] + after.down[seat][kind]


cdef bint drawn_is_there(const State* s, int number, int seat) noexcept nogil:
    """Whether the cards that a seat drew from a shuffled pile can be among those it has had since.

    Cards drawn in the round of the last draws cannot have been discarded before it. For a pile that
    has been drawn empty only numbers are checked: `draw_sources` in hidden.pyx cannot guarantee
    more for the worlds that it draws.
    """
    cdef const Shuffle* shuffled = &s.shuffled[number]
    cdef bint last = number == s.shuffles - 1
    cdef int before = shuffled.drawn_before[seat], drawn = sum_kinds(shuffled.drawn[seat])
    cdef int gone[KINDS]
    cdef int kept[KINDS]
    cdef int kind, short, let_go = 0, held = 0, of_gone = 0
    if before > drawn or drawn - before > DRAWN_PER_ROUND:
        return False
    cards_since(s, number, seat, gone, kept)
    for kind in range(KINDS):
        short = max(0, shuffled.drawn[seat][kind] - kept[kind])
        if kept[kind] < 0 or (last and short > gone[kind]):
            return False
        of_gone += short
        let_go += gone[kind]
        held += kept[kind]
    if last:
        return of_gone <= before
    return held >= drawn - before and held + let_go >= drawn


cdef int cards_at(const State* s, int place, int seat) noexcept nogil:
    """Return how many cards of a seat lie on a Mafioso, special cards included."""
    cdef int n = s.contracts[place][seat] + s.dollars[place][seat] + sum_kinds(s.down[place][seat])
    return n + is_vicelard_card(s, place, seat) + is_copper_card(s, place, seat)


cdef int check_row(const State* s) noexcept nogil:
    cdef int place, seat, tokens, paid = 0
    cdef bint begun = s.supply[s.first] < TOKENS
    if s.vicelard_on != NOWHERE and s.vicelard_holder == NOBODY:
        return BAD_ROW
    if s.copper_on != NOWHERE and s.copper_holder == NOBODY:
        return BAD_ROW
    for seat in range(s.seats):
        tokens = 0
        for place in range(row_length(s)):
            tokens += s.tokens[place][seat]
            # An influence in progress may have tokens and no card yet.
            if s.phase == PIECES and seat == s.to_move and place == s.target:
                if s.tokens[place][seat] == 0 and cards_at(s, place, seat):
                    return BAD_ROW
            elif (s.tokens[place][seat] > 0) != (cards_at(s, place, seat) > 0):
                return BAD_ROW
        paid += s.paid_up[seat] + sum_kinds(s.paid_down[seat])
        if tokens > TOKENS or (tokens and not begun):
            return BAD_ROW
    if begun:
        return 0
    # Nothing happens in a round before the first player's first action.
    if s.to_move != s.first or s.passes or paid or s.phase > PIECES:
        return BAD_PHASE
    if s.copper_pawn != 0 or s.vicelard_pawn != row_length(s) - 1:
        return BAD_PHASE
    return 0


cdef int check_phase(const State* s) noexcept nogil:
    if s.round == 0 and (
        s.vicelard_holder != (s.first + s.seats - 1) % s.seats or s.copper_holder != NOBODY
    ):
        return BAD_PHASE
    if (s.copper_pawn == s.vicelard_pawn) != (s.phase == CHASE):
        return BAD_PHASE
    if s.passes and s.phase != ACTION:
        return BAD_PHASE
    if s.phase == OVER and (s.round + 1 != round_count(s) or s.to_move != s.first):
        return BAD_PHASE
    if s.phase != PIECES and (s.influencing or s.stage or sum_kinds(s.just_down)):
        return BAD_ACTION
    if s.phase != PAY and (s.paying_vicelard or s.first_half != NOWHERE):
        return BAD_ACTION
    if (s.target == NOWHERE) != (s.phase != PIECES and s.phase != PAY):
        return BAD_ACTION
    if s.counted and not is_counting(s):
        return BAD_COUNTING
    if is_counting(s) or s.phase == OVER:
        return check_counting(s, row_length(s) - 1 if s.phase == OVER else s.counted)
    if s.copper_next != NOBODY or s.vicelard_next != NOBODY:
        return BAD_COUNTING
    if s.phase == PIECES:
        return check_pieces(s, s.to_move)
    if s.phase == PAY:
        return check_payment(s, s.to_move)
    if s.phase == CHASE and s.paid_up[s.to_move] + sum_kinds(s.paid_down[s.to_move]) == 0:
        return BAD_ACTION
    return 0


cdef int check_pieces(const State* s, int seat) noexcept nogil:
    """Check that the last piece lies there, none of a later stage does, and `done` is possible."""
    cdef const uint8_t* down = s.down[s.target][seat]
    cdef int kind, added, last = -1
    cdef bint vicelard_here = is_vicelard_card(s, s.target, seat)
    cdef bint copper_here = is_copper_card(s, s.target, seat)
    cdef bint token_here = s.tokens[s.target][seat] > 0
    for kind in range(KINDS):
        if s.just_down[kind] > down[kind]:
            return BAD_ACTION
        if s.just_down[kind]:
            last = kind
    if (last >= 0) != (s.stage >= FIRST_DOWN) or (last >= 0 and s.stage != FIRST_DOWN + last):
        return BAD_ACTION
    if s.stage == CONTRACT and s.contracts[s.target][seat] == 0:
        return BAD_ACTION
    if s.stage == DOLLAR_UP and s.dollars[s.target][seat] == 0:
        return BAD_ACTION
    if s.stage == VICELARD_CARD and not (vicelard_here and s.vicelard_pawn == s.target):
        return BAD_ACTION
    if s.stage == COPPER_CARD and not copper_here:
        return BAD_ACTION
    if s.influencing:
        # This action placed everything that the seat has there.
        if token_here != (s.stage > NOTHING) or sum_kinds(down) != sum_kinds(s.just_down):
            return BAD_ACTION
        if (s.stage < CONTRACT and s.contracts[s.target][seat]) or (
            s.stage < DOLLAR_UP and s.dollars[s.target][seat]
        ):
            return BAD_ACTION
        if (s.stage < VICELARD_CARD and vicelard_here) or (s.stage < COPPER_CARD and copper_here):
            return BAD_ACTION
        if vicelard_here and s.vicelard_pawn != s.target:
            return BAD_ACTION
        if s.stage == TOKEN:
            return 0 if can_play_card(s, seat, s.target) else BAD_ACTION
    else:
        # Before a reinforcement, the seat had at least a token and a card there.
        added = max(sum_kinds(s.just_down), 1 if s.stage > TOKEN else 0)
        if cards_at(s, s.target, seat) <= added:
            return BAD_ACTION
        if s.tokens[s.target][seat] <= (1 if s.stage == TOKEN else 0):
            return BAD_ACTION
    if s.stage == NOTHING:
        return 0 if can_complete(s, seat, s.target, s.influencing) else BAD_ACTION
    return 0


cdef int check_payment(const State* s, int seat) noexcept nogil:
    if s.target == s.vicelard_pawn:
        return BAD_ACTION
    if not s.paying_vicelard:
        if s.target == s.copper_pawn or s.first_half != NOWHERE or s.cards[seat] == 0:
            return BAD_ACTION
        return 0
    if s.first_half == NOWHERE:
        return 0 if can_pay_vicelard(s, seat) else BAD_ACTION
    if s.paid_down[seat][s.first_half] == 0 or not holds_from(s.hand[seat], s.first_half):
        return BAD_ACTION
    return 0


cdef int check_counting(const State* s, int counted) noexcept nogil:
    """Check that Mafiosi counted in this round went to the seats with the most influence.

    `counted` is the place of the last one.
    """
    cdef int place, index, winner, dropped = 0
    cdef int under_copper = winner_at(s, s.copper_pawn)
    cdef int copper_family = family_at(s, s.copper_pawn)
    # The winner under Copper has already chosen, and made another seat discard a card.
    cdef bint dropping = (
        s.copper_next == NOBODY and under_copper != NOBODY and copper_family != BLACKMAT
        and (s.copper_pawn < counted or (s.copper_pawn == counted and s.phase != COPPER))
    )
    for place in range(counted + 1):
        index = index_of(s, place)
        winner = winner_at(s, place)
        if s.owner[index] == winner:
            continue
        dropped += 1
        if s.owner[index] != NOBODY or not dropping or dropped > 1 or place >= s.copper_pawn:
            return BAD_COUNTING
        if family_of(s.mafiosi[index]) != copper_family or winner == under_copper:
            return BAD_COUNTING
    if s.vicelard_next != (
        winner_at(s, s.vicelard_pawn) if s.vicelard_pawn <= counted else NOBODY
    ):
        return BAD_COUNTING
    if s.copper_next != NOBODY and (
        s.copper_next != under_copper or s.copper_pawn > counted or s.phase == COPPER
    ):
        return BAD_COUNTING
    if s.copper_next == NOBODY and s.copper_pawn <= counted and under_copper != NOBODY:
        if not dropping and s.phase != COPPER:
            return BAD_COUNTING
    if s.phase == COPPER:
        return check_choice(s, under_copper, copper_family)
    if s.phase == OVER:
        return 0
    return check_joining(s, dropping, under_copper, copper_family)


cdef int check_choice(const State* s, int seat, int family) noexcept nogil:
    """Check that the winner under Copper is choosing, and another seat has a card to drop."""
    cdef int other
    if s.counted != s.copper_pawn or s.to_move != seat or family == BLACKMAT:
        return BAD_PHASE
    for other in range(s.seats):
        if other != seat and holds_family(s, other, family):
            return 0
    return BAD_PHASE


cdef int check_joining(
    const State* s, bint dropping, int under_copper, int copper_family
) noexcept nogil:
    """Check that the Blackmats that must join a column are those that can be due now.

    Either it is the one that was just won, or Copper took the last family card of their column.
    """
    cdef int i, pending = 0, current = index_of(s, s.counted)
    for i in range(MOST_MAFIOSI):
        pending += s.column[i] == PENDING
    if pending == 0:
        return BAD_PHASE
    if s.column[current] == PENDING:
        return 0 if pending == 1 else BAD_PHASE
    if not dropping or s.counted != s.copper_pawn or s.to_move == under_copper:
        return BAD_PHASE
    return BAD_PHASE if holds_family(s, s.to_move, copper_family) else 0


# ---- Facts for Python; encoding.pyi types them ---------------------------------------------------

cdef tuple list_kinds(const uint8_t* kinds):
    return tuple([kinds[kind] for kind in range(KINDS)])


cdef list list_by_seat(const State* s, const uint8_t* kinds):
    """Return five kinds for each seat."""
    return [list_kinds(kinds + KINDS * seat) for seat in range(s.seats)]


cdef object or_none(int number):
    """Return a seat, place or kind, or None for NOBODY and NOWHERE."""
    return None if number == NOBODY else number


cdef list list_stakes(const State* s, int place):
    """Return what each seat has on a Mafioso, and None for a seat without a token there."""
    return [
        None if s.tokens[place][seat] == 0 else (
            s.tokens[place][seat],
            s.contracts[place][seat],
            s.dollars[place][seat],
            list_kinds(s.down[place][seat]),
            bool(is_vicelard_card(s, place, seat)),
            bool(is_copper_card(s, place, seat)),
            points_at(s, place, seat) / 2.0,
        )
        for seat in range(s.seats)
    ]


cdef tuple list_values(const State* s, int seat, int column, bint blackmats):
    """Return the values of a seat's Mafiosi in a column: of the family, or of the Blackmats."""
    cdef int i, value
    cdef uint32_t found = 0
    for i in range(MOST_MAFIOSI):
        if s.owner[i] == seat and s.column[i] == column:
            if (family_of(s.mafiosi[i]) == BLACKMAT) == blackmats:
                found |= <uint32_t>1 << value_of(s.mafiosi[i])
    return tuple([value for value in range(VALUES) if found >> value & 1]) if found else ()


cdef list list_columns(const State* s, int seat):
    """Return the family, values and Blackmats of each column that a seat has."""
    cdef int family, present = column_mask(s, seat)
    return [
        (COLOURS[family], list_values(s, seat, family, False), list_values(s, seat, family, True))
        for family in range(FAMILIES) if present >> family & 1
    ]


cdef dict describe_shuffle(const State* s, const Shuffle* shuffled):
    return {
        "up": list_by_seat(s, shuffled.up[0]),
        "down": list_by_seat(s, shuffled.down[0]),
        "drawn": list_by_seat(s, shuffled.drawn[0]),
        "drawn_before": [shuffled.drawn_before[seat] for seat in range(s.seats)],
    }


cdef list list_traffic_winners(const State* s):
    """Return, by family, the seats that win the two traffics; nobody does before the end."""
    cdef int winners[2]
    cdef int family
    if s.phase != OVER:
        return [(None, None)] * FAMILIES
    found = []
    for family in range(FAMILIES):
        rank_family(s, family, winners)
        found.append((or_none(winners[0]), or_none(winners[1])))
    return found


cdef list list_unseen(const State* s):
    """Return the Mafiosi whose value nobody has seen, in ascending order."""
    cdef int i
    return sorted([
        s.mafiosi[i] for i in range(row_length(s) * round_count(s)) if not value_known(s, i)
    ])


def facts(bytes packed, int viewer):
    """Return what a viewer sees of a packed state.

    Where the viewer does not know the kinds of cards, their number stands in place of the number of
    the first kind. A value of 31 is hidden. Only the referee gets the Mafiosi of the deck.
    """
    cdef State s
    cdef State seen
    cdef const uint8_t* data = packed
    cdef int i, total, laid, row, counted
    if unpack(&s, data, len(packed)):
        raise ValueError("not a packed state of this game")
    if s.phase == OVER:
        # The table is cleared for the view: the row stayed only for what the seats remember.
        clear_row(&s)
    memcpy(&seen, &s, sizeof(State))
    veil(&seen, viewer)
    total = row_length(&s) * round_count(&s)
    laid = total if s.phase == OVER else (s.round + 1) * row_length(&s)
    row = 0 if s.phase == OVER else row_length(&s)
    counted = s.counted + 1 if is_counting(&s) else 0
    return {
        "seats": s.seats,
        "round": s.round,
        "rounds": round_count(&s),
        "first": s.first,
        "to_move": s.to_move,
        "passes": s.passes,
        "row": [seen.mafiosi[i] for i in range(laid - row, laid)],
        "counted": counted,
        "copper_pawn": s.copper_pawn,
        "vicelard_pawn": s.vicelard_pawn,
        "copper": (or_none(s.copper_holder), or_none(s.copper_on), or_none(s.copper_next)),
        "vicelard": (or_none(s.vicelard_holder), or_none(s.vicelard_on), or_none(s.vicelard_next)),
        "copper_points": s.copper_points / 2.0,
        "target": or_none(s.target),
        "influencing": bool(s.influencing),
        "stage": seen.stage,
        "paying_vicelard": bool(s.paying_vicelard),
        "first_half": or_none(seen.first_half),
        "just_down": list_kinds(seen.just_down),
        "hands": list_by_seat(&seen, seen.hand[0]),
        "supply": [s.supply[i] for i in range(s.seats)],
        "stakes": [list_stakes(&seen, i) for i in range(row)],
        "paid_up": [s.paid_up[i] for i in range(s.seats)],
        "paid_down": list_by_seat(&seen, seen.paid_down[0]),
        "discarded_up": list_by_seat(&seen, seen.discarded_up[0]),
        "discarded_down": list_by_seat(&seen, seen.discarded_down[0]),
        "pile_count": s.pile_count,
        "pile": [seen.pile[i] for i in range(s.pile_count)],
        "shuffled": [describe_shuffle(&seen, &seen.shuffled[i]) for i in range(s.shuffles)],
        "columns": [list_columns(&s, i) for i in range(s.seats)],
        "waiting": [list_values(&s, i, WAITING, True) for i in range(s.seats)],
        "joining": [list_values(&s, i, PENDING, True) for i in range(s.seats)],
        "removed": [
            s.mafiosi[i] for i in range(laid - row + counted) if s.owner[i] == NOBODY
        ],
        "unseen": list_unseen(&s),
        "deck_count": total - laid,
        "deck": [s.mafiosi[i] for i in range(laid, total if viewer < 0 else laid)],
        "traffics": [[s.traffic[i][family] for family in range(FAMILIES)] for i in range(2)],
        "traffic_winners": list_traffic_winners(&s),
        "briefcases": [
            (SIDE_NAMES[s.side[i]], s.worth[i], or_none(s.holder[i])) for i in range(s.tiles)
        ],
        "chance": s.rng.state,
    }
