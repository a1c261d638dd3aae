"""The language of the texts in an answer."""

from __future__ import annotations

from contextvars import ContextVar

from tablier_core.languages import Language, best_tag, language

# The languages that the client of the current call accepts, best first.
ACCEPTED: ContextVar[tuple[str, ...]] = ContextVar("accepted", default=())


def wanted_language(tag: str) -> Language:
    """The language that a request asks for by a tag; without one, the best that is accepted."""
    return language(best_tag((tag,) if tag else ACCEPTED.get()))
