"""Whom the commands ask: a service behind an address, or the same calls in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from typing import Any, ParamSpec, Protocol, TypeVar

from tablier_client import Client
from tablier_client.calls import Call, Calls
from tablier_client.errors import from_status
from tablier_client.state import Snapshot
from tablier_core.advice import Cancel
from tablier_core.errors import TablierError
from tablier_core.registry import GAMES
from tablier_service.advisor import AdvisorServicer
from tablier_service.engine import Engine
from tablier_service.errors import status_of
from tablier_service.sealing import PlainTokens
from tablier_service.servicer import GameServicer

P = ParamSpec("P")
T = TypeVar("T")
State = Snapshot[Any]

# Here a search takes the time of nobody else, and Ctrl-C ends it.
LONGEST_SEARCH_SECONDS = 24 * 3600


class Service(Protocol):
    """What answers calls; all that fails is a `tablier_client.TablierError`."""

    @property
    def calls(self) -> Calls[Any]:
        """The calls that can be sent."""

    def send(self, call: Call[T]) -> T:
        """Send a call and read its answer."""

    def stream(self, call: Call[T]) -> Iterator[T]:
        """Send a call with many answers and read them; to close the iterator is to cancel it."""


def open_service(address: str | None) -> AbstractContextManager[Service]:
    """The service at an address, or without one that of this process."""
    return nullcontext(InProcess()) if address is None else Client(address)


class InProcess:
    """The calls of the service, answered here."""

    def __init__(self) -> None:
        engine = Engine(GAMES, PlainTokens(GAMES))
        servicers = (GameServicer(engine), AdvisorServicer(engine, LONGEST_SEARCH_SECONDS))
        self._methods = {
            method.descriptor.name: method for servicer in servicers for method in servicer.methods
        }
        self.calls: Calls[State] = Calls(partial(Snapshot.read, self))

    def send(self, call: Call[T]) -> T:
        method = self._methods[call.method]
        with errors_of_the_client():
            if not method.costly:
                return call.read(method.ask(call.request))
            search = method.handler(call.request)
        with Thinker() as thinker:
            return call.read(thinker.run(search, thinker.cancel))

    def stream(self, call: Call[T]) -> Iterator[T]:
        with errors_of_the_client():
            search = self._methods[call.method].handler(call.request)
        with Thinker() as thinker:
            answers = search(thinker.cancel)
            while (answer := thinker.run(next, answers, None)) is not None:
                yield call.read(answer)


class Thinker:
    """A thread for a search, because one that is inside a search does not hear Ctrl-C."""

    def __init__(self) -> None:
        self.cancel = Cancel()
        self._thread = ThreadPoolExecutor(1)

    def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What a function gives in that thread."""
        return self._thread.submit(function, *args, **kwargs).result()

    def __enter__(self) -> Thinker:
        return self

    def __exit__(self, *_: object) -> None:
        self.cancel.set()
        self._thread.shutdown()


@contextmanager
def errors_of_the_client() -> Iterator[None]:
    """What the core refuses, as a client would tell it."""
    try:
        yield
    except TablierError as error:
        raise from_status(status_of(error)) from None
