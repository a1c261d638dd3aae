"""The options of a match (reference: Seats and options)."""

from tablier_core.options import Flag, Whole

OPTIONS = (
    Whole("seats", "number of players", default=2, low=2, high=4),
    Whole("target", "points that end the match", default=500, low=100, high=10000),
    Whole(
        "max_deals",
        "number of deals, void ones included, after which the highest score wins",
        default=1000,
        low=1,
        high=1000,
    ),
    Flag("blind_bids", "place all bids before the tiles are dealt"),
)
