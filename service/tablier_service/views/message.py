"""How a game meets its proto: what each file of this folder says of its game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import Message


def plain_options(message: Message) -> dict[str, object]:
    """The fields that are set, by name: for messages of numbers, strings and lists of them."""
    return {
        field.name: list(value) if field.is_repeated else value
        for field, value in message.ListFields()
    }


@dataclass(frozen=True)
class GameMessages:
    """A game's messages and the way between them and the core's own types."""

    # The name of the game's member in the oneofs of GameOptions and GameView.
    field: str
    # The core's view object as the game's view message.
    write_view: Callable[[Any], Message]
    # The game's options message as the mapping that the core checks.
    read_options: Callable[[Any], dict[str, object]] = plain_options
