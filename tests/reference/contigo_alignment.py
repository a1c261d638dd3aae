"""Contigo alignment, written a second time from the reference page alone.

It shares nothing with the core: no bit sets, no action numbers, no tables. Squares are names, a
line is a string, and moves are notation. It is slow and plain, so that it can be checked by
reading.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

FILES, RANKS = "abcdef", "123456"
LETTERS = "RB"
START = "RR..BB/R....B/....../....../B....R/BB..RR"
NORTH, EAST, SOUTH, WEST = (0, 1), (1, 0), (0, -1), (-1, 0)
RIGHT_ANGLES = {
    NORTH: (EAST, WEST),
    SOUTH: (EAST, WEST),
    EAST: (NORTH, SOUTH),
    WEST: (NORTH, SOUTH),
}
PITS, PIT_LIMIT = 28, 6


@dataclass(frozen=True)
class State:
    """A position; `board` maps the names of occupied squares to `R` or `B`."""

    board: dict[str, str]
    beads: tuple[int, ...]
    seat: int
    advanced: bool
    turn_limit: int
    turns: int = 0
    phase: str = "pawn"
    winner: int | None = None


def start(
    layout: str = START,
    beads: Sequence[int] = (2,) * PITS,
    first: int = 0,
    advanced: bool = False,
    turn_limit: int = 200,
) -> State:
    """Return the first position, at the beginning of its first turn."""
    board = {
        file + rank: letter
        for rank, row in zip(reversed(RANKS), layout.split("/"), strict=True)
        for file, letter in zip(FILES, row, strict=True)
        if letter != "."
    }
    return begin_turn(State(board, tuple(beads), first, advanced, turn_limit))


def layout_of(state: State) -> str:
    """Return the board as the option `layout` spells it."""
    return "/".join(
        "".join(state.board.get(file + rank, ".") for file in FILES) for rank in reversed(RANKS)
    )


def pit_ahead(square: str, direction: tuple[int, int]) -> int:
    """Return the pit that ends the line of a square in a direction."""
    file, rank = FILES.index(square[0]), int(square[1])
    if direction == NORTH:
        return 1 + file
    if direction == EAST:
        return 8 + (6 - rank)
    if direction == SOUTH:
        return 15 + (5 - file)
    return 22 + (rank - 1)


def landing(state: State, square: str, direction: tuple[int, int]) -> str | None:
    """Return where a pawn on the square ends if it moves in the direction, or None if it cannot."""
    distance = state.beads[pit_ahead(square, direction)]
    if distance == 0:
        return None
    file = FILES.index(square[0]) + distance * direction[0]
    rank = RANKS.index(square[1]) + distance * direction[1]
    if not (0 <= file < 6 and 0 <= rank < 6):
        return None
    target = FILES[file] + RANKS[rank]
    return None if target in state.board else target


def pawn_moves(state: State) -> set[str]:
    """Return every pawn move of the seat to move."""
    moves = set()
    for square, letter in state.board.items():
        if letter != LETTERS[state.seat]:
            continue
        for direction, turns in RIGHT_ANGLES.items():
            end = landing(state, square, direction)
            if end is None:
                continue
            if not state.advanced:
                moves.add(f"{square}-{end}")
                continue
            for turn in turns:
                last = landing(state, end, turn)
                if last is not None:
                    moves.add(f"{square}-{end}-{last}")
    return moves


def splits(count: int, room: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield every way to spread `count` beads over pits with the given room."""
    if not room:
        if count == 0:
            yield ()
        return
    for here in range(min(count, room[0]) + 1):
        for rest in splits(count - here, room[1:]):
            yield (here, *rest)


def sowings(state: State) -> set[str]:
    """Return every sowing: from any pit, of any number of its beads, in both directions."""
    moves = set()
    for pit in range(PITS):
        for step, sign in ((1, "+"), (-1, "-")):
            for count in range(1, state.beads[pit] + 1):
                targets = [(pit + step * i) % PITS for i in range(1, count + 1)]
                room = [PIT_LIMIT - state.beads[target] for target in targets]
                for split in splits(count, room):
                    moves.add(f"{pit}{sign}{'.'.join(map(str, split))}")
    return moves


def lines() -> list[list[str]]:
    """Return the 14 lines: six ranks, six files, two long diagonals."""
    ranks = [[file + rank for file in FILES] for rank in RANKS]
    files = [[file + rank for rank in RANKS] for file in FILES]
    rising = [file + rank for file, rank in zip(FILES, RANKS, strict=True)]
    falling = [file + rank for file, rank in zip(FILES, reversed(RANKS), strict=True)]
    return [*ranks, *files, rising, falling]


def holds_line(state: State, seat: int) -> bool:
    """Whether four pawns of the seat stand on one line with no rival between the outermost two."""
    four = LETTERS[seat] * 4
    return any(four in "".join(state.board.get(s, "") for s in line) for line in lines())


def legal_moves(state: State) -> set[str]:
    """Return the notations of all legal moves."""
    if state.phase == "over":
        return set()
    return pawn_moves(state) if state.phase == "pawn" else sowings(state)


def begin_turn(state: State) -> State:
    """Decide what the reference page decides before the first move of a turn."""
    if state.turn_limit and state.turns >= state.turn_limit:
        return replace(state, phase="over")
    if pawn_moves(state):
        return replace(state, phase="pawn")
    if holds_line(state, state.seat):
        return replace(state, phase="over", winner=state.seat)
    return replace(state, phase="sow")


def play(state: State, move: str) -> State:
    """Return the position after a legal move."""
    if state.phase == "pawn":
        stops = move.split("-")
        board = dict(state.board)
        board[stops[-1]] = board.pop(stops[0])
        moved = replace(state, board=board, phase="sow")
        if holds_line(moved, state.seat):
            return replace(moved, phase="over", winner=state.seat)
        return moved
    sign = "+" if "+" in move else "-"
    pit_text, split_text = move.split(sign)
    pit, split = int(pit_text), [int(part) for part in split_text.split(".")]
    beads = list(state.beads)
    beads[pit] -= sum(split)
    for distance, count in enumerate(split, start=1):
        beads[(pit + distance if sign == "+" else pit - distance) % PITS] += count
    sown = replace(state, beads=tuple(beads), seat=1 - state.seat, turns=state.turns + 1)
    return begin_turn(sown)


def returns(state: State) -> list[float]:
    """Return the returns of both seats of a finished game."""
    if state.winner is None:
        return [0.0, 0.0]
    return [1.0 if seat == state.winner else -1.0 for seat in range(2)]


def perft(state: State, depth: int) -> int:
    """Count the sequences of `depth` moves."""
    moves = legal_moves(state)
    if depth == 1:
        return len(moves)
    return sum(perft(play(state, move), depth - 1) for move in moves)
