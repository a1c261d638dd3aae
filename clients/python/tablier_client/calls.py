"""Calls as values: each has a request and a function that reads the answer.

Both clients send them, alone or in a batch, so that requests and answers are handled in one place.
Building a call does no I/O.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

import grpc
from google.protobuf.message import Message
from tablier.v1 import advisor_service_pb2, game_pb2
from tablier.v1 import game_service_pb2 as pb

from tablier_client.channel import SERVICES
from tablier_client.errors import ServiceFault, TablierError, from_status
from tablier_client.fields import invalid, items, make, make_part
from tablier_client.options import write_options
from tablier_client.state import (
    Advice,
    Drawing,
    Move,
    Outcome,
    Replay,
    Simulation,
    Snapshot,
    Step,
    Suggestion,
)

S = TypeVar("S", bound=Snapshot[Any])
S_co = TypeVar("S_co", bound=Snapshot[Any], covariant=True)
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

# The field of an Operation that carries each type of request.
OPERATIONS = {
    field.message_type.full_name: field.name
    for field in pb.Operation.DESCRIPTOR.oneofs_by_name["call"].fields
    if field.message_type
}

# Methods with a stream of answers.
STREAMS = {
    method.name for service in SERVICES for method in service.methods if method.server_streaming
}

# Stop reasons of the protocol, in lower case and without their prefix.
STOPPED = {
    value.number: value.name.removeprefix("STOP_REASON_").lower()
    for value in advisor_service_pb2.StopReason.DESCRIPTOR.values
}


@dataclass(frozen=True)
class Call(Generic[T_co]):
    """A call that can be sent alone or in a batch."""

    method: str  # name in the service, such as "ApplyMoves"
    request: Message = field(repr=False)
    read: Callable[[Any], T_co] = field(repr=False)
    # Seconds that the service may search; added to the timeout of the client.
    thinking: float = field(default=0.0, repr=False)

    def answer(self, reply: object) -> T_co:
        """Read an answer; raises ServiceFault if it does not fit the call."""
        try:
            return self.read(reply)
        except ValueError as error:
            raise ServiceFault(
                f"the answer to {self.method} cannot be read: {error}",
                code=grpc.StatusCode.INTERNAL,
            ) from error


class Bind(Protocol[S_co]):
    """Creates a client's state from an answer."""

    def __call__(
        self, token: bytes, situation: game_pb2.Situation, seed: int | None, match: str
    ) -> S_co: ...


