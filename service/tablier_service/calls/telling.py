"""Moves in words and as paths to click."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from tablier.v1 import game_service_pb2 as pb
from tablier_core.languages import Language
from tablier_core.position import Position
from tablier_core.telling import Path

from tablier_service.calls.answer_size import AnswerSize
from tablier_service.calls.slices import Work

# How many moves are described without a pause.
DESCRIBED_AT_ONCE = 256


def list_described(
    position: Position,
    seats: Iterable[int],
    language: Language | None,
    with_paths: bool,
    size: AnswerSize,
) -> Work[pb.EnumerateMovesResponse]:
    """List legal moves with words, if a language is given, and with paths on request."""
    answer = pb.EnumerateMovesResponse()
    for seat in seats:
        moves = position.moves(seat)
        entry = answer.seats.add(seat=seat, count=len(moves))
        paths: list[Path] = []
        for start in range(0, len(moves), DESCRIBED_AT_ONCE):
            some = moves[start : start + DESCRIBED_AT_ONCE]
            if language is not None:
                words = position.words(seat, language, some)
                size.add(sum(map(len, words)))
                entry.words.extend(words)
            if with_paths:
                paths += position.paths(seat, some)
                size.add(sum(map(len, paths[start:])))
            yield
        yield from write_paths(entry, paths)
    return answer


def write_paths(entry: pb.SeatMoves, paths: Sequence[Path]) -> Work[None]:
    """Write the paths of a seat's moves. A path that begins another one needs a confirmation."""
    ordered = sorted(paths)
    yield
    begins = {path for path, after in pairwise(ordered) if after[: len(path)] == path}
    for number, path in enumerate(paths):
        entry.paths.add(parts=path, needs_confirmation=path in begins)
        if number % DESCRIBED_AT_ONCE == 0:
            yield
