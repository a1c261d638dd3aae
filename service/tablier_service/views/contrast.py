"""The messages of Contrast."""

from __future__ import annotations

from tablier.v1 import contrast_pb2 as pb
from tablier_core.games.contrast.observe import Round, Seat, View

from tablier_service.views.message import GameMessages


def write_seat(seat: Seat) -> pb.ContrastSeat:
    """Write a seat."""
    return pb.ContrastSeat(
        row=seat.row,
        hand=seat.hand,
        has_chosen=seat.has_chosen,
        choice=seat.choice or "",
        score=seat.score,
        won=seat.won,
    )


def write_round(completed: Round) -> pb.ContrastRound:
    """Write a completed round."""
    return pb.ContrastRound(
        image=completed.image,
        choices=[choice or "" for choice in completed.choices],
        winning=completed.winning,
    )


def write_view(view: View) -> pb.ContrastView:
    """Write a view. Hidden values are None in the view and absent from the message."""
    return pb.ContrastView(
        expert=view.expert,
        seats=[write_seat(seat) for seat in view.seats],
        image=view.image,
        affinities=view.affinities,
        pile=view.pile,
        box=view.box,
        rounds=[write_round(completed) for completed in view.rounds],
        deck=view.deck,
        pile_order=view.pile_order,
        box_order=view.box_order,
    )


MESSAGES = GameMessages(field="contrast", write_view=write_view)
