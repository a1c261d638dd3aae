"""The messages that many calls share, read and written."""

from __future__ import annotations

import json
from typing import Any

from google.protobuf.descriptor import Descriptor
from tablier.v1 import game_pb2
from tablier_core.position import Game, Position
from tablier_core.wire import SituationWriter

from tablier_service.calls.use_cases import AskedMove
from tablier_service.views import MESSAGES


def numbers(message: Descriptor) -> dict[str, int]:
    """The numbers of a message's fields, by name."""
    return {field.name: field.number for field in message.fields}


SITUATIONS = SituationWriter(numbers(game_pb2.Situation.DESCRIPTOR))


def seat_of(request: Any) -> int | None:
    """The seat that a request is about; None where it names none."""
    return request.seat if request.HasField("seat") else None


def read_move(move: game_pb2.Move) -> AskedMove:
    """A move as the engine takes it."""
    has = move.HasField
    return (
        move.seat if has("seat") else None,
        move.notation,
        move.action if has("action") else None,
    )


def write_move(game: Game, seat: int, action: int) -> game_pb2.Move:
    """A move, complete."""
    return game_pb2.Move(seat=seat, notation=game.write_move(action), action=action)


def write_situation(position: Position) -> game_pb2.Situation:
    """Where a game stands."""
    return game_pb2.Situation.FromString(SITUATIONS.write(position))


def write_view(position: Position, viewer: int) -> game_pb2.GameView:
    """What a viewer may know."""
    messages = MESSAGES[position.game.name]
    view = game_pb2.GameView()
    getattr(view, messages.field).CopyFrom(messages.write_view(position.observe(viewer)))
    return view


def write_game(game: Game) -> game_pb2.Game:
    """A game, as the catalogue shows it."""
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
