"""A server process for the tests of the clients."""

import pytest

from tests.live_server import LiveServer


@pytest.fixture(scope="session")
def address(live_server: LiveServer) -> str:
    """The gRPC address of a running service."""
    return live_server.grpc_address
