from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from tablier_core.position import Position

def write_field(number: int, content: bytes) -> bytes:
    """Return a field with a message, a string or bytes, including its tag and length."""

def write_head(number: int, length: int) -> bytes:
    """Return what a field of this length begins with: its tag and its length."""

def write_number(number: int, value: int) -> bytes:
    """Return a field with an unsigned number; nothing for 0."""

class SituationWriter:
    def __init__(self, fields: Mapping[str, int]) -> None: ...
    def write(self, position: Position) -> bytes: ...
    def write_state(
        self, token_number: int, token: bytes, number: int, position: Position
    ) -> bytes: ...

class ListingWriter:
    def __init__(
        self,
        fields: Mapping[str, int],
        seat_fields: Mapping[str, int],
        situations: SituationWriter,
    ) -> None: ...
    def write(
        self, position: Position, seats: Iterable[int], actions: bool, notations: bool
    ) -> bytes: ...

KINDS: tuple[str, ...]
"""The kinds of values that a MessageWriter can write."""

# Where the value of a field is: a place in a tuple, a key of a dict, or a function of either.
Source: TypeAlias = int | str | Callable[[Any], object]
# Number, kind, whether repeated, whether written even if empty, source, writer of a message.
WireField: TypeAlias = tuple[int, str, bool, bool, Source, MessageWriter | None]

class MessageWriter:
    def __init__(self, fields: Iterable[WireField], width: int = 0) -> None: ...
    def write(self, value: tuple[Any, ...] | Mapping[str, Any]) -> bytes: ...
