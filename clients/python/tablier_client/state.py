"""What calls speak of: moves, and states as immutable snapshots."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from typing import Generic, NamedTuple, Self, TypeVar

from tablier.v1 import game_pb2

C = TypeVar("C")
S = TypeVar("S")


class Move(NamedTuple):
    """A move. Without a seat, it is that of the only seat to move.

    Moves that come from the service are complete; one that is made here needs no action number.
    """

    notation: str
    seat: int | None = None
    action: int | None = None


class Step(NamedTuple, Generic[S]):
    """A move that was played, and the state after it."""

    move: Move
    state: S


class Replay(NamedTuple, Generic[S]):
    """A game played again: its last state, and what else was asked for."""

    state: S
    steps: list[Step[S]]
    transcript: str
    views: list[game_pb2.GameView]


class Suggestion(NamedTuple):
    """A move and what the search thinks of it."""

    move: Move
    visits: int  # iterations that tried it: what moves are ranked by
    values: tuple[float, ...]  # the mean return of every seat behind it, in [-1, 1]
    spread: float  # the standard deviation of the advised seat's return
    line: tuple[Move, ...]  # what the search expects, this move first
    weight: float  # how much the game's own engine favours it; 0 without one


class Advice(NamedTuple):
    """What to play, from the best move on, and what it took to find out."""

    suggestions: tuple[Suggestion, ...]
    iterations: int
    milliseconds: float  # 0 if the search was limited by iterations alone
    # Why the search ended: "iterations", "time" or "settled" by the game's engine; "unspecified"
    # while an analysis goes on.
    stopped: str


class Outcome(NamedTuple):
    """What simulated games brought a seat."""

    mean_return: float  # in [-1, 1]
    mean_score: float
    wins: int  # games with a positive return
    win_rate: float
    histogram: tuple[int, ...]  # games by return, in ten equal parts of [-1, 1]


class Simulation(NamedTuple):
    """How simulated games ended."""

    games: int  # that were finished; fewer than asked for if time was up
    outcomes: tuple[Outcome, ...]  # by seat
    mean_length: float  # in moves
    shortest: int
    longest: int
    sample: tuple[Move, ...]  # the first game, if it was asked for


def token_hash(token: bytes) -> bytes:
    """What sealed tokens made from this one remember of it; see `State.previous`."""
    return sha256(token).digest()[:16]


@dataclass(frozen=True, slots=True)
class Snapshot(Generic[C]):
    """Where a game stands, with the token that the service needs to go on from there.

    States with equal tokens are equal. All that a caller has to store is the token.
    """

    client: C = field(repr=False, compare=False)
    token: bytes = field(repr=False)
    # The rest follows from the token.
    game: str = field(compare=False)
    seats: int = field(compare=False)
    ply: int = field(compare=False)  # moves made so far
    phase: str = field(compare=False)  # which kind of move is due; "over" at the end
    actors: tuple[int, ...] = field(compare=False)  # the seats to move; none when it is over
    over: bool = field(compare=False)
    scores: tuple[float, ...] = field(compare=False)  # raw points by seat, so far
    returns: tuple[float, ...] = field(compare=False)  # by seat, in [-1, 1]; none before the end
    seed: int | None = field(compare=False)  # what the game was started with, where it is known
    match: str = field(compare=False)  # the caller's name for the match that the token is bound to

    @classmethod
    def read(
        cls, client: C, token: bytes, situation: game_pb2.Situation, seed: int | None, match: str
    ) -> Self:
        """The state that an answer tells of."""
        return cls(
            client,
            token,
            situation.game,
            situation.seats,
            situation.ply,
            situation.phase,
            tuple(situation.actors),
            situation.over,
            tuple(situation.scores),
            tuple(situation.returns),
            seed,
            match,
        )
