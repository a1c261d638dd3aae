"""Data types of calls and answers: moves, states, advice, simulations."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from hashlib import sha256
from typing import Any, Generic, NamedTuple, Self, TypeVar

import grpc
from tablier.v1 import game_pb2

from tablier_client.errors import Detached

C = TypeVar("C")
S = TypeVar("S")


class Move(NamedTuple):
    """A move; without a seat, a move of the only seat that is to move.

    Moves from the service have all fields set. A move that you create needs no action number. Seat
    -1 is the table, for the rare move that belongs to no seat. As text, a move is its notation.
    """

    notation: str
    seat: int | None = None
    action: int | None = None

    def __str__(self) -> str:
        return self.notation or f"action {self.action}"

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


class Step(NamedTuple, Generic[S]):
    """A move that was played, and the state after it."""

    move: Move
    state: S


class ReplayStep(NamedTuple, Generic[S]):
    """A move of a replayed game, and the state after it."""

    # None in a replay for a seat, if the game has hidden information and another seat moved.
    move: Move | None
    state: S


class Replay(NamedTuple, Generic[S]):
    """A replayed game: its last state, and the steps, transcript and views if requested.

    A replay for a seat has view tokens as states, and contains only what the seat knew.
    """

    state: S
    steps: list[ReplayStep[S]]
    transcript: str
    views: list[game_pb2.GameView]


class Suggestion(NamedTuple):
    """A move with its evaluation."""

    move: Move
    visits: int  # iterations that tried the move; moves are ranked by it
    values: tuple[float, ...]  # mean return of each seat after the move, in [-1, 1]
    spread: float  # standard deviation of the advised seat's return
    line: tuple[Move, ...]  # expected moves, starting with this one
    weight: float  # preference of the game's engine; 0 without one

    def __str__(self) -> str:
        # The seat of a suggested move is always set.
        value = self.values[self.move.seat or 0]
        return f"{self.move}  value {value:+.2f}  visits {self.visits}"


class Advice(NamedTuple):
    """Ranked moves, best first, and the effort of the search."""

    suggestions: tuple[Suggestion, ...]
    iterations: int
    milliseconds: float  # 0 if the search was limited by iterations alone
    # Why the search ended: "iterations", "time", or "settled" if the game's engine decided without
    # a search; "unspecified" while an analysis goes on.
    stopped: str

    def __str__(self) -> str:
        return "\n".join(map(str, self.suggestions))


class Outcome(NamedTuple):
    """Results of a seat in simulated games."""

    mean_return: float  # in [-1, 1]
    mean_score: float
    wins: int  # games with a positive return
    win_rate: float
    histogram: tuple[int, ...]  # games by return, in ten equal intervals of [-1, 1]


class Simulation(NamedTuple):
    """Statistics of simulated games; lengths are in moves."""

    games: int  # finished games; less than requested if the time was up
    outcomes: tuple[Outcome, ...]  # by seat
    mean_length: float
    shortest: int
    longest: int
    sample: tuple[Move, ...]  # moves of the first game, if requested

    def __str__(self) -> str:
        returns = ", ".join(f"{outcome.mean_return:+.2f}" for outcome in self.outcomes)
        return f"games {self.games}  mean length {self.mean_length:.1f}  mean returns {returns}"


class Drawing(str):
    """An SVG document, which notebooks show as a picture."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)


def token_hash(token: bytes) -> bytes:
    """Return the hash that sealed tokens made from this one contain; see `State.previous`."""
    return sha256(token).digest()[:16]


@dataclass(frozen=True, slots=True, repr=False)
class Snapshot(Generic[C]):
    """A state: the token, which is all that you need to store, and the situation in it.

    States with equal tokens are equal. A pickle of a state does not contain its client: `attach`
    one after loading it.
    """

    _client: C | None = field(compare=False)
    token: bytes
    # The fields below follow from the token.
    game: str = field(compare=False)
    seats: int = field(compare=False)
    ply: int = field(compare=False)  # number of moves made so far
    phase: str = field(compare=False)  # kind of decision that is due; "over" at the end
    actors: tuple[int, ...] = field(compare=False)  # seats that may move; empty when it is over
    over: bool = field(compare=False)
    scores: tuple[float, ...] = field(compare=False)  # points of each seat so far
    returns: tuple[float, ...] = field(
        compare=False
    )  # of each seat, in [-1, 1]; empty before the end
    seed: int | None = field(compare=False)  # seed of the game, if known
    match: str = field(compare=False)  # match that the token is bound to

    @classmethod
    def read(
        cls, client: C, token: bytes, situation: game_pb2.Situation, seed: int | None, match: str
    ) -> Self:
        """Create a state from the parts of an answer."""
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

    @property
    def client(self) -> C:
        """The client that sends the calls of this state; raises Detached if there is none."""
        if self._client is None:
            raise Detached(
                "this state was unpickled and has no client: use state.attach(client)",
                code=grpc.StatusCode.FAILED_PRECONDITION,
            )
        return self._client

    def attach(self, client: C) -> Self:
        """Return this state with another client; sends nothing."""
        return replace(self, _client=client)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        _, *others = fields(self)
        return type(self), (None, *(getattr(self, each.name) for each in others))

    def __repr__(self) -> str:
        # Without the seed, which would reveal everything hidden in the game.
        shown = ["ply", "phase", "actors", "scores", *(["returns"] if self.over else [])]
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
        return f"{type(self).__name__}({self.game!r}, {values})"

    def __str__(self) -> str:
        if self.over:
            returns = ", ".join(f"{value:+g}" for value in self.returns)
            return f"{self.game}, over at ply {self.ply}: returns {returns}"
        seats = ", ".join(map(str, self.actors))
        who = f"seat {seats} is" if len(self.actors) == 1 else f"seats {seats} are"
        return f"{self.game}, ply {self.ply}: {who} to move ({self.phase})"
