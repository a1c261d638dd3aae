"""The view of Contigo capture as a protocol message."""

from __future__ import annotations

from tablier.v1 import contigo_capture_pb2 as pb
from tablier_core.games.contigo_capture.observe import View

from tablier_service.views.message import GameMessages


def write_view(view: View) -> pb.ContigoCaptureView:
    """Write the view message."""
    return pb.ContigoCaptureView(
        layout=view.layout,
        beads=view.beads,
        owner=view.owner,
        to_move=view.to_move,
        chain=view.chain,
        turns=view.turns,
        turn_limit=view.turn_limit,
        quick=view.quick,
        winner=view.winner,
    )


MESSAGES = GameMessages(field="contigo_capture", write_view=write_view)
