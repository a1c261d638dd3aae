# What it costs to be without a card in the next round.

from tablier_core.budget cimport Budget
from tablier_core.games.contrast.engine.forecast cimport Forecast
from tablier_core.games.contrast.engine.people cimport Beliefs
from tablier_core.rng cimport Rng

cdef void value_next_round(
    const Beliefs* b, const Forecast* now, const double* own_share, const Budget* budget, Rng* rng,
    double* next_value
) noexcept nogil
