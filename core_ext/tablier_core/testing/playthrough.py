"""Play-throughs: a random game written down with every answer that the core gives on its way.

Kept as a golden file, the text shows what a change to a game changes, in words for people to read.
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256

from tablier_core.codec import encode
from tablier_core.position import REFEREE, Game, Position
from tablier_core.rng import Random, Stream

TABLE = REFEREE  # one number, two roles: the viewer who sees everything, the mover without a seat
LONGEST_LIST = 24  # of moves that are all written
EACH_END = 4  # moves written of both ends of a longer list


def write(game: Game, options: Mapping[str, object], seed: int, max_plies: int) -> str:
    """The random game of a seed, as `playouts` plays it, cut after `max_plies` moves."""
    random = Random(seed, Stream.PLAYOUT_STREAM)
    position = game.start(options, seed)
    lines = [
        f"game: {game.name}",
        f"rules version: {game.rules_version}",
        f"options: {json.dumps(options, sort_keys=True)}",
        f"seed: {seed}",
    ]
    while not position.over and position.ply < max_plies:
        seat, move = choose(position, random)
        lines += ["", *describe(position), f"plays: {name(seat)} {game.write_move(move)} = {move}"]
        position = position.apply(seat, move)
    lines += ["", *describe(position)]
    if position.over:
        lines.append(f"returns: {numbers(position.returns)}")
    return "\n".join(lines) + "\n"


def choose(position: Position, random: Random) -> tuple[int, int]:
    """A seat and one of its moves, from the same random numbers as the compiled play-out takes."""
    actors = position.actors
    seat = actors[random.below(len(actors))] if len(actors) > 1 else actors[0]
    moves = position.moves(seat)
    return seat, moves[random.below(len(moves))]


def describe(position: Position) -> Iterator[str]:
    """Every answer about one position, a line each; drawings have lines of their own."""
    viewers = range(REFEREE, position.seats)
    yield f"ply {position.ply}: {position.phase}"
    yield f"actors: {' '.join(map(str, position.actors)) or 'none'}"
    yield f"scores: {numbers(position.scores)}"
    yield f"token: {urlsafe_b64encode(encode(position)).decode('ascii')}"
    yield from by_viewer("infoset", {seat: f"{position.infoset(seat):016x}" for seat in viewers})
    # Views are long: written out where the position is drawn, and told by their digest elsewhere.
    views = {seat: repr(position.observe(seat)) for seat in viewers}
    if not drawn(position):
        views = {seat: f"sha256 {digest(view.encode())}" for seat, view in views.items()}
    yield from by_viewer("view", views)
    if position.game.has_hidden_information:
        for seat in range(position.seats):
            yield f"view token of seat {seat}: sha256 {digest(encode(position.view_of(seat)))}"
    for mover in viewers:
        if position.count_moves(mover):
            title = "the table" if mover == TABLE else name(mover)
            yield f"moves of {title}: {move_list(position, mover)}"
    if drawn(position):
        # A second picture shows what a seat does not see.
        pictures = {seat: position.draw_text(seat) for seat in (REFEREE, 0)}
        for line in by_viewer("drawing", pictures):
            yield from line.split("\n")


def by_viewer(title: str, answers: Mapping[int, str]) -> Iterator[str]:
    """A line for each different answer, with all who get it."""
    viewers: dict[str, list[int]] = {}
    for viewer, answer in answers.items():
        viewers.setdefault(answer, []).append(viewer)
    for answer, same in viewers.items():
        gap = "\n" if "\n" in answer else " "
        yield f"{title} of {', '.join(map(name, same))}:{gap}{answer}"


def move_list(position: Position, seat: int) -> str:
    """How many moves there are, and which: all, or both ends and a digest of the whole list."""
    moves = position.moves(seat)
    texts = [position.game.write_move(move) for move in moves]
    if len(texts) <= LONGEST_LIST:
        return f"{len(texts)}, {' '.join(texts)}"
    whole = " ".join(f"{move}={text}" for move, text in zip(moves, texts, strict=True))
    head, tail = " ".join(texts[:EACH_END]), " ".join(texts[-EACH_END:])
    return f"{len(texts)}, {head} ... {tail}, sha256 {digest(whole.encode('ascii'))}"


def digest(data: bytes) -> str:
    """Enough of a hash to notice any change."""
    return sha256(data).hexdigest()[:16]


def drawn(position: Position) -> bool:
    """Whether this position gets a picture: plies 0, 1, 2, 4, 8 and so on, and the end."""
    return position.over or position.ply & (position.ply - 1) == 0


def name(viewer: int) -> str:
    """What a viewer is called."""
    return "referee" if viewer == REFEREE else f"seat {viewer}"


def numbers(values: Sequence[float]) -> str:
    """Numbers without zeros behind the point that say nothing."""
    return " ".join(f"{value:.12g}" for value in values)
