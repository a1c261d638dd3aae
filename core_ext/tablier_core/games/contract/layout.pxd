# The bytes of a game of Contract: one description of the layout for both ways, and every check of
# what arrives (docs/reference/contract.md: Byte layout).

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t
from libc.string cimport memcpy, memset

from tablier_core.games.contract.state cimport (
    ACTION, BLACKMAT, BLACKMATS_2, CARDS, CHASE, CONTRACT, COPPER, COPPER_CARD, DOLLAR_UP,
    DRAWN_A_ROUND, FAMILIES, FIRST_DOWN, HAND_LIMIT, JOIN, KINDS, MOST_MAFIOSI, MOST_MAFIOSI_SIDE,
    MOST_ROW, MOST_SEATS, MOST_SHUFFLES, MOST_TILES, MOST_TWOS, NO_COLUMN, NOBODY, NOTHING,
    NOWHERE, OVER, PAY, PENDING, PIECES, SIDES, TOKEN, TOKENS, TWOS_3, VALUES, VICELARD_CARD,
    WAITING,
    Shuffle, State, Tally, add_down_now, add_up_now, can_complete, can_pay_vicelard, can_play_card,
    column_mask, family_at, family_of, holds_family, holds_from, index_of, is_counting, kind_total,
    most_holder, round_count, row_length, side_reached, sum_kinds, tally_seat, value_of, winner_at,
)
from tablier_core.packing cimport put, take
from tablier_core.rng cimport GAME_STREAM

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
    BAD_TABLE
    BAD_ACTION
    BAD_COUNTING
    BAD_PHASE

cdef extern from *:
    """
    static const char *const tablier_contract_faults =
        "length: the state has a fixed size\\n"
        "a number is out of its range\\n"
        "what belongs to no seat, place, shuffle, Mafioso or tile of this game must be empty\\n"
        "Mafiosi: one is there twice, or cannot be in a game of so many seats\\n"
        "columns: a Mafioso lies where its owner cannot have it\\n"
        "briefcases: a holder does not follow from the Mafiosi\\n"
        "cards: their numbers by kind do not add up, or a hand is too small or too large\\n"
        "shuffle: the pile, and what was drawn from it, are not what was shuffled\\n"
        "row: a seat has too many tokens, or tokens without cards, or cards without tokens\\n"
        "action: what is placed, paid or aimed at does not fit the action in progress\\n"
        "counting: an owner or a special card does not follow from the influence\\n"
        "phase: it does not fit the position";
    """
    const char* FAULTS "tablier_contract_faults"

# Either end may be NULL: bytes go to `out`, or come from `data`.
cdef struct Stream:
    uint8_t* out
    const uint8_t* data


cdef inline void move_bytes(Stream* io, uint8_t* field, size_t size) noexcept nogil:
    if io.out != NULL:
        memcpy(io.out, field, size)
        io.out += size
    else:
        memcpy(field, io.data, size)
        io.data += size


cdef inline void move_fields(Stream* io, State* s) noexcept nogil:
    """The layout: every field after the generator, in this order."""
    cdef uint8_t* numbers[20]
    cdef int i
    numbers[0], numbers[1], numbers[2], numbers[3] = &s.seats, &s.phase, &s.round, &s.first
    numbers[4], numbers[5] = &s.to_move, &s.passes
    numbers[6], numbers[7] = &s.copper_pawn, &s.vicelard_pawn
    numbers[8], numbers[9], numbers[10] = &s.copper_holder, &s.copper_on, &s.copper_next
    numbers[11], numbers[12], numbers[13] = &s.vicelard_holder, &s.vicelard_on, &s.vicelard_next
    numbers[14] = &s.copper_points
    numbers[15], numbers[16], numbers[17] = &s.target, &s.fresh, &s.floor
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
    move_bytes(io, s.gone_up[0], sizeof(s.gone_up))
    move_bytes(io, s.gone_down[0], sizeof(s.gone_down))
    move_bytes(io, &s.pile_count, 1)
    move_bytes(io, s.pile, sizeof(s.pile))
    move_bytes(io, &s.shuffles, 1)
    for i in range(MOST_SHUFFLES):
        # Bytes alone, so a shuffle has no gaps.
        move_bytes(io, s.shuffled[i].up[0], sizeof(Shuffle))
    move_bytes(io, s.mafiosi, sizeof(s.mafiosi))
    move_bytes(io, s.owner, sizeof(s.owner))
    move_bytes(io, s.column, sizeof(s.column))
    move_bytes(io, s.traffic[0], sizeof(s.traffic))
    move_bytes(io, &s.tiles, 1)
    move_bytes(io, s.side, sizeof(s.side))
    move_bytes(io, s.worth, sizeof(s.worth))
    move_bytes(io, s.holder, sizeof(s.holder))


