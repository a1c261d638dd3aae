"""Convert game options to messages through the descriptors; no game is named here."""

from __future__ import annotations

from collections.abc import Mapping

import grpc
from google.protobuf import message_factory
from tablier.v1 import game_pb2

from tablier_client.errors import InvalidOption, UnknownGame
from tablier_client.fields import misfit


def write_options(game: str, options: Mapping[str, object]) -> game_pb2.GameOptions | None:
    """Return the options message of a game, or None for all defaults.

    An option with the value None has its default. Raises InvalidOption for an unknown name or a
    value of the wrong type, and UnknownGame if these stubs do not have the game. The service checks
    the values.
    """
    if not options:
        return None
    member = game.replace("-", "_")
    field = game_pb2.GameOptions.DESCRIPTOR.fields_by_name.get(member)
    if field is None or field.message_type is None:
        raise UnknownGame(
            f"this client does not know the options of game {game!r}",
            code=grpc.StatusCode.NOT_FOUND,
            reason="UNKNOWN_GAME",
            field="game",
        )
    message_class = message_factory.GetMessageClass(field.message_type)
    chosen = game_pb2.GameOptions()
    message = getattr(chosen, member)
    message.SetInParent()
    for name, value in options.items():
        path = f"options.{member}.{name}"
        if name not in field.message_type.fields_by_name:
            known = ", ".join(field.message_type.fields_by_name)
            raise _invalid(path, f"{game} has no option {name!r}; choose from: {known}")
        if reason := misfit(message_class, name, value):
            raise _invalid(path, f"{value!r} is not a valid {name}: {reason}")
        message.MergeFrom(message_class(**{name: value}))
    return chosen


def _invalid(field: str, message: str) -> InvalidOption:
    return InvalidOption(
        message, code=grpc.StatusCode.INVALID_ARGUMENT, reason="INVALID_OPTION", field=field
    )
