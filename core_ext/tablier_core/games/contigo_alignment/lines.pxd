# The 14 lines of the board, and four in line (rules page: Alignment).

from libc.stdint cimport uint64_t

# Whether four of the pawns `own` stand on a line with none of `rivals` between the outer two.
cdef bint holds_line(uint64_t own, uint64_t rivals) noexcept nogil
# The squares where one more pawn of `own` would make it so: all of the board if it is so already.
# Whether a square is free is not asked.
cdef uint64_t completing(uint64_t own, uint64_t rivals) noexcept nogil
# How many pawns of `own` stand on lines where four could still come together: 1 for each line with
# two, 4 for each with three and none of `rivals` in the way; a measure of how near a line is.
cdef int promise(uint64_t own, uint64_t rivals) noexcept nogil
