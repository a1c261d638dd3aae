"""Players of Mafia de Cuba to measure its engine by; each sees what its seat sees, nothing else.

A match seats one of them against the others by name, and seats do not rotate: seat 0 is always the
Godfather. `tablier match mafia-de-cuba --fixed-seats --players best,campaigns.players.mafia_de_cuba:truthful`
lets the engine's Godfather face people who tell the truth; with `…:accuser` in front, one who
accuses at random does.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

from tablier_core.advice import advise
from tablier_core.games.mafia_de_cuba.observe import View
from tablier_core.position import Position
from tablier_core.registry import GAMES

GAME = GAMES["mafia-de-cuba"]
LETTERS = {"loyal": "L", "fbi": "F", "cia": "C", "driver": "D", "cleaner": "N"}
MOST_DIAMONDS = 3  # that these players take at a time
ITERATIONS = 64  # more change nothing

Player = Callable[[Position, int, Random], int]
Story = Mapping[str, str]  # from each question to what is said


def engine(position: Position, seat: int, rng: Random) -> int:
    """The engine itself, at the least budget that it makes full use of."""
    report = advise(position, seat, iterations=ITERATIONS, seed=rng.getrandbits(64))
    return report.suggestions[0].action


def accuser(position: Position, _seat: int, rng: Random) -> int:
    """A Godfather who asks nothing and accuses anybody whom he can."""
    accusations = [move for move in position.moves(0) if spelled(move).startswith("accuse")]
    return rng.choice(accusations or position.moves(0))


def truthful(position: Position, seat: int, rng: Random) -> int:
    """Helps itself by lot; tells the truth, but a thief one story, that of an innocent."""
    if position.phase in ("inquiry", "answer"):
        return speak(position, seat, rng)
    return help_itself(position, seat, rng)


def thief(position: Position, seat: int, rng: Random) -> int:
    """Takes diamonds if there are any, and speaks as the engine does."""
    return steal(position, seat, rng, engine)


def babbling_thief(position: Position, seat: int, rng: Random) -> int:
    """Takes diamonds if there are any, and answers at random."""
    return steal(position, seat, rng, anything)


# ---- The theft -----------------------------------------------------------------------------------


def help_itself(position: Position, seat: int, rng: Random) -> int:
    """A token in half of all boxes that have one, else up to three diamonds; or what must be."""
    moves = position.moves(seat)
    if position.phase != "take":
        return rng.choice(moves)
    diamonds = few_diamonds(moves)
    others = [move for move in moves if not spelled(move)[-1].isdigit()]
    return rng.choice(diamonds if diamonds and (not others or rng.random() < 0.5) else others)


def steal(position: Position, seat: int, rng: Random, others: Player) -> int:
    """A few diamonds if there are any; all other moves are those of another player."""
    if position.phase == "take":
        return rng.choice(few_diamonds(position.moves(seat)) or position.moves(seat))
    return others(position, seat, rng)


def few_diamonds(moves: list[int]) -> list[int]:
    """The takes of one to three diamonds."""
    return [move for move in moves if spelled(move)[-1].isdigit()][:MOST_DIAMONDS]


def spelled(move: int) -> str:
    """A move as people write it."""
    return GAME.write_move(move)


# ---- The inquiry ---------------------------------------------------------------------------------


def anything(position: Position, seat: int, rng: Random) -> int:
    """Any legal move."""
    return rng.choice(position.moves(seat))


def speak(position: Position, seat: int, rng: Random) -> int:
    """What the one story of a seat says to the question, or to any if nobody asked."""
    view: View = position.observe(seat)
    story = make_story(view, seat)
    question = rng.choice(list(story))
    if position.phase == "answer":
        question = view.events[-1].question or question
    return GAME.read_move(f"say {question} {story[question]}")


def make_story(view: View, seat: int) -> Story:
    """The truth; for a thief a lie that depends on nothing but what it had and did."""
    own = view.seats[seat]
    assert own.received is not None
    assert own.take is not None
    received, tokens = own.received.diamonds, dict(own.received.tokens)
    if own.take.isdigit():
        return make_up(received, tokens, view, seat, int(own.take))
    pouch = view.pouch if seat == 1 else None
    return told(received, tokens, own.take, received, without(tokens, own.take, pouch))


def make_up(received: int, tokens: Mapping[str, int], view: View, seat: int, stolen: int) -> Story:
    """A thief claims a token: from the box it got, or one that was missing when it passed it."""
    pouch = view.pouch if seat == 1 else None
    passed = without(tokens, pouch)
    lot = Random(f"{seat} {received} {sorted(tokens.items())} {pouch} {stolen}")
    there = [kind for kind, count in passed.items() if count]
    missing = [kind for kind in tokens if view.tokens[kind] > tokens[kind]]
    if missing and seat > 1 and (not there or lot.random() < 0.5):
        claimed = lot.choice(missing)
        got = {**tokens, claimed: tokens[claimed] + 1}
        return told(received - stolen, got, claimed, received - stolen, tokens)
    if there:
        claimed = lot.choice(there)
        return told(received, tokens, claimed, received, without(passed, claimed))
    return told(received - stolen, tokens, "nothing", received - stolen, tokens)


def without(tokens: Mapping[str, int], *taken: str | None) -> Mapping[str, int]:
    """Tokens after some were taken out; what is no token changes nothing."""
    return {kind: count - taken.count(kind) for kind, count in tokens.items()}


def told(
    received: int, tokens: Mapping[str, int], took: str, passed: int, left: Mapping[str, int]
) -> Story:
    """A story in the words of the notation."""
    return {
        "received-diamonds": str(received),
        "received-tokens": letters(tokens),
        "passed-diamonds": str(passed),
        "passed-tokens": letters(left),
        "took": took,
    }


def letters(tokens: Mapping[str, int]) -> str:
    """Counts of tokens as people write them."""
    return "".join(f"{LETTERS[kind]}{count}" for kind, count in tokens.items() if count) or "-"
