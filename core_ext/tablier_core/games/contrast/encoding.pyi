from typing import TypedDict

class Facts(TypedDict):
    expert: bool
    deck: bytes  # 12 bytes per image, in steps of 1/200
    image: int | None  # None when the game is over
    rows: list[list[int]]  # cards 0 to 5, left to right, by seat
    hands: list[list[int]]
    choices: tuple[str | None, ...]  # of this round; None: not chosen yet
    # The image, the choices (None: excluded) and the winning symbols of each completed round.
    rounds: list[tuple[int, tuple[str | None, ...], tuple[str, ...]]]
    scores: list[int]
    pile: list[int]  # images, top first
    box: list[int]  # images, top first
    won: list[list[int]]  # images by seat, in deck order

def facts(packed: bytes) -> Facts: ...
