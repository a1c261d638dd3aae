"""The options of a match (reference: Seats and options)."""

from tablier_core.options import OptionSchema

OPTIONS = OptionSchema(
    {
        "seats": {
            "type": "integer",
            "minimum": 2,
            "maximum": 4,
            "default": 2,
            "description": "number of players; there are 20 tiles per seat",
        },
        "target": {
            "type": "integer",
            "minimum": 100,
            "maximum": 10000,
            "default": 500,
            "description": "the match ends after a deal that leaves a seat with this many points"
            " or more",
        },
        "max_deals": {
            "type": "integer",
            "minimum": 1,
            "maximum": 1000,
            "default": 1000,
            "description": "the match ends after this many deals, void ones included",
        },
        "blind_bids": {
            "type": "boolean",
            "default": False,
            "description": "all bids are placed before the tiles are dealt; until then hands are"
            " empty and the pot holds every tile",
        },
    }
)
