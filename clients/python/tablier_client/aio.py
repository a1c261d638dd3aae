"""The asyncio client: the counterpart of `client`, with the same names.

Both write out every method on purpose, so that editors and type checkers know its parameters and
whether it is awaited. What they have in common, requests and answers, is in `calls`; a test
compares their names, parameters, types and docstrings.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from functools import partial
from os import PathLike
from types import TracebackType
from typing import Any, Self, TypeVar

import grpc
from grpc import aio
from tablier.v1.advisor_service_pb2_grpc import AdvisorServiceStub
from tablier.v1.game_pb2 import Game, GameView
from tablier.v1.game_service_pb2 import Observation
from tablier.v1.game_service_pb2_grpc import GameServiceStub

from tablier_client.call import Call, check_streams
from tablier_client.calls import Calls
from tablier_client.channel import (
    DEFAULT_TIMEOUT_SECONDS,
    SERVICES,
    Connection,
    connection,
    seconds,
)
from tablier_client.connect_channel_aio import AsyncConnectChannel
from tablier_client.errors import Closed, TablierError
from tablier_client.options import all_options, typed_record, typed_replay, typed_start
from tablier_client.records import Record
from tablier_client.retries import Attempts
from tablier_client.session import AsyncSession
from tablier_client.state import (
    Advice,
    BotTurn,
    Drawing,
    Interpretation,
    Move,
    Replay,
    Simulation,
    Snapshot,
    Step,
)

T = TypeVar("T")


class AsyncState(Snapshot["AsyncClient"]):
    """An immutable state of a game; `play` returns the next one.

    `seat` selects a seat. Without it, `moves` and `count_moves` cover every seat that is to move,
    and `view`, `draw` and `svg` show what the seat of a view token sees, or, for other tokens, what
    the referee sees: everything. Seat -1 is the referee in `view`, `draw`, `svg` and `simulate`. In
    `moves`, `count_moves` and `play` it is the table, which makes the rare moves that belong to no
    seat; it is never among the `actors`. `timeout` is in seconds and overrides that of the client.
    """

    __slots__ = ()

    async def moves(self, seat: int | None = None, *, timeout: float | None = None) -> list[Move]:
        """Return the legal moves."""
        return await self.client.send(self.client.calls.moves(self, seat), timeout)

    async def count_moves(self, seat: int | None = None, *, timeout: float | None = None) -> int:
        """Return the number of legal moves."""
        return await self.client.send(self.client.calls.count_moves(self, seat), timeout)

    async def interpret(
        self,
        text: str,
        seat: int | None = None,
        *,
        language: str = "",
        timeout: float | None = None,
    ) -> Interpretation:
        """Read what a person or a model wrote as a legal move of `seat`; plays nothing.

        The text can be a notation in any case and spacing, the move in words, its number in `moves`
        from 1, or JSON, with labels and Markdown around it. Without `seat`, only one seat may be to
        move. `language` is that of the words and reasons in the answer.
        """
        call = self.client.calls.interpret(self, text, seat, language=language)
        return await self.client.send(call, timeout)

    async def play(
        self, *moves: Move | str, seat: int | None = None, timeout: float | None = None
    ) -> AsyncState:
        """Play one or more moves and return the state after them.

        `seat` is the seat of moves that do not name their own.
        """
        return await self.client.send(self.client.calls.play(self, *moves, seat=seat), timeout)

    async def steps(
        self, *moves: Move | str, seat: int | None = None, timeout: float | None = None
    ) -> list[Step[AsyncState]]:
        """Play like `play`, but return every move with the state after it."""
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
        """Rank the moves of `seat`, or of the only seat to move; returns the best `limit` moves.

        The search ends at the limit that it reaches first; without any, it takes 100 milliseconds.
        With `iterations` alone, the same `seed` gets the same advice. A `level` from 1 to 10 plays
        like an opponent of that strength and needs no other limit. `milliseconds` are added to the
        timeout of the client.
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
        """Rank moves continuously: yields a report every `interval` milliseconds (default 250).

        The search ends when it reaches a limit or when you close the iterator. The timeout of the
        client does not apply; pass one here if you need it.
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
        """Let bots play `games` games (default 100) from this state and return statistics.

        `levels` are the levels of the bots, 1 to 10, or 0 for random moves: one for all seats, or
        one per seat. With `seat`, each game starts from another world that this seat cannot
        distinguish from the true one.
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

    async def play_bot(
        self,
        seat: int | None = None,
        *,
        level: int = 0,
        viewer: int | None = None,
        max_moves: int = 1,
        milliseconds: int = 0,
        iterations: int = 0,
        seed: int = 0,
        language: str = "",
        timeout: float | None = None,
    ) -> BotTurn[AsyncState]:
        """Let a bot play for `seat`, or for the only seat to move; returns the new state.

        `level` is its strength, from 1 to 10, or 0 for the best moves within the limits; see
        `suggest`. The moves are described as `viewer` saw them, a seat or -1 for the referee
        (default). With `max_moves`, it goes on while the seat is to move.
        """
        call = self.client.calls.play_bot(
            self,
            seat,
            level=level,
            viewer=viewer,
            max_moves=max_moves,
            milliseconds=milliseconds,
            iterations=iterations,
            seed=seed,
            language=language,
        )
        return await self.client.send(call, timeout)

    async def view(self, seat: int | None = None, *, timeout: float | None = None) -> GameView:
        """Return what a seat may know, in the field of the message that is named after the game."""
        return await self.client.send(self.client.calls.view(self, seat), timeout)

    async def observation(
        self, seat: int | None = None, *, timeout: float | None = None
    ) -> Observation:
        """Return what a seat knows and may do as numbers, for learners."""
        return await self.client.send(self.client.calls.observation(self, seat), timeout)

    async def view_token(self, seat: int, *, timeout: float | None = None) -> bytes:
        """Return a view token: it contains only what the seat knows, so its player may have it."""
        return await self.client.send(self.client.calls.view_token(self, seat), timeout)

    async def previous(self, *, timeout: float | None = None) -> bytes:
        """Return the `token_hash` of the token that this one was made from; empty for the first.

        Only sealed tokens contain it. A host that keeps the hash of the last token can detect
        rollbacks and forks with it.
        """
        return await self.client.send(self.client.calls.previous(self), timeout)

    async def draw(self, seat: int | None = None, *, timeout: float | None = None) -> str:
        """Draw the state as text."""
        return await self.client.send(self.client.calls.draw(self, seat), timeout)

    async def svg(self, seat: int | None = None, *, timeout: float | None = None) -> Drawing:
        """Draw the state as an SVG document, which notebooks show as a picture."""
        return await self.client.send(self.client.calls.svg(self, seat), timeout)

    async def png(
        self, seat: int | None = None, *, width: int = 0, timeout: float | None = None
    ) -> bytes:
        """Draw the state as a PNG image, this many pixels wide, or in its natural size.

        Raises FormatUnavailable if the service lacks the library for it.
        """
        return await self.client.send(self.client.calls.png(self, seat, width=width), timeout)


