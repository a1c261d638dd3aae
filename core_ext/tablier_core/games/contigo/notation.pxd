# The notation that both Contigo games share: squares, moves along a line, and sowings
# (reference: Moves and notation). Writers return the length of what they wrote.

from libc.stdint cimport uint32_t

cdef int write_square(int square, char* out) noexcept nogil
# The square named by two characters, or -1.
cdef int read_square(const char* text) noexcept nogil
# A move along a line, with a mark between its two squares.
cdef int write_straight(uint32_t number, char mark, char* out) noexcept nogil
# The number of the move in five characters, or -1. The caller checks the mark in the middle.
cdef long read_straight(const char* text) noexcept nogil
cdef int write_sowing(uint32_t sowing, char* out) noexcept nogil
# The number of a sowing, or -1 if the text is not one.
cdef long read_sowing(const char* text, size_t length) noexcept nogil
