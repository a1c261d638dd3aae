"""The options of Contrast."""

from __future__ import annotations

from dataclasses import dataclass

from tablier_core.errors import OptionError
from tablier_core.games.contrast.images import LONGEST_DECK
from tablier_core.games.contrast.notation import SYMBOL_NAMES
from tablier_core.options import Flag, Option, Value, Whole

SYMBOLS = len(SYMBOL_NAMES)


@dataclass(frozen=True)
class Deck(Option):
    """The affinities of the caller's own pictures; None is the built-in deck."""

    form: str = f"a list of at most {LONGEST_DECK} lists of {SYMBOLS} numbers from 0 to 1"

    def read(self, value: Value) -> Value:
        if value is None:
            return None
        if not isinstance(value, list | tuple) or len(value) > LONGEST_DECK:
            raise OptionError(self.name, f"must be {self.form}")
        for image, affinities in enumerate(value):
            if not isinstance(affinities, list | tuple) or len(affinities) != SYMBOLS:
                raise OptionError(
                    self.name, f"image {image} must be a list of {SYMBOLS} numbers from 0 to 1"
                )
            for symbol, affinity in zip(SYMBOL_NAMES, affinities, strict=True):
                # NaN fails this comparison too.
                if (
                    isinstance(affinity, bool)
                    or not isinstance(affinity, int | float)
                    or not 0 <= affinity <= 1
                ):
                    raise OptionError(
                        self.name, f"{symbol} of image {image} must be a number from 0 to 1"
                    )
        return value


OPTIONS = (
    Whole("seats", "number of players; two play as a team", default=4, low=2, high=6),
    Flag("expert", "three cards in each row and three in each hand, not two and four"),
    Deck(
        "deck",
        "affinities of your own pictures, in notation order, for more pictures than go to the box;"
        " null: the built-in 74",
    ),
)
