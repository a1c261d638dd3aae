"""The messages of Contrast."""

from __future__ import annotations

from tablier.v1 import contrast_pb2 as pb
from tablier_core.games.contrast.observe import View
from tablier_core.position import REFEREE
from tablier_core.registry import GAMES
from tablier_service.views.contrast import MESSAGES

GAME = GAMES["contrast"]


def write_view(view: View) -> pb.ContrastView:
    """The message of a view."""
    return pb.ContrastView.FromString(MESSAGES.writer.write(view))


def test_a_seat_s_message_has_its_own_choice_and_nothing_hidden():
    position = GAME.start({}, 3)
    position = position.apply(1, position.moves(1)[0]).apply(2, position.moves(2)[0])
    message = write_view(position.observe(1))
    assert [bool(seat.choice) for seat in message.seats] == [False, True, False, False]
    assert [seat.has_chosen for seat in message.seats] == [False, True, True, False]
    assert not message.pile_order
    assert not message.box_order
    assert (message.pile, message.box, len(message.deck)) == (52, 22, 74 * 12)
    assert len(message.affinities) == 12


def test_the_referee_s_message_has_everything():
    position = GAME.start({"seats": 3}, 3)
    for seat in range(3):
        position = position.apply(seat, position.moves(seat)[0])
    view = position.observe(REFEREE)
    message = write_view(view)
    assert tuple(message.pile_order) == view.pile_order
    assert tuple(message.box_order) == view.box_order
    assert [tuple(seat.won) for seat in message.seats] == [seat.won for seat in view.seats]
    assert tuple(message.rounds[0].choices) == view.rounds[0].choices
    assert message.rounds[0].image == view.rounds[0].image


def test_a_finished_game_has_no_image_and_an_excluded_seat_no_choice():
    position = GAME.start({"seats": 2, "deck": [[0.5] * 12] * 31}, 0)
    position = position.apply(0, position.moves(0)[0]).apply(-1, GAME.read_move("exclude"))
    message = write_view(position.observe(0))
    assert not message.HasField("image")
    assert not message.affinities
    assert message.rounds[0].choices[1] == ""
