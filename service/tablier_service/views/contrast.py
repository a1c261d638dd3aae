"""The messages of Contrast."""

from tablier_core.games.contrast.observe import View

from tablier_service.views.message import GameMessages

MESSAGES = GameMessages.of("contrast", View)
