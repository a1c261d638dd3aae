"""Where commands send their calls: to a service at an address, or to this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from typing import Any, ParamSpec, Protocol, TypeVar

import grpc
from tablier_client import Client
from tablier_client.call import Call
from tablier_client.calls import Calls
from tablier_client.errors import from_status
from tablier_client.state import Snapshot
from tablier_core.advice import Cancel
from tablier_core.errors import TablierError
from tablier_service import service
from tablier_service.errors import status_of
from tablier_service.settings import Settings

from tablier_cli.server import Server

P = ParamSpec("P")
T = TypeVar("T")
State = Snapshot[Any]

# Effectively no limit: a local search delays nobody else, and Ctrl-C ends it.
LONGEST_SEARCH_SECONDS = 24 * 3600


class Backend(Protocol):
    """Answers calls; every failure is a `tablier_client.TablierError`."""

    @property
    def calls(self) -> Calls[Any]:
        """The calls that can be sent."""

    def send(self, call: Call[T]) -> T:
        """Send a call and return its answer."""

    def stream(self, call: Call[T]) -> Iterator[T]:
        """Send a call with many answers and yield them; closing the iterator cancels the call."""


def open_backend(server: Server | None) -> AbstractContextManager[Backend]:
    """Connect to a service, or answer calls in this process if it is None."""
    if server is None:
        return nullcontext(InProcess())
    key = None
    if server.key_file is not None:
        key = server.key_file.read_text(encoding="utf-8").strip()
    if server.certificate_file is None or server.certificate_key_file is None:
        return Client(server.address, api_key=key, ca_file=server.ca_file, insecure=server.insecure)
    credentials = grpc.ssl_channel_credentials(
        server.ca_file.read_bytes() if server.ca_file else None,
        server.certificate_key_file.read_bytes(),
        server.certificate_file.read_bytes(),
    )
    return Client(server.address, api_key=key, credentials=credentials)


class InProcess:
    """Answers calls in this process, as a service would."""

    def __init__(self) -> None:
        # The defaults, whatever the environment says: the settings there are those of a server.
        settings = Settings.model_construct(max_search_seconds=LONGEST_SEARCH_SECONDS)
        self._service = service.Service.assemble(settings)
        self.calls: Calls[State] = Calls(partial(Snapshot.read, self))

    def send(self, call: Call[T]) -> T:
        method = self._service.method(call.method)
        with client_errors():
            if not method.costly:
                return call.read(method.ask(call.request))
            search = method.handler(call.request)
        with SearchThread() as thread:
            return call.read(thread.run(search, thread.cancel))

    def stream(self, call: Call[T]) -> Iterator[T]:
        with client_errors():
            search = self._service.method(call.method).handler(call.request)
        with SearchThread() as thread:
            answers = search(thread.cancel)
            while (answer := thread.run(next, answers, None)) is not None:
                yield call.read(answer)


class SearchThread:
    """Runs a search, so that the main thread can react to Ctrl-C."""

    def __init__(self) -> None:
        self.cancel = Cancel()
        self._thread = ThreadPoolExecutor(1)

    def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function in the thread and return its result."""
        return self._thread.submit(function, *args, **kwargs).result()

    def __enter__(self) -> SearchThread:
        return self

    def __exit__(self, *_: object) -> None:
        self.cancel.set()
        self._thread.shutdown()


@contextmanager
def client_errors() -> Iterator[None]:
    """Convert errors of the core to those that a client would raise."""
    try:
        yield
    except TablierError as error:
        raise from_status(status_of(error)) from None
