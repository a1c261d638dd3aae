from collections.abc import Iterable, Mapping

from tablier_core.position import Position

def write_field(number: int, content: bytes) -> bytes:
    """Return a field with a message, a string or bytes, including its tag and length."""

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