cdef inline size_t pack(const void* state, uint8_t* out) noexcept nogil:
    cdef Stream io = Stream(out, NULL)
    put(&io.out, (<const State*>state).rng.state, 8)
    # Bytes leave the state and none enter it.
    move_fields(&io, <State*>state)
    return PACKED_SIZE


cdef inline int unpack(void* state, const uint8_t* data, size_t length) noexcept nogil:
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


cdef inline void derive(State* s) noexcept nogil:
    """What is not among the bytes. Checked later; here it may still wrap round."""
    cdef int seat, place
    for seat in range(s.seats):
        s.cards[seat] = <uint8_t>sum_kinds(s.hand[seat])
        s.supply[seat] = TOKENS
        for place in range(row_length(s)):
            s.supply[seat] -= s.tokens[place][seat]


# ---- Checks, each of which may rely on those before it -------------------------------------------

cdef inline bint all_up_to(const uint8_t* field, size_t size, int limit) noexcept nogil:
    cdef size_t i
    for i in range(size):
        if field[i] > limit:
            return False
    return True


cdef inline bint below_or(int value, int bound, int other) noexcept nogil:
    return value < bound or value == other


cdef inline int check_fields(const State* s) noexcept nogil:
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
    if s.copper_points > 6 or s.fresh > 1 or s.paying_vicelard > 1:
        return BAD_FIELD
    # The cards last for two rounds, and with two seats for all.
    if s.shuffles > (0 if s.seats == 2 else max(0, s.round - 1)):
        return BAD_FIELD
    if s.floor >= FIRST_DOWN + KINDS or s.pile_count > CARDS or s.tiles > MOST_TILES:
        return BAD_FIELD
    # Small enough that no later sum can wrap round.
    if not (
        all_up_to(s.hand[0], sizeof(s.hand), HAND_LIMIT)
        and all_up_to(s.tokens[0], sizeof(s.tokens), TOKENS)
        and all_up_to(s.contracts[0], sizeof(s.contracts), HAND_LIMIT)
        and all_up_to(s.dollars[0], sizeof(s.dollars), HAND_LIMIT)
        and all_up_to(s.down[0][0], sizeof(s.down), HAND_LIMIT)
        and all_up_to(s.just_down, sizeof(s.just_down), HAND_LIMIT)
        and all_up_to(s.paid_up, sizeof(s.paid_up), HAND_LIMIT)
        and all_up_to(s.paid_down[0], sizeof(s.paid_down), HAND_LIMIT)
        and all_up_to(s.gone_up[0], sizeof(s.gone_up), CARDS)
        and all_up_to(s.gone_down[0], sizeof(s.gone_down), CARDS)
        and all_up_to(s.pile, sizeof(s.pile), KINDS - 1)
        and all_up_to(s.shuffled[0].up[0], sizeof(s.shuffled), CARDS)
        and all_up_to(s.column, sizeof(s.column), NO_COLUMN)
        and all_up_to(s.traffic[0], sizeof(s.traffic), VALUES - 1)
        and all_up_to(s.side, sizeof(s.side), SIDES - 1)
        and all_up_to(s.worth, sizeof(s.worth), VALUES - 1)
    ):
        return BAD_FIELD
    return 0


