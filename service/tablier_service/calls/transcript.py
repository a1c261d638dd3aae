"""Transcripts: a game as people read it, with a drawing after every move."""

from __future__ import annotations

from collections.abc import Sequence

from tablier_core.languages import Language
from tablier_core.position import Position
from tablier_core.telling import name_seats

from tablier_service.calls.answer_size import AnswerSize
from tablier_service.calls.slices import Work
from tablier_service.calls.use_cases import PlayedMove


def write_transcript(
    first: Position,
    line: Sequence[PlayedMove],
    viewer: int,
    language: Language,
    size: AnswerSize,
) -> Work[str]:
    """Write the start, every move with the position after it, and the result, as a viewer saw it.

    A drawing costs a hundred times as much as a move, so this yields after each of them.
    """
    game = first.game
    parts = [f"{game.title} ({game.french_title})", first.draw_text(viewer, language)]
    for number, played in enumerate(line, start=1):
        known = played.is_known_to(viewer)
        notation = f" ({game.write_move(played.action)})" if known else ""
        parts.append(f"{number}. {played.story(viewer, language)}{notation}")
        parts.append(played.after.draw_text(viewer, language))
        size.add(len(parts[-1]))
        yield
    last = line[-1].after if line else first
    if last.over:
        results = ", ".join(
            f"{name_seats([seat], language)}: {points:g} ({result:+g})"
            for seat, (points, result) in enumerate(zip(last.scores, last.returns, strict=True))
        )
        # Translators: the points of every seat at the end of a game.
        parts.append(language.gettext("Result: {results}").format(results=results))
    return "\n\n".join(parts) + "\n"
