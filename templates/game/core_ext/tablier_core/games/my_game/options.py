"""The options of My Game."""

from tablier_core.options import Whole

OPTIONS = (
    Whole("seats", "number of players", default=3, low=2, high=4),
    Whole("hand_size", "cards dealt to each seat", default=3, low=1, high=3),
)
