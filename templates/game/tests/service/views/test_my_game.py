"""The messages of My Game."""

from __future__ import annotations

from tablier.v1 import my_game_pb2 as pb
from tablier_core.games.my_game.observe import View
from tablier_core.position import REFEREE
from tablier_core.registry import GAMES
from tablier_service.views.my_game import MESSAGES

GAME = GAMES["my-game"]


def write_view(view: View) -> pb.MyGameView:
    """The message of a view."""
    return pb.MyGameView.FromString(MESSAGES.writer.write(view))


def test_a_seats_message_contains_no_secrets():
    position = GAME.start({}, 3)
    position = position.apply(1, position.moves(1)[0])
    message = write_view(position.observe(0))
    assert [len(seat.hand) for seat in message.seats] == [3, 0, 0]
    assert [seat.has_chosen for seat in message.seats] == [False, True, False]
    assert not message.seats[1].HasField("choice")
    assert not message.pile


def test_the_referees_message_contains_everything():
    position = GAME.start({}, 3)
    for seat in range(3):
        position = position.apply(seat, position.moves(seat)[0])
    view = position.observe(REFEREE)
    message = write_view(view)
    assert [tuple(seat.hand) for seat in message.seats] == [seat.hand for seat in view.seats]
    assert [tuple(played.cards) for played in message.rounds] == [view.rounds[0].cards]
