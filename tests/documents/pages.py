"""What a page tells its readers to run: commands, Python, and files to save, in order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from markdown_it import MarkdownIt
from markdown_it.token import Token

# A code span that begins with one of these is a command.
PROGRAMS = ("curl", "docker", "kubectl", "kubernetes-validate", "make", "pip", "python", "tablier")
COMMAND_LANGUAGES = ("", "sh")


class Kind(Enum):
    """What to do with a piece of a page."""

    COMMAND = auto()  # a line of a block of commands
    MENTION = auto()  # a command in the text of a paragraph
    PYTHON = auto()
    FILE = auto()  # to be saved under the name that the paragraph before it ends with


@dataclass(frozen=True)
class Piece:
    """Something to run or to save."""

    kind: Kind
    text: str
    line: int
    name: str = ""


def pieces(page: str) -> Iterator[Piece]:
    """Yield what a page in Markdown asks for."""
    name = ""
    for token in MarkdownIt("commonmark").enable("table").parse(page):
        line = token.map[0] + 1 if token.map else 0
        if token.type == "inline":
            named = re.search(r"`([\w.-]+)`:\Z", token.content)
            name = named[1] if named else ""
            yield from mentions(token, line)
        elif token.type in ("fence", "code_block"):
            yield from block(token, line, name)
            name = ""


def mentions(token: Token, line: int) -> Iterator[Piece]:
    """Yield the commands in a paragraph, a heading or a cell of a table."""
    for child in token.children or ():
        program, _, arguments = child.content.partition(" ")
        if child.type == "code_inline" and program in PROGRAMS and arguments:
            yield Piece(Kind.MENTION, child.content, line)


def block(token: Token, line: int, name: str) -> Iterator[Piece]:
    """Yield a block as a whole, or its commands one by one."""
    language = token.info.strip()
    if name:
        yield Piece(Kind.FILE, token.content, line, name)
    elif language == "python":
        yield Piece(Kind.PYTHON, token.content, line)
    elif language in COMMAND_LANGUAGES:
        joined = token.content.replace("\\\n", " ")
        for command in joined.splitlines():
            if command.strip():
                yield Piece(Kind.COMMAND, command.strip(), line)
