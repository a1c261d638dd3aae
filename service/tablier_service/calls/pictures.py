"""Drawings: their formats, and how one should look."""

from __future__ import annotations

from collections.abc import Callable

from tablier.v1 import game_service_pb2 as pb
from tablier_core.advice import Cancel
from tablier_core.drawing import CONTRAST, DARK, LIGHT, Look
from tablier_core.png import draw_png
from tablier_core.position import REFEREE, Position

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


def draw(
    position: Position, viewer: int, request: pb.RenderStateRequest
) -> pb.RenderStateResponse | Callable[[Cancel], pb.RenderStateResponse]:
    """Draw what a viewer sees, or return what draws it in the pool; raises InvalidField."""
    render_format = request.format or pb.RENDER_FORMAT_SVG
    media_type = MEDIA_TYPES.get(render_format)
    if media_type is None:
        raise InvalidField("format", f"{render_format} is not a RenderFormat")
    look = read_look(position, viewer, request)
    if render_format == pb.RENDER_FORMAT_TEXT:
        drawn = position.draw_text(viewer, look.language)
        return pb.RenderStateResponse(content=drawn, media_type=media_type)
    drawn = position.draw_svg(viewer, look)
    if render_format == pb.RENDER_FORMAT_SVG:
        return pb.RenderStateResponse(content=drawn, media_type=media_type)
    return lambda _: pb.RenderStateResponse(
        data=draw_png(drawn, request.width), media_type=media_type
    )


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
    last, marks, drawn = request.last_parts, request.marked_parts, request.arrows
    for name, given in (("last_parts", last), ("marked_parts", marks), ("arrows", drawn)):
        if not given:
            continue
        if len(given) > MAX_PARTS:
            raise InvalidField(name, f"must be at most {MAX_PARTS}")
        if any(len(part) > MAX_PART_BYTES for part in given):
            raise InvalidField(name, f"must have at most {MAX_PART_BYTES} characters each")
    arrows = [tuple(arrow.split(">")) for arrow in drawn] if drawn else []
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
        last=tuple(last),
        marks=tuple(marks),
        arrows=tuple((start, end) for start, end in arrows),
    )
