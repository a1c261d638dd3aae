from typing import TypedDict

class Facts(TypedDict):
    seats: int
    hand_size: int
    rounds: list[list[int]]  # the cards of every completed round, by seat
    hands: list[list[int]]  # by seat, ascending
    pile: list[int]  # ascending
    chosen: list[int | None]  # by seat; None: not chosen yet
    points: list[int]  # by seat

def facts(packed: bytes) -> Facts:
    """Return everything in a packed state, with cards as in the notation."""
