"""A board as text, rank 6 first, and as one set of squares per letter."""

from __future__ import annotations

from collections.abc import Mapping

SIZE = 6
SQUARES = tuple(file + rank for rank in "123456" for file in "abcdef")


def read_layout(text: str, letters: str) -> dict[str, int]:
    """Return the squares of each letter of a well-formed board, as bits from a1."""
    squares = dict.fromkeys(letters, 0)
    for square, letter in enumerate("".join(reversed(text.split("/")))):
        if letter != ".":
            squares[letter] |= 1 << square
    return squares


def write_layout(squares: Mapping[str, int]) -> str:
    """Return the text of a board; on a shared square the later letter wins."""
    board = ["."] * (SIZE * SIZE)
    for letter, places in squares.items():
        while places:
            square = places.bit_length() - 1
            board[square] = letter
            places ^= 1 << square
    ranks = ["".join(board[SIZE * rank : SIZE * rank + SIZE]) for rank in range(SIZE)]
    return "/".join(reversed(ranks))
