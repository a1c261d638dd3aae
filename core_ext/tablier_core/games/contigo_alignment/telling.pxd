# The alignment game in words; Python uses it through TELLING.

from tablier_core.abi cimport move_t

# The squares of a pawn move, from the first to the last.
cdef list squares_of(move_t move)
