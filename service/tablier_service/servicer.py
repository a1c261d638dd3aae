"""The calls of the protocol: decode a request, ask the engine, write the answer. No rules here."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from google.protobuf import message_factory
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from google.protobuf.message import Message
from tablier.v1 import game_pb2
from tablier.v1 import game_service_pb2 as pb
from tablier_core.errors import OptionError, TablierError
from tablier_core.position import REFEREE, Game, Position

from tablier_service.engine import AskedMove, Engine, PlayedMove, checked_match
from tablier_service.errors import InvalidField, status_of
from tablier_service.transcript import write_transcript
from tablier_service.views import MESSAGES

MAX_MOVES = 1024
MAX_REPLAY = 16384
# Drawings cost a hundred times what a move costs, and calls are served one at a time.
MAX_TRANSCRIPT = 1024
MAX_OPERATIONS = 1024

GAME_SERVICE = pb.DESCRIPTOR.services_by_name["GameService"]
# Calls whose requests carry many operations or moves, and so may be large.
LARGE_CALLS = frozenset({"Batch", "ReplayGame"})


@dataclass(frozen=True)
class Method:
    """One call of the protocol, whatever door it comes through."""

    descriptor: MethodDescriptor
    request_type: type[Message]
    # Takes the request's message and gives the answer's, or raises TablierError. That of a costly
    # call only checks the request and gives the search: a function from a Cancel to the answer, or
    # for a streaming call to an iterator of answers.
    handler: Callable[[Any], Any]
    # Whether the call thinks, and so belongs in the search pool.
    costly: bool
    # Whether requests of this call may be as large as the service takes at all.
    large: bool

    @property
    def streaming(self) -> bool:
        """Whether the call has many answers; all that do are costly."""
        return self.descriptor.server_streaming

    @property
    def path(self) -> str:
        """The name on the wire, e.g. `/tablier.v1.GameService/ApplyMoves`."""
        return f"/{self.descriptor.containing_service.full_name}/{self.descriptor.name}"


def methods_of(service: ServiceDescriptor, servicer: object, *, costly: bool) -> tuple[Method, ...]:
    """The calls of a service, served by the methods of the same names."""
    return tuple(
        Method(
            descriptor,
            message_factory.GetMessageClass(descriptor.input_type),
            getattr(servicer, descriptor.name),
            costly,
            descriptor.name in LARGE_CALLS,
        )
        for descriptor in service.methods
    )


class GameServicer:
    """GameService. Its methods are named as in the proto and take and give that call's messages."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.methods = methods_of(GAME_SERVICE, self, costly=False)
        by_request = {method.descriptor.input_type: method.handler for method in self.methods}
        self._operations = {
            field.name: by_request[field.message_type]
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
            seed=seed,
        )

    def EnumerateMoves(self, request: pb.EnumerateMovesRequest) -> pb.EnumerateMovesResponse:  # noqa: N802
        """Legal moves, as many and as detailed as asked for."""
        position, _ = self._engine.open(request.state, request.match)
        detail = request.detail or pb.MOVE_DETAIL_FULL
        if detail not in pb.MoveDetail.values():
            raise InvalidField("detail", f"{detail} is no MoveDetail")
        response = pb.EnumerateMovesResponse(situation=write_situation(position))
        for seat in self._engine.seats_to_list(position, seat_of(request)):
            moves = response.seats.add(seat=seat, count=position.count_moves(seat))
            if detail in (pb.MOVE_DETAIL_ACTIONS, pb.MOVE_DETAIL_FULL):
                moves.actions.extend(position.moves(seat))
            if detail in (pb.MOVE_DETAIL_NOTATIONS, pb.MOVE_DETAIL_FULL):
                moves.notations.extend(position.notations(seat))
        return response

    def ApplyMoves(self, request: pb.ApplyMovesRequest) -> pb.ApplyMovesResponse:  # noqa: N802
        """The state after a line of moves."""
        position, previous = self._engine.open(request.state, request.match)
        if not 1 <= len(request.moves) <= MAX_MOVES:
            raise InvalidField("moves", f"must be 1 to {MAX_MOVES} moves")
        response = pb.ApplyMovesResponse(previous=previous)
        self._play(position, request.state, request, response)
        return response

    def DescribeState(self, request: pb.DescribeStateRequest) -> pb.DescribeStateResponse:  # noqa: N802
        """What a viewer may know."""
        position, previous = self._engine.open(request.state, request.match)
        viewer = self._engine.viewer(position, seat_of(request))
        messages = MESSAGES[position.game.name]
        view = game_pb2.GameView()
        getattr(view, messages.field).CopyFrom(messages.write_view(position.observe(viewer)))
        token = b""
        if viewer != REFEREE:
            # It follows no token: that would be more than the seat knows.
            token = self._engine.tokens.write(position.view_of(viewer), request.match)
        return pb.DescribeStateResponse(
            situation=write_situation(position), view=view, view_token=token, previous=previous
        )

    def ReplayGame(self, request: pb.ReplayGameRequest) -> pb.ReplayGameResponse:  # noqa: N802
        """A whole game, again."""
        most = MAX_TRANSCRIPT if request.include_transcript else MAX_REPLAY
        if len(request.moves) > most:
            raise InvalidField("moves", f"must be at most {most} moves")
        first = self._start(request.game, request.options, request.seed)
        response = pb.ReplayGameResponse()
        line = self._play(first, b"", request, response)
        if request.include_transcript:
            response.transcript = write_transcript(first, line)
        return response

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

    def Batch(self, request: pb.BatchRequest) -> pb.BatchResponse:  # noqa: N802
        """Many calls in one, each with its own outcome."""
        if not 1 <= len(request.operations) <= MAX_OPERATIONS:
            raise InvalidField("operations", f"must be 1 to {MAX_OPERATIONS} operations")
        response = pb.BatchResponse()
        for operation in request.operations:
            result = response.results.add()
            call = operation.WhichOneof("call")
            try:
                if call is None:
                    raise InvalidField("call", "an operation must name its call")
                answer = self._operations[call](getattr(operation, call))
            except TablierError as error:
                # One bad operation must not cost the others their answers.
                result.error.CopyFrom(status_of(error))
            else:
                getattr(result, call).CopyFrom(answer)
        return response

    def _play(
        self,
        position: Position,
        token: bytes,
        request: pb.ApplyMovesRequest | pb.ReplayGameRequest,
        response: pb.ApplyMovesResponse | pb.ReplayGameResponse,
    ) -> list[PlayedMove]:
        """Play the request's moves from a token and write what both calls tell of them."""
        match = checked_match(request.match)
        write = self._engine.tokens.write
        line = list(self._engine.play(position, read_moves(request.moves)))
        if request.include_steps:
            # Each token is made from the one that its caller has before it.
            for played in line:
                token = write(played.after, match, token)
                response.steps.append(write_step(played, token))
        last = line[-1].after if line else position
        response.state = token if response.steps else write(last, match, token)
        response.situation.CopyFrom(write_situation(last))
        return line

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


def read_moves(moves: Iterable[game_pb2.Move]) -> list[AskedMove]:
    """Moves as the engine takes them."""
    return [
        AskedMove(
            move.seat if move.HasField("seat") else None,
            move.notation,
            move.action if move.HasField("action") else None,
        )
        for move in moves
    ]


def write_step(played: PlayedMove, token: bytes) -> pb.Step:
    """A move that was played, complete, and the token of what it led to."""
    after = played.after
    return pb.Step(
        move=write_move(after.game, played.seat, played.action),
        state=token,
        situation=write_situation(after),
    )


def write_move(game: Game, seat: int, action: int) -> game_pb2.Move:
    """A move, complete."""
    return game_pb2.Move(seat=seat, notation=game.write_move(action), action=action)


def write_situation(position: Position) -> game_pb2.Situation:
    """Where a game stands."""
    actors = position.actors
    return game_pb2.Situation(
        game=position.game.name,
        seats=position.seats,
        ply=position.ply,
        phase=position.phase,
        actors=actors,
        over=not actors,
        scores=position.scores,
        returns=position.returns,
    )


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
