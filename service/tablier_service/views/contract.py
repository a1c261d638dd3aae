"""The view of Contract as a protocol message."""

from tablier_core.games.contract.observe import View

from tablier_service.views.message import GameMessages

MESSAGES = GameMessages.of("contract", View)
