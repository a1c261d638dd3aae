"""Two services, and what is between them and their callers."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from campaigns import proxies
from campaigns.attacks.arena import open_log
from campaigns.attacks.processes import service_processes
from campaigns.faults.load import Reach
from tests.certificates import Authority
from tests.live_server import ROOT, LiveServer, start_server, wait_until

# Where the configurations in deploy/proxies expect them.
GRPC_PORTS, HTTP_PORTS = (50051, 50052), (8081, 8082)
WATCHDOG_SECONDS = 5
# Longer than health checks need to notice.
DRAIN_DELAY_SECONDS = 2
RELOAD_SECONDS = 0.5
# The state of a connection in /proc/net/tcp.
ESTABLISHED = "01"
# Longer than a service may take to stop.
STOP_SECONDS = 45


@dataclass(frozen=True)
class Setup:
    """How the services of a row run. `make` adds settings that need files in a folder."""

    make: Callable[[Path], dict[str, str]] = lambda _: {}
    # Other environment variables.
    variables: Callable[[Path], dict[str, str]] = lambda _: {}
    # The seal keys that open all tokens, if there are any.
    keys: str = ""
    tls: bool = False
    # What becomes of the log: it is kept, or nobody reads it.
    log: str = "kept"


class Service:
    """One of the services, which can be stopped and started again."""

    def __init__(self, log: Path, variables: dict[str, str]) -> None:
        self._log = log
        self._variables = variables
        self.server: LiveServer | None = None

    def start(self) -> None:
        """Start it, and wait until it serves."""
        self.server = start_server(self._log, **self._variables)

    @property
    def process(self) -> int:
        """The supervisor."""
        assert self.server is not None
        return self.server.process.pid

    @property
    def workers(self) -> set[int]:
        """Its worker processes."""
        return service_processes(self.process) - {self.process}

    def busiest(self) -> int:
        """The worker with the most connections of callers."""
        sockets = accepted_sockets()
        return max(self.workers, key=lambda worker: len(sockets & open_files(worker)))

    def stop(self) -> int:
        """Ask it to stop and wait for that; returns its exit code."""
        assert self.server is not None
        code = self.server.stop()
        self.server.close()
        return code

    def wait_for_workers(self, gone: set[int]) -> None:
        """Wait until the two workers of the service serve again, and those are gone."""
        wait_until(
            lambda: len(self.workers) == 2 and not self.workers & gone, "the worker is replaced"
        )

    def end(self) -> None:
        """Kill whatever is left of it."""
        if self.server is None:
            return
        processes = service_processes(self.process)
        if self.server.process.poll() is None:
            self.server.signal_stop()
            with suppress(subprocess.TimeoutExpired):
                self.server.process.wait(STOP_SECONDS)
        for process in processes:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        self.server.process.wait()
        self.server.close()


@dataclass
class Ground:
    """The services of a row, how callers reach them, and files that operators change."""

    folder: Path
    services: list[Service]
    reach: Reach
    authority: Authority | None = None
    proxy: str = ""
    _proxy: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    def start_proxy(self) -> None:
        """Start the proxy, if there is one."""
        if self.proxy:
            self._proxy = subprocess.Popen(
                proxies.command(self.proxy), cwd=ROOT, stderr=subprocess.DEVNULL
            )

    def end_proxy(self) -> None:
        """End the proxy, as a service manager does."""
        if self._proxy is not None:
            self._proxy.terminate()
            self._proxy.wait(timeout=STOP_SECONDS)


@contextmanager
def ground(setup: Setup, folder: Path, proxy: str) -> Iterator[Ground]:
    """Run two services, behind a proxy if it is named."""
    with ExitStack() as stack:
        settings = {
            "workers": "2",
            "watchdog_seconds": str(WATCHDOG_SECONDS),
            "drain_delay_seconds": str(DRAIN_DELAY_SECONDS),
            "reload_seconds": str(RELOAD_SECONDS),
            **setup.make(folder),
        }
        reach = Reach("ipv4:" + ",".join(f"127.0.0.1:{port}" for port in GRPC_PORTS))
        authority = None
        if setup.tls:
            authority = Authority(folder)
            install_certificate(authority, folder)
            settings |= {
                "tls_cert_file": str(folder / "service.pem"),
                "tls_key_file": str(folder / "service.key"),
            }
            # gRPC cannot verify the names of certificates behind a list of addresses.
            reach = Reach(f"127.0.0.1:{GRPC_PORTS[0]}", authority=authority.file)
        if proxy:
            reach = Reach("127.0.0.1:50050", "http://127.0.0.1:8000")
        variables = {f"TABLIER_{name.upper()}": value for name, value in settings.items()}
        services = []
        for number, (grpc_port, http_port) in enumerate(zip(GRPC_PORTS, HTTP_PORTS, strict=True)):
            place = folder / str(number)
            place.mkdir()
            log, _ = open_log(stack, place, setup.log)
            service = Service(
                log,
                {
                    **variables,
                    **setup.variables(folder),
                    "TABLIER_GRPC_PORT": str(grpc_port),
                    "TABLIER_HTTP_PORT": str(http_port),
                },
            )
            stack.callback(service.end)
            service.start()
            services.append(service)
        found = Ground(folder, services, reach, authority, proxy)
        stack.callback(found.end_proxy)
        found.start_proxy()
        yield found


def accepted_sockets() -> set[str]:
    """The connections that services have accepted, by their names in /proc."""
    ports = {*GRPC_PORTS, *HTTP_PORTS}
    found = set()
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if int(fields[1].rpartition(":")[2], 16) in ports and fields[3] == ESTABLISHED:
            found.add(f"socket:[{fields[9]}]")
    return found


def open_files(process: int) -> set[str]:
    """The open files of a process, by their names in /proc."""
    found = set()
    with suppress(OSError):
        for entry in Path(f"/proc/{process}/fd").iterdir():
            with suppress(OSError):
                found.add(str(entry.readlink()))
    return found


def install_certificate(authority: Authority, folder: Path) -> None:
    """Sign a new certificate for the services; the key is replaced first."""
    chain, key = authority.sign("renewed")
    key.rename(folder / "service.key")
    chain.rename(folder / "service.pem")
