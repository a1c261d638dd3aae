"""Play-throughs: a random game as text, with every answer of the core at every position.

Stored as golden files, they show in readable form what a change to a game changes.
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256

from tablier_core.codec import encode
from tablier_core.position import REFEREE, Game, Position
from tablier_core.rng import Random, Stream

TABLE = REFEREE  # one number for the viewer who sees everything and the mover without a seat
LONGEST_LIST = 24  # longer move lists are shortened
EACH_END = 4  # moves written at both ends of a shortened list
LONGEST_VIEW = 400  # longer views, in characters, are written out only at milestones
EXAMPLES = (REFEREE, 0)  # viewers whose views and drawings are written out


def write(game: Game, options: Mapping[str, object], seed: int, max_plies: int) -> str:
    """Write the random game of a seed, as `playouts` plays it, cut after `max_plies` moves."""
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
    """Choose a seat and a move with the same random numbers as the compiled play-out."""
    actors = position.actors
    seat = actors[random.below(len(actors))] if len(actors) > 1 else actors[0]
    moves = position.moves(seat)
    return seat, moves[random.below(len(moves))]


def describe(position: Position) -> Iterator[str]:
    """Write every answer about a position, one per line, and the drawings.

    Long answers are written out only at milestones. Digests, the referee's first and then one per
    seat, cover them at every position.
    """
    viewers = range(REFEREE, position.seats)
    token = urlsafe_b64encode(encode(position)).decode("ascii")
    views = {seat: repr(position.observe(seat)) for seat in viewers}
    yield f"ply {position.ply}: {position.phase}"
    yield f"actors: {' '.join(map(str, position.actors)) or 'none'}"
    yield f"scores: {numbers(position.scores)}"
    yield f"token: {token if is_milestone(position) else 'sha256 ' + digest(token)}"
    yield f"infosets: {' '.join(f'{position.infoset(seat):016x}' for seat in viewers)}"
    if is_milestone(position) or len(views[REFEREE]) <= LONGEST_VIEW:
        yield from by_viewer("view", {seat: views[seat] for seat in EXAMPLES})
    yield f"views: sha256 {' '.join(map(digest, views.values()))}"
    if position.game.has_hidden_information:
        tokens = (encode(position.view_of(seat)).hex() for seat in range(position.seats))
        yield f"view tokens: sha256 {' '.join(map(digest, tokens))}"
    for mover in viewers:
        if position.count_moves(mover):
            title = "the table" if mover == TABLE else name(mover)
            yield f"moves of {title}: {move_list(position, mover)}"
    if is_milestone(position):
        for line in by_viewer("drawing", {seat: position.draw_text(seat) for seat in EXAMPLES}):
            yield from line.split("\n")


def by_viewer(title: str, answers: Mapping[int, str]) -> Iterator[str]:
    """Write each distinct answer once, with all viewers that get it."""
    viewers: dict[str, list[int]] = {}
    for viewer, answer in answers.items():
        viewers.setdefault(answer, []).append(viewer)
    for answer, same in viewers.items():
        gap = "\n" if "\n" in answer else " "
        yield f"{title} of {', '.join(map(name, same))}:{gap}{answer}"


def move_list(position: Position, seat: int) -> str:
    """Write the number of moves and the moves: all, or both ends and a digest of the list."""
    moves = position.moves(seat)
    texts = [position.game.write_move(move) for move in moves]
    if len(texts) <= LONGEST_LIST:
        return f"{len(texts)}, {' '.join(texts)}"
    whole = " ".join(f"{move}={text}" for move, text in zip(moves, texts, strict=True))
    head, tail = " ".join(texts[:EACH_END]), " ".join(texts[-EACH_END:])
    return f"{len(texts)}, {head} ... {tail}, sha256 {digest(whole)}"


def digest(text: str) -> str:
    """Return enough of a hash to notice any change."""
    return sha256(text.encode()).hexdigest()[:8]


def is_milestone(position: Position) -> bool:
    """Return whether everything is written out: at plies 0, 1, 4, 16, ... and at the end."""
    power_of_four = position.ply & (position.ply - 1) == 0 and position.ply.bit_length() % 2
    return position.over or position.ply == 0 or bool(power_of_four)


def name(viewer: int) -> str:
    """Return the name of a viewer."""
    return "referee" if viewer == REFEREE else f"seat {viewer}"


def numbers(values: Sequence[float]) -> str:
    """Write numbers without trailing zeros."""
    return " ".join(f"{value:.12g}" for value in values)
