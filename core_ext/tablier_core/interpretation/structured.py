"""Moves in JSON objects and in the literals of other languages, as programs write them.

The reader is tolerant about quotes and commas, and strict about its limits: it needs one pass, and
no stack of the interpreter.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import NamedTuple, TypeAlias

from tablier_core.interpretation.text import fold, unescape

# One piece of a literal: a mark, a string in either quotes, or a plain word or number.
PIECE = re.compile(
    r"\s*(?:([{}\[\],:])|\"((?:[^\"\\\n]|\\.)*)\"|'((?:[^'\\\n]|\\.)*)'|([^\s{}\[\],:\"']+))"
)
QUOTED = re.compile(r"\\(.)")
OPENING = re.compile(r"[{\[]")
DEPTH = 8
# How many brackets may begin an object; each costs a pass over the text.
ATTEMPTS = 4
# Keys, folded, whose values are moves: those of the protocol first, then what people choose.
NOTATIONS = frozenset(
    {"notation", "move", "moves", "play", "answer", "choice", "response", "result", "final_answer"}
    | {"coup", "coups", "reponse", "choix"}
)
ACTION, SEAT = "action", "seat"
SEATS = frozenset({SEAT, "place", "siege"})

Value: TypeAlias = "str | Number | list[Value] | dict[str, Value]"


class Number(NamedTuple):
    """A number or another word without quotes."""

    text: str


class Statement(NamedTuple):
    """What an object says: texts and action numbers of moves, and the seats that make them."""

    texts: list[str]
    actions: list[str]
    seats: list[str]
    # What stands around the object.
    before: str
    after: str


def find_statement(text: str) -> Statement | None:
    """Find the first object or list of strings that says a move; None if there is none."""
    for opening in islice(OPENING.finditer(text), ATTEMPTS):
        read = read_value(text, opening.start())
        if read is None:
            continue
        value, end = read
        statement = Statement([], [], [], text[: opening.start()], text[end:])
        if isinstance(value, list):
            # A list of plain words is text in brackets.
            if not value or any(isinstance(each, Number) for each in value):
                continue
            value = {"moves": value}
        collect(value, statement)
        if statement.texts or statement.actions:
            return statement
    return None


def collect(value: Value, statement: Statement) -> None:
    """Add what an object says to a statement."""
    if not isinstance(value, dict):
        return
    for name, content in value.items():
        key = fold(name).replace(" ", "_")
        for each in content if isinstance(content, list) else [content]:
            if isinstance(each, dict):
                if key in NOTATIONS or key == ACTION:
                    collect(each, statement)
            elif isinstance(each, list):
                continue
            elif key in SEATS:
                statement.seats.append(each.text if isinstance(each, Number) else each)
            elif key == ACTION and isinstance(each, Number):
                statement.actions.append(each.text)
            elif key in NOTATIONS or key == ACTION:
                statement.texts.append(each.text if isinstance(each, Number) else each)


def read_value(text: str, start: int) -> tuple[Value, int] | None:
    """Read an object or a list; returns it and where it ends, or None if it is not well formed."""
    # The open objects and lists, and for each object the key that waits for its value.
    stack: list[tuple[list[Value] | dict[str, Value], str | None]] = []
    at = start
    while piece := PIECE.match(text, at):
        at = piece.end()
        mark, double, single, plain = piece.groups()
        value: Value
        if mark in ("{", "["):
            if len(stack) == DEPTH:
                return None
            stack.append(({} if mark == "{" else [], None))
            continue
        if mark in ("}", "]"):
            value, key = stack.pop()
            if key is not None or isinstance(value, dict) != (mark == "}"):
                return None
            if not stack:
                return value, at
        elif mark:
            # Commas and colons are where they belong, or nothing is lost without them.
            continue
        elif plain is not None:
            value = Number(plain)
        else:
            quoted = double if double is not None else single
            value = QUOTED.sub(r"\1", unescape(quoted))
        if not add(stack, value):
            return None
    return None


def add(stack: list[tuple[list[Value] | dict[str, Value], str | None]], value: Value) -> bool:
    """Add a value to the innermost open object or list; returns whether it has a place there."""
    target, key = stack[-1]
    if isinstance(target, list):
        target.append(value)
    elif key is not None:
        target.setdefault(key, value)
        stack[-1] = (target, None)
    elif isinstance(value, str):
        stack[-1] = (target, value)
    else:
        return False
    return True
