"""The messages of every registered game, each in a file of its own."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from tablier_core.registry import GAMES

from tablier_service.views.message import GameMessages

MESSAGES: Mapping[str, GameMessages] = {
    name: import_module(f"{__name__}.{name.replace('-', '_')}").MESSAGES for name in GAMES
}
