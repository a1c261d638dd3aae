"""What a call costs a client, with various HTTP libraries: `python -m bench.http_clients`.

Only those that are installed are measured; `pip install aiohttp niquests` adds two. docs/adr/0025
chose by these figures.
"""

from __future__ import annotations

import asyncio
import http.client
import importlib
import socket
import time
from collections.abc import Awaitable, Callable
from typing import Any

import grpc
from grpc import aio
from rich.console import Console
from rich.table import Table
from tablier_client import AsyncClient, Client

from bench.record import machine
from bench.served import Served, served
from bench.transports import SERVICE, middle_of, playing

CALLS = 1000
ROUNDS = 4
REQUEST = playing(middle_of("contigo-alignment"))
DATA = REQUEST.SerializeToString()
PATH = SERVICE + "ApplyMoves"
HEADERS = {"content-type": "application/proto", "connect-protocol-version": "1"}

# Makes one call.
Ask = Callable[[], Any]


def bare_socket(service: Served) -> Ask:
    """No library at all."""
    host, port = service.rest.removeprefix("http://").split(":")
    connection = socket.create_connection((host, int(port)))
    lines = [f"POST {PATH} HTTP/1.1", f"host: {host}", f"content-length: {len(DATA)}"]
    lines += [f"{name}: {value}" for name, value in HEADERS.items()]
    request = "\r\n".join(lines).encode() + b"\r\n\r\n" + DATA

    def ask() -> None:
        connection.sendall(request)
        assert connection.recv(65536).startswith(b"HTTP/1.1 200")

    return ask


def standard_library(service: Served) -> Ask:
    """The module http.client."""
    connection = http.client.HTTPConnection(service.rest.removeprefix("http://"))

    def ask() -> None:
        connection.request("POST", PATH, DATA, HEADERS)
        assert connection.getresponse().read()

    return ask


def urllib3(service: Served) -> Ask:
    """The library urllib3."""
    pool = importlib.import_module("urllib3").PoolManager()
    return lambda: pool.request("POST", service.rest + PATH, body=DATA, headers=HEADERS).data


def pyqwest(service: Served) -> Ask:
    """The library pyqwest."""
    client = importlib.import_module("pyqwest").SyncClient()
    return lambda: client.post(service.rest + PATH, content=DATA, headers=HEADERS).content


def httpx(service: Served) -> Ask:
    """The library httpx."""
    client = importlib.import_module("httpx").Client()
    return lambda: client.post(service.rest + PATH, content=DATA, headers=HEADERS).content


def requests(service: Served) -> Ask:
    """The library requests."""
    session = importlib.import_module("requests").Session()
    return lambda: session.post(service.rest + PATH, data=DATA, headers=HEADERS).content


def niquests(service: Served) -> Ask:
    """The library niquests."""
    session = importlib.import_module("niquests").Session()
    return lambda: session.post(service.rest + PATH, data=DATA, headers=HEADERS).content


def over_grpc(service: Served) -> Ask:
    """The library grpc, for comparison."""
    call = grpc.insecure_channel(service.grpc).unary_unary(PATH, None, None)
    return lambda: call(DATA, timeout=20)


def ours(service: Served) -> Ask:
    """The channel of tablier_client, with messages."""
    methods = Client(service.rest)._methods
    return lambda: methods["ApplyMoves"](REQUEST, timeout=20)


async def aiohttp(service: Served) -> Ask:
    """The library aiohttp."""
    session = importlib.import_module("aiohttp").ClientSession()

    async def ask() -> None:
        async with session.post(service.rest + PATH, data=DATA, headers=HEADERS) as response:
            assert await response.read()

    return ask


async def httpx_async(service: Served) -> Ask:
    """The library httpx."""
    client = importlib.import_module("httpx").AsyncClient()
    return lambda: client.post(service.rest + PATH, content=DATA, headers=HEADERS)


async def over_grpc_async(service: Served) -> Ask:
    """The library grpc, for comparison."""
    call: Any = aio.insecure_channel(service.grpc).unary_unary(PATH, None, None)
    return lambda: call(DATA, timeout=20)


async def ours_async(service: Served) -> Ask:
    """The channel of tablier_client, with messages."""
    methods = AsyncClient(service.rest)._methods
    return lambda: methods["ApplyMoves"](REQUEST, timeout=20)


SYNCHRONOUS = {
    "bare socket": bare_socket,
    "tablier_client": ours,
    "http.client": standard_library,
    "pyqwest": pyqwest,
    "grpc": over_grpc,
    "urllib3": urllib3,
    "httpx": httpx,
    "requests": requests,
    "niquests": niquests,
}
ASYNCHRONOUS: dict[str, Callable[[Served], Awaitable[Ask]]] = {
    "tablier_client": ours_async,
    "aiohttp": aiohttp,
    "grpc": over_grpc_async,
    "httpx": httpx_async,
}


def measure(ask: Ask) -> float:
    """The CPU seconds of a call: the best of some rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        begun = time.process_time()
        for _ in range(CALLS):
            ask()
        best = min(best, (time.process_time() - begun) / CALLS)
    return best


async def measure_async(ask: Ask) -> float:
    """The same with asyncio."""
    best = float("inf")
    for _ in range(ROUNDS):
        begun = time.process_time()
        for _ in range(CALLS):
            await ask()
        best = min(best, (time.process_time() - begun) / CALLS)
    return best


async def all_async(service: Served, table: Table) -> None:
    """Measure what is asynchronous."""
    for name, make in ASYNCHRONOUS.items():
        try:
            ask = await make(service)
        except ModuleNotFoundError:
            continue
        table.add_row(name, "asyncio", f"{1e6 * await measure_async(ask):.0f}")


def main() -> None:
    """Print a table."""
    table = Table(title=f"CPU time of a client per call, best of {ROUNDS} rounds; {machine()}")
    for title in ("client", "kind", "µs"):
        table.add_column(title)
    with served() as service:
        for name, make in SYNCHRONOUS.items():
            try:
                ask = make(service)
            except ModuleNotFoundError:
                continue
            table.add_row(name, "synchronous", f"{1e6 * measure(ask):.0f}")
        asyncio.run(all_async(service, table))
    Console().print(table)


if __name__ == "__main__":
    main()
