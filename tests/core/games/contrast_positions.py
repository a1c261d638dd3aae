"""Helpers for the tests of Contrast: positions laid out by hand, and whole rounds."""

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

# Every row is large/small, thick/thin, so all hands hold the same colours and shapes.
SAME_ROW = (2, 4)


def packed(
    seats: int,
    *,
    rows: Sequence[Sequence[int]] | None = None,
    pile: int | None = None,
    rounds: Sequence[Sequence[int]] = (),
    pending: Sequence[int] | None = None,
) -> bytes:
    """Return the bytes of a game whose images are in order of number (reference: Byte layout).

    With `pile`, the deck is a custom one that leaves so many plain images in the pile.
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
    """Pack the choices of a round, two per byte, the lower four bits first."""
    padded = [*choices, 0]
    return [padded[i] | padded[i + 1] << 4 for i in range(0, len(choices), 2)]


def play(position: Position, votes: Sequence[str | None]) -> Position:
    """Play a whole round; None is the seat that the table excludes."""
    for seat, symbol in enumerate(votes):
        if symbol is not None:
            position = position.apply(seat, GAME.read_move(symbol))
    return position.apply(TABLE, EXCLUDE) if None in votes else position
