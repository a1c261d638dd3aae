"""The calls of the protocol: decode a request, ask the engine, write the answer. No rules here."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import GeneratorType
from typing import Any, TypeAlias

from google.protobuf import message_factory
from google.protobuf.descriptor import Descriptor, MethodDescriptor, ServiceDescriptor
from google.protobuf.message import Message
from tablier.v1 import game_pb2
from tablier.v1 import game_service_pb2 as pb
from tablier_core.advice import Cancel
from tablier_core.errors import OptionError, TablierError, WrongSeat
from tablier_core.position import REFEREE, Game, Position
from tablier_core.wire import ListingWriter, SituationWriter, write_field, write_number

from tablier_service.callers import CALL_ROLES, CALLER, require
from tablier_service.engine import AskedMove, Engine, PlayedMove, checked_match
from tablier_service.errors import InvalidField, status_of
from tablier_service.slices import Work, at_once, gathered
from tablier_service.transcript import write_transcript
from tablier_service.views import MESSAGES

MAX_MOVES = 1024
MAX_REPLAY = 16384
# Views and drawings cost a hundred times what a move costs.
MAX_SHOWN = 1024
MAX_OPERATIONS = 1024
# Lines of up to so many moves are played without a pause.
SHORT_LINE = 64

GAME_SERVICE = pb.DESCRIPTOR.services_by_name["GameService"]
# Calls whose requests carry many operations or moves, and so may be large.
LARGE_CALLS = frozenset({"Batch", "Play", "ReplayGame"})


def numbers(message: Descriptor) -> dict[str, int]:
    """The numbers of a message's fields, by name."""
    return {field.name: field.number for field in message.fields}


RESULT_FIELDS = numbers(pb.OperationResult.DESCRIPTOR)
SITUATIONS = SituationWriter(numbers(game_pb2.Situation.DESCRIPTOR))
LISTINGS = ListingWriter(
    numbers(pb.EnumerateMovesResponse.DESCRIPTOR), numbers(pb.SeatMoves.DESCRIPTOR), SITUATIONS
)
# Whether actions and notations are listed.
LISTED_PARTS = {
    pb.MOVE_DETAIL_UNSPECIFIED: (True, True),
    pb.MOVE_DETAIL_COUNT: (False, False),
    pb.MOVE_DETAIL_ACTIONS: (True, False),
    pb.MOVE_DETAIL_NOTATIONS: (False, True),
    pb.MOVE_DETAIL_FULL: (True, True),
}

# What a call answers: a message, or its bytes where those are cheaper to write than the message.
Answer: TypeAlias = Message | bytes


@dataclass(frozen=True)
class Method:
    """One call of the protocol, whatever door it comes through."""

    descriptor: MethodDescriptor
    request_type: type[Message]
    # Takes the request's message, and gives the Answer, or Work that ends with it; may raise
    # TablierError. That of a costly call only checks the request and gives the search: a function
    # from a Cancel to the answer's message, or for a streaming call to an iterator of messages.
    # That of a stream of requests takes one of them at a time.
    handler: Callable[[Any], Any]
    # Whether the call thinks, and so belongs in the search pool.
    costly: bool
    # Whether requests of this call may be as large as the service takes at all.
    large: bool

    @property
    def streaming(self) -> bool:
        """Whether the call has many answers to one request; all that do are costly."""
        return self.descriptor.server_streaming and not self.descriptor.client_streaming

    @property
    def path(self) -> str:
        """The name on the wire, e.g. `/tablier.v1.GameService/ApplyMoves`."""
        return f"/{self.descriptor.containing_service.full_name}/{self.descriptor.name}"

    @cached_property
    def response_type(self) -> type[Message]:
        """The class of the answer's message."""
        return message_factory.GetMessageClass(self.descriptor.output_type)

    def message_of(self, answer: Answer) -> Message:
        """An answer as its message."""
        return self.response_type.FromString(answer) if isinstance(answer, bytes) else answer

    def ask(self, request: Message) -> Message:
        """What the call answers, or answers first, without a pause: for where nobody else waits."""
        answer = self.handler(request)
        if self.costly:
            answer = answer(Cancel())
            if self.streaming:
                answer = next(answer)
        elif isinstance(answer, GeneratorType):
            answer = at_once(answer)
        return self.message_of(answer)


