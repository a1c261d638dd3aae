"""The client for asyncio: `client`'s twin, with the same names throughout."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from functools import partial
from types import TracebackType
from typing import Self, TypeVar

import grpc
from grpc import aio
from tablier.v1.advisor_service_pb2_grpc import AdvisorServiceStub
from tablier.v1.game_pb2 import Game, GameView
from tablier.v1.game_service_pb2_grpc import GameServiceStub

from tablier_client.calls import Call, Calls
from tablier_client.channel import connection
from tablier_client.errors import TablierError, from_call
from tablier_client.session import AsyncSession
from tablier_client.state import Advice, Move, Replay, Simulation, Snapshot, Step

T = TypeVar("T")


class AsyncState(Snapshot["AsyncClient"]):
    """A state of a game. Nothing changes it; `play` gives the next one.

    `seat` says whose moves or knowledge is meant. Absent, it is every seat to move, and in `view`,
    `draw` and `svg` the referee, who sees everything. `timeout`, in seconds, replaces the client's.
    """

    __slots__ = ()

    async def moves(self, seat: int | None = None, *, timeout: float | None = None) -> list[Move]:
        """The legal moves."""
        return await self.client.send(self.client.calls.moves(self, seat), timeout)

    async def count_moves(self, seat: int | None = None, *, timeout: float | None = None) -> int:
        """How many legal moves there are."""
        return await self.client.send(self.client.calls.count_moves(self, seat), timeout)

    async def play(
        self, *moves: Move | str, seat: int | None = None, timeout: float | None = None
    ) -> AsyncState:
        """The state after one or more moves; `seat` is that of moves that do not name their own."""
        return await self.client.send(self.client.calls.play(self, *moves, seat=seat), timeout)

    async def steps(
        self, *moves: Move | str, seat: int | None = None, timeout: float | None = None
    ) -> list[Step[AsyncState]]:
        """The same as `play`, with the state after every move."""
        return await self.client.send(self.client.calls.steps(self, *moves, seat=seat), timeout)

    async def suggest(
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
        return await self.client.send(call, timeout)

    async def analyze(
        self,
        seat: int | None = None,
        *,
        milliseconds: int = 0,
        iterations: int = 0,
        interval: int = 0,
        seed: int = 0,
        limit: int = 5,
        timeout: float | None = None,
    ) -> AsyncIterator[Advice]:
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
        async for advice in self.client.stream(call, timeout):
            yield advice

    async def simulate(
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
        return await self.client.send(call, timeout)

    async def view(self, seat: int | None = None, *, timeout: float | None = None) -> GameView:
        """What a seat may know: a message whose member named like the game is set."""
        return await self.client.send(self.client.calls.view(self, seat), timeout)

    async def view_token(self, seat: int, *, timeout: float | None = None) -> bytes:
        """A token that tells a seat's knowledge and no more: what to hand to its player."""
        return await self.client.send(self.client.calls.view_token(self, seat), timeout)

    async def previous(self, *, timeout: float | None = None) -> bytes:
        """The `token_hash` of the token that this one was made from; empty for the first.

        Only sealed tokens remember it. A host that kept the last token's hash sees by it that
        nothing was left out, rolled back or played twice.
        """
        return await self.client.send(self.client.calls.previous(self), timeout)

    async def draw(self, seat: int | None = None, *, timeout: float | None = None) -> str:
        """A drawing in text, for a terminal."""
        return await self.client.send(self.client.calls.draw(self, seat), timeout)

    async def svg(self, seat: int | None = None, *, timeout: float | None = None) -> str:
        """A drawing as an SVG document."""
        return await self.client.send(self.client.calls.svg(self, seat), timeout)


class AsyncClient:
    """A connection to a Tablier service; an async context manager, made and used in one event loop.

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
            aio.insecure_channel(chosen.address, chosen.options)
            if chosen.credentials is None
            else aio.secure_channel(chosen.address, chosen.credentials, chosen.options)
        )
        stubs = (GameServiceStub(self._channel), AdvisorServiceStub(self._channel))
        # No two services have a method of the same name.
        self._methods = {name: method for stub in stubs for name, method in vars(stub).items()}
        self.calls: Calls[AsyncState] = Calls(partial(AsyncState.read, self))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connection; calls under way are cancelled."""
        await self._channel.close(None)

    async def games(self, *, timeout: float | None = None) -> list[Game]:
        """The games that the service plays."""
        return await self.send(self.calls.games(), timeout)

    async def game(self, name: str, *, timeout: float | None = None) -> Game:
        """All about one game: seats, options, phases, notation."""
        return await self.send(self.calls.game(name), timeout)

    async def start(
        self,
        game: str,
        /,
        *,
        seed: int | None = None,
        match: str = "",
        timeout: float | None = None,
        **options: object,
    ) -> AsyncState:
        """A new game, with its options as keywords. The same seed gives the same game.

        Sealed tokens are bound to `match`, a name of your own: they are of no use in another.
        """
        return await self.send(self.calls.start(game, seed=seed, match=match, **options), timeout)

    async def state(
        self, token: bytes, *, match: str = "", timeout: float | None = None
    ) -> AsyncState:
        """The state of a token that was kept, or of a view token."""
        return await self.send(self.calls.state(token, match=match), timeout)

    async def replay(
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
    ) -> Replay[AsyncState]:
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
        return await self.send(call, timeout)

    async def batch(
        self, calls: Iterable[Call[T]], *, timeout: float | None = None
    ) -> list[T | TablierError]:
        """Many of `client.calls` in one round trip: for each its result, or its exception."""
        return await self.send(self.calls.batch(calls), timeout)

    def session(self) -> AsyncSession:
        """A stream for many calls in flight: `submit` them and wait for their futures.

        It is a context manager that waits for all answers. It has no deadline of its own.
        """
        return AsyncSession(self._methods["Play"], self._metadata)

    async def send(self, call: Call[T], timeout: float | None = None) -> T:
        """Send one call and read its answer; raises TablierError."""
        try:
            reply = await self._methods[call.method](
                call.request,
                timeout=self._timeout + call.thinking if timeout is None else timeout,
                metadata=self._metadata,
            )
        except grpc.RpcError as error:
            raise from_call(error) from None
        return call.read(reply)

    async def stream(self, call: Call[T], timeout: float | None = None) -> AsyncIterator[T]:
        """Send a call with many answers and read them as they come; raises TablierError.

        To close the iterator is to cancel the call.
        """
        answers = self._methods[call.method](call.request, timeout=timeout, metadata=self._metadata)
        try:
            async for reply in answers:
                yield call.read(reply)
        except grpc.RpcError as error:
            raise from_call(error) from None
        finally:
            answers.cancel()
