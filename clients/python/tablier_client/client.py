"""The client for ordinary code; `aio` has its twin for asyncio, with the same names throughout."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from types import TracebackType
from typing import Self, TypeVar

import grpc
from tablier.v1.advisor_service_pb2_grpc import AdvisorServiceStub
from tablier.v1.game_pb2 import Game, GameView
from tablier.v1.game_service_pb2_grpc import GameServiceStub

from tablier_client.calls import Call, Calls
from tablier_client.channel import connection
from tablier_client.errors import TablierError, from_call
from tablier_client.session import Session
from tablier_client.state import Advice, Move, Replay, Simulation, Snapshot, Step

T = TypeVar("T")


class State(Snapshot["Client"]):
    """A state of a game. Nothing changes it; `play` gives the next one.

    `seat` says whose moves or knowledge is meant. Absent, it is every seat to move, and in `view`,
    `draw` and `svg` the referee, who sees everything. `timeout`, in seconds, replaces the client's.
    """

    __slots__ = ()

    def moves(self, seat: int | None = None, *, timeout: float | None = None) -> list[Move]:
        """The legal moves."""
        return self.client.send(self.client.calls.moves(self, seat), timeout)

    def count_moves(self, seat: int | None = None, *, timeout: float | None = None) -> int:
        """How many legal moves there are."""
        return self.client.send(self.client.calls.count_moves(self, seat), timeout)

    def play(
        self, *moves: Move | str, seat: int | None = None, timeout: float | None = None
    ) -> State:
        """The state after one or more moves; `seat` is that of moves that do not name their own."""
        return self.client.send(self.client.calls.play(self, *moves, seat=seat), timeout)

    def steps(
        self, *moves: Move | str, seat: int | None = None, timeout: float | None = None
    ) -> list[Step[State]]:
        """The same as `play`, with the state after every move."""
        return self.client.send(self.client.calls.steps(self, *moves, seat=seat), timeout)

    def suggest(
        self,
        seat: int | None = None,
        *,
        milliseconds: int = 0,
        iterations: int = 0,
        level: int = 0,
        seed: int = 0,
        limit: int = 5,
        timeout: float | None = None,
    ) -> Advice:
        """What to play: up to `limit` moves of the only seat to move, or of `seat`, the best first.

        The search ends at the first limit that is given; without one, it takes 100 milliseconds.
        With `iterations` alone, the same `seed` gives the same advice. A `level` from 1 to 10 plays
        for people and needs no other limit. The time to think is added to the client's timeout.
        """
        call = self.client.calls.suggest(
            self,
            seat,
            milliseconds=milliseconds,
            iterations=iterations,
            level=level,
            seed=seed,
            limit=limit,
        )
        return self.client.send(call, timeout)

    def analyze(
        self,
        seat: int | None = None,
        *,
        milliseconds: int = 0,
        iterations: int = 0,
        interval: int = 0,
        seed: int = 0,
        limit: int = 5,
        timeout: float | None = None,
    ) -> Iterator[Advice]:
        """What to play, again and again as the search finds out more: an iterator.

        A new report comes every `interval` milliseconds, 250 unless told otherwise, until a limit
        is reached or the iterator is closed. There is no timeout but the one given here.
        """
        call = self.client.calls.analyze(
            self,
            seat,
            milliseconds=milliseconds,
            iterations=iterations,
            interval=interval,
            seed=seed,
            limit=limit,
        )
        yield from self.client.stream(call, timeout)

    def simulate(
        self,
        games: int = 0,
        *,
        levels: Iterable[int] = (),
        seat: int | None = None,
        seed: int = 0,
        milliseconds: int = 0,
        sample: bool = False,
        timeout: float | None = None,
    ) -> Simulation:
        """How games end that bots play from here: 100 of them, unless `games` says otherwise.

        `levels` has the bots' levels, 1 to 10 or 0 for random moves: one for all, or one a seat.
        With a `seat`, each game starts in another world that this seat cannot tell from the truth.
        """
        call = self.client.calls.simulate(
            self,
            games,
            levels=levels,
            seat=seat,
            seed=seed,
            milliseconds=milliseconds,
            sample=sample,
        )
        return self.client.send(call, timeout)

    def view(self, seat: int | None = None, *, timeout: float | None = None) -> GameView:
        """What a seat may know: a message whose member named like the game is set."""
        return self.client.send(self.client.calls.view(self, seat), timeout)

    def view_token(self, seat: int, *, timeout: float | None = None) -> bytes:
        """A token that tells a seat's knowledge and no more: what to hand to its player."""
        return self.client.send(self.client.calls.view_token(self, seat), timeout)

    def previous(self, *, timeout: float | None = None) -> bytes:
        """The `token_hash` of the token that this one was made from; empty for the first.

        Only sealed tokens remember it. A host that kept the last token's hash sees by it that
        nothing was left out, rolled back or played twice.
        """
        return self.client.send(self.client.calls.previous(self), timeout)

    def draw(self, seat: int | None = None, *, timeout: float | None = None) -> str:
        """A drawing in text, for a terminal."""
        return self.client.send(self.client.calls.draw(self, seat), timeout)

    def svg(self, seat: int | None = None, *, timeout: float | None = None) -> str:
        """A drawing as an SVG document."""
        return self.client.send(self.client.calls.svg(self, seat), timeout)


