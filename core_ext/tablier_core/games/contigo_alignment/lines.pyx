"""The 14 lines of the alignment board: four in line, and what is missing to get there."""

from libc.stdint cimport uint8_t, uint64_t

from tablier_core.games.contigo.board cimport SIZE, SQUARES, bit

cdef uint64_t BOARD = (<uint64_t>1 << SQUARES) - 1

# Pawns on a line are six bits, one per square. All tables are filled at import.
#
# `four_in[own]` has bit `other` set when four of the pawns `own` have none of the pawns `other`
# between the outermost two of them.
cdef uint64_t[64] four_in
# Bit i is set when i, as a set of squares of a line, has four or more.
cdef uint64_t at_least_four
# By own and other pawns of a line: the squares where one more pawn makes four.
cdef uint8_t[64][64] makes_four
# By own and other pawns of a line: what `potential` counts for that line.
cdef uint8_t[64][64] potentials
# From six bits back to squares of the board: for file a and for the two diagonals.
cdef uint64_t[64] file_a
cdef uint64_t[64] rising
cdef uint64_t[64] falling


# Gather the six squares of a line into six bits. For a file and the diagonals one multiplication
# moves each bit to its place; all other products fall outside the window that is kept, and no two
# products coincide, so nothing carries into it.

cdef inline int on_rank(uint64_t squares, int rank) noexcept nogil:
    return <int>((squares >> (SIZE * rank)) & 63)


cdef inline int on_file(uint64_t squares, int file) noexcept nogil:
    return <int>((((squares >> file) & 0x041041041u) * 0x42108420u >> 30) & 63)


cdef inline int on_rising(uint64_t squares) noexcept nogil:
    return <int>(((squares & 0x810204081u) * 0x1041041040u >> 36) & 63)


cdef inline int on_falling(uint64_t squares) noexcept nogil:
    return <int>((((squares >> 5) & 0x2108421u) * 0x41041041u >> 25) & 63)


cdef void fill_four() noexcept:
    global at_least_four
    cdef int own, other, i, j, count
    at_least_four = 0
    for own in range(64):
        four_in[own] = 0
        # Only spans of four successive own pawns matter; wider ones can only hold more rivals.
        for i in range(6):
            count = 0
            for j in range(i, 6):
                if own & (1 << j):
                    count += 1
                    if count == 4 and own & (1 << i):
                        for other in range(64):
                            if not other & own and not other & ((1 << j) - (1 << i)):
                                four_in[own] |= <uint64_t>1 << other
                        at_least_four |= <uint64_t>1 << own
                        break


cdef void fill_completions() noexcept:
    cdef int own, other, added, square
    for own in range(64):
        for other in range(64):
            makes_four[own][other] = 0
            for added in range(6):
                if not (own | other) & (1 << added) and line_won(own | (1 << added), other):
                    makes_four[own][other] |= <uint8_t>(1 << added)
    for own in range(64):
        file_a[own] = rising[own] = falling[own] = 0
        for square in range(SQUARES):
            if on_file(bit(square), 0) & own:
                file_a[own] |= bit(square)
            if on_rising(bit(square)) & own:
                rising[own] |= bit(square)
            if on_falling(bit(square)) & own:
                falling[own] |= bit(square)


cdef void fill_potentials() noexcept:
    cdef int own, other, first, second
    for own in range(64):
        for other in range(64):
            potentials[own][other] = 0
            if makes_four[own][other]:
                potentials[own][other] = 4
                continue
            for first in range(6):
                for second in range(first):
                    if not (own | other) & ((1 << first) | (1 << second)) and line_won(
                        own | (1 << first) | (1 << second), other
                    ):
                        potentials[own][other] = 1


cdef inline bint line_won(int own, uint64_t rivals_on_line) noexcept nogil:
    return (four_in[own] >> rivals_on_line) & 1


fill_four()
fill_completions()
fill_potentials()


cdef bint holds_line(uint64_t own, uint64_t rivals) noexcept nogil:
    cdef int i, six
    for i in range(SIZE):
        six = on_rank(own, i)
        if (at_least_four >> six) & 1 and line_won(six, on_rank(rivals, i)):
            return True
        six = on_file(own, i)
        if (at_least_four >> six) & 1 and line_won(six, on_file(rivals, i)):
            return True
    six = on_rising(own)
    if (at_least_four >> six) & 1 and line_won(six, on_rising(rivals)):
        return True
    six = on_falling(own)
    return (at_least_four >> six) & 1 and line_won(six, on_falling(rivals))


cdef uint64_t completing(uint64_t own, uint64_t rivals) noexcept nogil:
    cdef uint64_t squares = 0
    cdef int i
    if holds_line(own, rivals):
        return BOARD
    for i in range(SIZE):
        squares |= <uint64_t>makes_four[on_rank(own, i)][on_rank(rivals, i)] << (SIZE * i)
        squares |= file_a[makes_four[on_file(own, i)][on_file(rivals, i)]] << i
    squares |= rising[makes_four[on_rising(own)][on_rising(rivals)]]
    return squares | falling[makes_four[on_falling(own)][on_falling(rivals)]]


cdef int potential(uint64_t own, uint64_t rivals) noexcept nogil:
    cdef int i, total = potentials[on_rising(own)][on_rising(rivals)]
    total += potentials[on_falling(own)][on_falling(rivals)]
    for i in range(SIZE):
        total += potentials[on_rank(own, i)][on_rank(rivals, i)]
        total += potentials[on_file(own, i)][on_file(rivals, i)]
    return total
