"""What each file of this folder defines for its game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import Message


@dataclass(frozen=True)
class GameMessages:
    """The messages of a game, and how to convert the types of the core to them."""

    # The name of the game in the oneof of GameView.
    field: str
    # From a view of the core to the view message of the game.
    write_view: Callable[[Any], Message]
