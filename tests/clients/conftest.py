"""A real server process for the tests of the clients."""

import pytest

from tests.live_server import LiveServer


@pytest.fixture(scope="session")
def address(live_server: LiveServer) -> str:
    """Where a service of this build listens."""
    return live_server.grpc_address