class AsyncClient:
    """A connection to a Tablier service; an async context manager for a single event loop.

    The default address is that in the environment variable TABLIER_ADDRESS, or that of a service on
    this machine. `host:port` means gRPC, a URL such as `http://127.0.0.1:8080` means Connect.
    `api_key` identifies you; its default is in TABLIER_API_KEY. gRPC's connections to
    loopback use plain text, all others TLS, unless you pass `insecure=True`. `ca_file` is a PEM
    file with the authorities that sign the server's certificate, if not the usual ones, and
    `credentials` can also have a certificate of yours. `metadata` is sent with every call. A call
    ends within `timeout` seconds. Once a service was reached, calls are sent again until then if it
    stops or is unreachable. With `wait_for_ready`, the first call also waits for a server.
    """

    def __init__(
        self,
        address: str | None = None,
        *,
        api_key: str | None = None,
        ca_file: str | PathLike[str] | None = None,
        credentials: grpc.ChannelCredentials | None = None,
        insecure: bool = False,
        metadata: Sequence[tuple[str, str | bytes]] = (),
        timeout: float = DEFAULT_TIMEOUT_SECONDS,
        wait_for_ready: bool = False,
    ) -> None:
        self._connection = chosen = connection(
            address,
            api_key=api_key,
            ca_file=ca_file,
            credentials=credentials,
            insecure=insecure,
            metadata=metadata,
            wait_for_ready=wait_for_ready,
        )
        self._timeout = seconds(timeout)
        check_loop()
        self._channel, self._methods = open_channel(chosen)
        self.calls: Calls[AsyncState] = Calls(partial(AsyncState.read, self))
        """Builds calls for `batch`, sessions, `send` and `stream`: its methods have the names and
        arguments of those of clients and states."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self._connection}>"

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
        """Close the connection and cancel calls in progress."""
        self._connection.closed = True
        await self._channel.close(None)

    async def games(self, *, language: str = "", timeout: float | None = None) -> list[Game]:
        """List the games of the service. `language` is that of the texts, such as "fr"."""
        return await self.send(self.calls.games(language=language), timeout)

    async def game(self, name: str, *, language: str = "", timeout: float | None = None) -> Game:
        """Return the details of a game: seats, options, phases, notation."""
        return await self.send(self.calls.game(name, language=language), timeout)

    async def rules(self, game: str, *, language: str = "", timeout: float | None = None) -> str:
        """Return the rules of a game for players, as Markdown; in English by default."""
        return await self.send(self.calls.rules(game, language=language), timeout)

    @typed_start
    async def start(
        self,
        game: str,
        options: Mapping[str, object] | None = None,
        /,
        *,
        seed: int | None = None,
        match: str = "",
        timeout: float | None = None,
        **keywords: object,
    ) -> AsyncState:
        """Start a game, with its options as keywords; the same seed gives the same game.

        If you know the name of the game only at run time, pass its options as a mapping instead.
        Sealed tokens are bound to `match`, a name that you choose, and rejected in other matches.
        """
        return await self.send(
            self.calls.start(game, all_options(options, keywords), seed=seed, match=match), timeout
        )

    async def state(
        self, token: bytes, *, match: str = "", timeout: float | None = None
    ) -> AsyncState:
        """Return the state of a stored token or of a view token."""
        return await self.send(self.calls.state(token, match=match), timeout)

    @typed_replay
    async def replay(
        self,
        game: str,
        moves: Iterable[Move | str],
        options: Mapping[str, object] | None = None,
        /,
        *,
        seed: int,
        match: str = "",
        steps: bool = False,
        transcript: bool = False,
        viewer: int | None = None,
        timeout: float | None = None,
        **keywords: object,
    ) -> Replay[AsyncState]:
        """Replay a game; optionally with the state after every move and a transcript.

        `viewer` adds views at the start and after every move. With a seat, everything in the replay
        is what this seat knew, and is safe to give to the player; -1 is the referee.
        """
        call = self.calls.replay(
            game,
            moves,
            all_options(options, keywords),
            seed=seed,
            match=match,
            steps=steps,
            transcript=transcript,
            viewer=viewer,
        )
        return await self.send(call, timeout)

    async def replay_record(
        self,
        record: Record | str,
        /,
        *,
        match: str = "",
        steps: bool = False,
        transcript: bool = False,
        viewer: int | None = None,
        timeout: float | None = None,
    ) -> Replay[AsyncState]:
        """Replay a game from its record, or from the text of one.

        The result has a record, too: with a seat as `viewer`, it contains what this seat saw. The
        service rejects a record that has no seed, contains hidden moves or breaks the rules.
        """
        call = self.calls.replay_record(
            record, match=match, steps=steps, transcript=transcript, viewer=viewer
        )
        return await self.send(call, timeout)

    @typed_record
    async def record(
        self,
        game: str,
        moves: Iterable[Move | str],
        options: Mapping[str, object] | None = None,
        /,
        *,
        seed: int,
        viewer: int | None = None,
        timeout: float | None = None,
        **keywords: object,
    ) -> Record:
        """Return the record of a game; `write_record` writes it as text.

        With a seat as `viewer`, it contains what this seat saw, without the seed.
        """
        call = self.calls.record(
            game, moves, all_options(options, keywords), seed=seed, viewer=viewer
        )
        return await self.send(call, timeout)

    async def batch(
        self, calls: Iterable[Call[T]], *, timeout: float | None = None
    ) -> list[T | TablierError]:
        """Send many of `client.calls` in one request; returns each one's result or exception."""
        return await self.send(self.calls.batch(calls), timeout)

    def session(self) -> AsyncSession:
        """Open a stream for many concurrent calls: `submit` them and wait for their futures.

        The session is a context manager that waits for all answers. It has no timeout, but fails if
        no service is reachable for the timeout of the client.
        """
        return AsyncSession(self._methods, self._connection, self._timeout)

    async def send(self, call: Call[T], timeout: float | None = None) -> T:
        """Send a call and return its answer; raises TablierError."""
        check_streams(call, False)
        limit = self._timeout + call.thinking if timeout is None else seconds(timeout)
        attempts = Attempts(self._connection, limit)
        while True:
            try:
                reply = await self._methods[call.method](
                    call.request,
                    timeout=attempts.remaining,
                    metadata=self._connection.metadata,
                    wait_for_ready=attempts.wait_for_ready,
                )
                break
            except asyncio.CancelledError:
                self._check_closed()
                raise
            except Exception as error:
                pause = attempts.pause_after(error)
                if pause is None:
                    raise await self._connection.explain_async(attempts.failure) from None
            await asyncio.sleep(pause)
        self._connection.answered()
        return call.answer(reply)

    async def stream(self, call: Call[T], timeout: float | None = None) -> AsyncIterator[T]:
        """Send a call with many answers and yield them as they arrive; raises TablierError.

        Closing the iterator cancels the call. It is sent again only before its first answer.
        """
        check_streams(call, True)
        limit = None if timeout is None else seconds(timeout)
        attempts = Attempts(self._connection, self._timeout if limit is None else limit)
        while True:
            answers, answered = None, False
            try:
                answers = self._methods[call.method](
                    call.request,
                    timeout=None if limit is None else attempts.remaining,
                    metadata=self._connection.metadata,
                )
                async for reply in answers:
                    answered = True
                    self._connection.answered()
                    yield call.answer(reply)
                return
            except asyncio.CancelledError:
                self._check_closed()
                raise
            except Exception as error:
                pause = attempts.pause_after(error)
                if pause is None or answered:
                    raise await self._connection.explain_async(attempts.failure) from None
            finally:
                if answers is not None:
                    answers.cancel()
            await asyncio.sleep(pause)

    def _check_closed(self) -> None:
        """Raise Closed if a call was cancelled by `close`, and not with the task that waits."""
        task = asyncio.current_task()
        if self._connection.closed and not (task and task.cancelling()):
            raise Closed("the client is closed", code=grpc.StatusCode.CANCELLED) from None


def open_channel(
    chosen: Connection,
) -> tuple[aio.Channel | AsyncConnectChannel, dict[str, Callable[..., Any]]]:
    """Open a channel of gRPC or Connect; returns it and its methods, by name."""
    if chosen.place is not None:
        connect = AsyncConnectChannel(chosen, SERVICES)
        return connect, connect.methods
    channel = (
        aio.insecure_channel(chosen.address, chosen.options)
        if chosen.credentials is None
        else aio.secure_channel(chosen.address, chosen.credentials, chosen.options)
    )
    stubs = (GameServiceStub(channel), AdvisorServiceStub(channel))
    # Method names are unique across the services.
    return channel, {name: method for stub in stubs for name, method in vars(stub).items()}


def check_loop() -> None:
    """Raise TablierError unless an event loop runs: gRPC would take another one."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        raise TablierError(
            "no event loop is running: create an AsyncClient inside a coroutine",
            code=grpc.StatusCode.FAILED_PRECONDITION,
        ) from None
