# What both Contigo games say in words. Squares and pits are numbers, `beads` is that of a view, and
# a reason is None if there is nothing to explain.

from libc.stdint cimport uint32_t

# One sentence for each of `moves`, which are sowings numbered from `first`.
cdef list sowing_words(object moves, uint32_t first, str player, object language)
# One path for each of `moves`: the pit that gives, then a pit for each bead that it receives.
cdef list sowing_paths(object moves, uint32_t first)

# The name of a square, and the piece on it as a letter of a layout; "." if it is free.
cdef str square_name(int square)
cdef str piece_on(str layout, int square)

# A sentence about a move, and how the game ended with it if it did; `after` is the view then.
cdef str tell_end(str sentence, object after, object language)

# Why a seat may make no move now.
cdef str explain_turn(object view, int seat, object language)
# Why a piece does not get from a square to another on its file or rank.
cdef str explain_distance(tuple beads, int origin, int target, object language)
# Why a ring does not allow a sowing.
cdef str explain_sowing(tuple beads, uint32_t sowing, object language)
