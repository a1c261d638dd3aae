"""The calls of the service, built from arguments.

Both clients send them, alone or in a batch, so that requests and answers are handled in one place.
Building a call does no I/O.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, Protocol, TypeVar

from tablier.v1 import advisor_service_pb2, game_pb2
from tablier.v1 import game_service_pb2 as pb

from tablier_client.answers import (
    read_advice,
    read_answered_record,
    read_interpretation,
    read_move,
    read_moves,
    read_seen,
    read_simulation,
)
from tablier_client.call import Call, read_result, write_operation
from tablier_client.errors import TablierError
from tablier_client.fields import invalid, items, make, make_part
from tablier_client.options import (
    all_options,
    typed_record_call,
    typed_replay_call,
    typed_start_call,
    write_options,
)
from tablier_client.records import Record, read_record, write_record
from tablier_client.state import (
    Advice,
    BotTurn,
    Drawing,
    Interpretation,
    Move,
    Replay,
    ReplayStep,
    Simulation,
    Snapshot,
    Step,
)

S = TypeVar("S", bound=Snapshot[Any])
S_co = TypeVar("S_co", bound=Snapshot[Any], covariant=True)
T = TypeVar("T")


class Bind(Protocol[S_co]):
    """Creates a client's state from an answer."""

    def __call__(
        self, token: bytes, situation: game_pb2.Situation, seed: int | None, match: str
    ) -> S_co: ...


