"""A game with its history: moves can be undone, and branches be played."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Generic, Self, TypeVar

from tablier_client.aio import AsyncClient, AsyncState
from tablier_client.call import Call
from tablier_client.calls import Calls
from tablier_client.client import Client, State
from tablier_client.fields import invalid
from tablier_client.options import all_options
from tablier_client.records import Record, RecordedMove, read_record
from tablier_client.state import Move, Snapshot, Step

S = TypeVar("S", bound=Snapshot[Any])
T = TypeVar("T")

# The most moves that one call plays.
MAX_LINE = 1024


@dataclass(eq=False)
class Node(Generic[S]):
    """A state of a match, and how it was reached."""

    state: S
    played: RecordedMove | None
    """None at the start."""
    parent: Node[S] | None
    children: list[Node[S]]
    """The state after every move that was played here, the latest last."""

    def enter(self, played: RecordedMove, state: S) -> Node[S]:
        """Return the node after a move, which becomes the latest."""
        child = self.load(played, state)
        self.children.remove(child)
        self.children.append(child)
        return child

    def load(self, played: RecordedMove, state: S) -> Node[S]:
        """Return the node after a move, which becomes the oldest if it is new."""
        for child in self.children:
            if move_of(child) == Move(played.notation, played.seat):
                return child
        self.children.insert(0, Node(state, played, self, []))
        return self.children[0]


class History(Generic[S]):
    """The tree of a match and a place in it; sends nothing."""

    def __init__(self, start: Node[S], header: Record) -> None:
        self._node = start
        self._header = header
        self.players: dict[int, str] = {**header.players}
        """Names of players by seat, for the record."""
        self.result: tuple[float, ...] = header.result
        """Result of an unfinished game, for the record: players can resign, or agree on one."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.state!r})"

    @property
    def state(self) -> S:
        """The current state."""
        return self._node.state

    @property
    def history(self) -> list[Step[S]]:
        """The moves from the start to the current state, each with the state after it."""
        return [Step(move_of(node), node.state) for node in self._path()]

    @property
    def branches(self) -> list[Move]:
        """Moves that were played from the current state, the latest first: `redo` plays that."""
        return [move_of(child) for child in reversed(self._node.children)]

    def undo(self, count: int = 1) -> S:
        """Take moves back and return the state before them; `redo` plays them again."""
        steps = len(self._path())
        if not 0 <= count <= steps:
            raise invalid("count", f"{count} is not a number of moves to undo, 0 to {steps}")
        for _ in range(count):
            self._node = self._node.parent or self._node
        return self.state

    def redo(self, count: int = 1) -> S:
        """Play moves again that were undone, in the latest branch; returns the state after them."""
        ahead = self._ahead()
        if not 0 <= count <= len(ahead):
            raise invalid("count", f"{count} is not a number of moves to redo, 0 to {len(ahead)}")
        if count:
            self._node = ahead[count - 1]
        return self.state

    def note(
        self,
        comment: str | None = None,
        *,
        values: Sequence[float] | None = None,
        clock: int | None = None,
        elapsed: int | None = None,
    ) -> None:
        """Note something about the last move, or a comment on the game before the first.

        `values` is an evaluation, such as that of a suggestion. `clock` and `elapsed` are
        milliseconds: those left to the seat, and those that the move took.
        """
        node = self._node
        if node.played is None:
            if values is not None or clock is not None or elapsed is not None:
                raise invalid("values", "there is no move to note this about")
            self._header = replace(self._header, comment=comment or "")
            return
        given = {"comment": comment, "clock": clock, "elapsed": elapsed}
        if values is not None:
            # Three digits are more than an evaluation is worth.
            given["values"] = tuple(round(value, 3) for value in values)  # type: ignore[assignment]
        changes: dict[str, Any] = {name: each for name, each in given.items() if each is not None}
        node.played = replace(node.played, **changes)

    def _path(self) -> list[Node[S]]:
        path = []
        node = self._node
        while node.parent is not None:
            path.append(node)
            node = node.parent
        return path[::-1]

    def _ahead(self) -> list[Node[S]]:
        return list(latest(self._node))

    def _enter(self, steps: Sequence[Step[S]]) -> S:
        self.result = ()
        for move, state in steps:
            self._node = self._node.enter(recorded(move), state)
        return self.state

    def _record_call(self, calls: Calls[S], viewer: int | None) -> Call[Record]:
        """The call for the record of the current line, with the moves that `redo` would play."""
        header = self._header
        line = [*self._path(), *self._ahead()]
        moves = [move_of(node) for node in line]
        call = calls.record(header.game, moves, header.options, seed=seed_of(header), viewer=viewer)
        notes = written(line[0].parent) if line and line[0].parent else ()
        players, result = {**self.players}, self.result

        def complete(record: Record) -> Record:
            if viewer is not None and viewer >= 0:
                times = zip(record.moves, notes, strict=True)
                seen = [replace(m, clock=n.clock, elapsed=n.elapsed) for m, n in times]
                record = replace(record, moves=tuple(seen))
            else:
                # The service has checked the moves.
                record = replace(record, moves=notes, tags=header.tags, comment=header.comment)
            return replace(
                record, players=players, date=header.date, result=record.result or result
            )

        return Call(call.method, call.request, lambda reply: complete(call.read(reply)))


