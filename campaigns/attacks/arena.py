"""Services to attack, in processes on a core of their own, with the settings of a row."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from urllib.request import urlopen

import grpc

from campaigns import proxies
from campaigns.attacks.load import CALLERS, Client
from campaigns.attacks.processes import CLIENTS, SERVICES, on_core, service_processes
from campaigns.attacks.stage import Target
from tests.certificates import Authority
from tests.live_server import ROOT, LiveServer, start_server, wait_until

ATTACKER_KEY = "key-of-the-attacker"
KEYS = tuple(f"key-of-caller-{number}" for number in range(CALLERS))
# Longer than any service may take to stop.
STOP_SECONDS = 45


@dataclass
class Arena:
    """Services under attack, how legitimate callers reach them, and what an attacker knows."""

    client: Client
    target: Target
    services: list[int]
    proxy: int | None = None


@dataclass(frozen=True)
class Setup:
    """How the service of a row runs. Settings that are not given have their defaults."""

    settings: dict[str, str] = field(default_factory=dict)
    # Whether callers need keys. The attacker has one if it is given a role.
    keys: bool = False
    attacker: str = ""
    # Whether everyone needs a certificate, and the attacker's authority will be removed.
    tls: bool = False
    # What becomes of the log: it is kept, or it cannot be written.
    log: str = "kept"
    # The proxy in front of two services.
    proxy: str = ""


def callers_file(folder: Path, attacker: str) -> Path:
    """A file with the legitimate callers, and with the attacker if it has a role."""

    def entry(name: str, role: str, key: str, quotas: str = "") -> str:
        return (
            f'[[callers]]\nname = "{name}"\nroles = ["{role}"]\n'
            f'key_sha256 = ["{sha256(key.encode()).hexdigest()}"]\n{quotas}\n'
        )

    entries = [entry(f"caller-{number}", "host", key) for number, key in enumerate(KEYS)]
    if attacker:
        role, _, quotas = attacker.partition("\n")
        entries.append(entry("attacker", role, ATTACKER_KEY, quotas))
    file = folder / "callers.toml"
    file.write_text("".join(entries))
    return file


def open_log(stack: ExitStack, folder: Path, kind: str) -> tuple[Path, Callable[[], None]]:
    """A log that is kept, or cannot be written (full, unread or closed), and what closes it."""
    if kind == "full":
        return Path("/dev/full"), nothing
    if kind == "kept":
        return folder / "log", nothing
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    # The service can open the pipe because there is a reader, which never reads.
    reader = ExitStack()
    reader.callback(os.close, os.open(pipe, os.O_RDONLY | os.O_NONBLOCK))
    stack.enter_context(reader)
    return pipe, reader.close if kind == "closed" else nothing


def nothing() -> None:
    """Leave the log as it is."""


@contextmanager
def arena(setup: Setup, folder: Path) -> Iterator[Arena]:
    """Run what a row needs; a service that does not stop is killed."""
    settings = dict(setup.settings)
    if setup.keys:
        settings["callers_file"] = str(callers_file(folder, setup.attacker))
    key = ATTACKER_KEY if setup.attacker else ""
    keys = KEYS if setup.keys else ()
    with ExitStack() as stack:
        log, close_log = open_log(stack, folder, setup.log)
        if setup.proxy:
            yield stack.enter_context(behind_proxy(setup.proxy, log))
            return
        client, target = Client("", "", keys), Target("", "", 0, key)
        if setup.tls:
            client, target = with_certificates(folder, client, target, settings)
        with on_core(SERVICES):
            server = stack.enter_context(started(log, **settings))
        close_log()
        process = server.process.pid
        grpc, rest = server.grpc_address, server.rest_url.rpartition("/")[2]
        target = target._replace(grpc=grpc, rest=rest, process=process)
        yield Arena(client._replace(grpc=grpc, rest=rest), target, [process])


def with_certificates(
    folder: Path, client: Client, target: Target, settings: dict[str, str]
) -> tuple[Client, Target]:
    """Add TLS with client certificates of two authorities, one of which will be removed."""
    kept, removed = Authority(folder, "kept"), Authority(folder, "removed")
    certificate, key = kept.sign("service")
    both = folder / "authorities.pem"
    both.write_bytes(kept.file.read_bytes() + removed.file.read_bytes())
    settings |= {
        "tls_cert_file": str(certificate),
        "tls_key_file": str(key),
        "tls_client_ca_file": str(both),
    }
    only = folder / "next.pem"
    only.write_bytes(kept.file.read_bytes())
    return (
        client._replace(authority=kept.file, certificate=kept.sign("lobby")),
        target._replace(
            authorities=both, next_authorities=only, certificate=removed.sign("attacker")
        ),
    )


@contextmanager
def started(log: Path, **settings: str) -> Iterator[LiveServer]:
    """A service that is stopped, or else killed with all its workers."""
    variables = {f"TABLIER_{name.upper()}": value for name, value in settings.items()}
    server = start_server(log, **variables)
    try:
        yield server
    finally:
        # A worker that hangs never ends by itself.
        workers = service_processes(server.process.pid)
        if server.process.poll() is None:
            server.signal_stop()
            with suppress(subprocess.TimeoutExpired):
                server.process.wait(STOP_SECONDS)
        for process in workers:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        server.process.wait()
        server.close()


def serves(target: Target) -> bool:
    """Whether a proxy forwards calls: enough of them to reach both services, on both transports."""
    try:
        with grpc.insecure_channel(target.grpc) as channel:
            check = channel.unary_unary("/grpc.health.v1.Health/Check", None, None)
            for _ in range(8):
                check(b"", timeout=5)
                with urlopen(f"http://{target.rest}/readyz", timeout=5):
                    pass
    except (grpc.RpcError, OSError):
        return False
    return True


@contextmanager
def behind_proxy(name: str, log: Path) -> Iterator[Arena]:
    """Two services behind a proxy with the configuration in deploy/proxies."""
    with ExitStack() as stack:
        stack.enter_context(on_core(SERVICES))
        servers = [
            stack.enter_context(
                started(log, grpc_port=str(50050 + number), http_port=str(8080 + number))
            )
            for number in (1, 2)
        ]
        proxy = subprocess.Popen(proxies.command(name), cwd=ROOT, stderr=subprocess.DEVNULL)
        stack.callback(proxy.wait)
        stack.callback(proxy.terminate)
        with on_core(CLIENTS):
            services = [server.process.pid for server in servers]
            target = Target("127.0.0.1:50050", "127.0.0.1:8000", services[0])
            # It learns from health checks which services there are.
            wait_until(partial(serves, target), f"{name} reaches the services")
            yield Arena(Client(target.grpc, target.rest), target, services, proxy.pid)