class Calls(Generic[S]):
    """Builds calls; its methods have the names and arguments of those of clients and states."""

    def __init__(self, bind: Bind[S]) -> None:
        self._bind = bind

    def games(self) -> Call[list[game_pb2.Game]]:
        return Call("ListGames", pb.ListGamesRequest(), lambda reply: list(reply.games))

    def game(self, name: str) -> Call[game_pb2.Game]:
        return Call("GetGame", make(pb.GetGameRequest, game=name), lambda reply: reply.game)

    def start(
        self, game: str, /, *, seed: int | None = None, match: str = "", **options: object
    ) -> Call[S]:
        request = make(
            pb.StartGameRequest,
            game=game,
            options=write_options(game, options),
            seed=seed,
            match=match,
        )
        return Call(
            "StartGame",
            request,
            lambda reply: self._bind(reply.state, reply.situation, reply.seed, match),
        )

    def state(self, token: bytes, *, match: str = "") -> Call[S]:
        # Counting moves is the cheapest call that returns the situation and accepts view tokens.
        request = make(
            pb.EnumerateMovesRequest, state=token, detail=pb.MOVE_DETAIL_COUNT, match=match
        )
        return Call(
            "EnumerateMoves", request, lambda reply: self._bind(token, reply.situation, None, match)
        )

    def moves(self, state: S, seat: int | None = None) -> Call[list[Move]]:
        request = make(
            pb.EnumerateMovesRequest,
            state=token_of(state),
            match=state.match,
            seat=seat,
            detail=pb.MOVE_DETAIL_FULL,
        )
        return Call("EnumerateMoves", request, _read_moves)

    def count_moves(self, state: S, seat: int | None = None) -> Call[int]:
        request = make(
            pb.EnumerateMovesRequest,
            state=token_of(state),
            match=state.match,
            seat=seat,
            detail=pb.MOVE_DETAIL_COUNT,
        )
        return Call(
            "EnumerateMoves", request, lambda reply: sum(seat.count for seat in reply.seats)
        )

    def play(self, state: S, *moves: Move | str, seat: int | None = None) -> Call[S]:
        request = make(
            pb.ApplyMovesRequest,
            state=token_of(state),
            match=state.match,
            moves=_write_moves(moves, seat),
        )
        return Call(
            "ApplyMoves",
            request,
            lambda reply: self._bind(reply.state, reply.situation, state.seed, state.match),
        )

    def steps(self, state: S, *moves: Move | str, seat: int | None = None) -> Call[list[Step[S]]]:
        request = make(
            pb.ApplyMovesRequest,
            state=token_of(state),
            match=state.match,
            moves=_write_moves(moves, seat),
            include_steps=True,
        )
        return Call(
            "ApplyMoves",
            request,
            lambda reply: self._read_steps(reply.steps, state.seed, state.match),
        )

    def view(self, state: S, seat: int | None = None) -> Call[game_pb2.GameView]:
        return self._describe(state, seat, lambda reply: reply.view)

    def view_token(self, state: S, seat: int) -> Call[bytes]:
        return self._describe(state, seat, lambda reply: reply.view_token)

    def previous(self, state: S) -> Call[bytes]:
        # The view of any seat comes with the hash; seat 0 always exists.
        return self._describe(state, 0, lambda reply: reply.previous)

    def draw(self, state: S, seat: int | None = None) -> Call[str]:
        return self._render(state, seat, pb.RENDER_FORMAT_TEXT, str)

    def svg(self, state: S, seat: int | None = None) -> Call[Drawing]:
        return self._render(state, seat, pb.RENDER_FORMAT_SVG, Drawing)

    def suggest(
        self,
        state: S,
        seat: int | None = None,
        *,
        milliseconds: int = 0,
        iterations: int = 0,
        level: int = 0,
        seed: int = 0,
        limit: int = 5,
    ) -> Call[Advice]:
        request = make(
            advisor_service_pb2.SuggestMovesRequest,
            state=token_of(state),
            match=state.match,
            seat=seat,
            budget=_write_budget(iterations, milliseconds),
            level=level,
            seed=seed,
            max_suggestions=limit,
        )
        return Call("SuggestMoves", request, _read_advice, thinking=milliseconds / 1000)

    def analyze(
        self,
        state: S,
        seat: int | None = None,
        *,
        milliseconds: int = 0,
        iterations: int = 0,
        interval: int = 0,
        seed: int = 0,
        limit: int = 5,
    ) -> Call[Advice]:
        request = make(
            advisor_service_pb2.StreamAnalysisRequest,
            state=token_of(state),
            match=state.match,
            seat=seat,
            budget=_write_budget(iterations, milliseconds),
            interval_milliseconds=interval,
            seed=seed,
            max_suggestions=limit,
        )
        return Call("StreamAnalysis", request, _read_advice)

    def simulate(
        self,
        state: S,
        games: int = 0,
        *,
        levels: Iterable[int] = (),
        seat: int | None = None,
        seed: int = 0,
        milliseconds: int = 0,
        sample: bool = False,
    ) -> Call[Simulation]:
        request = make(
            advisor_service_pb2.SimulateGameRequest,
            state=token_of(state),
            match=state.match,
            seat=seat,
            games=games,
            levels=levels,
            seed=seed,
            milliseconds=milliseconds,
            include_sample=sample,
        )
        return Call("SimulateGame", request, _read_simulation, thinking=milliseconds / 1000)

    def replay(
        self,
        game: str,
        moves: Iterable[Move | str],
        /,
        *,
        seed: int,
        match: str = "",
        steps: bool = False,
        transcript: bool = False,
        viewer: int | None = None,
        **options: object,
    ) -> Call[Replay[S]]:
        request = make(
            pb.ReplayGameRequest,
            game=game,
            options=write_options(game, options),
            seed=seed,
            match=match,
            moves=_write_moves(moves, None),
            include_steps=steps,
            include_transcript=transcript,
            viewer=viewer,
        )
        return Call(
            "ReplayGame",
            request,
            lambda reply: Replay(
                self._bind(reply.state, reply.situation, seed, match),
                self._read_steps(reply.steps, seed, match),
                reply.transcript,
                list(reply.views),
            ),
        )

    def batch(self, calls: Iterable[Call[T]]) -> Call[list[T | TablierError]]:
        sent = items("calls", calls)
        request = pb.BatchRequest(
            operations=[write_operation(call, f"calls[{i}]") for i, call in enumerate(sent)]
        )
        return Call(
            "Batch",
            request,
            lambda reply: [
                read_result(call, result) for call, result in zip(sent, reply.results, strict=True)
            ],
        )

    def _describe(
        self, state: S, seat: int | None, read: Callable[[pb.DescribeStateResponse], T]
    ) -> Call[T]:
        request = make(pb.DescribeStateRequest, state=token_of(state), match=state.match, seat=seat)
        return Call("DescribeState", request, read)

    def _render(
        self, state: S, seat: int | None, how: pb.RenderFormat.ValueType, kind: Callable[[str], T]
    ) -> Call[T]:
        request = make(
            pb.RenderStateRequest, state=token_of(state), match=state.match, seat=seat, format=how
        )
        return Call("RenderState", request, lambda reply: kind(reply.content))

    def _read_steps(self, steps: Iterable[pb.Step], seed: int | None, match: str) -> list[Step[S]]:
        return [
            Step(
                _read_move(step.move),
                self._bind(step.state, step.situation, seed, match),
            )
            for step in steps
        ]


