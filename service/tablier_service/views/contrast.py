"""The view of Contrast as a protocol message."""

from tablier_core.games.contrast.observe import View

from tablier_service.views.message import GameMessages

MESSAGES = GameMessages.of("contrast", View)
