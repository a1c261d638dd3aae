# The rest of a round, played in outline.

from tablier_core.games.contract.engine.standing cimport Standing
from tablier_core.games.contract.state cimport State

# Finish the bidding of the round and count the row: the standing becomes that after the round.
# `extra` receives each seat's points for cards kept and special cards won.
cdef void finish_round(const State* s, Standing* st, double* extra) noexcept nogil
