"""The games that this build plays. Adding a game adds one line here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tablier_core.games import contigo_alignment, contigo_capture, contrast, contrat500
from tablier_core.position import Game

GAMES: Mapping[str, Game] = MappingProxyType(
    {
        game.name: game
        for game in (
            contigo_alignment.GAME,
            contigo_capture.GAME,
            contrast.GAME,
            contrat500.GAME,
        )
    }
)
