"""The messages of My Game."""

from __future__ import annotations

from tablier_core.position import REFEREE
from tablier_core.registry import GAMES
from tablier_service.views.my_game import write_view

GAME = GAMES["my-game"]


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
    assert [tuple(completed.cards) for completed in message.rounds] == list(view.rounds)
