# The stories that a seat can tell of itself: see stories.pyx.

from tablier_core.games.mafia_de_cuba.inference cimport Mind
from tablier_core.games.mafia_de_cuba.parts cimport ASKABLE
from tablier_core.games.mafia_de_cuba.state cimport State

cdef enum:
    MOST_STORIES = 128

# An answer to every question.
cdef struct Story:
    int says[ASKABLE]

cdef struct Stories:
    int n
    Story story[MOST_STORIES]

# What truly happened to a seat that has taken.
cdef void tell_truth(const State* s, int seat, Story* story) noexcept nogil
# The stories worth a thought that agree with all that the seat has said, the truth first if it is
# among them; `boastful`: those of thefts as well. There may be none.
cdef void make_stories(
    const State* s, int seat, const Mind* m, bint boastful, Stories* out
) noexcept nogil
