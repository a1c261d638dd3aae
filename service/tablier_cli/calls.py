"""Calls with languages, words and looks, made from those of the client."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar, cast

from tablier.v1 import game_service_pb2 as pb
from tablier_client import Move
from tablier_client.call import Call
from tablier_client.calls import Calls
from tablier_client.state import Step

from tablier_cli.backend import State

T = TypeVar("T")


class LegalMove(NamedTuple):
    """A legal move of a seat, and what it does in words."""

    seat: int
    notation: str
    words: str


class DescribedStep(NamedTuple):
    """A move that was played, the state after it, and what a viewer saw of it."""

    step: Step[State]
    words: str


@dataclass(frozen=True)
class Look:
    """How to draw a picture."""

    language: str = ""
    theme: str = "light"
    width: int = 0
    bottom: int | None = None
    starts: bool = False
    last: Sequence[str] = ()
    marks: Sequence[str] = ()
    arrows: Sequence[str] = ()


def legal_moves(
    calls: Calls[State], state: State, seat: int | None, language: str
) -> Call[list[LegalMove]]:
    """The legal moves in words, of a seat or of all that are to move."""
    call = calls.moves(state, seat)
    request = cast("pb.EnumerateMovesRequest", call.request)
    request.detail = pb.MOVE_DETAIL_WORDS
    request.language = language

    def read(reply: pb.EnumerateMovesResponse) -> list[LegalMove]:
        return [
            LegalMove(moves.seat, notation, words)
            for moves in reply.seats
            for notation, words in zip(moves.notations, moves.words, strict=True)
        ]

    return Call(call.method, request, read)


def described_steps(
    calls: Calls[State], state: State, moves: Sequence[Move], viewer: int, language: str
) -> Call[list[DescribedStep]]:
    """Play moves, and say what a viewer saw of each."""
    call = calls.steps(state, *moves)
    request = cast("pb.ApplyMovesRequest", call.request)
    request.include_words = True
    request.viewer = viewer
    request.language = language

    def read(reply: pb.ApplyMovesResponse) -> list[DescribedStep]:
        words = [step.words for step in reply.steps]
        return [DescribedStep(*parts) for parts in zip(call.read(reply), words, strict=True)]

    return Call(call.method, request, read)


def drawing(calls: Calls[State], state: State, seat: int | None, language: str) -> Call[str]:
    """A drawing as text."""
    call = calls.draw(state, seat)
    cast("pb.RenderStateRequest", call.request).language = language
    return call


def picture(call: Call[T], look: Look) -> Call[T]:
    """A call for a picture, with a look."""
    request: Any = call.request
    request.language = look.language
    request.theme = pb.RenderTheme.Value(f"RENDER_THEME_{look.theme.upper().replace('-', '_')}")
    request.width = look.width
    if look.bottom is not None:
        request.bottom = look.bottom
    request.mark_starts = look.starts
    request.last_parts.extend(look.last)
    request.marked_parts.extend(look.marks)
    request.arrows.extend(look.arrows)
    return call
