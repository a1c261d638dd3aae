"""Reading and writing the messages that many calls share."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from google.protobuf.descriptor import Descriptor
from google.protobuf.struct_pb2 import Struct, Value
from tablier.v1 import game_pb2, game_service_pb2
from tablier_core.elements import FieldCounter
from tablier_core.errors import InvalidField, OptionError
from tablier_core.languages import ENGLISH, Language, catalogue
from tablier_core.position import REFEREE, Game, Position
from tablier_core.wire import SituationWriter, write_field, write_number

from tablier_service.calls.use_cases import RequestedMove
from tablier_service.views import MESSAGES

# The bytes of a string in a request, and of a game record over gRPC. Longer ones would be read for
# too long without a pause.
MAX_STRING = 65_534
MAX_RECORD_BYTES = 1 << 20


def field_numbers(message: Descriptor) -> dict[str, int]:
    """The field numbers of a message, by field name."""
    return {field.name: field.number for field in message.fields}


@cache
def field_counter(message: Descriptor) -> FieldCounter:
    """A counter of the fields of a message, and of all messages in it."""
    types = [message]
    children: list[dict[int, int]] = []
    longer: list[dict[int, int]] = []
    # The list grows while it is read.
    for each in types:
        fields = {}
        for field in each.fields:
            if field.message_type is not None:
                if field.message_type not in types:
                    types.append(field.message_type)
                fields[field.number] = types.index(field.message_type)
        children.append(fields)
        longer.append({f.number: MAX_RECORD_BYTES for f in each.fields if f.name == "record"})
    return FieldCounter(children, MAX_STRING, longer)


# Twice the bytes of the largest valid options, and a third more than their fields: a number in a
# list takes two. Reading takes microseconds per field.
MAX_OPTIONS_BYTES = 32768
MAX_OPTIONS_FIELDS = 4096
# JSON numbers are doubles: up to here, they are whole numbers exactly.
MAX_EXACT = 2**53
OBSERVATION = field_numbers(game_service_pb2.Observation.DESCRIPTOR)
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


def write_view(position: Position, viewer: int) -> bytes:
    """Write what a viewer may know: the bytes of a GameView."""
    return MESSAGES[position.game.name].write_view(position.observe(viewer))


def write_observation(position: Position, seat: int) -> bytes:
    """Write what a seat knows and may do as numbers: the bytes of an Observation."""
    if seat == REFEREE:
        raise InvalidField("include_observation", "only seats observe numbers, not the referee")
    written = (
        write_field(OBSERVATION["features"], position.features(seat)),
        write_field(OBSERVATION["mask"], position.mask(seat)),
        write_number(OBSERVATION["features_version"], position.game.features_version),
    )
    return b"".join(written)


def read_options(options: Struct) -> dict[str, object]:
    """Read the options of a request for the core, which checks them; raises OptionError."""
    if options.ByteSize() > MAX_OPTIONS_BYTES:
        raise OptionError("options", f"must be at most {MAX_OPTIONS_BYTES} bytes")
    if options.ByteSize() > MAX_OPTIONS_FIELDS:
        # It may have more fields than that: none takes less than a byte.
        counter = field_counter(Struct.DESCRIPTOR)
        if counter.count(options.SerializeToString(), MAX_OPTIONS_FIELDS) > MAX_OPTIONS_FIELDS:
            raise OptionError("options", "has too many values")
    return read_struct(options)


def read_struct(struct: Struct) -> dict[str, object]:
    """Read a JSON object, in the order of its keys; a message has them in any order."""
    fields = struct.fields
    return {name: read_value(fields[name]) for name in sorted(fields)}


def read_value(value: Value) -> object:
    """Read a JSON value."""
    kind = value.WhichOneof("kind")
    if kind == "number_value":
        number = value.number_value
        return int(number) if number.is_integer() and abs(number) <= MAX_EXACT else number
    if kind == "list_value":
        return [read_value(item) for item in value.list_value.values]
    if kind == "struct_value":
        return read_struct(value.struct_value)
    # A value without a kind is read as null, which no option accepts.
    return None if kind is None or kind == "null_value" else getattr(value, kind)


def write_struct(content: Mapping[str, Any]) -> Struct:
    """Write a JSON object."""
    struct = Struct()
    struct.update(content)
    return struct


def write_game(game: Game, language: str = ENGLISH) -> game_pb2.Game:
    """Write a game for the catalogue, without the schema of its options."""
    text = catalogue(language).gettext
    return game_pb2.Game(
        name=game.name,
        title=game.title,
        french_title=game.french_title,
        summary=text(game.summary),
        rules_version=game.rules_version,
        min_seats=game.min_seats,
        max_seats=game.max_seats,
        hidden_information=game.has_hidden_information,
        num_actions=game.num_actions,
        phases=game.phases,
        notation=write_notation(game, catalogue(language)),
    )


def write_notation(game: Game, language: Language) -> list[game_pb2.NotationForm]:
    """Write the forms in which moves are written."""
    return [
        game_pb2.NotationForm(example=example, meaning=language.gettext(meaning))
        for example, meaning in game.notation
    ]
