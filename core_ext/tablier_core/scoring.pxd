# Results that several games compute in the same way from their points.

# The seat with the most points wins; k tied winners share the win, 2 / k - 1 each, and everyone
# else gets -1. `points` and `out` may be the same array.
cdef void share_win(const double* points, int seats, double* out) noexcept nogil
