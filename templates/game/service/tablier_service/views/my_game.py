"""The view of My Game as a protocol message."""

from tablier_core.games.my_game.observe import View

from tablier_service.views.message import GameMessages

# The fields of the message have the same names as those of the view. See `GameMessages.of` for
# values that differ.
MESSAGES = GameMessages.of("my_game", View)
