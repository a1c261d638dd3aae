"""The view of Contigo alignment as a protocol message."""

from __future__ import annotations

from tablier.v1 import contigo_alignment_pb2 as pb
from tablier_core.games.contigo_alignment.observe import View

from tablier_service.views.message import GameMessages


def write_view(view: View) -> pb.ContigoAlignmentView:
    """Write the view message."""
    return pb.ContigoAlignmentView(
        layout=view.layout,
        beads=view.beads,
        to_move=view.to_move,
        turns=view.turns,
        turn_limit=view.turn_limit,
        advanced=view.advanced,
        winner=view.winner,
    )


MESSAGES = GameMessages(field="contigo_alignment", write_view=write_view)
