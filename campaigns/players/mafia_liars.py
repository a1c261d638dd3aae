"""Styles of lying in Mafia de Cuba: players that take at random and speak in one way.

believable      `mafia_de_cuba:truthful`: a thief tells one consistent innocent story
silent          a thief says nothing
babbling        a thief answers anything, each time
blaming_earlier a thief says that the box came as it passed it on
blaming_later   a thief says that it passed the box on as it came, less a token that was in it
half_true       a thief tells the truth about the box, and claims a token
guilty_agents   an agent tells a thief's story, so that it is accused
scripted        one seat: agent, driver or many diamonds, never loyal; looks guilty as an agent
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tablier_core.games.mafia_de_cuba.observe import View
from tablier_core.position import Position

from campaigns.players.mafia_de_cuba import (
    GAME,
    Story,
    anything,
    few_diamonds,
    help_itself,
    make_story,
    make_up,
    spelled,
    without,
    write_story,
)

AGENTS = ("fbi", "cia")
# What an agent pretends to have stolen.
PRETENDED = 2
# A seat that takes many diamonds leaves some, so that others are suspected too.
MANY = 5

# The story of a seat, given its view; None if it stays silent, "" if it says anything.
Telling = Callable[[View, int], Story | str | None]


def stolen_by(view: View, seat: int) -> int:
    """The diamonds that a seat took."""
    take = view.seats[seat].take
    return int(take) if take is not None and take.isdigit() else 0


def say_nothing(view: View, seat: int) -> Story | str | None:
    return None if stolen_by(view, seat) else make_story(view, seat)


def say_anything(view: View, seat: int) -> Story | str | None:
    return "" if stolen_by(view, seat) else make_story(view, seat)


def box_of(view: View, seat: int) -> tuple[int, dict[str, int], str | None]:
    """What a seat received, and what it put in the pouch."""
    received = view.seats[seat].received
    assert received is not None
    return received.diamonds, dict(received.tokens), view.pouch if seat == 1 else None


def blame_earlier(view: View, seat: int) -> Story | str | None:
    stolen = stolen_by(view, seat)
    if not stolen:
        return make_story(view, seat)
    diamonds, tokens, pouch = box_of(view, seat)
    left = without(tokens, pouch)
    missing = [kind for kind in tokens if view.tokens[kind] > left[kind]]
    if not missing:
        return write_story(diamonds - stolen, tokens, "nothing", diamonds - stolen, left)
    claimed = missing[0]
    got = {**tokens, claimed: left[claimed] + 1}
    return write_story(diamonds - stolen, got, claimed, diamonds - stolen, left)


def blame_later(view: View, seat: int) -> Story | str | None:
    if not stolen_by(view, seat):
        return make_story(view, seat)
    diamonds, tokens, pouch = box_of(view, seat)
    left = without(tokens, pouch)
    there = [kind for kind, count in left.items() if count]
    claimed = there[0] if there else "nothing"
    return write_story(diamonds, tokens, claimed, diamonds, without(left, claimed))


def tell_half(view: View, seat: int) -> Story | str | None:
    stolen = stolen_by(view, seat)
    if not stolen:
        return make_story(view, seat)
    diamonds, tokens, pouch = box_of(view, seat)
    left = without(tokens, pouch)
    claimed = next((kind for kind, count in view.tokens.items() if count), "nothing")
    return write_story(diamonds, tokens, claimed, diamonds - stolen, left)


def look_guilty(view: View, seat: int) -> Story | str | None:
    if view.seats[seat].take not in AGENTS:
        return make_story(view, seat)
    diamonds, tokens, _ = box_of(view, seat)
    return make_up(diamonds, tokens, view, seat, min(PRETENDED, diamonds))


class Liar:
    """A seat with a way to speak and a way to take."""

    def __init__(
        self, telling: Telling, take: Callable[[Position, int, Random], int] = help_itself
    ) -> None:
        self._telling = telling
        self._take = take

    def __call__(self, position: Position, seat: int, rng: Random) -> int:
        if position.phase not in ("inquiry", "answer"):
            return self._take(position, seat, rng)
        view: View = position.observe(seat)
        story = self._telling(view, seat)
        if story == "":
            return anything(position, seat, rng)
        asked = view.events[-1].question if position.phase == "answer" else None
        if story is None:
            # Unasked, nothing can be left unsaid: the match lets any seat speak.
            silent = "silent" in position.notations(seat)
            return GAME.read_move("silent") if silent else anything(position, seat, rng)
        assert not isinstance(story, str)
        question = asked or rng.choice(list(story))
        return GAME.read_move(f"say {question} {story[question]}")


def take_power(position: Position, seat: int, rng: Random) -> int:
    """Take an agent or a driver, otherwise many diamonds; another token only if nothing else."""
    if position.phase != "take":
        return help_itself(position, seat, rng)
    moves = {spelled(move).split()[-1]: move for move in position.moves(seat)}
    for kind in (*AGENTS, "driver"):
        if kind in moves:
            return moves[kind]
    diamonds = [move for name, move in moves.items() if name.isdigit()][:MANY]
    return diamonds[-1] if diamonds else rng.choice(position.moves(seat))


def take_evenly(position: Position, seat: int, rng: Random) -> int:
    """Take diamonds or any token, each kind equally often."""
    if position.phase != "take":
        return help_itself(position, seat, rng)
    moves = position.moves(seat)
    tokens = [move for move in moves if not spelled(move)[-1].isdigit()]
    diamonds = few_diamonds(moves)
    return rng.choice([*tokens, rng.choice(diamonds)] if diamonds else tokens)


silent = Liar(say_nothing)
babbling = Liar(say_anything)
blaming_earlier = Liar(blame_earlier)
blaming_later = Liar(blame_later)
half_true = Liar(tell_half)
guilty_agents = Liar(look_guilty, take_evenly)
scripted = Liar(look_guilty, take_power)
