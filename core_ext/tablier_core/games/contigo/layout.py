"""Layouts: a board as text, rank 6 first, and as a set of squares for each letter."""

from __future__ import annotations

from collections.abc import Mapping

from tablier_core.errors import OptionError

SIZE = 6


def read_layout(text: str, letters: str) -> dict[str, int]:
    """The squares of each letter, as bits from a1; raises OptionError for the option `layout`."""
    ranks = text.split("/")
    if len(ranks) != SIZE or any(len(rank) != SIZE for rank in ranks):
        raise OptionError(
            "layout", "must be six ranks of six characters, rank 6 first, with / between"
        )
    squares = dict.fromkeys(letters, 0)
    for row, rank in enumerate(ranks):
        for file, letter in enumerate(rank):
            if letter in squares:
                squares[letter] |= 1 << ((SIZE - 1 - row) * SIZE + file)
            elif letter != ".":
                raise OptionError("layout", f"may hold only {', '.join(letters)} and .")
    return squares


def write_layout(squares: Mapping[str, int]) -> str:
    """The text of a board; a later letter stands over an earlier one on the same square."""
    board = ["."] * (SIZE * SIZE)
    for letter, places in squares.items():
        for square in range(SIZE * SIZE):
            if places >> square & 1:
                board[square] = letter
    ranks = ["".join(board[SIZE * rank : SIZE * rank + SIZE]) for rank in range(SIZE)]
    return "/".join(reversed(ranks))
