"""What a person types: with line editing and completion in a terminal, else plain lines."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import CompleteEvent, Completion
    from prompt_toolkit.document import Document

# A text that can be typed, and what it does.
Choice = tuple[str, str]


class Leaving(Exception):
    """The person ends the input, with Ctrl-D or Ctrl-C."""


class Keyboard:
    """Reads lines."""

    def __init__(self, offer: Callable[[str], Iterable[Choice]]) -> None:
        """`offer` returns what can be typed, given the beginning of the line."""
        self._session: PromptSession[str] | None = None
        if sys.stdin.isatty() and sys.stdout.isatty():
            self._session = make_session(offer)

    def read(self, prompt: str) -> str:
        """Read a line; raises Leaving."""
        try:
            if self._session is not None:
                return self._session.prompt(prompt).strip()
            typed: str = click.prompt(
                prompt.rstrip(), default="", show_default=False, prompt_suffix=" "
            )
        except (click.Abort, EOFError, KeyboardInterrupt):
            raise Leaving from None
        return typed.strip()


def make_session(offer: Callable[[str], Iterable[Choice]]) -> PromptSession[str]:
    """A session with a history and a menu of what can be typed, after Tab."""
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import Completer, Completion
    from prompt_toolkit.shortcuts import CompleteStyle

    class Menu(Completer):
        """The choices that complete the line, each with what it does."""

        def get_completions(
            self, document: Document, complete_event: CompleteEvent
        ) -> Iterator[Completion]:
            typed = document.text_before_cursor.lstrip()
            for text, meaning in offer(typed):
                yield Completion(text, -len(typed), display_meta=meaning)

    return PromptSession(
        completer=Menu(),
        complete_while_typing=False,
        complete_style=CompleteStyle.COLUMN,
        enable_history_search=True,
        reserve_space_for_menu=6,
    )
