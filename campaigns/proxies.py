"""A service behind a proxy can stop without losing calls: `make proxies`.

For each configuration in deploy/proxies, the proxy validates it and then runs in front of two
services. Calls go through the proxy over gRPC and REST, one of the services is stopped half-way,
and the failed calls are counted.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import grpc
import httpx
from rich.console import Console
from rich.table import Table
from tablier.v1 import game_service_pb2 as pb
from tablier_core import codec
from tablier_core.registry import GAMES

from tests.live_server import ROOT, start_server

FOLDER = ROOT / "deploy" / "proxies"
# Calls before one service receives SIGTERM, and again after it has stopped.
CALLS = 1000
IN_FLIGHT = 8
# Share of all calls. nginx does not check health, so a gRPC call can reach a service that is just
# closing.
MOST_LOST = 0.001
STATE = codec.encode(GAMES["contigo-alignment"].start({"first": 0}, 1))
# The command that starts each proxy, and the flags that make it only validate its configuration.
PROXIES = {
    "envoy": (["envoy", "-c", "{}", "--log-level", "error"], ["--mode", "validate"]),
    "haproxy": (["haproxy", "-q", "-f", "{}"], ["-c"]),
    "nginx": (["nginx", "-p", ".", "-g", "daemon off;", "-c", "{}"], ["-t", "-q"]),
}
FILES = {"envoy": "envoy.yaml", "haproxy": "haproxy.cfg", "nginx": "nginx.conf"}


def command(name: str, *more: str) -> list[str]:
    """Return a proxy's command line; its program is next to this Python or on the path."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"], "/usr/sbin"))
    arguments = [part.format(FOLDER / FILES[name]) for part in PROXIES[name][0]]
    program = shutil.which(arguments[0], path=path)
    if program is None:
        raise SystemExit(f"{name} is not installed: apt-get install haproxy nginx-light")
    return [program, *arguments[1:], *more]


async def load(
    call: Callable[[], Awaitable[object]], service: subprocess.Popen[str]
) -> tuple[int, int]:
    """Make calls and stop a service half-way; returns how many were made and how many failed."""
    made = failed = 0
    wanted = 2 * CALLS

    async def caller() -> None:
        nonlocal made, failed, wanted
        while made < wanted:
            made += 1
            if made == CALLS:
                service.send_signal(signal.SIGTERM)
            if service.poll() is None:
                wanted = made + CALLS
            try:
                await call()
            except (grpc.RpcError, httpx.HTTPError, AssertionError):
                failed += 1

    await asyncio.gather(*(caller() for _ in range(IN_FLIGHT)))
    return made, failed


async def load_through(transport: str, service: subprocess.Popen[str]) -> tuple[int, int]:
    """Load the proxy over one transport; returns how many calls were made and how many failed."""
    if transport == "gRPC":
        async with grpc.aio.insecure_channel(
            "127.0.0.1:50050", options=[("grpc.enable_retries", 0)]
        ) as channel:
            await asyncio.wait_for(channel.channel_ready(), 20)
            asked = pb.EnumerateMovesRequest(state=STATE).SerializeToString()
            method = channel.unary_unary("/tablier.v1.GameService/EnumerateMoves", None, None)
            await until_served(lambda: method(asked))
            return await load(lambda: method(asked), service)
    async with httpx.AsyncClient(base_url="http://127.0.0.1:8000", timeout=20) as client:

        async def get() -> None:
            response = await client.get("/v1/games/contract")
            assert response.status_code == 200

        await until_served(get)
        assert (await client.get("/metrics")).status_code == 404
        return await load(get, service)


async def until_served(call: Callable[[], Awaitable[object]]) -> None:
    """Wait until the proxy forwards calls to a service."""
    for _ in range(200):
        try:
            await call()
        except (grpc.RpcError, httpx.HTTPError, AssertionError):
            await asyncio.sleep(0.1)
        else:
            return
    raise TimeoutError("the proxy forwards no calls")


def run(name: str, transport: str) -> tuple[int, int]:
    """Start the services and the proxy and load them; returns the numbers of calls and failures."""
    services = [
        start_server(
            TABLIER_GRPC_PORT=str(50050 + number),
            TABLIER_HTTP_PORT=str(8080 + number),
            # Longer than the proxy's health checks need to notice.
            TABLIER_DRAIN_DELAY_SECONDS="2",
            TABLIER_LOG_LEVEL="error",
        )
        for number in (1, 2)
    ]
    proxy = subprocess.Popen(command(name), cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        return asyncio.run(load_through(transport, services[0].process))
    finally:
        proxy.terminate()
        proxy.wait(timeout=20)
        for service in services:
            if service.process.poll() is None:
                service.stop()
            service.close()


def main() -> int:
    """Check all proxies; returns 1 if too many calls fail."""
    table = Table("proxy", "transport", "calls", "lost when one of two services stops")
    worst = 0.0
    for name in PROXIES:
        subprocess.run(command(name, *PROXIES[name][1]), cwd=ROOT, check=True)
        for transport in ("gRPC", "REST"):
            calls, lost = run(name, transport)
            worst = max(worst, lost / calls)
            table.add_row(name, transport, f"{calls:,}", str(lost))
    Console().print(table)
    return 1 if worst > MOST_LOST else 0


if __name__ == "__main__":
    sys.exit(main())
