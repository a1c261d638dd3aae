"""Data types of calls and answers: moves, states, advice, simulations."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from hashlib import sha256
from typing import Any, Generic, NamedTuple, Self, TypeVar

import grpc
from tablier.v1 import game_pb2

from tablier_client.errors import Detached
from tablier_client.fields import invalid
from tablier_client.records import Record

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


class Candidate(NamedTuple):
    """A legal move, and what it does."""

    move: Move
    words: str


class Interpretation(NamedTuple):
    """What a text means as a move. Nothing has been played."""

    outcome: str
    """How the text was understood: "exact" (a notation), "normalised" (a text that says one move),
    "ambiguous" or "none"."""
    understood: Candidate | None
    """The move that was read; None unless the outcome is "exact" or "normalised"."""
    candidates: tuple[Candidate, ...]
    """What an ambiguous text may mean, or the legal moves that are nearest to an unreadable one."""
    reason: str
    """Why the text is not a legal move, if it is a move of the game; otherwise empty."""
    forms: tuple[tuple[str, str], ...]
    """If there is no move, how moves of the game are written: examples, and what they mean."""

    @property
    def move(self) -> Move | None:
        """The move that was read, ready for `play`."""
        return self.understood.move if self.understood else None


class Step(NamedTuple, Generic[S]):
    """A move that was played, and the state after it."""

    move: Move
    state: S


class SeenMove(NamedTuple):
    """What a viewer saw of a move."""

    seat: int
    move: Move | None
    """None if the viewer may not know it."""
    words: str
    """What the viewer saw, in one sentence."""


class BotTurn(NamedTuple, Generic[S]):
    """The moves of a bot, as a viewer saw them, and the state after them."""

    state: S
    moves: tuple[SeenMove, ...]


class ReplayStep(NamedTuple, Generic[S]):
    """A move of a replayed game, and the state after it."""

    move: Move | None
    """None in a replay for a seat, if another seat made the move and did not show it to all."""
    state: S


class Replay(NamedTuple, Generic[S]):
    """A replayed game: its last state, and the steps, transcript and views if requested.

    A replay for a seat has view tokens as states, and contains only what the seat knew.
    """

    state: S
    steps: list[ReplayStep[S]]
    transcript: str
    views: list[game_pb2.GameView]
    record: Record | None = None
    """The game record, if the replay was made from one."""


class Suggestion(NamedTuple):
    """A move with its evaluation."""

    move: Move
    visits: int
    """Iterations that tried the move, by which moves are ranked; 0 if the game's engine decided
    without a search."""
    values: tuple[float, ...]
    """Mean return of each seat after the move, from -1 to 1."""
    spread: float
    """Standard deviation of the advised seat's return."""
    line: tuple[Move, ...]
    """Expected moves, starting with this one."""
    weight: float
    """Preference of the game's engine; 0 without one."""

    def __str__(self) -> str:
        # The seat of a suggested move is always set.
        value = self.values[self.move.seat or 0]
        return f"{self.move}  value {value:+.2f}  visits {self.visits}"


class Advice(NamedTuple):
    """Ranked moves, best first, and the effort of the search."""

    suggestions: tuple[Suggestion, ...]
    iterations: int
    milliseconds: float
    """Duration of the search; 0 if it was limited by iterations alone."""
    stopped: str
    """Why the search ended: "iterations", "time", or "settled" if the game's engine decided without
    a search; "unspecified" while an analysis goes on."""

    def __str__(self) -> str:
        return "\n".join(map(str, self.suggestions))


class Outcome(NamedTuple):
    """Results of a seat in simulated games."""

    mean_return: float
    """From -1 to 1."""
    mean_score: float
    """Mean points at the end."""
    wins: int
    """Games with a positive return."""
    win_rate: float
    """Wins per game."""
    histogram: tuple[int, ...]
    """Games by return, in ten equal intervals from -1 to 1."""


class Simulation(NamedTuple):
    """Statistics of simulated games; lengths are in moves."""

    games: int
    """Finished games; fewer than requested if the time was up."""
    outcomes: tuple[Outcome, ...]
    """Results by seat."""
    mean_length: float
    shortest: int
    longest: int
    sample: tuple[Move, ...]
    """Moves of the first game, if requested."""

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
    """The state as bytes, for you to store."""
    game: str = field(compare=False)
    """Name of the game."""
    seats: int = field(compare=False)
    """Number of seats."""
    ply: int = field(compare=False)
    """Number of moves made so far."""
    phase: str = field(compare=False)
    """Kind of decision that is due; "over" at the end."""
    actors: tuple[int, ...] = field(compare=False)
    """Seats that may move; empty when the game is over."""
    over: bool = field(compare=False)
    """Whether the game is over."""
    scores: tuple[float, ...] = field(compare=False)
    """Points of each seat so far."""
    returns: tuple[float, ...] = field(compare=False)
    """Result of each seat, from -1 to 1; empty before the end."""
    seed: int | None = field(compare=False)
    """Seed of the game, if known."""
    match: str = field(compare=False)
    """Match that a sealed token is bound to."""

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
        if not hasattr(client, "calls"):
            raise invalid("client", f"{client!r} is not a client")
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
