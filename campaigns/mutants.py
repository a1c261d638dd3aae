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
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any

import click
import grpc
import httpx
from google.protobuf import json_format
from google.protobuf.message import Message
from google.rpc import code_pb2
from rich.console import Console
from rich.table import Table
from tablier.v1.game_service_pb2 import BatchResponse, OperationResult
from tablier_core.errors import TablierError
from tablier_core.registry import GAMES
from tablier_core.testing.guards import check_packed
from tablier_service.security.sealing import PlainTokens, SealedTokens, read_keys

from campaigns.totals import Totals
from loadtests.answers import Oracle
from loadtests.requests import CALLS, Source
from loadtests.transports import http_form
from tests.core import laws
from tests.core.variants import VARIANTS
from tests.live_server import start_server
from tests.service.assembly import SEAL_KEYS

# Mutants that are counted together, and originals of each game.
CHUNK, ORIGINALS = 1000, 40
# Few moves are played on from a state, to save time.
MOVES = 2
TIMEOUT_SECONDS = 30
NO_RETRIES = [("grpc.enable_retries", 0)]
INTERNAL = {code_pb2.INTERNAL, code_pb2.UNKNOWN}

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
        token, match = chance.choice(sealed), "match"
        if number % 16 == 0:
            token = chance.choice(forged)
        elif number % 16 == 1:
            match = chance.choice(("", "Match", "match\0", "other"))
        else:
            # A mutation can change nothing.
            while token in known:
                token = mutate(token, sealed, chance)
        try:
            ours.open(token, match)
        except TablierError:
            return
        raise AssertionError(f"mutant {number} was accepted: {token.hex()} in {match!r}")

    yield check


def originals() -> dict[str, list[Message]]:
    """Right requests of every call."""
    source = Source(PlainTokens(GAMES), seed=1)
    return {
        call: [make(source, source.turn()) for _ in range(ORIGINALS)]
        for call, make in CALLS.items()
    }


def refuse_internal(results: Iterable[OperationResult], about: str) -> None:
    """Operations have errors of their own, even if their call succeeds."""
    for result in results:
        assert result.error.code not in INTERNAL, f"{about}: {result.error}"


def over_grpc(address: str, names: Sequence[str]) -> Iterator[Check]:
    """Mutated messages over gRPC, to the calls with these names."""
    found = {name: [each.SerializeToString() for each in originals()[name]] for name in names}
    everything = [data for each in found.values() for data in each]
    with closing(Oracle()) as oracle, grpc.insecure_channel(address, NO_RETRIES) as channel:
        methods = {name: oracle.method(name) for name in names}
        calls: dict[str, Any] = {
            # What answers once can also be read as a stream.
            name: channel.stream_stream(method.path, None, None)
            for name, method in methods.items()
        }

        def check(number: int) -> None:
            chance = random.Random(number)
            name = names[number % len(names)]
            data = mutate(chance.choice(found[name]), everything, chance)
            about = f"mutant {number}: {name} {data.hex()}"
            call = calls[name](iter([data]), timeout=TIMEOUT_SECONDS)
            with suppress(grpc.RpcError):
                for answer in call:
                    if name in ("Batch", "Play"):
                        message: Any = methods[name].response_type.FromString(answer)
                        refuse_internal(message.results, about)
            code = call.code()
            assert code.value[0] not in INTERNAL, f"{about}: {code.name}: {call.details()}"

        yield check


def over_rest(url: str) -> Iterator[Check]:
    """Mutated JSON over REST."""
    with closing(Oracle()) as oracle, httpx.Client(base_url=url, timeout=TIMEOUT_SECONDS) as client:
        forms = [
            form
            for call, messages in originals().items()
            for form in (http_form(oracle.method(call), each) for each in messages)
            if form is not None and form.body
        ]
        bodies = [form.body for form in forms]

        def check(number: int) -> None:
            chance = random.Random(number)
            path, original = chance.choice(forms)[1:]
            body = mutate(original, bodies, chance)
            about = f"mutant {number}: {path} {body!r}"
            answer = client.post(path, content=body, headers={"content-type": "application/json"})
            assert answer.status_code != httpx.codes.INTERNAL_SERVER_ERROR, (
                f"{about}: {answer.text}"
            )
            if path.endswith("/batch") and answer.is_success:
                refuse_internal(json_format.Parse(answer.content, BatchResponse()).results, about)

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
            server = start_server(Path(os.devnull), TABLIER_MAX_SEARCH_SECONDS="0.01")
            stack.callback(server.close)
            stack.callback(server.stop)
            address = server.grpc_address
            calls = [call for call in CALLS if call != "Play"]
            run("requests over gRPC", over_grpc(address, calls), wanted, totals)
            run("messages of Play streams", over_grpc(address, ["Play"]), wanted, totals)
            run("requests over REST", over_rest(server.rest_url), wanted, totals)
    table = Table("mutants of", "checked")
    for kind, count in sorted(totals.counts.items()):
        table.add_row(kind, f"{count:,}")
    Console().print(table)


if __name__ == "__main__":
    sys.exit(main())
