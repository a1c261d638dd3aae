"""Each proxy of deploy/proxies in front of two services, one of which is stopped under load.

`python -m campaigns.proxies` checks every configuration with its proxy, then runs it, makes calls
through both doors, stops one of the services half-way and counts the calls that were lost.
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
# Before a service is told to stop, and again after it has stopped.
CALLS = 1000
IN_FLIGHT = 8
# Of all calls. nginx asks nobody's health, so a gRPC call can reach a service that is just closing.
MOST_LOST = 0.001
STATE = codec.encode(GAMES["contigo-alignment"].start({"first": 0}, 1))
# How each is started, and what makes it check its configuration only.
PROXIES = {
    "envoy": (["envoy", "-c", "{}", "--log-level", "error"], ["--mode", "validate"]),
    "haproxy": (["haproxy", "-q", "-f", "{}"], ["-c"]),
    "nginx": (["nginx", "-p", ".", "-g", "daemon off;", "-c", "{}"], ["-t", "-q"]),
}
FILES = {"envoy": "envoy.yaml", "haproxy": "haproxy.cfg", "nginx": "nginx.conf"}


def command(name: str, *more: str) -> list[str]:
    """The command line of a proxy, with its program where this Python's are, or on the path."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"], "/usr/sbin"))
    arguments = [part.format(FOLDER / FILES[name]) for part in PROXIES[name][0]]
    program = shutil.which(arguments[0], path=path)
    if program is None:
        raise SystemExit(f"{name} is not installed: apt-get install haproxy nginx-light")
    return [program, *arguments[1:], *more]


async def load(
    call: Callable[[], Awaitable[object]], service: subprocess.Popen[str]
) -> tuple[int, int]:
    """Make calls, stop a service meanwhile, and go on; how many there were, and how many failed."""
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


async def through(door: str, service: subprocess.Popen[str]) -> tuple[int, int]:
    """Calls through a proxy to one of the doors: how many, and how many were lost."""
    if door == "gRPC":
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
    """Wait until the proxy has found its services."""
    for _ in range(200):
        try:
            await call()
        except (grpc.RpcError, httpx.HTTPError, AssertionError):
            await asyncio.sleep(0.1)
        else:
            return
    raise TimeoutError("the proxy serves nothing")


def run(name: str, door: str) -> tuple[int, int]:
    """Start everything and run the load: how many calls there were, and how many were lost."""
    services = [
        start_server(
            TABLIER_GRPC_PORT=str(50050 + number),
            TABLIER_REST_PORT=str(8080 + number),
            # Longer than the health checks need to notice.
            TABLIER_LEAVE_SECONDS="2",
            TABLIER_LOG_LEVEL="error",
        )
        for number in (1, 2)
    ]
    proxy = subprocess.Popen(command(name), cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        return asyncio.run(through(door, services[0].process))
    finally:
        proxy.terminate()
        proxy.wait(timeout=20)
        for service in services:
            if service.process.poll() is None:
                service.stop()
            service.close()


def main() -> int:
    """Check and run them all; 1 if a configuration is wrong or too many calls are lost."""
    table = Table("proxy", "door", "calls", "lost at SIGTERM of one of two services")
    worst = 0.0
    for name in PROXIES:
        subprocess.run(command(name, *PROXIES[name][1]), cwd=ROOT, check=True)
        for door in ("gRPC", "REST"):
            calls, lost = run(name, door)
            worst = max(worst, lost / calls)
            table.add_row(name, door, f"{calls:,}", str(lost))
    Console().print(table)
    return 1 if worst > MOST_LOST else 0


if __name__ == "__main__":
    sys.exit(main())
