"""Which messages belong to which game. Adding a game adds one line here."""

from __future__ import annotations

from collections.abc import Mapping

from tablier_service.views import contigo_alignment, contigo_capture, contrast, contrat500
from tablier_service.views.message import GameMessages

MESSAGES: Mapping[str, GameMessages] = {
    "contigo-alignment": contigo_alignment.MESSAGES,
    "contigo-capture": contigo_capture.MESSAGES,
    "contrast": contrast.MESSAGES,
    "contrat500": contrat500.MESSAGES,
}