class Calls(Generic[S]):
    """Builds calls; its methods have the names and arguments of those of clients and states."""

    def __init__(self, bind: Bind[S]) -> None:
        self._bind = bind

    def games(self, *, language: str = "") -> Call[list[game_pb2.Game]]:
        request = make(pb.ListGamesRequest, language=language)
        return Call("ListGames", request, lambda reply: list(reply.games))

    def game(self, name: str, *, language: str = "") -> Call[game_pb2.Game]:
        request = make(pb.GetGameRequest, game=name, language=language)
        return Call("GetGame", request, lambda reply: reply.game)

    def rules(self, game: str, *, language: str = "") -> Call[str]:
        request = make(pb.GetGameRequest, game=game, language=language, include_rules=True)
        return Call("GetGame", request, lambda reply: reply.rules)

    @typed_start_call
    def start(
        self,
        game: str,
        options: Mapping[str, object] | None = None,
        /,
        *,
        seed: int | None = None,
        match: str = "",
        **keywords: object,
    ) -> Call[S]:
        request = make(
            pb.StartGameRequest,
            game=game,
            options=write_options(all_options(options, keywords)),
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
        return Call("EnumerateMoves", request, read_moves)

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

    def interpret(
        self, state: S, text: str, seat: int | None = None, *, language: str = ""
    ) -> Call[Interpretation]:
        request = make(
            pb.InterpretMoveRequest,
            state=token_of(state),
            match=state.match,
            text=text,
            seat=seat,
            language=language,
        )
        return Call("InterpretMove", request, read_interpretation)

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

    def observation(self, state: S, seat: int | None = None) -> Call[pb.Observation]:
        return self._describe(state, seat, lambda reply: reply.observation, observation=True)

    def previous(self, state: S) -> Call[bytes]:
        # The view of any seat comes with the hash; seat 0 always exists.
        return self._describe(state, 0, lambda reply: reply.previous)

    def draw(self, state: S, seat: int | None = None) -> Call[str]:
        return self._render(state, seat, pb.RENDER_FORMAT_TEXT, lambda reply: reply.content)

    def svg(self, state: S, seat: int | None = None) -> Call[Drawing]:
        return self._render(state, seat, pb.RENDER_FORMAT_SVG, lambda reply: Drawing(reply.content))

    def png(self, state: S, seat: int | None = None, *, width: int = 0) -> Call[bytes]:
        return self._render(
            state, seat, pb.RENDER_FORMAT_PNG, lambda reply: reply.data, width=width
        )

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
        return Call("SuggestMoves", request, read_advice, request.budget.milliseconds / 1000)

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
        return Call("StreamAnalysis", request, read_advice)

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
        return Call("SimulateGame", request, read_simulation, request.milliseconds / 1000)

    def play_bot(
        self,
        state: S,
        seat: int | None = None,
        *,
        level: int = 0,
        viewer: int | None = None,
        max_moves: int = 1,
        milliseconds: int = 0,
        iterations: int = 0,
        seed: int = 0,
        language: str = "",
    ) -> Call[BotTurn[S]]:
        request = make(
            advisor_service_pb2.PlaySeatRequest,
            state=token_of(state),
            match=state.match,
            seat=seat,
            level=level,
            viewer=viewer,
            max_moves=max_moves,
            budget=_write_budget(iterations, milliseconds),
            seed=seed,
            language=language,
        )

        def read(reply: advisor_service_pb2.PlaySeatResponse) -> BotTurn[S]:
            after = self._bind(reply.state, reply.situation, state.seed, state.match)
            return BotTurn(after, read_seen(reply.moves))

        return Call("PlaySeat", request, read, milliseconds * max_moves / 1000)

    @typed_replay_call
    def replay(
        self,
        game: str,
        moves: Iterable[Move | str],
        options: Mapping[str, object] | None = None,
        /,
        *,
        seed: int,
        match: str = "",
        steps: bool = False,
        transcript: bool = False,
        viewer: int | None = None,
        **keywords: object,
    ) -> Call[Replay[S]]:
        request = make(
            pb.ReplayGameRequest,
            game=game,
            options=write_options(all_options(options, keywords)),
            seed=seed,
            match=match,
            moves=_write_moves(moves, None),
            include_steps=steps,
            include_transcript=transcript,
            viewer=viewer,
        )
        return self._replay(request, seed)

    def replay_record(
        self,
        record: Record | str,
        /,
        *,
        match: str = "",
        steps: bool = False,
        transcript: bool = False,
        viewer: int | None = None,
    ) -> Call[Replay[S]]:
        whole = read_record(record) if isinstance(record, str) else record
        if not isinstance(whole, Record):
            raise invalid("record", f"{record!r} is neither a record nor its text")
        request = make(
            pb.ReplayGameRequest,
            game=whole.game,
            record=record if isinstance(record, str) else write_record(whole),
            match=match,
            include_steps=steps,
            include_transcript=transcript,
            viewer=viewer,
            include_record=True,
        )
        return self._replay(request, whole.seed)

    @typed_record_call
    def record(
        self,
        game: str,
        moves: Iterable[Move | str],
        options: Mapping[str, object] | None = None,
        /,
        *,
        seed: int,
        viewer: int | None = None,
        **keywords: object,
    ) -> Call[Record]:
        request = make(
            pb.ReplayGameRequest,
            game=game,
            options=write_options(all_options(options, keywords)),
            seed=seed,
            moves=_write_moves(moves, None),
            include_record=True,
            viewer=viewer,
        )
        return Call("ReplayGame", request, lambda reply: read_answered_record(reply.record))

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

    def _replay(self, request: pb.ReplayGameRequest, seed: int | None) -> Call[Replay[S]]:
        # The seed reveals everything hidden, so states for a seat do not contain it.
        known_seed = seed if not request.HasField("viewer") or request.viewer < 0 else None
        match = request.match
        return Call(
            "ReplayGame",
            request,
            lambda reply: Replay(
                self._bind(reply.state, reply.situation, known_seed, match),
                [
                    ReplayStep(
                        read_move(step.move) if step.HasField("move") else None,
                        self._bind(step.state, step.situation, known_seed, match),
                    )
                    for step in reply.steps
                ],
                reply.transcript,
                list(reply.views),
                read_answered_record(reply.record) if request.include_record else None,
            ),
        )

    def _describe(
        self,
        state: S,
        seat: int | None,
        read: Callable[[pb.DescribeStateResponse], T],
        observation: bool = False,
    ) -> Call[T]:
        request = make(
            pb.DescribeStateRequest,
            state=token_of(state),
            match=state.match,
            seat=seat,
            include_observation=observation,
        )
        return Call("DescribeState", request, read)

    def _render(
        self,
        state: S,
        seat: int | None,
        how: pb.RenderFormat.ValueType,
        read: Callable[[pb.RenderStateResponse], T],
        width: int = 0,
    ) -> Call[T]:
        request = make(
            pb.RenderStateRequest,
            state=token_of(state),
            match=state.match,
            seat=seat,
            format=how,
            width=width,
        )
        return Call("RenderState", request, read)

    def _read_steps(self, steps: Iterable[pb.Step], seed: int | None, match: str) -> list[Step[S]]:
        return [
            Step(
                read_move(step.move),
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
