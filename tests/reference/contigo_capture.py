"""Contigo capture, written a second time from the reference page alone.

It shares nothing with the core, nor with the implementation of alignment: no bit sets, no action
numbers, no tables. Squares are names, pieces are letters, and moves are notation. It is slow and
plain, so that it can be checked by reading.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

FILES, RANKS = "abcdef", "123456"
COLOURS = "rbyg"  # by seat; a capital is that seat's King
START = "Rr..bB/rr..bb/....../....../gg..yy/Gg..yY"
STEPS = {"north": (0, 1), "east": (1, 0), "south": (0, -1), "west": (-1, 0)}
PITS, PIT_LIMIT = 28, 6


@dataclass(frozen=True)
class State:
    """A position; `board` maps occupied squares to letters, `owner` maps colours to seats."""

    board: dict[str, str]
    beads: tuple[int, ...]
    owner: dict[str, int]
    seat: int
    quick: bool
    turn_limit: int
    turns: int = 0
    phase: str = "pawn"
    chain: str | None = None
    winner: int | None = None


def start(
    layout: str = START,
    beads: Sequence[int] = (2,) * PITS,
    first: int = 0,
    quick: bool = False,
    turn_limit: int = 400,
) -> State:
    """Return the first position, at the beginning of its first turn."""
    board = {
        file + rank: letter
        for rank, row in zip(reversed(RANKS), layout.split("/"), strict=True)
        for file, letter in zip(FILES, row, strict=True)
        if letter != "."
    }
    owner = {colour: seat for seat, colour in enumerate(COLOURS)}
    return begin_turn(State(board, tuple(beads), owner, first, quick, turn_limit))


def layout_of(state: State) -> str:
    """Return the board as the option `layout` spells it."""
    return "/".join(
        "".join(state.board.get(file + rank, ".") for file in FILES) for rank in reversed(RANKS)
    )


def controller(state: State, square: str) -> int | None:
    """Return the seat that controls the piece on the square, or None if there is no piece."""
    letter = state.board.get(square)
    return None if letter is None else state.owner[letter.lower()]


def seats_in(state: State) -> list[int]:
    """Return the seats that still have their King."""
    return [seat for seat, colour in enumerate(COLOURS) if colour.upper() in state.board.values()]


def strength(state: State, seat: int) -> int:
    """Count the pieces that the seat controls; a King is one piece."""
    return sum(controller(state, square) == seat for square in state.board)


def pit_ahead(square: str, way: str) -> int:
    """Return the pit that ends the line of a square in a direction."""
    file, rank = FILES.index(square[0]), int(square[1])
    if way == "north":
        return list(range(1, 7))[file]
    if way == "east":
        return {6: 8, 5: 9, 4: 10, 3: 11, 2: 12, 1: 13}[rank]
    if way == "south":
        return list(range(20, 14, -1))[file]
    return {1: 22, 2: 23, 3: 24, 4: 25, 5: 26, 6: 27}[rank]


def landings(state: State, square: str) -> Iterator[str]:
    """Yield where the beads would take a piece from the square, whatever stands there."""
    for way, (east, north) in STEPS.items():
        distance = state.beads[pit_ahead(square, way)]
        file = FILES.index(square[0]) + distance * east
        rank = RANKS.index(square[1]) + distance * north
        if distance > 0 and 0 <= file < 6 and 0 <= rank < 6:
            yield FILES[file] + RANKS[rank]


def piece_moves(state: State, square: str) -> set[str]:
    """Return the moves of the piece on the square, captures included."""
    moves = set()
    for target in landings(state, square):
        holder = controller(state, target)
        if holder is None:
            moves.add(f"{square}-{target}")
        elif holder != state.seat:
            moves.add(f"{square}x{target}")
    return moves


def captures(state: State, square: str) -> set[str]:
    """Return the captures of the piece on the square."""
    return {move for move in piece_moves(state, square) if "x" in move}


def pawn_moves(state: State) -> set[str]:
    """Return every move of every piece that the seat to move controls."""
    own = [square for square in state.board if controller(state, square) == state.seat]
    return {move for square in own for move in piece_moves(state, square)}


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


def legal_moves(state: State) -> set[str]:
    """Return the notations of all legal moves."""
    if state.phase == "over":
        return set()
    if state.phase == "pawn":
        return pawn_moves(state)
    if state.phase == "chain":
        assert state.chain is not None
        return captures(state, state.chain) | {"stop"}
    return sowings(state)


def begin_turn(state: State) -> State:
    """Decide what the reference page decides before the first move of a turn."""
    if state.turn_limit and state.turns >= state.turn_limit:
        return replace(state, phase="over")
    return replace(state, phase="pawn" if pawn_moves(state) else "sow")


def winner_after_capture(state: State) -> int | None:
    """Return the seat that has won by the capture just made, if any."""
    alive = seats_in(state)
    if len(alive) == 1:
        return alive[0]
    if state.quick and len(alive) == 2:
        one, other = alive
        difference = strength(state, one) - strength(state, other)
        if difference != 0:
            return one if difference > 0 else other
    return None


def play(state: State, move: str) -> State:
    """Return the position after a legal move."""
    if state.phase == "sow":
        return sow(state, move)
    if move == "stop":
        return replace(state, phase="sow", chain=None)
    origin, target = move.split("x" if "x" in move else "-")
    board, owner = dict(state.board), dict(state.owner)
    taken = board.pop(target, None)
    board[target] = board.pop(origin)
    if taken is None:
        return replace(state, board=board, phase="sow")
    if taken.isupper():
        loser = owner[taken.lower()]
        owner = {colour: state.seat if who == loser else who for colour, who in owner.items()}
    moved = replace(state, board=board, owner=owner, phase="chain", chain=target)
    winner = winner_after_capture(moved)
    if winner is not None:
        return replace(moved, phase="over", chain=None, winner=winner)
    if not captures(moved, target):
        return replace(moved, phase="sow", chain=None)
    return moved


def sow(state: State, move: str) -> State:
    """Return the position after a sowing, at the beginning of the next turn."""
    sign = "+" if "+" in move else "-"
    pit_text, split_text = move.split(sign)
    pit, split = int(pit_text), [int(part) for part in split_text.split(".")]
    beads = list(state.beads)
    beads[pit] -= sum(split)
    for distance, count in enumerate(split, start=1):
        beads[(pit + distance if sign == "+" else pit - distance) % PITS] += count
    seat = (state.seat + 1) % 4
    while seat not in seats_in(state):
        seat = (seat + 1) % 4
    return begin_turn(replace(state, beads=tuple(beads), seat=seat, turns=state.turns + 1))


def returns(state: State) -> list[float]:
    """Return the returns of the four seats of a finished game."""
    if state.winner is not None:
        return [1.0 if seat == state.winner else -1.0 for seat in range(4)]
    return [0.0 if seat in seats_in(state) else -1.0 for seat in range(4)]


def perft(state: State, depth: int) -> int:
    """Count the sequences of `depth` moves."""
    moves = legal_moves(state)
    if depth == 1:
        return len(moves)
    return sum(perft(play(state, move), depth - 1) for move in moves)
