"""A server process for the tests of the clients."""

import pytest

from tests.live_server import LiveServer


@pytest.fixture(scope="session", params=["grpc", "connect"])
def address(live_server: LiveServer, request: pytest.FixtureRequest) -> str:
    """The address of a running service, for gRPC and for Connect."""
    return live_server.grpc_address if request.param == "grpc" else live_server.rest_url
