"""Results that several games compute in the same way from their points."""


cdef void share_win(const double* points, int seats, double* out) noexcept nogil:
    cdef double best = points[0]
    cdef int seat, winners = 0
    for seat in range(1, seats):
        best = max(best, points[seat])
    for seat in range(seats):
        winners += points[seat] == best
    for seat in range(seats):
        out[seat] = 2.0 / winners - 1.0 if points[seat] == best else -1.0
