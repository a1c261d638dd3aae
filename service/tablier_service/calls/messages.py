"""Reading and writing the messages that many calls share."""

from __future__ import annotations

import json
from typing import Any

from google.protobuf.descriptor import Descriptor
from tablier.v1 import game_pb2
from tablier_core.position import Game, Position
from tablier_core.wire import SituationWriter

from tablier_service.calls.use_cases import RequestedMove
from tablier_service.views import MESSAGES


def field_numbers(message: Descriptor) -> dict[str, int]:
    """The field numbers of a message, by field name."""
    return {field.name: field.number for field in message.fields}


SITUATIONS = SituationWriter(field_numbers(game_pb2.Situation.DESCRIPTOR))


def seat_of(request: Any) -> int | None:
    """The seat of a request; None if it names none."""
    return request.seat if request.HasField("seat") else None


def read_move(move: game_pb2.Move) -> RequestedMove:
    """Read a move for the use cases."""
    has = move.HasField
    return (
        move.seat if has("seat") else None,
        move.notation,
        move.action if has("action") else None,
    )


def write_move(game: Game, seat: int, action: int) -> game_pb2.Move:
    """Write a move with all of its fields."""
    return game_pb2.Move(seat=seat, notation=game.write_move(action), action=action)


def write_situation(position: Position) -> game_pb2.Situation:
    """Write the situation of a position."""
    return game_pb2.Situation.FromString(SITUATIONS.write(position))


def write_view(position: Position, viewer: int) -> game_pb2.GameView:
    """Write what a viewer may know."""
    messages = MESSAGES[position.game.name]
    view = game_pb2.GameView()
    getattr(view, messages.field).CopyFrom(messages.write_view(position.observe(viewer)))
    return view


def write_game(game: Game) -> game_pb2.Game:
    """Write a game for the catalogue."""
    return game_pb2.Game(
        name=game.name,
        title=game.title,
        french_title=game.french_title,
        summary=game.summary,
        rules_version=game.rules_version,
        min_seats=game.min_seats,
        max_seats=game.max_seats,
        hidden_information=game.has_hidden_information,
        num_actions=game.num_actions,
        phases=game.phases,
        options=[
            game_pb2.GameOption(
                name=option.name,
                description=option.about,
                form=option.form,
                default_json=json.dumps(option.default),
            )
            for option in game.options
        ],
        notation=[
            game_pb2.NotationForm(example=example, meaning=meaning)
            for example, meaning in game.notation
        ],
    )