def latest(node: Node[S]) -> Iterator[Node[S]]:
    """Yield the nodes after a node in its latest branch."""
    while node.children:
        node = node.children[-1]
        yield node


def written(start: Node[S]) -> tuple[RecordedMove, ...]:
    """The latest branch after a node, with the others as variations."""
    moves = []
    for node in latest(start):
        parent = node.parent or node
        others = tuple(
            (each.played, *written(each)) for each in parent.children[-2::-1] if each.played
        )
        if node.played:
            moves.append(replace(node.played, variations=others))
    return tuple(moves)


def recorded(move: Move) -> RecordedMove:
    """A move of the service for a record."""
    return RecordedMove(-1 if move.seat is None else move.seat, move.notation)


def move_of(node: Node[S]) -> Move:
    """The move that led to a node."""
    played = node.played
    return Move("") if played is None else Move(played.notation, played.seat)


def seed_of(record: Record) -> int:
    """The seed of a record, or one that gives the same game."""
    return (record.start or 0) if record.seed is None else record.seed


# ---- Calls that start a match --------------------------------------------------------------------

# Yields calls, receives their answers, and returns a result.
Dialogue = Generator[Call[Any], Any, T]


def start_match(
    calls: Calls[S], game: str, options: Mapping[str, object], seed: int | None, match: str
) -> Dialogue[tuple[Node[S], Record]]:
    """Start a game. The seed is drawn here: a sealed service would not return it."""
    seed = secrets.randbits(64) if seed is None else seed
    state = yield calls.start(game, options, seed=seed, match=match)
    date = datetime.now(UTC).replace(microsecond=0)
    return Node(state, None, None, []), Record(game, 0, options=options, seed=seed, date=date)


def load_match(
    calls: Calls[S], record: Record | str, match: str
) -> Dialogue[tuple[Node[S], Record]]:
    """Play the moves and all variations of a record."""
    header = read_record(record) if isinstance(record, str) else record
    # This checks the record as a whole.
    yield calls.replay_record(record)
    first = yield calls.start(header.game, header.options, seed=seed_of(header), match=match)
    start: Node[S] = Node(first, None, None, [])
    # Lines to play, and where they begin. The list grows while it is read.
    waiting = [(start, tuple(header.moves))]
    for node, line in waiting:
        for begin in range(0, len(line), MAX_LINE):
            part = line[begin : begin + MAX_LINE]
            steps = yield calls.steps(node.state, *(Move(m.notation, m.seat) for m in part))
            for move, step in zip(part, steps, strict=True):
                waiting.extend((node, variation) for variation in move.variations)
                node = node.load(replace(move, variations=()), step.state)
    return start, header


def run(send: Callable[[Call[Any]], Any], dialogue: Dialogue[T]) -> T:
    """Send the calls of a dialogue and return its result."""
    answer = None
    while True:
        try:
            call = dialogue.send(answer)
        except StopIteration as done:
            result: T = done.value
            return result
        answer = send(call)


