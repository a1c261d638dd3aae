"""Mutated states, sealed tokens and requests do no harm: `make mutants MUTANTS=1000000`.

Every state that `unpack` accepts keeps the laws, with the sanitizers of `make sanitize`; no mutated
or forged token opens; and no request over gRPC or REST is answered with INTERNAL. The numbers are
added up in build/totals.json, so that a run that was interrupted goes on.
"""

from __future__ import annotations

import os
import random
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import click
import grpc
import httpx
from rich.console import Console
from rich.table import Table
from tablier_core import codec
from tablier_core.errors import TablierError
from tablier_core.registry import GAMES
from tablier_core.testing.guards import check_packed
from tablier_service.security.sealing import SealedTokens, read_keys

from campaigns.totals import Totals
from tests.core import laws
from tests.core.variants import VARIANTS
from tests.live_server import start_server
from tests.service.assembly import SEAL_KEYS, assemble

# Mutants that are counted together, and originals of each game.
CHUNK, ORIGINALS = 1000, 40
# Few moves are played on from a state, to save time.
MOVES = 2
INTERNAL = {grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN}

# Checks some mutants, which depend on the number alone.
Check = Callable[[int], None]


def mutate(data: bytes, others: list[bytes], chance: random.Random) -> bytes:
    """Change some bits or bytes, cut, repeat, or join with a part of other data."""
    found = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 4, 16))):
        place = chance.randrange(len(found) + 1)
        kind = chance.randrange(6)
        if kind == 0 and found:
            found[place % len(found)] ^= 1 << chance.randrange(8)
        elif kind == 1 and found:
            found[place % len(found)] = chance.choice((0, 1, 127, 128, 255))
        elif kind == 2:
            del found[place : place + chance.randrange(1, 9)]
        elif kind == 3:
            found[place:place] = chance.randbytes(chance.randrange(1, 9))
        elif kind == 4:
            other = chance.choice(others)
            found[place:] = other[chance.randrange(len(other) + 1) :]
        else:
            found[place:place] = found[place : place + chance.randrange(1, 33)]
    return bytes(found)


def packed(name: str) -> list[bytes]:
    """States of every variant of a game."""
    return [
        position.pack()
        for number, options in enumerate(VARIANTS[name])
        for position in laws.sample(GAMES[name], options, number, count=ORIGINALS)
    ]


def states(name: str) -> Iterator[Check]:
    """Mutated states of a game keep the laws, or are rejected."""
    originals = packed(name)

    def check(number: int) -> None:
        chance = random.Random(f"{name} {number}")
        data = mutate(chance.choice(originals), originals, chance)
        check_packed(GAMES[name], data, zlib.crc32(data), MOVES, stride=32)

    yield check


def tokens() -> Iterator[Check]:
    """No token opens that the service has not sealed, or sealed for another match or key."""
    ours = SealedTokens(GAMES, read_keys(SEAL_KEYS))
    theirs = SealedTokens(GAMES, read_keys("1:" + "B" * 43 + "="))
    sealed = [
        ours.write(position, "match")
        for name, game in GAMES.items()
        for position in laws.sample(game, VARIANTS[name][0], 1, count=8)
    ]
    forged = [theirs.write(GAMES[name].start({}, 1), "match") for name in GAMES]
    known = set(sealed)

    def check(number: int) -> None:
        chance = random.Random(number)
        token = chance.choice(sealed if number % 8 else forged)
        match = "match" if number % 16 else chance.choice(("", "Match", "match\0", "other"))
        if match == "match" and token in known:
            token = mutate(token, sealed, chance)
            if token in known:
                return
        try:
            ours.open(token, match)
        except TablierError:
            return
        raise AssertionError(f"mutant {number} was accepted: {token.hex()} in {match!r}")

    yield check


