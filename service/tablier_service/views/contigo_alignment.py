"""The view of Contigo alignment as a protocol message."""

from tablier_core.games.contigo_alignment.observe import View

from tablier_service.views.message import GameMessages

MESSAGES = GameMessages.of("contigo_alignment", View)
