"""Reads the parts of answers that have a type of their own."""

from __future__ import annotations

from collections.abc import Iterable

from tablier.v1 import advisor_service_pb2, game_pb2
from tablier.v1 import game_service_pb2 as pb

from tablier_client.errors import InvalidRecord
from tablier_client.records import Record, read_record
from tablier_client.state import (
    Advice,
    Candidate,
    Interpretation,
    Move,
    Outcome,
    SeenMove,
    Simulation,
    Suggestion,
)

# Stop reasons of the protocol, in lower case and without their prefix.
STOPPED = {
    value.number: value.name.removeprefix("STOP_REASON_").lower()
    for value in advisor_service_pb2.StopReason.DESCRIPTOR.values
}
# Outcomes of InterpretMove, in the same way.
INTERPRETED = {
    value.number: value.name.removeprefix("INTERPRETATION_OUTCOME_").lower()
    for value in pb.InterpretationOutcome.DESCRIPTOR.values
}


def read_move(move: game_pb2.Move) -> Move:
    """Read a move."""
    return Move(move.notation, move.seat, move.action)


def read_candidate(candidate: pb.MoveCandidate) -> Candidate:
    """Read a move with its words."""
    return Candidate(read_move(candidate.move), candidate.words)


def read_interpretation(reply: pb.InterpretMoveResponse) -> Interpretation:
    """Read the answer of InterpretMove."""
    return Interpretation(
        INTERPRETED.get(reply.outcome, "unspecified"),
        read_candidate(reply.understood) if reply.HasField("understood") else None,
        tuple(map(read_candidate, reply.candidates)),
        reply.reason,
        tuple((form.example, form.meaning) for form in reply.forms),
    )


def read_answered_record(text: str) -> Record:
    """Read a record; raises ValueError, because the service should not send any other text."""
    try:
        return read_record(text)
    except InvalidRecord as error:
        raise ValueError(error.message) from error


def read_seen(moves: Iterable[advisor_service_pb2.SeenMove]) -> tuple[SeenMove, ...]:
    """Read what a viewer saw of moves."""
    return tuple(
        SeenMove(seen.seat, read_move(seen.move) if seen.HasField("move") else None, seen.words)
        for seen in moves
    )


def read_simulation(reply: advisor_service_pb2.SimulateGameResponse) -> Simulation:
    """Read the answer of SimulateGame."""
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
        tuple(read_move(move) for move in reply.sample),
    )


def read_advice(
    reply: advisor_service_pb2.SuggestMovesResponse | advisor_service_pb2.StreamAnalysisResponse,
) -> Advice:
    """Read the answer of SuggestMoves, or one of StreamAnalysis."""
    return Advice(
        tuple(
            Suggestion(
                read_move(suggestion.move),
                suggestion.visits,
                tuple(suggestion.values),
                suggestion.spread,
                tuple(read_move(move) for move in suggestion.line),
                suggestion.weight,
            )
            for suggestion in reply.suggestions
        ),
        reply.iterations,
        reply.milliseconds,
        # A newer service may send a reason that these stubs do not know.
        STOPPED.get(reply.stopped, "unspecified"),
    )


def read_moves(reply: pb.EnumerateMovesResponse) -> list[Move]:
    """Read the answer of EnumerateMoves."""
    return [
        Move(notation, moves.seat, action)
        for moves in reply.seats
        for notation, action in zip(moves.notations, moves.actions, strict=True)
    ]
