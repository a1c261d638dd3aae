"""Moves in words and as paths to click, and how a drawing should look."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from tablier.v1 import game_service_pb2 as pb
from tablier_core.drawing import CONTRAST, DARK, LIGHT, Look
from tablier_core.languages import Language
from tablier_core.position import REFEREE, Position
from tablier_core.telling import Path

from tablier_service.calls.answer_size import AnswerSize
from tablier_service.calls.language import wanted_language
from tablier_service.calls.slices import Work
from tablier_service.errors import InvalidField

# How many moves are told without a pause.
TOLD_AT_ONCE = 256
MAX_PARTS = 64
MAX_PART_BYTES = 64
NARROWEST, WIDEST = 100, 4000
PALETTES = {
    pb.RENDER_THEME_UNSPECIFIED: LIGHT,
    pb.RENDER_THEME_LIGHT: LIGHT,
    pb.RENDER_THEME_DARK: DARK,
    pb.RENDER_THEME_HIGH_CONTRAST: CONTRAST,
}


def list_told(
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
        for start in range(0, len(moves), TOLD_AT_ONCE):
            some = moves[start : start + TOLD_AT_ONCE]
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
        if number % TOLD_AT_ONCE == 0:
            yield


def read_look(position: Position, viewer: int, request: pb.RenderStateRequest) -> Look:
    """Read how a drawing should look; raises InvalidField."""
    palette = PALETTES.get(request.theme)
    if palette is None:
        raise InvalidField("theme", f"{request.theme} is not a RenderTheme")
    if request.width and not NARROWEST <= request.width <= WIDEST:
        raise InvalidField("width", f"must be 0, or from {NARROWEST} to {WIDEST}")
    bottom = request.bottom if request.HasField("bottom") else None
    if bottom is not None and not 0 <= bottom < position.seats:
        raise InvalidField("bottom", f"must be from 0 to {position.seats - 1}")
    for name in ("last_parts", "marked_parts", "arrows"):
        given = getattr(request, name)
        if len(given) > MAX_PARTS:
            raise InvalidField(name, f"must be at most {MAX_PARTS}")
        if any(len(part) > MAX_PART_BYTES for part in given):
            raise InvalidField(name, f"must have at most {MAX_PART_BYTES} characters each")
    arrows = [tuple(arrow.split(">")) for arrow in request.arrows]
    if any(len(ends) != 2 for ends in arrows):
        raise InvalidField("arrows", "must be two parts with `>` in between, such as a6>a4")
    starts: tuple[str, ...] = ()
    if request.mark_starts and viewer != REFEREE:
        starts = tuple(dict.fromkeys(path[0] for path in position.paths(viewer)))
    return Look(
        language=wanted_language(request.language),
        palette=palette,
        width=request.width,
        bottom=bottom,
        starts=starts,
        last=tuple(request.last_parts),
        marks=tuple(request.marked_parts),
        arrows=tuple((start, end) for start, end in arrows),
    )
