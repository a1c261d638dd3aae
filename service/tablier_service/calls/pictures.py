"""Drawings: their formats, and how one should look."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tablier.v1 import game_service_pb2 as pb
from tablier_core.advice import Cancel
from tablier_core.drawing import CONTRAST, DARK, LIGHT, Look
from tablier_core.png import draw_png
from tablier_core.position import REFEREE, Position
from tablier_core.wire import write_head

from tablier_service.calls.language import wanted_language
from tablier_service.errors import InvalidField

MAX_PARTS = 64
MAX_PART_BYTES = 64
NARROWEST, WIDEST = 100, 4000
PALETTES = {
    pb.RENDER_THEME_UNSPECIFIED: LIGHT,
    pb.RENDER_THEME_LIGHT: LIGHT,
    pb.RENDER_THEME_DARK: DARK,
    pb.RENDER_THEME_HIGH_CONTRAST: CONTRAST,
}
# The formats, the default first.
MEDIA_TYPES = {
    pb.RENDER_FORMAT_SVG: "image/svg+xml",
    pb.RENDER_FORMAT_TEXT: "text/plain",
    pb.RENDER_FORMAT_PNG: "image/png",
}
# What a RenderStateResponse has behind its content, by format.
ENDINGS: dict[int, bytes] = {
    render_format: pb.RenderStateResponse(media_type=media_type).SerializeToString()
    for render_format, media_type in MEDIA_TYPES.items()
}


def draw(
    position: Position, viewer: int, request: pb.RenderStateRequest
) -> bytes | Callable[[Cancel], pb.RenderStateResponse]:
    """Draw what a viewer sees, or return what draws it in the pool; raises InvalidField."""
    render_format = request.format or pb.RENDER_FORMAT_SVG
    media_type = MEDIA_TYPES.get(render_format)
    if media_type is None:
        raise InvalidField("format", f"{render_format} is not a RenderFormat")
    look = read_look(position, viewer, request)
    if render_format == pb.RENDER_FORMAT_TEXT:
        return write_text(position.draw_text(viewer, look.language), render_format)
    drawn = position.draw_svg(viewer, look)
    if render_format == pb.RENDER_FORMAT_SVG:
        return write_text(drawn, render_format)
    return lambda _: pb.RenderStateResponse(
        data=draw_png(drawn, request.width), media_type=media_type
    )


def write_text(drawn: str, render_format: int) -> bytes:
    """Write a drawing that is text as a RenderStateResponse, without the copies of a message."""
    content = drawn.encode()
    head = write_head(pb.RenderStateResponse.CONTENT_FIELD_NUMBER, len(content))
    return b"".join((head, content, ENDINGS[render_format]))


def read_look(position: Position, viewer: int, request: pb.RenderStateRequest) -> Look:
    """Read how a drawing should look; raises InvalidField."""
    palette = PALETTES.get(request.theme)
    if palette is None:
        raise InvalidField("theme", f"{request.theme} is not a RenderTheme")
    width = request.width
    if width and not NARROWEST <= width <= WIDEST:
        raise InvalidField("width", f"must be 0, or from {NARROWEST} to {WIDEST}")
    bottom = request.bottom if request.HasField("bottom") else None
    if bottom is not None and not 0 <= bottom < position.seats:
        raise InvalidField("bottom", f"must be from 0 to {position.seats - 1}")
    starts: tuple[str, ...] = ()
    if request.mark_starts and viewer != REFEREE:
        starts = tuple(dict.fromkeys(path[0] for path in position.paths(viewer)))
    look = Look(wanted_language(request.language), palette, width, bottom, starts)
    last, marks, arrows = request.last_parts, request.marked_parts, request.arrows
    if not (last or marks or arrows):
        return look
    return look._replace(
        last=read_parts("last_parts", last),
        marks=read_parts("marked_parts", marks),
        arrows=read_arrows(read_parts("arrows", arrows)),
    )


def read_parts(field: str, given: Sequence[str]) -> tuple[str, ...]:
    """Read names of parts; raises InvalidField."""
    if len(given) > MAX_PARTS:
        raise InvalidField(field, f"must be at most {MAX_PARTS}")
    if any(len(part) > MAX_PART_BYTES for part in given):
        raise InvalidField(field, f"must have at most {MAX_PART_BYTES} characters each")
    return tuple(given)


def read_arrows(given: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Read the two ends of arrows; raises InvalidField."""
    arrows = [arrow.partition(">") for arrow in given]
    if any(not arrow or ">" in end for _, arrow, end in arrows):
        raise InvalidField("arrows", "must be two parts with `>` in between, such as a6>a4")
    return tuple([(start, end) for start, _, end in arrows])
