# The 14 lines of the board, and four in line (reference: Alignment).

from libc.stdint cimport uint64_t

# Whether four of the pawns `own` stand on a line with none of `rivals` between the outermost two.
cdef bint holds_line(uint64_t own, uint64_t rivals) noexcept nogil
# The squares, free or not, where one more pawn of `own` would make it so. If it is so already, all
# squares of the board.
cdef uint64_t completing(uint64_t own, uint64_t rivals) noexcept nogil
# How close `own` is to a line: 4 for each line where one more pawn would make four with none of
# `rivals` between them, 1 for each where two more would.
cdef int potential(uint64_t own, uint64_t rivals) noexcept nogil
