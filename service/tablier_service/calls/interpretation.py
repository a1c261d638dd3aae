"""Texts of people and models, read as moves."""

from __future__ import annotations

from tablier.v1 import game_service_pb2 as pb
from tablier_core.interpretation.reader import Outcome, Reader
from tablier_core.languages import Language
from tablier_core.position import Position

from tablier_service.calls.messages import write_move, write_notation
from tablier_service.calls.slices import Work

OUTCOMES = {
    Outcome.EXACT: pb.INTERPRETATION_OUTCOME_EXACT,
    Outcome.NORMALISED: pb.INTERPRETATION_OUTCOME_NORMALISED,
    Outcome.AMBIGUOUS: pb.INTERPRETATION_OUTCOME_AMBIGUOUS,
    Outcome.NONE: pb.INTERPRETATION_OUTCOME_NONE,
}


def interpret(
    position: Position, seat: int, text: str, language: Language
) -> Work[pb.InterpretMoveResponse]:
    """Read a text as a move of a seat, and write what it means."""
    read = yield from Reader(position, seat).read(text, language)
    words = position.words(seat, language, read.moves)
    candidates = [
        pb.MoveCandidate(move=write_move(position.game, seat, move), words=sentence)
        for move, sentence in zip(read.moves, words, strict=True)
    ]
    answer = pb.InterpretMoveResponse(outcome=OUTCOMES[read.outcome], reason=read.reason)
    if read.outcome in (Outcome.EXACT, Outcome.NORMALISED):
        answer.understood.CopyFrom(candidates[0])
    else:
        answer.candidates.extend(candidates)
    if read.outcome is Outcome.NONE:
        answer.forms.extend(write_notation(position.game, language))
    return answer
