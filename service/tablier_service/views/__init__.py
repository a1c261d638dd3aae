"""Which messages belong to which game: each registered game has a file of its own here."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from tablier_core.registry import GAMES

from tablier_service.views.message import GameMessages

MESSAGES: Mapping[str, GameMessages] = {
    name: import_module(f"{__name__}.{name.replace('-', '_')}").MESSAGES for name in GAMES
}