def token_of(state: Snapshot[Any]) -> bytes:
    """Return the token of a state; raises InvalidField for anything else, such as a token."""
    if not isinstance(state, Snapshot):
        raise invalid("state", f"{state!r} is not a state: use client.state(token)")
    return state.token


def _write_moves(moves: Iterable[Move | str], seat: int | None) -> list[game_pb2.Move]:
    """Convert moves to messages; `seat` is the seat of moves that do not name their own."""
    written = []
    for number, given in enumerate(items("moves", moves)):
        move = Move(given) if isinstance(given, str) else given
        if not isinstance(move, Move):
            raise invalid(f"moves[{number}]", f"{move!r} is neither a notation nor a Move")
        written.append(
            make_part(
                f"moves[{number}].",
                game_pb2.Move,
                seat=seat if move.seat is None else move.seat,
                notation=move.notation,
                action=move.action,
            )
        )
    return written


def _write_budget(iterations: int, milliseconds: int) -> advisor_service_pb2.Budget:
    return make_part(
        "budget.", advisor_service_pb2.Budget, iterations=iterations, milliseconds=milliseconds
    )


def _read_move(move: game_pb2.Move) -> Move:
    return Move(move.notation, move.seat, move.action)


def _read_simulation(reply: advisor_service_pb2.SimulateGameResponse) -> Simulation:
    return Simulation(
        reply.games,
        tuple(
            Outcome(
                seat.mean_return, seat.mean_score, seat.wins, seat.win_rate, tuple(seat.histogram)
            )
            for seat in reply.seats
        ),
        reply.mean_length,
        reply.shortest,
        reply.longest,
        tuple(_read_move(move) for move in reply.sample),
    )


def _read_advice(
    reply: advisor_service_pb2.SuggestMovesResponse | advisor_service_pb2.StreamAnalysisResponse,
) -> Advice:
    return Advice(
        tuple(
            Suggestion(
                _read_move(suggestion.move),
                suggestion.visits,
                tuple(suggestion.values),
                suggestion.spread,
                tuple(_read_move(move) for move in suggestion.line),
                suggestion.weight,
            )
            for suggestion in reply.suggestions
        ),
        reply.iterations,
        reply.milliseconds,
        # A newer service may send a reason that these stubs do not know.
        STOPPED.get(reply.stopped, "unspecified"),
    )


def _read_moves(reply: pb.EnumerateMovesResponse) -> list[Move]:
    return [
        Move(notation, moves.seat, action)
        for moves in reply.seats
        for notation, action in zip(moves.notations, moves.actions, strict=True)
    ]


def check_call(call: Call[object], field: str = "call") -> None:
    """Raise InvalidField unless the argument is a call."""
    if not isinstance(call, Call):
        raise invalid(field, f"{call!r} is not one of `client.calls`")


def check_streams(call: Call[object], streams: bool) -> None:
    """Raise InvalidField unless the argument is a call with a stream of answers, or with one."""
    check_call(call)
    if (call.method in STREAMS) is not streams:
        other = "send" if streams else "stream"
        raise invalid("call", f"use `{other}` for {call.method}")


def write_operation(call: Call[object], field: str) -> pb.Operation:
    """Convert a call to an operation; raises InvalidField if the protocol has none for it."""
    check_call(call, field)
    member = OPERATIONS.get(call.request.DESCRIPTOR.full_name)
    if member is None:
        raise invalid(field, f"{call.method} cannot be part of a batch or a session")
    operation = pb.Operation()
    getattr(operation, member).CopyFrom(call.request)
    return operation


def read_result(call: Call[T], result: pb.OperationResult) -> T | TablierError:
    """Return the result or the exception of a call that was sent as an operation."""
    outcome, member = result.WhichOneof("outcome"), OPERATIONS[call.request.DESCRIPTOR.full_name]
    if outcome == "error":
        return from_status(result.error)
    if outcome != member:
        return ServiceFault(
            f"the service answered {call.method} with {outcome}", code=grpc.StatusCode.INTERNAL
        )
    return call.answer(getattr(result, member))
