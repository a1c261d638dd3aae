from collections.abc import Mapping
from typing import TypedDict

Tokens = Mapping[str, int]  # counts by kind
# Kind (asked, unasked, accused); seat; whether it is still to be answered or resolved; question, or
# None for an accusation; claim: diamonds, tokens, a take or None; the cleaner that fired, or None.
EventFacts = tuple[str, int, bool, str | None, int | Tokens | str | None, int | None]

class Facts(TypedDict):
    seats: int
    tokens: Tokens  # of the setup
    jokers: int
    questions: int
    statements: int
    hidden: int | None  # None before the Godfather has hidden any diamonds
    pouch: str | None  # a token kind or "none"; None before seat 1 has decided
    boxes: list[tuple[int, Tokens] | None]  # by seat: diamonds and tokens that it received
    takes: list[str | None]  # by seat, in notation; None before it has taken
    recovered: int
    jokers_left: int
    questions_left: int
    statements_left: list[int]  # by seat
    in_play: list[bool]  # by seat, like the next three
    revealed: list[bool]
    with_joker: list[bool]
    reacted: list[bool]
    shooter: int | None
    events: list[EventFacts]
    outcome: str | None  # godfather, agent, cleaner, thieves; None while playing
    winners: tuple[int, ...]

def facts(packed: bytes) -> Facts:
    """Every fact of a packed state by name."""
