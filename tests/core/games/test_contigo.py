"""What both Contigo games have in common: rejected moves, and that everything is public."""

from __future__ import annotations

import pytest
from tablier_core.errors import MoveUnparsable, WrongSeat
from tablier_core.position import Game
from tablier_core.registry import GAMES

from tests.core.games.contigo_positions import play

ALIGNMENT, CAPTURE = GAMES["contigo-alignment"], GAMES["contigo-capture"]
UNPARSABLE = {
    "contigo-alignment": [
        "", " ", "-", "+", "a6", "a6-", "a6-a6", "a6-b5", "a6-g6", "a7-a6", "A6-A4", "a6a4",
        "a6xa4", "a6 - a4", "a6-a4 ", " a6-a4", "a6-a4-a2", "a6-a4-a6", "a6-a4-b3", "a6-a4-",
        "a6-a4-d4-d1", "13", "13+", "+1", "28+1", "013+1", "00+1", "13+01", "13+1.", "13+.1",
        "13+1.0", "13+2",
        "13+0", "13+0.0", "13+3.0", "13+7.0.0.0.0.0.0", "13*1", "13+1,1", "13+1.1.1.1.1.1.1",
        "1 +1", "stop", "pass", "a6-a4\0", "é6-a4", "13+１", "x" * 1000,
    ],
    "contigo-capture": [
        "", " ", "a6", "a6x", "a6xa6", "a6xb5", "a6xg6", "a6Xa4", "A6xA4", "a6*a4", "a6xa4 ",
        "a6-a4-d4", "a6xa4xd4", "Stop", "STOP", "stop ", "stops", "sto", "st0p", "s", "13x1",
        "13+2", "28+1", "a6xa4\0", "x" * 1000,
    ],
}  # fmt: skip
both_games = pytest.mark.parametrize("game", [ALIGNMENT, CAPTURE], ids=lambda game: game.name)


@pytest.mark.parametrize(
    ("name", "text"), [(name, text) for name, texts in UNPARSABLE.items() for text in texts]
)
def test_text_that_is_never_a_move_is_unparsable(name: str, text: str):
    with pytest.raises(MoveUnparsable) as caught:
        GAMES[name].read_move(text)
    assert caught.value.field == "notation"


@both_games
def test_rejects_a_move_of_the_wrong_seat(game: Game):
    with pytest.raises(WrongSeat) as caught:
        game.start({"first": 0}, 0).apply(1, game.read_move("e6-e4"))
    assert caught.value.field == "seat"


@both_games
def test_all_information_is_public(game: Game):
    position = play(game.start({"first": 0}, 0), "a6-a4")
    assert not game.has_hidden_information
    assert all(position.observe(seat) == position.observe() for seat in range(position.seats))
    assert position.view_of(1).pack() == position.pack()
