"""The service with authentication: `python -m bench.secured`.

It requires API keys, checks quotas and bills every call. Unary calls with sealed tokens are
compared with an echo that does none of that, and with the service on asyncio's server; the same
with TLS has no requirement. Unary calls that are also logged are compared with an echo, and REST
with unary calls with the same key on asyncio's server, both without a log.
"""

from __future__ import annotations

import base64
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import grpc
import uvloop
from grpc import aio
from rich.console import Console
from rich.progress import track
from tablier_core import codec
from tablier_core.registry import GAMES
from tablier_service.security.sealing import SealedTokens

from bench import echo
from bench.loads import Load, connect, rest, unary
from bench.served import ECHO, Served, served
from bench.transports import (
    ROUNDS,
    SERVICE,
    Pool,
    Row,
    Server,
    Side,
    Writer,
    as_json,
    listing,
    middle_of,
    note_all,
    playing,
    pooled,
    report,
)
from tests.certificates import Authority

KEY = "tablier_a-key-of-the-usual-length-for-the-benchmark"
CALLERS = f"""
[[callers]]
name = "bench"
roles = ["host"]
key_sha256 = ["{sha256(KEY.encode()).hexdigest()}"]
calls_per_second = 1e9
cpu_ms_per_second = 1e9
"""
METADATA = (("authorization", f"Bearer {KEY}"),)
# The required ratios of operations per CPU second: unary calls with sealed tokens to an echo and to
# asyncio's server, and REST and Connect to unary calls on asyncio's server.
SEALED, SEALED_ASYNCIO, REST, CONNECT = 2.0, 2.4, 3.0, 5.0
# The required ratio of operations per second of unary calls that are logged, to an echo.
LOGGED = 0.6
SEAL_KEY = bytes(range(32))


@contextmanager
def secured(**settings: str) -> Iterator[Served]:
    """A service that requires the key."""
    with TemporaryDirectory() as folder:
        callers = Path(folder) / "callers.toml"
        callers.write_text(CALLERS)
        with served(callers_file=str(callers), **settings) as service:
            yield service


def unary_side(server: Server, call: str, data: bytes) -> Side:
    """A unary call with the key."""
    return Side(server.process, unary(server.channel, SERVICE + call, data, metadata=METADATA))


class Comparison:
    """Unary calls to one server with a key, compared with those to others."""

    def __init__(self, ours: Server, bare: Server, write: Writer, words: str) -> None:
        self._ours = ours
        self._bare = bare
        self._write = write
        self._words = words

    async def rows(
        self, required: float, by_cpu: bool, other: Server | None = None, of_other: float = 0.0
    ) -> list[Row]:
        """Both unary calls of every game, compared with an echo and with the other server."""
        found = []
        for name in GAMES:
            position = middle_of(name)
            for call, request in (
                ("EnumerateMoves", listing(position, self._write)),
                ("ApplyMoves", playing(position, self._write)),
            ):
                data = request.SerializeToString()
                method = self._ours.channel.unary_unary(SERVICE + call, None, None)
                answer = await method(data, metadata=METADATA)
                # The clients of the echo send the same headers, because the server is measured.
                path = f"{echo.UNARY}{len(answer)}"
                echoed = unary(self._bare.channel, path, data, metadata=METADATA)
                ways = [("echo", Side(self._bare.process, echoed), required)]
                if other is not None:
                    ways.append(("asyncio", unary_side(other, call, data), of_other))
                found += [
                    Row(
                        f"{call}, {name}, {self._words}",
                        unary_side(self._ours, call, data),
                        baseline,
                        side,
                        None,
                        by_cpu=by_cpu,
                        pool=Pool(f"{call}, all games, {self._words}", least),
                    )
                    for baseline, side, least in ways
                ]
        return found


def tls_row(ours: Server, other: Server, write: Writer) -> Row:
    """A unary call over TLS on both servers."""
    data = playing(middle_of("contigo-alignment"), write).SerializeToString()
    sides = (unary_side(server, "ApplyMoves", data) for server in (ours, other))
    name = "ApplyMoves, contigo-alignment, with a key, sealed, over TLS"
    return Row(name, next(sides), "asyncio", next(sides), None, by_cpu=True)


def http_rows(service: Served, other: Server) -> list[Row]:
    """REST and Connect with a key, compared with unary calls with it on asyncio's server."""
    request = playing(middle_of("contigo-alignment"))
    data = request.SerializeToString()
    over_rest = rest(service.rest, "/v1/states:applyMoves", as_json(request), METADATA)
    over_connect = connect(service.rest, SERVICE + "ApplyMoves", data, METADATA)
    ways: tuple[tuple[str, Load, float], ...] = (
        ("REST", over_rest, REST),
        ("Connect", over_connect, CONNECT),
    )
    return [
        Row(
            f"{name} ApplyMoves with a key",
            Side(service.process, load),
            "asyncio unary with a key",
            unary_side(other, "ApplyMoves", data),
            required,
            by_cpu=True,
        )
        for name, load, required in ways
    ]


class Services:
    """The servers that are compared, in processes of their own."""

    def __init__(self, stack: ExitStack) -> None:
        def start(**settings: str) -> Served:
            return stack.enter_context(secured(**settings))

        folder = Path(stack.enter_context(TemporaryDirectory()))
        authority = Authority(folder)
        self.authority = authority.file.read_bytes()
        certificate, key = authority.sign("service")
        asyncio = {"grpc_server": "asyncio"}
        sealed = {"seal_keys": f"1:{base64.b64encode(SEAL_KEY).decode()}"}
        tls = {"tls_cert_file": str(certificate), "tls_key_file": str(key)}
        self.bare = stack.enter_context(served(ECHO))
        self.plain, self.plain_asyncio = start(), start(**asyncio)
        self.logging = start(log_calls="true")
        self.sealed, self.sealed_asyncio = start(**sealed), start(**sealed, **asyncio)
        self.tls, self.tls_asyncio = start(**sealed, **tls), start(**sealed, **tls, **asyncio)


async def compare(services: Services) -> list[Row]:
    """Measure all rows."""
    credentials = grpc.ssl_channel_credentials(services.authority)

    def to(service: Served) -> Server:
        return Server(service.process, aio.insecure_channel(service.grpc))

    def over_tls(service: Served) -> Server:
        return Server(service.process, aio.secure_channel(service.grpc, credentials))

    write = SealedTokens(GAMES, {1: SEAL_KEY}).write
    bare = to(services.bare)
    sealed = Comparison(to(services.sealed), bare, write, "with a key and sealed tokens")
    logged = Comparison(to(services.logging), bare, codec.encode, "with a key and a log line")
    rows = [
        *await sealed.rows(
            SEALED, by_cpu=True, other=to(services.sealed_asyncio), of_other=SEALED_ASYNCIO
        ),
        *await logged.rows(LOGGED, by_cpu=False),
        *http_rows(services.plain, to(services.plain_asyncio)),
        tls_row(over_tls(services.tls), over_tls(services.tls_asyncio), write),
    ]
    for _ in track(range(ROUNDS), "Secured", console=Console(stderr=True)):
        for row in rows:
            await row.measure()
    return [*rows, *pooled(rows)]


def main() -> int:
    """Measure, print, and return 0 if every required ratio was reached."""
    with ExitStack() as stack:
        rows = uvloop.run(compare(Services(stack)))
    note_all("secured", rows)
    Console(width=None if sys.stdout.isatty() else 190).print(report(rows))
    return 0 if all(row.reached for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
