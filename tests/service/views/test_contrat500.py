"""The messages of Contrat 500: what each viewer gets."""

from __future__ import annotations

from tablier.v1 import contrat500_pb2 as pb
from tablier_core.games.contrat500.observe import View
from tablier_core.position import REFEREE, Position
from tablier_core.registry import GAMES
from tablier_service.views.contrat500 import MESSAGES

GAME = GAMES["contrat500"]


def write_view(view: View) -> pb.Contrat500View:
    """The message of a view."""
    return pb.Contrat500View.FromString(MESSAGES.writer.write(view))


def play(position: Position, *moves: str) -> Position:
    for move in moves:
        position = position.apply(position.actors[0], GAME.read_move(move))
    return position


def turn_of_seat_1() -> Position:
    """Seat 0 has drawn a tile and discarded it; seat 1 is to move."""
    position = play(GAME.start({}, 3), "bid 3", "bid 4", "bid 30", "bid 29")
    assert position.actors == [0]
    position = play(position, "pot")
    return play(position, f"discard {position.observe(0).turns[0].received}")


def test_a_seat_does_not_see_hidden_tiles():
    position = turn_of_seat_1()
    message = write_view(position.observe(1))
    assert [len(seat.hand) for seat in message.seats] == [0, 6]
    assert [seat.hand_size for seat in message.seats] == [6, 6]
    assert [tuple(seat.contracts) for seat in message.seats] == [(3, 30), (4, 29)]
    assert not message.turns[0].HasField("received")
    assert message.turns[0].discarded == message.discard
    assert (message.pot_size, list(message.pot), message.HasField("rng")) == (27, [], False)
    assert not message.HasField("last_settlement")


def test_the_referee_sees_everything():
    view = turn_of_seat_1().observe(REFEREE)
    message = write_view(view)
    assert [tuple(seat.hand) for seat in message.seats] == list(view.hands)
    assert message.turns[0].received == view.turns[0].received
    assert tuple(message.pot) == view.pot
    assert (message.rng.state, message.rng.increment) == view.rng


def test_a_finished_match_shows_the_settlement_and_the_winner():
    position = GAME.start({"max_deals": 1}, 3)
    low = sum(position.observe(0).hands[0][:3])
    high = sum(position.observe(0).hands[0][3:])
    over = play(position, f"bid {low}", "bid 4", f"bid {high}", "bid 29", "announce")
    message = write_view(over.observe(1))
    assert not message.HasField("to_move")
    assert not message.HasField("starter")
    assert message.last_settlement.winner == 0
    rows = message.last_settlement.seats
    assert tuple(rows[0].realised) == (low, high)
    assert [row.after for row in rows] == [seat.score for seat in message.seats] == over.scores
    assert list(message.winners) == [
        seat for seat, score in enumerate(over.scores) if score == max(over.scores)
    ]