cdef inline int check_unused(const State* s) noexcept nogil:
    """Fields of absent seats, places, cards, Mafiosi and tiles have one value only."""
    cdef int seat, place, i, n
    for seat in range(s.seats, MOST_SEATS):
        n = sum_kinds(s.hand[seat]) + sum_kinds(s.paid_down[seat]) + sum_kinds(s.gone_up[seat])
        n += sum_kinds(s.gone_down[seat]) + s.paid_up[seat]
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


cdef inline int counted_so_far(const State* s) noexcept nogil:
    """How many Mafiosi have been counted, with the one that is being counted."""
    if s.phase == OVER:
        return row_length(s) * round_count(s)
    return s.round * row_length(s) + (s.counted + 1 if is_counting(s) else 0)


cdef inline int check_mafiosi(const State* s) noexcept nogil:
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
        # A Blackmat lies with a family card, or waits until its owner has one.
        if s.column[i] < FAMILIES:
            if not holds_family(s, s.owner[i], s.column[i]):
                return BAD_COLUMNS
        elif (s.column[i] == WAITING) != (column_mask(s, s.owner[i]) == 0):
            return BAD_COLUMNS
        elif s.column[i] == PENDING and (s.phase != JOIN or s.owner[i] != s.to_move):
            return BAD_COLUMNS
    return 0


cdef inline int check_briefcases(const State* s) noexcept nogil:
    cdef Tally tally
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
            # Nobody reaches what it asks for without taking it.
            for seat in range(s.seats):
                tally_seat(s, seat, &tally)
                if side_reached(&tally, side):
                    return BAD_BRIEFCASES
        elif s.round == 0 and not is_counting(s):
            return BAD_BRIEFCASES
        elif side == BLACKMATS_2:
            # Alone among them, this one cannot be undone by Copper.
            tally_seat(s, s.holder[tile], &tally)
            if not side_reached(&tally, side):
                return BAD_BRIEFCASES
    return 0


cdef inline int check_cards(const State* s) noexcept nogil:
    """53 influence cards by kind, over hands, row, payments, discards and pile."""
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
            total[kind] += s.gone_up[seat][kind] + s.gone_down[seat][kind]
        gone = sum_kinds(s.gone_up[seat]) + sum_kinds(s.gone_down[seat])
        # Everybody begins a round with five to ten cards.
        if held > HAND_LIMIT or (held < DRAWN_A_ROUND and s.phase != OVER):
            return BAD_CARDS
        if s.round == 0 and (held > DRAWN_A_ROUND or gone):
            return BAD_CARDS
        if s.shuffles == 0 and gone + held > DRAWN_A_ROUND * (s.round + 1):
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


cdef inline int check_shuffles(const State* s) noexcept nogil:
    """Of every shuffled pile, what went in was drawn or, of the last one, is still there."""
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


cdef inline void cards_since(
    const State* s, int number, int seat, int* gone, int* kept
) noexcept nogil:
    """What a seat has had since a shuffle: `gone` before the round of that pile's last draws."""
    cdef int kind
    cdef const Shuffle* after
    memset(kept, 0, KINDS * sizeof(int))
    add_up_now(s, seat, kept)
    add_down_now(s, seat, kept)
    for kind in range(KINDS):
        gone[kind] = s.gone_up[seat][kind] + s.gone_down[seat][kind]
        kept[kind] += s.hand[seat][kind]
    if number + 1 < s.shuffles:
        # All that had gone was shuffled then, and what was not drawn from that had been kept.
        after = &s.shuffled[number + 1]
        for kind in range(KINDS):
            kept[kind] += gone[kind] - after.drawn[seat][kind]
            gone[kind] = after.up[seat][kind] + after.down[seat][kind]


