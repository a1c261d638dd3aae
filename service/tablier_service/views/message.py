"""What each file of this folder defines for its game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import Message


def plain_options(message: Message) -> dict[str, object]:
    """The fields that are set, by name, for messages of numbers, strings and lists of them."""
    return {
        field.name: list(value) if field.is_repeated else value
        for field, value in message.ListFields()
    }


@dataclass(frozen=True)
class GameMessages:
    """The messages of a game, and how to convert them from and to the types of the core."""

    # The name of the game in the oneofs of GameOptions and GameView.
    field: str
    # From a view of the core to the view message of the game.
    write_view: Callable[[Any], Message]
    # From the options message of the game to the mapping that the core checks.
    read_options: Callable[[Any], dict[str, object]] = plain_options
