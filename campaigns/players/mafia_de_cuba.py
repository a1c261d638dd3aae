"""Opponents for the Mafia de Cuba engine; each sees only its seat's view.

Seat 0 is always the Godfather, so matches keep seats fixed. To seat the engine as the Godfather:

tablier match mafia-de-cuba --fixed-seats --players best,campaigns.players.mafia_de_cuba:truthful
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

from tablier_core.advice import advise
from tablier_core.games.mafia_de_cuba.observe import View
from tablier_core.position import Position
from tablier_core.registry import GAMES

GAME = GAMES["mafia-de-cuba"]
LETTERS = {"loyal": "L", "fbi": "F", "cia": "C", "driver": "D", "cleaner": "N"}
MOST_DIAMONDS = 3  # the most that these players steal
ITERATIONS = 64  # more do not change the engine's choice

Player = Callable[[Position, int, Random], int]
Story = Mapping[str, str]  # the answer to each question


def engine(position: Position, seat: int, rng: Random) -> int:
    """Play like the engine, with the smallest budget that gives its full strength."""
    report = advise(position, seat, iterations=ITERATIONS, seed=rng.getrandbits(64))
    return report.suggestions[0].action


def accuser(position: Position, _seat: int, rng: Random) -> int:
    """Play a Godfather that asks nothing and accuses at random."""
    accusations = [move for move in position.moves(0) if spelled(move).startswith("accuse")]
    return rng.choice(accusations or position.moves(0))


def truthful(position: Position, seat: int, rng: Random) -> int:
    """Take at random; tell the truth, except that a thief tells one consistent innocent story."""
    if position.phase in ("inquiry", "answer"):
        return speak(position, seat, rng)
    return help_itself(position, seat, rng)


def thief(position: Position, seat: int, rng: Random) -> int:
    """Take diamonds if there are any, and speak like the engine."""
    return steal(position, seat, rng, engine)


def babbling_thief(position: Position, seat: int, rng: Random) -> int:
    """Take diamonds if there are any, and answer at random."""
    return steal(position, seat, rng, anything)


# ---- The theft -----------------------------------------------------------------------------------


def help_itself(position: Position, seat: int, rng: Random) -> int:
    """Take a token half of the time if there is one, otherwise up to three diamonds."""
    moves = position.moves(seat)
    if position.phase != "take":
        return rng.choice(moves)
    diamonds = few_diamonds(moves)
    others = [move for move in moves if not spelled(move)[-1].isdigit()]
    return rng.choice(diamonds if diamonds and (not others or rng.random() < 0.5) else others)


def steal(position: Position, seat: int, rng: Random, others: Player) -> int:
    """Take a few diamonds if there are any, and leave all other moves to another player."""
    if position.phase == "take":
        return rng.choice(few_diamonds(position.moves(seat)) or position.moves(seat))
    return others(position, seat, rng)


def few_diamonds(moves: list[int]) -> list[int]:
    """The moves that take one to three diamonds."""
    return [move for move in moves if spelled(move)[-1].isdigit()][:MOST_DIAMONDS]


def spelled(move: int) -> str:
    """A move in notation."""
    return GAME.write_move(move)


# ---- The inquiry ---------------------------------------------------------------------------------


def anything(position: Position, seat: int, rng: Random) -> int:
    """Choose any legal move."""
    return rng.choice(position.moves(seat))


def speak(position: Position, seat: int, rng: Random) -> int:
    """Answer the question, or any question if none was asked, from the seat's story."""
    view: View = position.observe(seat)
    story = make_story(view, seat)
    question = rng.choice(list(story))
    if position.phase == "answer":
        question = view.events[-1].question or question
    return GAME.read_move(f"say {question} {story[question]}")


def make_story(view: View, seat: int) -> Story:
    """The truth, or for a thief a lie that depends only on what it received and took."""
    own = view.seats[seat]
    assert own.received is not None
    assert own.take is not None
    received, tokens = own.received.diamonds, dict(own.received.tokens)
    if own.take.isdigit():
        return make_up(received, tokens, view, seat, int(own.take))
    pouch = view.pouch if seat == 1 else None
    return write_story(received, tokens, own.take, received, without(tokens, own.take, pouch))


def make_up(received: int, tokens: Mapping[str, int], view: View, seat: int, stolen: int) -> Story:
    """A thief's lie: it claims a token from the box, or one that was already missing."""
    pouch = view.pouch if seat == 1 else None
    passed = without(tokens, pouch)
    lot = Random(f"{seat} {received} {sorted(tokens.items())} {pouch} {stolen}")
    there = [kind for kind, count in passed.items() if count]
    missing = [kind for kind in tokens if view.tokens[kind] > tokens[kind]]
    if missing and seat > 1 and (not there or lot.random() < 0.5):
        claimed = lot.choice(missing)
        got = {**tokens, claimed: tokens[claimed] + 1}
        return write_story(received - stolen, got, claimed, received - stolen, tokens)
    if there:
        claimed = lot.choice(there)
        return write_story(received, tokens, claimed, received, without(passed, claimed))
    return write_story(received - stolen, tokens, "nothing", received - stolen, tokens)


def without(tokens: Mapping[str, int], *taken: str | None) -> Mapping[str, int]:
    """Tokens left after some were taken; names that are not tokens are ignored."""
    return {kind: count - taken.count(kind) for kind, count in tokens.items()}


def write_story(
    received: int, tokens: Mapping[str, int], took: str, passed: int, left: Mapping[str, int]
) -> Story:
    """Write a story in notation."""
    return {
        "received-diamonds": str(received),
        "received-tokens": letters(tokens),
        "passed-diamonds": str(passed),
        "passed-tokens": letters(left),
        "took": took,
    }


def letters(tokens: Mapping[str, int]) -> str:
    """Token counts in notation."""
    return "".join(f"{LETTERS[kind]}{count}" for kind, count in tokens.items() if count) or "-"
