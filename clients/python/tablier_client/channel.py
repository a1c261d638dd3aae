"""Connections: the arguments and the environment of clients, the gRPC channel, and its failures.

Deadlines are set per call, because grpc shortens those of a service config by up to a second
(grpc/grpc#34547).
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import os
import re
import ssl
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import grpc
from google.protobuf.descriptor import ServiceDescriptor
from tablier.v1 import advisor_service_pb2, game_service_pb2

from tablier_client.connect import Place, is_url, read_url
from tablier_client.diagnosis import diagnose
from tablier_client.errors import (
    Closed,
    DeadlineExceeded,
    TablierError,
    Unavailable,
    UnknownRoute,
    from_call,
)
from tablier_client.fields import invalid
from tablier_client.retries import UNANSWERED, Budget

# The port that gRPC uses for addresses without one.
GRPC_PORT = 443
# Where `tablier serve` listens by default.
DEFAULT_ADDRESS = "127.0.0.1:50051"

SERVICES: tuple[ServiceDescriptor, ...] = (
    game_service_pb2.DESCRIPTOR.services_by_name["GameService"],
    advisor_service_pb2.DESCRIPTOR.services_by_name["AdvisorService"],
)

# About 30 years. gRPC counts nanoseconds in 64 bits, and a longer call would fail at once.
MAX_TIMEOUT_SECONDS = 1e9

# Longer than the service takes to restart.
DEFAULT_TIMEOUT_SECONDS = 20.0

# Enough for a replay of the longest game with the state after every move.
MAX_ANSWER_BYTES = 64 * 1024 * 1024

# Calls wait while a channel waits to reconnect. The first wait is no longer than the pause before
# the second attempt; the later ones let clients notice soon that a service is back.
RECONNECT_MS = 100, 1000


@dataclass
class Connection:
    """What both clients need to open a channel, to make calls and to explain failures."""

    address: str
    credentials: grpc.ChannelCredentials | None  # None: plain text
    options: Sequence[tuple[str, str | int]]
    metadata: Sequence[tuple[str, str | bytes]] = field(repr=False)  # may contain an API key
    # Trusts the same certificates as the credentials; None if that is not known.
    verify: Callable[[], ssl.SSLContext] | None
    # Where it listens for Connect, and how it is trusted; None: gRPC.
    place: Place | None = None
    tls: ssl.SSLContext | None = field(default=None, repr=False)
    wait_for_ready: bool = False
    closed: bool = False
    reached: bool = False  # whether a service has answered
    budget: Budget = field(default_factory=Budget, repr=False)

    def __str__(self) -> str:
        form = "plain text" if self.credentials is None and self.tls is None else "TLS"
        return f"{self.address}, {'closed' if self.closed else form}"

    def answered(self) -> None:
        """Note that the service has answered."""
        self.reached = True
        self.budget.earn()

    def failure(self, error: Exception) -> TablierError:
        """Convert an error of a call."""
        if isinstance(error, TablierError):
            self.reached = self.reached or bool(error.reason)
            return error
        if not isinstance(error, grpc.RpcError):
            if self.closed:
                return Closed("the client is closed", code=grpc.StatusCode.CANCELLED)
            return TablierError(f"{type(error).__name__}: {error}", code=grpc.StatusCode.UNKNOWN)
        failure = from_call(error)
        if self.closed and failure.code in UNANSWERED:
            # Without `close`, the call would have been sent again.
            return Closed("the client is closed", code=grpc.StatusCode.CANCELLED)
        if isinstance(failure, UnknownRoute):
            found = f"the server at {self.address} is not Tablier, or an older version of it"
            return self._explained(failure, found)
        self.reached = self.reached or bool(failure.reason)
        return failure

    def explain(self, error: Exception) -> TablierError:
        """Convert an error of a call; if no service was ever reached, connect to find out why."""
        failure = self.failure(error)
        return self._diagnose(failure) if self._is_puzzling(failure) else failure

    async def explain_async(self, error: Exception) -> TablierError:
        """Convert like `explain`, without blocking the event loop."""
        failure = self.failure(error)
        if not self._is_puzzling(failure):
            return failure
        return await asyncio.to_thread(self._diagnose, failure)

    def _is_puzzling(self, failure: TablierError) -> bool:
        # Once a service was reached, the address and the credentials are right, and a server in
        # trouble must not get even more connections.
        # Failures of Connect say what was wrong.
        if self.place is not None or self.reached:
            return False
        return isinstance(failure, Unavailable | DeadlineExceeded)

    def _diagnose(self, failure: TablierError) -> TablierError:
        for host, port in endpoints(self.address):
            if found := diagnose(host, port, tls=self.credentials is not None, verify=self.verify):
                return self._explained(failure, found)
        return failure

    def _explained(self, failure: TablierError, message: str) -> TablierError:
        """Replace the message of a failure, and keep that of gRPC as a note in tracebacks."""
        explained = type(failure)(message, code=failure.code)
        explained.add_note(f"gRPC: {failure.message}")
        return explained


def connection(
    address: str | None,
    *,
    api_key: str | None,
    ca_file: str | os.PathLike[str] | None,
    credentials: grpc.ChannelCredentials | None,
    insecure: bool,
    metadata: Sequence[tuple[str, str | bytes]],
    wait_for_ready: bool,
) -> Connection:
    """Check the arguments of a client; uses TLS for all but loopback addresses by default."""
    source = "address"
    if address is None:
        address, source = os.environ.get("TABLIER_ADDRESS") or DEFAULT_ADDRESS, "TABLIER_ADDRESS"
    check_address(address, source)
    for name, flag in (("insecure", insecure), ("wait_for_ready", wait_for_ready)):
        if not isinstance(flag, bool):
            raise invalid(name, f"{flag!r} is neither True nor False")
    if (ca_file is not None) + (credentials is not None) + insecure > 1:
        raise invalid("credentials", "pass only one of ca_file, credentials and insecure=True")
    if credentials is not None and not isinstance(credentials, grpc.ChannelCredentials):
        raise invalid("credentials", f"{credentials!r} is not a grpc.ChannelCredentials")
    place = read_url(address, source) if is_url(address) else None
    verify: Callable[[], ssl.SSLContext] | None = None
    tls: ssl.SSLContext | None = None
    if ca_file is not None:
        authorities, verify = read_authorities(ca_file)
        if place is None:
            credentials = grpc.ssl_channel_credentials(authorities)
    elif place is None and credentials is None and not insecure and not is_loopback(address):
        verify = ssl.create_default_context
        credentials = grpc.ssl_channel_credentials()
    if place is not None:
        tls = tls_of(place, source, credentials, verify, insecure=insecure)
    config = service_config(SERVICES, wait_for_ready=wait_for_ready)
    options: list[tuple[str, str | int]] = [
        ("grpc.service_config", json.dumps(config)),
        # A service config from DNS must not replace this one.
        ("grpc.service_config_disable_resolution", 1),
        ("grpc.max_receive_message_length", MAX_ANSWER_BYTES),
        ("grpc.initial_reconnect_backoff_ms", RECONNECT_MS[0]),
        ("grpc.max_reconnect_backoff_ms", RECONNECT_MS[1]),
    ]
    sent = all_metadata(metadata, api_key)
    return Connection(
        address, credentials, options, sent, verify, place, tls, wait_for_ready=wait_for_ready
    )


def tls_of(
    place: Place,
    source: str,
    credentials: grpc.ChannelCredentials | None,
    verify: Callable[[], ssl.SSLContext] | None,
    *,
    insecure: bool,
) -> ssl.SSLContext | None:
    """How a client over Connect trusts its server; None for plain text. Raises InvalidField."""
    if credentials is not None:
        raise invalid("credentials", "these are for gRPC; pass ca_file for an https:// address")
    if place.scheme == "https":
        if insecure:
            raise invalid("insecure", "an https:// address is never plain text")
        return (verify or ssl.create_default_context)()
    if verify is not None:
        raise invalid("ca_file", "an http:// address is plain text: use https://")
    if not insecure and not _is_loopback_host(place.host):
        raise invalid(
            source,
            "http:// is plain text: use https://, or pass insecure=True if you trust the network",
        )
    return None


def check_address(address: str, source: str) -> None:
    """Raise InvalidField unless gRPC understands the address as it is meant.

    `source` is the argument or the environment variable that it comes from.
    """
    if not isinstance(address, str) or not address or not address.isprintable():
        raise invalid(source, f"{address!r} is not an address such as {DEFAULT_ADDRESS!r}")
    if is_url(address):
        read_url(address, source)
        return
    for _, port in endpoints(address):
        # gRPC would use the lowest 16 bits of the number.
        if not 0 < port < 2**16:
            raise invalid(source, f"{port} is not a port")


def read_authorities(path: str | os.PathLike[str]) -> tuple[bytes, Callable[[], ssl.SSLContext]]:
    """Read a PEM file of certificate authorities, also as a context that trusts only them.

    Raises InvalidField.
    """
    try:
        # gRPC reports a file without certificates only in its log.
        context = ssl.create_default_context(cafile=path)
        return Path(path).read_bytes(), lambda: context
    except (OSError, TypeError, ValueError) as error:
        raise invalid("ca_file", f"{str(path)!r} cannot be used: {error}") from None


def all_metadata(
    metadata: Sequence[tuple[str, str | bytes]], api_key: str | None
) -> Sequence[tuple[str, str | bytes]]:
    """Return the metadata of every call, with the API key of the arguments or the environment."""
    given = check_metadata(metadata)
    authorized = any(key == "authorization" for key, _ in given)
    if authorized and api_key is not None:
        raise invalid("api_key", "metadata has an authorization already")
    source = "api_key"
    if api_key is None and not authorized:
        source = "TABLIER_API_KEY"
        api_key = os.environ.get(source) or None
    if api_key is None:
        return given
    # Errors must not show the key.
    if not isinstance(api_key, str) or not re.fullmatch(r"[!-~]+", api_key):
        raise invalid(source, "an API key consists of printable ASCII characters without spaces")
    return (*given, ("authorization", f"Bearer {api_key}"))


def check_metadata(
    metadata: Sequence[tuple[str, str | bytes]],
) -> tuple[tuple[str, str | bytes], ...]:
    """Return the pairs of metadata; raises InvalidField if gRPC would not send them."""
    try:
        pairs = tuple((key, value) for key, value in metadata)
        for key, value in pairs:
            if not re.fullmatch(r"[a-z0-9_.-]+", key):
                raise invalid("metadata", f"{key!r} is not a key: use lower-case letters")
            if key.endswith("-bin"):
                if not isinstance(value, bytes):
                    raise invalid("metadata", f"the value of {key!r} is not bytes")
            elif not isinstance(value, str) or not re.fullmatch(r"[ -~]*", value):
                raise invalid("metadata", f"the value of {key!r} is not printable ASCII")
    except (TypeError, ValueError):
        raise invalid("metadata", "pass a list of pairs of strings") from None
    return pairs


def seconds(timeout: float) -> float:
    """Return a timeout; raises InvalidField if it is not a number of seconds."""
    if not isinstance(timeout, int | float) or not abs(timeout) <= MAX_TIMEOUT_SECONDS:
        raise invalid("timeout", f"{timeout!r} is not a number of seconds")
    return timeout


def service_config(
    services: Sequence[ServiceDescriptor], *, wait_for_ready: bool
) -> dict[str, object]:
    """Return the gRPC service config: one policy for all calls, without retries of gRPC's own."""
    names = [{"service": service.full_name} for service in services]
    return {
        "loadBalancingConfig": [{"round_robin": {}}],
        "methodConfig": [{"name": names, "waitForReady": wait_for_ready}],
    }


def is_loopback(address: str) -> bool:
    """Whether all addresses of a gRPC target are on this machine."""
    if address.startswith(("unix:", "unix-abstract:")):
        return True
    return all(_is_loopback_host(host) for host, _ in endpoints(address))


def endpoints(address: str) -> list[tuple[str, int]]:
    """Return the hosts and ports of a gRPC target; none for a socket in the file system."""
    if address.startswith(("unix:", "unix-abstract:")):
        return []
    scheme, _, rest = address.rpartition("://")
    # `dns:///host:port` and `dns://server/host:port`, or `ipv4:a:1,b:2`, or plain `host:port`.
    names = rest.partition("/")[2] if scheme else re.sub(r"^(dns|ipv4|ipv6):", "", rest)
    return [_endpoint(name) for name in names.split(",")]


def _endpoint(name: str) -> tuple[str, int]:
    """Return host and port of `host:port`, `[v6]:port`, `host` or a bare IPv6 address."""
    if match := re.fullmatch(r"\[(.*)\](?::(\d+))?|([^:]*):(\d+)", name):
        v6, v6_port, host, port = match.groups()
        return v6 or host, int(v6_port or port or GRPC_PORT)
    return name, GRPC_PORT


def _is_loopback_host(host: str) -> bool:
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