cdef inline bint drawn_is_there(const State* s, int number, int seat) noexcept nogil:
    """Whether a seat can have had what it drew from a shuffled pile.

    Cards drawn in the round of the last draws cannot have gone before. Of a pile that has been
    drawn empty only numbers are checked: no more can be promised of worlds (see `draw_sources`).
    """
    cdef const Shuffle* shuffled = &s.shuffled[number]
    cdef bint last = number == s.shuffles - 1
    cdef int before = shuffled.drawn_before[seat], drawn = sum_kinds(shuffled.drawn[seat])
    cdef int gone[KINDS]
    cdef int kept[KINDS]
    cdef int kind, short, let_go = 0, held = 0, of_gone = 0
    if before > drawn or drawn - before > (0 if last and s.phase == OVER else DRAWN_A_ROUND):
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


cdef inline int cards_at(const State* s, int place, int seat) noexcept nogil:
    """How many cards of a seat lie on a Mafioso, special cards included."""
    cdef int n = s.contracts[place][seat] + s.dollars[place][seat] + sum_kinds(s.down[place][seat])
    n += s.vicelard_on == place and s.vicelard_holder == seat
    n += s.copper_on == place and s.copper_holder == seat
    return n


cdef inline int check_row(const State* s) noexcept nogil:
    cdef int place, seat, tokens, paid = 0
    cdef bint begun = s.supply[s.first] < TOKENS
    if s.vicelard_on != NOWHERE and s.vicelard_holder == NOBODY:
        return BAD_TABLE
    if s.copper_on != NOWHERE and s.copper_holder == NOBODY:
        return BAD_TABLE
    for seat in range(s.seats):
        tokens = 0
        for place in range(row_length(s)):
            tokens += s.tokens[place][seat]
            # An influence in progress has its tokens first.
            if s.phase == PIECES and seat == s.to_move and place == s.target:
                if s.tokens[place][seat] == 0 and cards_at(s, place, seat):
                    return BAD_TABLE
            elif (s.tokens[place][seat] > 0) != (cards_at(s, place, seat) > 0):
                return BAD_TABLE
        paid += s.paid_up[seat] + sum_kinds(s.paid_down[seat])
        if tokens > TOKENS or (tokens and not begun):
            return BAD_TABLE
    if s.phase == OVER:
        return BAD_PHASE if begun or paid else 0
    if begun:
        return 0
    # Before the first player's first action nothing has happened in the round.
    if s.to_move != s.first or s.passes or paid or s.phase > PIECES:
        return BAD_PHASE
    if s.copper_pawn != 0 or s.vicelard_pawn != row_length(s) - 1:
        return BAD_PHASE
    return 0


cdef inline int check_phase(const State* s) noexcept nogil:
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
    if s.phase != PIECES and (s.fresh or s.floor or sum_kinds(s.just_down)):
        return BAD_ACTION
    if s.phase != PAY and (s.paying_vicelard or s.first_half != NOWHERE):
        return BAD_ACTION
    if (s.target == NOWHERE) != (s.phase != PIECES and s.phase != PAY):
        return BAD_ACTION
    if is_counting(s):
        return check_counting(s)
    if s.counted or s.copper_next != NOBODY or s.vicelard_next != NOBODY:
        return BAD_COUNTING
    if s.phase == PIECES:
        return check_pieces(s, s.to_move)
    if s.phase == PAY:
        return check_payment(s, s.to_move)
    if s.phase == CHASE and s.paid_up[s.to_move] + sum_kinds(s.paid_down[s.to_move]) == 0:
        return BAD_ACTION
    return 0


