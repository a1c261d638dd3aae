from typing import TypedDict

CARD_NAMES: tuple[str, ...]

class Facts(TypedDict):
    expert: bool
    deck: bytes  # 12 bytes per image, in steps of 1/200
    image: int | None  # None when the game is over
    rows: list[tuple[str, ...]]  # cards, left to right, by seat
    hands: list[tuple[str, ...]]
    choices: tuple[str | None, ...]  # of this round; None: not chosen yet
    # The image, the choices (None: excluded) and the winning symbols of each completed round.
    rounds: list[tuple[int, tuple[str | None, ...], tuple[str, ...]]]
    scores: list[int]
    pile: list[int]  # images, top first
    box: list[int]  # images, top first
    won: list[list[int]]  # images by seat, in deck order

def facts(packed: bytes) -> Facts: ...
