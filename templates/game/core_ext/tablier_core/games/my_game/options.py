"""The options of My Game."""

from tablier_core.options import OptionSchema

OPTIONS = OptionSchema(
    {
        "seats": {
            "type": "integer",
            "minimum": 2,
            "maximum": 4,
            "default": 3,
            "description": "number of players",
        },
        "hand_size": {
            "type": "integer",
            "minimum": 1,
            "maximum": 3,
            "default": 3,
            "description": "cards dealt to each seat",
        },
    }
)
