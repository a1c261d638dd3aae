"""One door for all tests of this folder that need no door of their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.service.transports.http.connections import POOL
from tests.service.transports.http.doors import RUNNER, SETTINGS, Door, all_methods


@pytest.fixture(scope="session")
def shared() -> Iterator[Door]:
    made = Door(all_methods(), SETTINGS)
    yield made
    made.pool.close()
    RUNNER.close()


@pytest.fixture
def door(shared: Door) -> Iterator[Door]:
    shared.log.lines.clear()
    yield shared
    shared.ready = True


@pytest.fixture(scope="session", autouse=True)
def _the_pool_ends() -> Iterator[None]:
    """That of the connections, which several modules use in any order."""
    yield
    POOL.close()