cdef inline int check_pieces(const State* s, int seat) noexcept nogil:
    """The last piece lies there, none that belongs after it does, and `done` can be reached."""
    cdef const uint8_t* down = s.down[s.target][seat]
    cdef int kind, added, last = -1
    cdef bint vicelard_here = s.vicelard_on == s.target and s.vicelard_holder == seat
    cdef bint copper_here = s.copper_on == s.target and s.copper_holder == seat
    cdef bint token_here = s.tokens[s.target][seat] > 0
    for kind in range(KINDS):
        if s.just_down[kind] > down[kind]:
            return BAD_ACTION
        if s.just_down[kind]:
            last = kind
    if (last >= 0) != (s.floor >= FIRST_DOWN) or (last >= 0 and s.floor != FIRST_DOWN + last):
        return BAD_ACTION
    if s.floor == CONTRACT and s.contracts[s.target][seat] == 0:
        return BAD_ACTION
    if s.floor == DOLLAR_UP and s.dollars[s.target][seat] == 0:
        return BAD_ACTION
    if s.floor == VICELARD_CARD and not (vicelard_here and s.vicelard_pawn == s.target):
        return BAD_ACTION
    if s.floor == COPPER_CARD and not copper_here:
        return BAD_ACTION
    if s.fresh:
        # Everything that the seat has there is of this action.
        if token_here != (s.floor > NOTHING) or sum_kinds(down) != sum_kinds(s.just_down):
            return BAD_ACTION
        if (s.floor < CONTRACT and s.contracts[s.target][seat]) or (
            s.floor < DOLLAR_UP and s.dollars[s.target][seat]
        ):
            return BAD_ACTION
        if (s.floor < VICELARD_CARD and vicelard_here) or (s.floor < COPPER_CARD and copper_here):
            return BAD_ACTION
        if vicelard_here and s.vicelard_pawn != s.target:
            return BAD_ACTION
        if s.floor == TOKEN:
            return 0 if can_play_card(s, seat, s.target) else BAD_ACTION
    else:
        # A reinforcement adds to at least a token and a card.
        added = max(sum_kinds(s.just_down), 1 if s.floor > TOKEN else 0)
        if cards_at(s, s.target, seat) <= added:
            return BAD_ACTION
        if s.tokens[s.target][seat] <= (1 if s.floor == TOKEN else 0):
            return BAD_ACTION
    if s.floor == NOTHING:
        return 0 if can_complete(s, seat, s.target, s.fresh) else BAD_ACTION
    return 0


cdef inline int check_payment(const State* s, int seat) noexcept nogil:
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


cdef inline int check_counting(const State* s) noexcept nogil:
    """What was counted in this round went to the seats with the most influence."""
    cdef int place, index, winner, dropped = 0
    cdef int under_copper = winner_at(s, s.copper_pawn)
    cdef int copper_family = family_at(s, s.copper_pawn)
    # Copper's choice is behind us, and was to make somebody discard a card.
    cdef bint dropping = (
        s.copper_next == NOBODY and under_copper != NOBODY and copper_family != BLACKMAT
        and (s.copper_pawn < s.counted or (s.copper_pawn == s.counted and s.phase == JOIN))
    )
    for place in range(s.counted + 1):
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
        winner_at(s, s.vicelard_pawn) if s.vicelard_pawn <= s.counted else NOBODY
    ):
        return BAD_COUNTING
    if s.copper_next != NOBODY and (
        s.copper_next != under_copper or s.copper_pawn > s.counted or s.phase == COPPER
    ):
        return BAD_COUNTING
    if s.copper_next == NOBODY and s.copper_pawn <= s.counted and under_copper != NOBODY:
        if not dropping and s.phase != COPPER:
            return BAD_COUNTING
    if s.phase == COPPER:
        return check_choice(s, under_copper, copper_family)
    return check_joining(s, dropping, under_copper, copper_family)


cdef inline int check_choice(const State* s, int seat, int family) noexcept nogil:
    """Copper's choice is due: it is the winner's, and somebody else has such a card."""
    cdef int other
    if s.counted != s.copper_pawn or s.to_move != seat or family == BLACKMAT:
        return BAD_PHASE
    for other in range(s.seats):
        if other != seat and holds_family(s, other, family):
            return 0
    return BAD_PHASE


cdef inline int check_joining(
    const State* s, bint dropping, int under_copper, int copper_family
) noexcept nogil:
    """The Blackmat that was just won is pending, or those whose last family card was dropped."""
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
