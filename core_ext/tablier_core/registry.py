"""The games of this build, one line each."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType

from tablier_core.position import Game

# Folders in tablier_core.games.
FOLDERS = (
    "contigo_alignment",
    "contigo_capture",
    "contract",
    "contrast",
    "contrat500",
    "mafia_de_cuba",
)

_games: list[Game] = [import_module(f"tablier_core.games.{folder}").GAME for folder in FOLDERS]
GAMES: Mapping[str, Game] = MappingProxyType({game.name: game for game in _games})
