"""Contrast positions laid out by hand, for its tests."""

from __future__ import annotations

from collections.abc import Sequence

from tablier_core.position import Position
from tablier_core.registry import GAMES

GAME = GAMES["contrast"]
TABLE = -1
EXCLUDE = GAME.read_move("exclude")
TO_THE_BOX = {2: 30, 3: 26, 4: 22, 5: 18, 6: 14}
EXCLUDED, NOT_YET = 12, 15
PLAIN = [0.5] * 12

# Every row is large/small, thick/thin, so every hand has the symbols of the sheet's examples.
SAME_ROW = (2, 4)


def layout(
    seats: int,
    *,
    rows: Sequence[Sequence[int]] | None = None,
    pile: int | None = None,
    rounds: Sequence[Sequence[int]] = (),
    pending: Sequence[int] | None = None,
) -> bytes:
    """The bytes of a game whose images lie in the order of their numbers, as the page has them.

    `pile` is the length of the pile with a deck of plain pictures; without it the built-in deck.
    """
    rows = rows or [SAME_ROW] * seats
    images = 74 if pile is None else TO_THE_BOX[seats] + pile
    choices = [*rounds, pending or [NOT_YET] * seats]
    return bytes(
        [seats, len(rows[0]), images, pile is not None, len(rounds), *range(images)]
        + [card for row in rows for card in row]
        + [byte for round_ in choices for byte in nibbles(round_)]
        + ([] if pile is None else [100] * 12 * images)
    )


def nibbles(choices: Sequence[int]) -> list[int]:
    """A round's choices, two a byte, the lower four bits first."""
    padded = [*choices, 0]
    return [padded[i] | padded[i + 1] << 4 for i in range(0, len(choices), 2)]


def play(position: Position, votes: Sequence[str | None]) -> Position:
    """A whole round; None is the seat that the table excludes."""
    for seat, symbol in enumerate(votes):
        if symbol is not None:
            position = position.apply(seat, GAME.read_move(symbol))
    return position.apply(TABLE, EXCLUDE) if None in votes else position
