"""The laws of a game that need its Python face: errors, tokens, views and drawings.

Those of the bare C interface are in tablier_core.testing.guards. Every function takes a position
and raises AssertionError if it breaks the law.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from xml.etree import ElementTree

import pytest
from tablier_core import codec
from tablier_core.errors import GameOver, MoveIllegal, MoveUnparsable, WrongSeat
from tablier_core.position import REFEREE, Game, Position

from tests.core.variants import ALL_GAMES, Options

# No game lasts longer under random play.
MAX_PLIES = 20_000


def walk(game: Game, options: Options, seed: int) -> Iterator[Position]:
    """The positions of a random game, from the first to the last."""
    chance = random.Random(seed)
    position = game.start(options, seed)
    for _ in range(MAX_PLIES):
        yield position
        if position.over:
            return
        seat = chance.choice(position.actors)
        position = position.apply(seat, chance.choice(position.moves(seat)))
    raise AssertionError(f"{game.name} {options}, seed {seed}: no end after {MAX_PLIES} moves")


def sample(game: Game, options: Options, seed: int, count: int) -> list[Position]:
    """The first and last positions of a random game and some between."""
    positions = list(walk(game, options, seed))
    between = random.Random(seed).sample(positions, min(count, len(positions)))
    return [positions[0], *between, positions[-1]]


def check_refusals(position: Position) -> None:
    """What is not a legal move is refused with the error that says why."""
    game = position.game
    packed = position.pack()
    outsiders = [seat for seat in range(position.seats) if seat not in position.actors]
    if position.over:
        with pytest.raises(GameOver):
            position.apply(0, 0)
    else:
        seat = position.actors[0]
        legal = set(position.moves(seat))
        for move in illegal_actions(game, legal):
            with pytest.raises(MoveIllegal):
                position.apply(seat, move)
        with pytest.raises(MoveUnparsable):
            position.apply(seat, game.num_actions)
        for nobody in (-2, position.seats):
            with pytest.raises(WrongSeat):
                position.apply(nobody, position.moves(seat)[0])
        for outsider in outsiders:
            with pytest.raises(WrongSeat):
                position.apply(outsider, position.moves(seat)[0])
    for nobody in (-2, position.seats):
        with pytest.raises(WrongSeat):
            position.moves(nobody)
    with pytest.raises(MoveUnparsable):
        game.write_move(game.num_actions)
    assert position.pack() == packed


def illegal_actions(game: Game, legal: set[int]) -> list[int]:
    """Some actions of the game that are not among the legal ones: at the ends and between."""
    spread = range(0, game.num_actions, max(1, game.num_actions // 16))
    return [move for move in {0, *spread, game.num_actions - 1} if move not in legal]


def check_token(position: Position) -> None:
    """Encode and decode give the same position, and equal positions have equal tokens."""
    token = codec.encode(position)
    again = codec.decode(token, ALL_GAMES | {position.game.name: position.game})
    assert again == position
    assert (again.ply, again.viewer) == (position.ply, position.viewer)
    assert codec.encode(again) == token


def check_purity(position: Position) -> None:
    """Applying a move gives a new position and leaves the old one as it was."""
    packed, ply = position.pack(), position.ply
    for seat in position.actors:
        after = position.apply(seat, position.moves(seat)[-1])
        assert after.ply == ply + 1
        assert after.viewer == position.viewer
    assert (position.pack(), position.ply) == (packed, ply)


def check_outcome(position: Position) -> None:
    """Scores at any time, returns at the end only, one a seat."""
    assert len(position.scores) == position.seats
    assert len(position.returns) == (position.seats if position.over else 0)
    assert all(-1 <= value <= 1 for value in position.returns)


def check_drawings(position: Position) -> None:
    """Every seat and the referee get a text and a well-formed SVG."""
    for viewer in range(REFEREE, position.seats):
        assert position.draw_text(viewer).strip()
        root = ElementTree.fromstring(position.draw_svg(viewer))
        assert root.tag == "{http://www.w3.org/2000/svg}svg"


def check_secrecy(position: Position, seed: int) -> None:
    """Nothing that a seat is given depends on what it cannot know.

    Another state of its information set must show it the same view, drawings and moves, and must
    give the same view token, byte for byte.
    """
    for viewer in range(position.seats):
        world = position.determinize(viewer, seed)
        assert world.infoset(viewer) == position.infoset(viewer)
        assert world.moves(viewer) == position.moves(viewer)
        assert world.observe(viewer) == position.observe(viewer)
        assert world.draw_text(viewer) == position.draw_text(viewer)
        assert world.draw_svg(viewer) == position.draw_svg(viewer)
        view = position.view_of(viewer)
        assert codec.encode(view) == codec.encode(world.view_of(viewer))
        assert view.viewer == viewer
        # The view token shows its seat what the true state shows it.
        assert view.observe(viewer) == position.observe(viewer)
        check_token(view)


def check_worlds_differ(game: Game, options: Options, seed: int) -> None:
    """Where a seat sees less than the referee, the worlds drawn for it are not always the truth.

    A `determinize` that changes nothing keeps every other law and hides nothing.
    """
    hidden = [
        (position, viewer)
        for i in range(5)
        for position in sample(game, options, seed + i, count=8)
        for viewer in range(position.seats)
        if position.observe(viewer) != position.observe(REFEREE)
    ]
    assert not hidden or any(
        position.determinize(viewer, seed).observe(REFEREE) != position.observe(REFEREE)
        for position, viewer in hidden
    )