def originals(methods: Any) -> dict[str, list[bytes]]:
    """Requests of every unary method: empty, and with the fields that most of them have."""
    state = codec.encode(GAMES["contigo-alignment"].start({"first": 0}, 1))
    found: dict[str, list[bytes]] = {}
    for method in methods:
        if method.descriptor.client_streaming or method.descriptor.server_streaming:
            continue
        request = method.request_type()
        fields = request.DESCRIPTOR.fields_by_name
        if "state" in fields:
            request.state = state
        if "game" in fields:
            request.game = "contrast"
        if "budget" in fields:
            request.budget.iterations = 10
        if "games" in fields and fields["games"].cpp_type != fields["games"].CPPTYPE_MESSAGE:
            request.games = 1
        name = f"/{method.descriptor.containing_service.full_name}/{method.descriptor.name}"
        found[name] = [request.SerializeToString(), b"\x0a\x00", b"\x12\x04abcd"]
    return found


def over_grpc(address: str, methods: Any) -> Iterator[Check]:
    """Mutated messages over gRPC."""
    requests = originals(methods)
    names = sorted(requests)
    everything = [data for each in requests.values() for data in each]
    with grpc.insecure_channel(address, [("grpc.enable_retries", 0)]) as channel:
        calls: dict[str, Any] = {name: channel.unary_unary(name, None, None) for name in names}

        def check(number: int) -> None:
            chance = random.Random(number)
            name = names[number % len(names)]
            data = mutate(chance.choice(requests[name]), everything, chance)
            try:
                calls[name](data, timeout=30)
            except grpc.RpcError as error:
                code = error.code()
                assert code not in INTERNAL, f"mutant {number}: {name} {data.hex()}: {code}"

        yield check


def over_rest(url: str) -> Iterator[Check]:
    """Mutated JSON over REST."""
    with httpx.Client(base_url=url, timeout=30) as client:
        document = client.get("/openapi.json").json()
        paths = sorted(path for path, verbs in document["paths"].items() if "post" in verbs)
        bodies = [
            b'{"state":"AAAA","moves":[{"notation":"a6-a4","seat":0}],"seat":1}',
            b'{"game":"contrast","options":{"seats":3},"seed":7,"match":"m"}',
            b'{"operations":[{"getGame":{"game":"contrast"}},{"applyMoves":{"state":"AA"}}]}',
            b'{"budget":{"iterations":10},"level":3,"games":1,"levels":[1,2]}',
        ]

        def check(number: int) -> None:
            chance = random.Random(number)
            path = paths[number % len(paths)].replace("{game}", "contrast")
            body = mutate(chance.choice(bodies), bodies, chance)
            headers = {"content-type": "application/json"}
            answer = client.post(path, content=body, headers=headers)
            assert answer.status_code < httpx.codes.INTERNAL_SERVER_ERROR, (
                f"mutant {number}: {path} {body!r}: {answer.status_code}"
            )

        yield check


def run(kind: str, checks: Iterator[Check], wanted: int, totals: Totals) -> None:
    """Check what is missing of a total."""
    with closing(checks):  # type: ignore[type-var]
        check = next(checks)
        while (done := totals.counts[kind]) < wanted:
            count = min(CHUNK, wanted - done)
            for number in range(done, done + count):
                check(number)
            totals.add(kind, count)


@click.command()
@click.argument("subject", type=click.Choice(("states", "tokens", "requests")))
@click.argument("wanted", type=int)
@click.option("--build", default="plain", help="What the total of states is called.")
def main(subject: str, wanted: int, build: str) -> None:
    """Check mutants until there were WANTED of each kind; the first failure ends the run."""
    totals = Totals()
    with ExitStack() as stack:
        if subject == "states":
            for name in GAMES:
                run(f"states of {name}, {build} build", states(name), wanted, totals)
        elif subject == "tokens":
            run("sealed tokens", tokens(), wanted, totals)
        else:
            server = start_server(Path(os.devnull), TABLIER_MAX_SEARCH_SECONDS="0.1")
            stack.callback(server.close)
            stack.callback(server.stop)
            service = stack.enter_context(closing(assemble()))
            address = server.grpc_address
            run("requests over gRPC", over_grpc(address, service.methods), wanted, totals)
            run("requests over REST", over_rest(server.rest_url), wanted, totals)
    table = Table("mutants of", "checked")
    for kind, count in sorted(totals.counts.items()):
        table.add_row(kind, f"{count:,}")
    Console().print(table)


if __name__ == "__main__":
    sys.exit(main())
