"""Fixtures for the HTTP transport."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tablier_service.service import Service

from tests.service.assembly import Assemble, RecordingLogger, with_handlers
from tests.service.transports.http.clients import SMALL, HttpClient


@pytest.fixture(scope="session")
def runner() -> Iterator[asyncio.Runner]:
    """One event loop for all applications: a search may outlive its call for a moment."""
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture(scope="session")
def shared_client(assemble: Assemble, runner: asyncio.Runner) -> HttpClient:
    return HttpClient(assemble({"logger": RecordingLogger()}, search_queue=0, **SMALL), runner)


@pytest.fixture
def client(shared_client: HttpClient) -> Iterator[HttpClient]:
    """A client of a service with small limits, which several tests share."""
    shared_client.log.clear()
    yield shared_client
    shared_client.service.metrics.serving.set(0)


MakeClient = Callable[..., HttpClient]


@pytest.fixture
def make_client(assemble: Assemble, runner: asyncio.Runner) -> MakeClient:
    """Makes clients of services with other settings, or with other handlers of some methods."""

    def make(
        handlers: dict[str, Callable[[Any], Any]] | None = None, **settings: Any
    ) -> HttpClient:
        service: Service = assemble({"logger": RecordingLogger()}, **{**SMALL, **settings})
        service, switch_on = with_handlers(service, **(handlers or {}))
        client = HttpClient(service, runner)
        switch_on()
        return client

    return make
