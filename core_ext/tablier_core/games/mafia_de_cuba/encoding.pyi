from typing import TypedDict

class EventFacts(TypedDict):
    kind: str  # asked, unasked, accused
    seat: int
    open: bool  # still to be answered or resolved
    question: str | None  # None for an accusation
    claim: int | dict[str, int] | str | None  # diamonds, tokens or a take; None if there is none
    shooter: int | None  # the cleaner that fired at the accused

class Facts(TypedDict):
    seats: int
    tokens: dict[str, int]  # of the setup, by kind
    jokers: int
    questions: int
    statements: int
    hidden: int | None  # None before the Godfather has hidden any diamonds
    pouch: str | None  # a token kind or "none"; None before seat 1 has decided
    boxes: dict[int, tuple[int, dict[str, int]]]  # diamonds and tokens that each seat received
    takes: dict[int, str]  # of the seats that have taken, in notation
    recovered: int
    jokers_left: int
    questions_left: int
    statements_left: list[int]  # by seat
    in_play: list[int]
    revealed: list[int]
    with_joker: list[int]
    reacted: list[int]
    shooter: int | None
    events: list[EventFacts]
    outcome: str | None  # godfather, agent, cleaner, thieves; None while playing
    winners: list[int]

def facts(packed: bytes) -> Facts:
    """Every fact of a packed state by name."""
