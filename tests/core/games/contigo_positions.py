"""Readable boards and rings of Contigo for tests."""

from __future__ import annotations

from tablier_core.position import Position

CORNERS = {"R": "a6", "B": "f6", "Y": "f1", "G": "a1"}


def board(**squares: str) -> str:
    """Return a layout with pieces on the named squares: board(R="a1 b2", B="f6")."""
    where = {square: letter for letter, names in squares.items() for square in names.split()}
    return "/".join("".join(where.get(f + r, ".") for f in "abcdef") for r in "654321")


def ring(**pits: int) -> list[int]:
    """Return the beads of an otherwise empty ring: ring(p3=2) puts two in pit 3."""
    beads = [0] * 28
    for name, count in pits.items():
        beads[int(name[1:])] = count
    return beads


def crowned(**squares: str) -> str:
    """Return a layout with the Kings in their corners, off the lines of most pits."""
    return board(**CORNERS | squares)


def play(position: Position, *moves: str) -> Position:
    """Return the position after moves in notation, each by the seat whose turn it is."""
    for move in moves:
        position = position.apply(position.actors[0], position.game.read_move(move))
    return position


def read_board(planes: dict[str, list[int]]) -> str:
    """Return the layout with a letter on every square that its plane marks, a1 first."""
    squares = ["."] * 36
    for letter, plane in planes.items():
        for square, marked in enumerate(plane):
            if marked:
                squares[square] = letter
    return "/".join("".join(squares[6 * rank : 6 * rank + 6]) for rank in reversed(range(6)))
