"""Options of the gRPC channel, with a service config for retries, waiting and load balancing.

The protocol's descriptors state which calls may be retried. Deadlines are set per call, because
grpc shortens those of a service config by up to a second (grpc/grpc#34547).
"""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

import grpc
from google.protobuf.descriptor import ServiceDescriptor
from google.protobuf.descriptor_pb2 import MethodOptions
from tablier.v1 import advisor_service_pb2, game_service_pb2

SERVICES: tuple[ServiceDescriptor, ...] = (
    game_service_pb2.DESCRIPTOR.services_by_name["GameService"],
    advisor_service_pb2.DESCRIPTOR.services_by_name["AdvisorService"],
)

# Enough for a replay of the longest game with the state after every move.
MAX_ANSWER_BYTES = 64 * 1024 * 1024

# A gRPC server that is stopping answers CANCELLED to calls that it has not started. Calls that the
# caller cancels are never retried.
RETRY_CODES = ["UNAVAILABLE", "CANCELLED"]
RETRY_TRIES = 4
# All attempts happen within about a second; grpc adds jitter.
RETRY_POLICY = {
    "maxAttempts": RETRY_TRIES,
    "initialBackoff": "0.1s",
    "maxBackoff": "1s",
    "backoffMultiplier": 2,
    "retryableStatusCodes": RETRY_CODES,
}
# Stop retrying when more than about one call in eleven fails, to relieve a struggling server.
RETRY_THROTTLING = {"maxTokens": 100, "tokenRatio": 0.1}


@dataclass(frozen=True)
class Connection:
    """The settings that both clients need to open a channel and make calls."""

    address: str
    credentials: grpc.ChannelCredentials | None  # None: plain text
    options: Sequence[tuple[str, str | int]]
    metadata: Sequence[tuple[str, str]]


def connection(
    address: str,
    *,
    credentials: grpc.ChannelCredentials | None,
    insecure: bool,
    metadata: Sequence[tuple[str, str]],
    wait_for_ready: bool,
) -> Connection:
    """Return the settings of a channel; uses TLS for all but loopback addresses by default."""
    if credentials is not None and insecure:
        raise ValueError("pass credentials or insecure=True, not both")
    if credentials is None and not insecure and not is_loopback(address):
        credentials = grpc.ssl_channel_credentials()
    config = service_config(SERVICES, wait_for_ready=wait_for_ready)
    options: list[tuple[str, str | int]] = [
        ("grpc.service_config", json.dumps(config)),
        # A service config from DNS must not replace this one.
        ("grpc.service_config_disable_resolution", 1),
        ("grpc.max_receive_message_length", MAX_ANSWER_BYTES),
        # Calls fail while a channel waits to reconnect, so its first wait must be no longer than
        # that before the first retry. A restarted worker is back by then.
        ("grpc.initial_reconnect_backoff_ms", 100),
    ]
    return Connection(address, credentials, options, tuple(metadata))


def service_config(
    services: Sequence[ServiceDescriptor], *, wait_for_ready: bool
) -> dict[str, object]:
    """Return the gRPC service config: one policy for all calls, with retries if idempotent."""
    terms = {"waitForReady": wait_for_ready}
    idempotent = [
        {"service": service.full_name, "method": method.name}
        for service in services
        for method in service.methods
        if method.GetOptions().idempotency_level != MethodOptions.IDEMPOTENCY_UNKNOWN
    ]
    return {
        "loadBalancingConfig": [{"round_robin": {}}],
        "methodConfig": [
            {"name": [{"service": service.full_name} for service in services], **terms},
            {"name": idempotent, **terms, "retryPolicy": RETRY_POLICY},
        ],
        "retryThrottling": RETRY_THROTTLING,
    }


def is_loopback(address: str) -> bool:
    """Whether all addresses of a gRPC target are on this machine."""
    scheme, _, rest = address.rpartition("://")
    if scheme == "unix" or address.startswith(("unix:", "unix-abstract:")):
        return True
    # `dns:///host:port` and `dns://server/host:port`, or `ipv4:a:1,b:2`, or plain `host:port`.
    endpoint = rest.partition("/")[2] if scheme else re.sub(r"^(dns|ipv4|ipv6):", "", rest)
    return all(_is_loopback_host(_host(part)) for part in endpoint.split(","))


def _host(endpoint: str) -> str:
    """Return the host of `host:port`, `[v6]:port`, `host` or a bare IPv6 address."""
    if endpoint.startswith("["):
        return endpoint[1:].partition("]")[0]
    return endpoint.partition(":")[0] if endpoint.count(":") == 1 else endpoint


def _is_loopback_host(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
