"""The view of Contigo capture as a protocol message."""

from tablier_core.games.contigo_capture.observe import View

from tablier_service.views.message import GameMessages

MESSAGES = GameMessages.of("contigo_capture", View)
