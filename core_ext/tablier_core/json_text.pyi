from collections.abc import Callable, Iterable
from typing import TypeAlias

KINDS: tuple[str, ...]
"""The kinds of values that a TextWriter can write."""

# What a kind needs: the texts of an enum's numbers, a function that writes a floating-point number,
# or the writer of a message.
Extra: TypeAlias = dict[int, bytes] | Callable[[float], bytes] | TextWriter | None
# Number, JSON name, kind, whether repeated, whether written even if zero or empty, the number of
# its oneof or -1, extra.
TextField: TypeAlias = tuple[int, str, str, bool, bool, int, Extra]

class TextWriter:
    def __init__(self, whole: Callable[[bytes], bytes]) -> None: ...
    def add_fields(self, fields: Iterable[TextField]) -> None:
        """Let it write messages with these fields by itself."""
    def write(self, wire: bytes) -> bytes:
        """Return a message as JSON text."""

class Writing:
    def __init__(self, writer: TextWriter, wire: bytes) -> None: ...
    def advance(self, most: int) -> bytes | None:
        """Write on; returns the text when it is complete.

        It pauses, and returns None, after `most` bytes of text, and after every message that
        `whole` writes.
        """
