# The stories that a seat can tell about itself: see stories.pyx.

from tablier_core.games.mafia_de_cuba.engine.inference cimport Mind
from tablier_core.games.mafia_de_cuba.state cimport ASKABLE, State

cdef enum:
    MOST_STORIES = 128

# An answer to every question.
cdef struct Story:
    int says[ASKABLE]

cdef struct Stories:
    int n
    Story story[MOST_STORIES]

# What really happened to a seat that has taken.
cdef void tell_truth(const State* s, int seat, Story* story) noexcept nogil
# List the stories worth considering that agree with everything the seat has said, starting with the
# truth if it agrees; `boastful` includes stories of stealing diamonds. The list may be empty.
cdef void make_stories(
    const State* s, int seat, const Mind* m, bint boastful, Stories* out
) noexcept nogil
