"""The messages of My Game."""

from __future__ import annotations

from tablier.v1 import my_game_pb2 as pb
from tablier_core.games.my_game.observe import Seat, View

from tablier_service.views.message import GameMessages


def write_seat(seat: Seat) -> pb.MyGameSeat:
    """Write one seat; what is hidden in the view is absent here."""
    return pb.MyGameSeat(
        hand=seat.hand or (),
        hand_size=seat.hand_size,
        has_chosen=seat.has_chosen,
        choice=seat.choice,
        points=seat.points,
    )


def write_view(view: View) -> pb.MyGameView:
    """Write the view of one viewer."""
    return pb.MyGameView(
        seats=[write_seat(seat) for seat in view.seats],
        rounds=[pb.MyGameRound(cards=cards) for cards in view.rounds],
        pile_size=view.pile_size,
        pile=view.pile or (),
    )


MESSAGES = GameMessages(field="my_game", write_view=write_view)
