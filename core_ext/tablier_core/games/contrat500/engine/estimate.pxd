# The value of a result of the deal: the share of a win in the match that the seat can expect.

from tablier_core.games.contrat500.engine.outlook cimport Outlook

# Select the pair of contracts that the functions below assume for the seat.
cdef void study(Outlook* o, int first, int second) noexcept nogil
# The value if the deal moves no points.
cdef double value_void(const Outlook* o) noexcept nogil
# The value if the seat announces after the next `stage` turns of its rivals.
cdef double value_announcing(const Outlook* o, int stage) noexcept nogil
# The value if a rival announces while the seat holds a hand.
cdef float value_lost(Outlook* o, int rank) noexcept nogil
