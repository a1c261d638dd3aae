from collections.abc import Mapping

KIND_NAMES: tuple[str, ...]  # token kinds in the order of their numbers

# A move in parts: its form, the first word of the notation; the seat that is asked or accused; the
# question that is asked or answered; and the diamonds, tokens or take that it is about.
MoveParts = tuple[str, int | None, str | None, int | Mapping[str, int] | str | None]
MOVES: tuple[MoveParts, ...]  # by action