class Match(History[State]):
    """A game with its history: `play`, `undo` and `redo` moves, and get its `record`.

    Playing another move after `undo` starts a branch. Nothing is forgotten: `branches` lists what
    was played from a state, and playing one of these moves again enters its branch.
    """

    @classmethod
    def start(
        cls,
        client: Client,
        game: str,
        options: Mapping[str, object] | None = None,
        /,
        *,
        seed: int | None = None,
        match: str = "",
        timeout: float | None = None,
        **keywords: object,
    ) -> Self:
        """Start a match, with the options of the game as keywords or as a mapping."""
        given = all_options(options, keywords)
        dialogue = start_match(client.calls, game, given, seed, match)
        return cls(*run(lambda call: client.send(call, timeout), dialogue))

    @classmethod
    def from_record(
        cls,
        client: Client,
        record: Record | str,
        /,
        *,
        match: str = "",
        timeout: float | None = None,
    ) -> Self:
        """Return the match of a record or of its text, after its last move, with all branches."""
        dialogue = load_match(client.calls, record, match)
        loaded = cls(*run(lambda call: client.send(call, timeout), dialogue))
        loaded.redo(len(loaded._ahead()))
        return loaded

    def play(
        self, *moves: Move | str, seat: int | None = None, timeout: float | None = None
    ) -> State:
        """Play one or more moves and return the state after them.

        `seat` is the seat of moves that do not name their own.
        """
        return self._enter(self.state.steps(*moves, seat=seat, timeout=timeout))

    def record(self, viewer: int | None = None, *, timeout: float | None = None) -> Record:
        """Return the record of the line that you are in, with other branches as variations.

        The line includes moves that `redo` would play. With a seat as `viewer`, the record contains
        what this seat saw, without the seed, variations and notes.
        """
        client = self.state.client
        return client.send(self._record_call(client.calls, viewer), timeout)


class AsyncMatch(History[AsyncState]):
    """A game with its history, for asyncio; see `Match`."""

    @classmethod
    async def start(
        cls,
        client: AsyncClient,
        game: str,
        options: Mapping[str, object] | None = None,
        /,
        *,
        seed: int | None = None,
        match: str = "",
        timeout: float | None = None,
        **keywords: object,
    ) -> Self:
        """Start a match, with the options of the game as keywords or as a mapping."""
        given = all_options(options, keywords)
        dialogue = start_match(client.calls, game, given, seed, match)
        return cls(*await run_async(client, dialogue, timeout))

    @classmethod
    async def from_record(
        cls,
        client: AsyncClient,
        record: Record | str,
        /,
        *,
        match: str = "",
        timeout: float | None = None,
    ) -> Self:
        """Return the match of a record or of its text, after its last move, with all branches."""
        dialogue = load_match(client.calls, record, match)
        loaded = cls(*await run_async(client, dialogue, timeout))
        loaded.redo(len(loaded._ahead()))
        return loaded

    async def play(
        self, *moves: Move | str, seat: int | None = None, timeout: float | None = None
    ) -> AsyncState:
        """Play one or more moves and return the state after them.

        `seat` is the seat of moves that do not name their own.
        """
        return self._enter(await self.state.steps(*moves, seat=seat, timeout=timeout))

    async def record(self, viewer: int | None = None, *, timeout: float | None = None) -> Record:
        """Return the record of the line that you are in, with other branches as variations.

        The line includes moves that `redo` would play. With a seat as `viewer`, the record contains
        what this seat saw, without the seed, variations and notes.
        """
        client = self.state.client
        return await client.send(self._record_call(client.calls, viewer), timeout)


async def run_async(client: AsyncClient, dialogue: Dialogue[T], timeout: float | None) -> T:
    """Send the calls of a dialogue and return its result."""
    answer = None
    while True:
        try:
            call = dialogue.send(answer)
        except StopIteration as done:
            result: T = done.value
            return result
        answer = await client.send(call, timeout)