def methods_of(service: ServiceDescriptor, servicer: object, *, costly: bool) -> tuple[Method, ...]:
    """The calls of a service, served by the methods of the same names."""
    return tuple(
        Method(
            descriptor,
            message_factory.GetMessageClass(descriptor.input_type),
            guarded(descriptor.name, getattr(servicer, descriptor.name)),
            costly,
            descriptor.name in LARGE_CALLS,
        )
        for descriptor in service.methods
    )


def guarded(call: str, handler: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A call's handler behind the check of its caller's role, alone and within a batch."""
    roles = CALL_ROLES[call]

    def handle(request: Any) -> Any:
        require(roles, "", call)
        return handler(request)

    return handle


class GameServicer:
    """GameService. Its methods are named as in the proto and take and give that call's messages."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.methods = methods_of(GAME_SERVICE, self, costly=False)
        by_request = {method.descriptor.input_type: method.handler for method in self.methods}
        # What carries out an operation, and the number of its answer's field in the result.
        self._operations = {
            field.name: (by_request[field.message_type], RESULT_FIELDS[field.name])
            for field in pb.Operation.DESCRIPTOR.oneofs_by_name["call"].fields
            if field.message_type
        }

    def ListGames(self, request: pb.ListGamesRequest) -> pb.ListGamesResponse:  # noqa: N802
        """The catalogue."""
        games = self._engine.games
        return pb.ListGamesResponse(games=[write_game(games[name]) for name in sorted(games)])

    def GetGame(self, request: pb.GetGameRequest) -> pb.GetGameResponse:  # noqa: N802
        """One game of it."""
        return pb.GetGameResponse(game=write_game(self._engine.game(request.game)))

    def StartGame(self, request: pb.StartGameRequest) -> pb.StartGameResponse:  # noqa: N802
        """The first state of a game."""
        seed = request.seed if request.HasField("seed") else secrets.randbits(64)
        position = self._start(request.game, request.options, seed)
        return pb.StartGameResponse(
            state=self._engine.tokens.write(position, checked_match(request.match)),
            situation=write_situation(position),
            # Who knows the seed knows all that is hidden: told to those who chose it, or may see.
            seed=seed
            if request.HasField("seed")
            or not self._engine.tokens.sealed
            or self._engine.may_see_all(position.game)
            else 0,
        )

    def EnumerateMoves(self, request: pb.EnumerateMovesRequest) -> bytes:  # noqa: N802
        """Legal moves, as many and as detailed as asked for."""
        position, _ = self._engine.open(request.state, request.match)
        parts = LISTED_PARTS.get(request.detail)
        if parts is None:
            raise InvalidField("detail", f"{request.detail} is no MoveDetail")
        seats = self._engine.seats_to_list(position, seat_of(request))
        return LISTINGS.write(position, seats, *parts)

    def ApplyMoves(self, request: pb.ApplyMovesRequest) -> bytes | Work[bytes]:  # noqa: N802
        """The state after a line of moves."""
        # Each look at a field of a message costs as much as playing a move.
        token, match, moves = request.state, request.match, request.moves
        position, previous = self._engine.open(token, match)
        count = len(moves)
        if not 1 <= count <= MAX_MOVES:
            raise InvalidField("moves", f"must be 1 to {MAX_MOVES} moves")
        if count > SHORT_LINE:
            return self._apply_long(position, previous, request)
        if count == 1 and not request.include_steps:
            # What nearly all calls are: without a generator and a list for one move.
            last = self._engine.play_one(position, read_move(moves[0])).after
            told = self._told(last, match, token)
        else:
            line = list(self._engine.play(position, map(read_move, moves)))
            steps = list(self._steps(line, match, token)) if request.include_steps else []
            told = self._told(line[-1].after, match, token, steps)
        return told + write_previous(previous) if previous else told

    def DescribeState(self, request: pb.DescribeStateRequest) -> pb.DescribeStateResponse:  # noqa: N802
        """What a viewer may know."""
        position, previous = self._engine.open(request.state, request.match)
        viewer = self._engine.viewer(position, seat_of(request))
        view = write_view(position, viewer)
        token = b""
        if viewer != REFEREE:
            # It follows no token: that would be more than the seat knows.
            token = self._engine.tokens.write(position.view_of(viewer), request.match)
        return pb.DescribeStateResponse(
            situation=write_situation(position), view=view, view_token=token, previous=previous
        )

    def ReplayGame(self, request: pb.ReplayGameRequest) -> Work[bytes]:  # noqa: N802
        """A whole game, again."""
        viewer = request.viewer if request.HasField("viewer") else None
        shown = request.include_transcript or viewer is not None
        most = MAX_SHOWN if shown else MAX_REPLAY
        if len(request.moves) > most:
            raise InvalidField("moves", f"must be at most {most} moves")
        first = self._start(request.game, request.options, request.seed)
        if viewer is not None:
            check_viewer(first, viewer)
        if viewer == REFEREE:
            self._engine.check_referee(first.game, "viewer")
        if request.include_transcript:
            self._engine.check_referee(first.game, "include_transcript")
        line, told = yield from self._play_long(first, b"", request)
        rest = pb.ReplayGameResponse()
        if request.include_transcript:
            rest.transcript = yield from write_transcript(first, line)
        if viewer is not None:
            positions = (first, *(played.after for played in line))
            rest.views.extend((yield from gathered(write_view(at, viewer) for at in positions)))
        # In the order of the fields' numbers.
        return told + rest.SerializeToString()

    def RenderState(self, request: pb.RenderStateRequest) -> pb.RenderStateResponse:  # noqa: N802
        """A drawing of what a viewer sees."""
        position, _ = self._engine.open(request.state, request.match)
        viewer = self._engine.viewer(position, seat_of(request))
        render_format = request.format or pb.RENDER_FORMAT_SVG
        if render_format == pb.RENDER_FORMAT_SVG:
            return pb.RenderStateResponse(
                content=position.draw_svg(viewer), media_type="image/svg+xml"
            )
        if render_format == pb.RENDER_FORMAT_TEXT:
            return pb.RenderStateResponse(
                content=position.draw_text(viewer), media_type="text/plain"
            )
        raise InvalidField("format", f"{render_format} is no RenderFormat")

    def Batch(self, request: pb.BatchRequest) -> Work[bytes]:  # noqa: N802
        """Many calls in one, each with its own outcome."""
        return self._operate(request.operations, pb.BatchResponse.RESULTS_FIELD_NUMBER)

    def Play(self, request: pb.PlayRequest) -> Work[bytes]:  # noqa: N802
        """One message of a stream of operations."""
        return self._operate(request.operations, pb.PlayResponse.RESULTS_FIELD_NUMBER)

    def _operate(self, operations: Sequence[pb.Operation], field: int) -> Work[bytes]:
        """The outcomes of operations, as a message whose repeated field has that number."""
        if not 1 <= len(operations) <= MAX_OPERATIONS:
            raise InvalidField("operations", f"must be 1 to {MAX_OPERATIONS} operations")
        # One was counted at the door.
        CALLER.get().quotas.count(len(operations) - 1)
        results = []
        for operation in operations:
            result = yield from self._outcome(operation)
            if operation.id:
                result += write_number(pb.OperationResult.ID_FIELD_NUMBER, operation.id)
            results.append(write_field(field, result))
            yield
        return b"".join(results)

    def _outcome(self, operation: pb.Operation) -> Work[bytes]:
        """The outcome of one operation: a field of its result."""
        call = operation.WhichOneof("call")
        try:
            if call is None:
                raise InvalidField("call", "an operation must name its call")
            handler, number = self._operations[call]
            answer = handler(getattr(operation, call))
            if isinstance(answer, GeneratorType):
                answer = yield from answer
        except TablierError as error:
            # One bad operation must not cost the others their answers.
            number, answer = pb.OperationResult.ERROR_FIELD_NUMBER, status_of(error)
        return write_field(number, wire_of(answer))

    def _apply_long(
        self, position: Position, previous: bytes, request: pb.ApplyMovesRequest
    ) -> Work[bytes]:
        _, told = yield from self._play_long(position, request.state, request)
        return told + write_previous(previous) if previous else told

    def _play_long(
        self,
        first: Position,
        token: bytes,
        request: pb.ApplyMovesRequest | pb.ReplayGameRequest,
    ) -> Work[tuple[list[PlayedMove], bytes]]:
        """The request's moves, played from a token, and what both calls tell of them."""
        match = checked_match(request.match)
        line = yield from gathered(self._engine.play(first, map(read_move, request.moves)))
        steps = []
        if request.include_steps:
            steps = yield from gathered(self._steps(line, match, token))
        return line, self._told(line[-1].after if line else first, match, token, steps)

    def _steps(
        self, line: Iterable[PlayedMove], match: str, token: bytes
    ) -> Iterator[tuple[bytes, bytes]]:
        """Of every move the token, and the entry in the field `steps`."""
        for played in line:
            # Each token is made from the one that its caller has before it.
            token = self._engine.tokens.write(played.after, match, token)
            yield token, write_step(played, token)

    def _told(
        self, last: Position, match: str, token: bytes, steps: Sequence[tuple[bytes, bytes]] = ()
    ) -> bytes:
        """The fields that both ApplyMoves and ReplayGame tell a line in, by the same numbers."""
        state = steps[-1][0] if steps else self._engine.tokens.write(last, match, token)
        told = SITUATIONS.write_state(1, state, 2, last)
        return b"".join((told, *(step for _, step in steps))) if steps else told

    def _start(self, name: str, options: game_pb2.GameOptions, seed: int) -> Position:
        game = self._engine.game(name)
        chosen = options.WhichOneof("game")
        messages = MESSAGES[name]
        if chosen is None:
            return game.start({}, seed)
        if chosen != messages.field:
            raise OptionError(f"options.{chosen}", f"are options of another game than {name}")
        try:
            return game.start(messages.read_options(getattr(options, chosen)), seed)
        except OptionError as error:
            raise error.within(f"options.{chosen}") from None


def seat_of(request: Any) -> int | None:
    """The seat that a request is about; None where it names none."""
    return request.seat if request.HasField("seat") else None


def check_viewer(position: Position, viewer: int) -> None:
    """Raise WrongSeat for the field `viewer` unless that is a seat or the referee."""
    try:
        position.check_seat(viewer, table=True)
    except TablierError as error:
        raise WrongSeat("viewer", error.message) from None


def read_move(move: game_pb2.Move) -> AskedMove:
    """A move as the engine takes it."""
    has = move.HasField
    return (
        move.seat if has("seat") else None,
        move.notation,
        move.action if has("action") else None,
    )


def wire_of(answer: Answer) -> bytes:
    """The bytes of an answer."""
    return answer if isinstance(answer, bytes) else answer.SerializeToString()


def write_step(played: PlayedMove, token: bytes) -> bytes:
    """A move that was played, complete, and the token of what it led to: an entry of `steps`."""
    move = write_move(played.after.game, played.seat, played.action)
    state = SITUATIONS.write_state(2, token, 3, played.after)
    return write_field(3, pb.Step(move=move).SerializeToString() + state)


def write_previous(previous: bytes) -> bytes:
    """The last field of ApplyMoves' answer."""
    return write_field(pb.ApplyMovesResponse.PREVIOUS_FIELD_NUMBER, previous)


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
