# How well each story would serve a speaker: see rehearse.pyx.

from tablier_core.budget cimport Budget
from tablier_core.games.mafia_de_cuba.engine.inference cimport Mind
from tablier_core.games.mafia_de_cuba.engine.stories cimport MOST_STORIES, Stories
from tablier_core.games.mafia_de_cuba.state cimport State
from tablier_core.rng cimport Rng

# A speaker, the Godfather as it imagines him, and the stories that it could tell him.
cdef struct Speech:
    const State* s
    int seat
    int taken
    Mind own
    Mind his
    Stories stories
    double effect[MOST_STORIES]         # how well each story serves the speaker
    double accused[MOST_STORIES]        # how ready the Godfather then is to accuse it

# Fill in `effect` and `accused`. May cut the list of stories short when the budget ends.
cdef void rehearse(Speech* p, const Budget* budget, Rng* rng) noexcept nogil
