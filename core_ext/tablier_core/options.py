"""The kinds of options that a game can have: accepted values, defaults and descriptions.

An option's value is a JSON value. `read_options` turns a caller's values into a complete, checked
mapping. The game's own `pack_options` then checks what only the game can know.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tablier_core.errors import OptionError

Value = object


@dataclass(frozen=True)
class Option:
    """An option of any form, which only the game can check."""

    name: str
    about: str
    default: Value = None
    form: str = "any"

    def read(self, value: Value) -> Value:
        """Check a value and return it; raises OptionError."""
        return value

    def parse(self, text: str) -> Value:
        """Return the value of a command-line argument."""
        try:
            return json.loads(text)
        except ValueError:
            return text


@dataclass(frozen=True)
class Flag(Option):
    """True or false."""

    default: Value = False
    form: str = "true or false"

    def read(self, value: Value) -> Value:
        if not isinstance(value, bool):
            raise OptionError(self.name, "must be true or false")
        return value


@dataclass(frozen=True)
class Whole(Option):
    """A whole number in a range."""

    low: int = 0
    high: int = 0xFFFFFFFF

    def __post_init__(self) -> None:
        object.__setattr__(self, "form", f"a whole number from {self.low} to {self.high}")

    def read(self, value: Value) -> Value:
        if isinstance(value, bool) or not isinstance(value, int):
            raise OptionError(self.name, f"must be {self.form}")
        if not self.low <= value <= self.high:
            raise OptionError(self.name, f"must be {self.form}; {value} is not")
        return value


@dataclass(frozen=True)
class WholeOr(Whole):
    """A whole number in a range, or a word that stands for None."""

    word: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "form", f"{self.form}, or {self.word}")

    def read(self, value: Value) -> Value:
        return None if value is None or value == self.word else super().read(value)


@dataclass(frozen=True)
class Text(Option):
    """A string."""

    form: str = "a string"

    def read(self, value: Value) -> Value:
        if not isinstance(value, str):
            raise OptionError(self.name, "must be a string")
        return value

    def parse(self, text: str) -> Value:
        return text


@dataclass(frozen=True)
class Wholes(Option):
    """A list of a fixed number of whole numbers."""

    count: int = 0
    low: int = 0
    high: int = 0

    def __post_init__(self) -> None:
        form = f"a list of {self.count} whole numbers from {self.low} to {self.high}"
        object.__setattr__(self, "form", form)

    def read(self, value: Value) -> Value:
        if (
            not isinstance(value, Sequence)
            or isinstance(value, str | bytes)
            or len(value) != self.count
            or any(isinstance(x, bool) or not isinstance(x, int) for x in value)
            or any(not self.low <= x <= self.high for x in value)
        ):
            raise OptionError(self.name, f"must be {self.form}")
        return tuple(value)


def read_options(options: Sequence[Option], given: Mapping[str, Value]) -> dict[str, Value]:
    """Return every option with its checked value or its default; raises OptionError."""
    known = {option.name: option for option in options}
    for name in given:
        if name not in known:
            names = ", ".join(known) or "none"
            raise OptionError(name, f"this game has no option {name!r}; it has: {names}")
    return {
        name: option.read(given[name]) if name in given else option.default
        for name, option in known.items()
    }
