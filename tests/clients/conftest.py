"""A real server process for the tests of the clients."""

from collections.abc import Iterator

import pytest

from tests.running import running_server


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """Where a service of this build listens."""
    with running_server() as where:
        yield where
