# What the other seats hold, and how soon they announce.

from tablier_core.budget cimport Budget
from tablier_core.games.contrat500.engine.outlook cimport Outlook
from tablier_core.games.contrat500.state cimport State
from tablier_core.rng cimport Rng

# Fill everything in the outlook that does not depend on the plan of the seat.
cdef void study_rivals(
    Outlook* o, const State* s, int seat, const Budget* budget, Rng* rng
) noexcept nogil