class Client:
    """A connection to a Tablier service; a context manager, safe to share between threads.

    Speaks plain text to loopback addresses and TLS to all others, unless told otherwise by
    `credentials` or `insecure`. `metadata` goes with every call, e.g. an API key. A call ends
    within `timeout` seconds, retries included; those that change nothing are retried while no
    server answers. `wait_for_ready` makes calls wait for a server that is still starting.
    """

    def __init__(
        self,
        address: str,
        *,
        credentials: grpc.ChannelCredentials | None = None,
        insecure: bool = False,
        metadata: Sequence[tuple[str, str]] = (),
        timeout: float = 10.0,
        wait_for_ready: bool = False,
    ) -> None:
        chosen = connection(
            address,
            credentials=credentials,
            insecure=insecure,
            metadata=metadata,
            wait_for_ready=wait_for_ready,
        )
        self._metadata = chosen.metadata
        self._timeout = timeout
        self._channel = (
            grpc.insecure_channel(chosen.address, chosen.options)
            if chosen.credentials is None
            else grpc.secure_channel(chosen.address, chosen.credentials, chosen.options)
        )
        stubs = (GameServiceStub(self._channel), AdvisorServiceStub(self._channel))
        # No two services have a method of the same name.
        self._methods = {name: method for stub in stubs for name, method in vars(stub).items()}
        self.calls: Calls[State] = Calls(partial(State.read, self))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; calls under way are cancelled."""
        self._channel.close()

    def games(self, *, timeout: float | None = None) -> list[Game]:
        """The games that the service plays."""
        return self.send(self.calls.games(), timeout)

    def game(self, name: str, *, timeout: float | None = None) -> Game:
        """All about one game: seats, options, phases, notation."""
        return self.send(self.calls.game(name), timeout)

    def start(
        self,
        game: str,
        /,
        *,
        seed: int | None = None,
        match: str = "",
        timeout: float | None = None,
        **options: object,
    ) -> State:
        """A new game, with its options as keywords. The same seed gives the same game.

        Sealed tokens are bound to `match`, a name of your own: they are of no use in another.
        """
        return self.send(self.calls.start(game, seed=seed, match=match, **options), timeout)

    def state(self, token: bytes, *, match: str = "", timeout: float | None = None) -> State:
        """The state of a token that was kept, or of a view token."""
        return self.send(self.calls.state(token, match=match), timeout)

    def replay(
        self,
        game: str,
        moves: Iterable[Move | str],
        /,
        *,
        seed: int,
        match: str = "",
        steps: bool = False,
        transcript: bool = False,
        viewer: int | None = None,
        timeout: float | None = None,
        **options: object,
    ) -> Replay[State]:
        """A game played again; with the state after every move and a transcript, if wanted.

        `viewer` is a seat, or -1 for the referee, whose views are wanted: that of the start, and
        those after every move.
        """
        call = self.calls.replay(
            game,
            moves,
            seed=seed,
            match=match,
            steps=steps,
            transcript=transcript,
            viewer=viewer,
            **options,
        )
        return self.send(call, timeout)

    def batch(
        self, calls: Iterable[Call[T]], *, timeout: float | None = None
    ) -> list[T | TablierError]:
        """Many of `client.calls` in one round trip: for each its result, or its exception."""
        return self.send(self.calls.batch(calls), timeout)

    def session(self) -> Session:
        """A stream for many calls in flight: `submit` them and wait for their futures.

        It is a context manager that waits for all answers. It has no deadline of its own.
        """
        return Session(self._methods["Play"], self._metadata)

    def send(self, call: Call[T], timeout: float | None = None) -> T:
        """Send one call and read its answer; raises TablierError."""
        try:
            reply = self._methods[call.method](
                call.request,
                timeout=self._timeout + call.thinking if timeout is None else timeout,
                metadata=self._metadata,
            )
        except grpc.RpcError as error:
            raise from_call(error) from None
        return call.read(reply)

    def stream(self, call: Call[T], timeout: float | None = None) -> Iterator[T]:
        """Send a call with many answers and read them as they come; raises TablierError.

        To close the iterator is to cancel the call.
        """
        answers = self._methods[call.method](call.request, timeout=timeout, metadata=self._metadata)
        try:
            for reply in answers:
                yield call.read(reply)
        except grpc.RpcError as error:
            raise from_call(error) from None
        finally:
            answers.cancel()
