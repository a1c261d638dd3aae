"""A board as text, rank 6 first; `write_layout` in board.pyx writes it."""

from __future__ import annotations

SQUARES = tuple(file + rank for rank in "123456" for file in "abcdef")


def read_layout(text: str, letters: str) -> dict[str, int]:
    """Return the squares of each letter of a well-formed board, as bits from a1."""
    squares = dict.fromkeys(letters, 0)
    for square, letter in enumerate("".join(reversed(text.split("/")))):
        if letter != ".":
            squares[letter] |= 1 << square
    return squares
